"""Which element of an operand an element of a result is made of, and how notes write it."""

from __future__ import annotations

from torch import Tensor

from gradcli.findings.paths import Places
from gradcli.findings.point import Point
from gradcli.findings.wording import PLACES, Listing, joined, number, place
from gradcli.language.program import Node, Program
from gradcli.ops.row import Kind
from gradcli.ops.table import find

Index = tuple[int, ...]


def at_element(point: Point, node: Node, arg: int, at: Index) -> tuple[Index, float]:
    """The index and value of the operand's element for the element ``at`` of a broadcast result."""
    value = point.forward.tensor(arg).detach()
    tail = at[len(at) - value.dim() :]
    index = tuple(0 if size == 1 else i for i, size in zip(tail, value.shape, strict=True))
    return index, float(value[index])


def named(program: Program, node: int) -> str:
    """The text of a node, in brackets where an index or a sign beside it would be misread."""
    echo = program.echoes[node]
    plain = program.nodes[node].op in ("leaf", "number", "constant") or echo.isidentifier()
    return echo if plain or echo.endswith((")", "]")) else f"({echo})"


def spots(point: Point, node: Node, mask: Tensor, covers: Places) -> str:
    """`` at x[0] = 1000, x[1] = 1001 and 3 more``.

    By leaf where one leaf element makes each element of the node, else by the operands that can move.
    """
    if len(covers) == 1 and all(int(places.sum()) == int(mask.sum()) for places in covers.values()):
        return f" at {Listing.of(point.forward, covers).text}"
    row = find(node.op)
    if row is None or row.kind is not Kind.ELEMENTWISE:
        return ""
    distinct = list(dict.fromkeys(node.args))
    moving = [arg for arg in distinct if point.forward.tensor(arg).requires_grad] or distinct
    texts = []
    for at in mask.nonzero()[:PLACES].tolist():
        for arg in moving[:2]:
            index, value = at_element(point, node, arg, tuple(at))
            texts.append(f"{place(named(point.program, arg), index)} = {number(value)}")
    more = int(mask.sum()) - PLACES
    shown = list(dict.fromkeys(texts))
    return f" at {', '.join(shown)} and {more} more places" if more > 0 else f" at {joined(shown)}"
