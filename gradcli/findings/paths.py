"""Which elements of the leaves the elements of a node are computed from, whatever the slopes between them.

An elementwise operation is followed element by element, ``where`` into the branch that it takes.  Any other
operation is asked by a NaN sent backward through it alone, which no finite slope removes, 0 neither.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from gradcli.language.program import Node
from gradcli.numeric import operations
from gradcli.numeric.backward import gradients
from gradcli.numeric.forward import Forward, step
from gradcli.ops.row import Kind
from gradcli.ops.table import find

#: leaf → which of its elements, as a mask of its shape
Places = dict[str, Tensor]


def moved_by(forward: Forward, starts: Mapping[int, Tensor]) -> Places:
    """The elements of the differentiable leaves that move the marked elements of some nodes.

    Args:
        starts: node id → mask of its shape.
    """
    marked = {node: mask for node, mask in starts.items() if bool(mask.any())}
    found: Places = {}
    for node in reversed(forward.program.nodes[: max(marked, default=-1) + 1]):
        mask = marked.get(node.id)
        if mask is None or not _moves(forward, node.id):
            continue
        if node.op == "leaf":
            found[str(node.attr("name"))] = mask
            continue
        for operand, part in _operands(forward, node, mask):
            if bool(part.any()):
                marked[operand] = marked[operand] | part if operand in marked else part
    return {name: found[name] for name in forward.differentiable if name in found}


def _moves(forward: Forward, node: int) -> bool:
    value = forward.values[node]
    return isinstance(value, Tensor) and value.requires_grad


def _operands(forward: Forward, node: Node, mask: Tensor) -> list[tuple[int, Tensor]]:
    """(operand, mask) for the operands that can move."""
    moving = [(role, arg) for role, arg in zip(node.roles, node.args, strict=True) if _moves(forward, arg)]
    if is_elementwise(node):
        return [(arg, concerned(forward, node, role, arg, mask)) for role, arg in moving]
    operands = list(dict.fromkeys(arg for _, arg in moving))
    marks = torch.where(mask, torch.nan, 0.0)
    parts = [found.isnan() for found in sent(forward, node, marks, operands)]
    if operands and not any(bool(part.any()) for part in parts):
        parts = _silent(forward, node, mask, operands)
    return list(zip(operands, parts, strict=True))


def _silent(forward: Forward, node: Node, mask: Tensor, operands: list[int]) -> list[Tensor]:
    """For an operation that silences NaN, as a norm does at 0: its lines along ``dim``, or everything."""
    attrs = dict(node.attrs)
    if len(operands) > 1 or not {"dim", "keepdim"} <= attrs.keys():
        return [torch.ones_like(forward.tensor(arg), dtype=torch.bool) for arg in operands]
    operand = forward.tensor(operands[0]).detach().requires_grad_(True)
    attrs = {key: attrs[key] for key in ("dim", "keepdim")}
    total = operations.apply("sum", [("x", operand)], attrs, forward.like)
    return [gradients(forward, total, torch.where(mask, torch.nan, 0.0), [operand])[0].isnan()]


def is_elementwise(node: Node) -> bool:
    """Whether each element of the node is made of one element of each operand."""
    row = find(node.op)
    return row is not None and row.kind is Kind.ELEMENTWISE


def concerned(forward: Forward, node: Node, role: str, operand: int, mask: Tensor) -> Tensor:
    """The elements of an operand of an elementwise node that the marked elements are made of."""
    if node.op == "where" and role != "condition":
        chosen = forward.tensor(node.args[0]).detach() != 0
        mask = mask & (chosen if role == "x" else ~chosen)
    return shrunk(mask, forward.shapes[operand])


def shrunk(mask: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A mask of a broadcast result, for an operand of ``shape``: true where any copy is."""
    return mask.float().sum_to_size(shape) > 0


def sent(forward: Forward, node: Node, arriving: Tensor, operands: list[int]) -> list[Tensor]:
    """What this node alone sends back to each operand when ``arriving`` reaches it."""
    values = dict(forward.values)
    for arg in operands:
        values[arg] = forward.tensor(arg).detach().requires_grad_(True)
    again = torch.as_tensor(step(forward.program, node, values, forward.like))
    return gradients(forward, again, arriving, [values[arg] for arg in operands])
