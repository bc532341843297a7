"""Lists: what cannot be a tensor whatever the values of its elements are."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.errors import GradcliError, Span
from gradcli.language.program import Node


def check(nodes: Sequence[Node], items: Sequence[int], places: Sequence[Span]) -> None:
    """Refuse a list whose items, nodes written at ``places``, cannot have one shape.

    Raises:
        GradcliError: its span is the item that does not fit the first.
    """
    first = nodes[items[0]]
    for item, place in zip(items[1:], places[1:], strict=True):
        node = nodes[item]
        if _is_number(first) and _is_list(node):
            raise _ragged(place, "a list among numbers")
        if _is_list(first) and _is_number(node):
            raise _ragged(place, "a number among lists")
        if _is_list(first) and _is_list(node) and len(first.args) != len(node.args):
            raise _ragged(place, f"a list of {len(node.args)} among lists of {len(first.args)}")


def _ragged(place: Span, what: str) -> GradcliError:
    return GradcliError(f"{what}: the rows of a matrix have one length", span=place, hint="write [[1, 2], [3, 4]]")


def _is_number(node: Node) -> bool:
    return node.op in ("number", "constant")


def _is_list(node: Node) -> bool:
    return node.op == "stack" and node.attr("dim") == 0
