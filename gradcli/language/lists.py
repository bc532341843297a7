"""List literals: what cannot be a tensor whatever its elements are."""

from __future__ import annotations

from gradcli.errors import GradcliError
from gradcli.language.syntax import Minus, Number, Sequence, Tree, ungroup


def check(tree: Sequence) -> None:
    """Refuse an empty list, and one whose items cannot have one shape.

    Raises:
        GradcliError: its span is the item that does not fit the first.
    """
    if not tree.items:
        raise GradcliError("an empty list has no elements", span=tree.span, hint="write at least one: [0]")
    first = ungroup(tree.items[0])
    for item in tree.items[1:]:
        inner = ungroup(item)
        if _is_number(first) and isinstance(inner, Sequence):
            raise _ragged(inner, "a list among numbers")
        if isinstance(first, Sequence) and _is_number(inner):
            raise _ragged(inner, "a number among lists")
        if isinstance(first, Sequence) and isinstance(inner, Sequence):
            lengths = len(first.items), len(inner.items)
            if lengths[0] != lengths[1]:
                raise _ragged(inner, f"a list of {lengths[1]} among lists of {lengths[0]}")


def _ragged(tree: Tree, what: str) -> GradcliError:
    return GradcliError(
        f"{what}: the rows of a matrix have one length", span=tree.span, hint="write [[1, 2], [3, 4]]"
    )


def _is_number(tree: Tree) -> bool:
    return isinstance(ungroup(tree.operand) if isinstance(tree, Minus) else tree, Number)
