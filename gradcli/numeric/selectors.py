"""Which leaves only choose: they serve as indices or masks, and so have no gradient."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from gradcli.language.program import Node, Program
from gradcli.ops.row import Kind
from gradcli.ops.table import find

Shape = tuple[int, ...]

#: operations besides views that only bring elements together
_JOINS = ("index", "stack", "cat", "hstack", "vstack")


def only_select(program: Program, shapes: Mapping[int, Shape], roots: Iterable[int] | None = None) -> frozenset[str]:
    """Names of leaves whose elements only serve as indices or masks, moved about or not.

    Args:
        program: an evaluated program.
        shapes: the shape of each node.
        roots: nodes whose values are asked for; None means the last statement and every node
            that nothing else uses.
    """
    used = {arg for node in program.nodes for arg in node.args}
    if roots is None:
        roots = [node.id for node in program.nodes if node.id not in used]
    counted = {program.root.node, *roots}
    for node in reversed(program.nodes):
        if node.id in counted or not _moves(node.op):
            counted.update(
                arg for arg, role in zip(node.args, node.roles, strict=True) if not _selects(node, role, shapes)
            )
    return frozenset(
        str(node.attr("name"))
        for node in program.nodes
        if node.op == "leaf" and node.id in used and node.id not in counted
    )


def _selects(node: Node, role: str, shapes: Mapping[int, Shape]) -> bool:
    if node.op == "cross_entropy" and role == "target":
        return shapes[node.args[0]] != shapes[node.args[1]]  # classes, and no probabilities
    return role in _selectors(node.op)


@cache
def _selectors(op: str) -> frozenset[str]:
    row = find(op)
    params = row.params if row else ()
    return frozenset(param.name for param in params if param.kind in ("index", "mask"))


@cache
def _moves(op: str) -> bool:
    row = find(op)
    return op in _JOINS or (row is not None and row.kind is Kind.VIEW)
