"""What the less usual signs of the formulas mean, said once under the table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradcli.ops.table import find

if TYPE_CHECKING:
    from gradcli.result import Result

#: pattern of a sign → its meaning; a pattern that is a letter is left out where a leaf has that name
SIGNS: dict[str, str] = {
    "𝟏": "𝟏 is all ones",
    r"\be\d": "e0, e1, … are unit vectors",
    r"\bL\b": "L has ones on and below its diagonal, zeros above",
    r"\bK\b": "K transposes: K vec(A) = vec(Aᵀ)",
    # in bold where the program has names like these
    "𝐈": "𝐈 is the identity matrix",
    "𝐞": "𝐞0, 𝐞1, … are unit vectors",
    "𝐋": "𝐋 has ones on and below its diagonal, zeros above",
    "𝐊": "𝐊 transposes: 𝐊 vec(A) = vec(Aᵀ)",
    "ḡ": "ḡh is the gradient that reaches h",
    "⊗": "⊗ is the Kronecker product",
    r"\bvec\(": "vec(A) has the rows of A one after the other",
    r"δ\(": "δ is 1 where its arguments are equal, else 0",
    r"\[.* (?:[<>]=?|[=!]?=) .*\]": "[…] is 1 where it holds, else 0",
    "blocks ": "blocks means one matrix for each value of the shared index",
}

_CALL = re.compile(r"\b([a-z_]+)\(")


def glossary(result: Result) -> str:
    """The meanings of the signs in the formulas of ``result``, as one text, or an empty one."""
    forms = [part for leaf in result.leaves for part in (leaf.jacobian and leaf.jacobian.form, leaf.closed_form)]
    formulas = "\n".join([*(form.shown for form in forms if form), *result.listing])
    names = {one.name for one in (result.root, *result.intermediates, *(leaf.tensor for leaf in result.leaves))}
    meanings = [
        said for pattern, said in SIGNS.items() if re.search(pattern, formulas) and said.partition(" ")[0] not in names
    ]
    for name in dict.fromkeys(_CALL.findall(formulas)):
        row = find(name)
        if row is not None and row.internal:
            meanings.append(f"{name} is {row.doc[:1].lower()}{row.doc[1:]}")
    return f"where {'; '.join(meanings)}" if meanings else ""
