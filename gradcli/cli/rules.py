"""The derivatives of an operation, spelled for people from its row."""

from __future__ import annotations

import re

from gradcli.ops.row import Row
from gradcli.ops.table import find

#: what is said of operations whose derivative is no scalar rule
KINDS = {
    "view": "moves elements, and their slopes move along",
    "opaque": "a rule of its own: see the Jacobian that gradcli eval prints",
    "composite": "that of the operations it is made of",
    "constant": "none: it passes no gradient",
}

_CALL = re.compile(r"(\w+)\(([^()]*)\)")


def derivatives(row: Row) -> list[str]:
    """``∂/∂x = 1/x`` for each operand of an elementwise operation, words for any other."""
    if row.expansion.startswith("calls."):
        return [KINDS["composite"]]
    if row.expansion:
        return [f"as what it means: {_filled(row.expansion, row)}"]
    if row.slopes:
        return [f"∂/∂{name} = {_spelled(_filled(slope, row))}" for name, slope in row.slopes.items()]
    return [KINDS.get(row.kind.value, "")]


def _filled(text: str, row: Row) -> str:
    """``{name}`` stands for a setting: its default where that names a variant, else its name."""
    variants = {param.name: str(param.default) for param in row.statics if param.kind == "text"}
    return re.sub(r"\{(\w+)\}", lambda found: variants.get(found[1], found[1]), text)


def _spelled(slope: str) -> str:
    """Calls of internal rows written out as those rows print."""

    def written(call: re.Match[str]) -> str:
        row = find(call[1])
        if row is None or not row.internal or not row.prints:
            return call.group()
        given = [text.strip() for text in call[2].split(",")]
        names = dict(zip((param.name for param in row.params), given, strict=False))
        return re.sub(r"\w+", lambda word: names.get(word.group(), word.group()), row.prints)

    return _CALL.sub(written, slope)
