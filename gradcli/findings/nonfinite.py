"""Where an infinity or a NaN first arose: in the values, or on the way back to the leaves."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from gradcli.findings.point import Point
from gradcli.language.program import Node
from gradcli.numeric.backward import gradients
from gradcli.numeric.forward import step
from gradcli.numeric.operations import Operand
from gradcli.ops.row import Kind
from gradcli.ops.table import find


@dataclass(frozen=True, slots=True)
class Origin:
    """A node whose operands are finite where it is not itself.

    ``mask`` marks those elements of the node.
    """

    node: Node
    mask: Tensor


@dataclass(frozen=True, slots=True)
class Spill:
    """A node that sends back an infinity or a NaN though a finite gradient reaches it.

    Attributes:
        node, operand: the node, and the operand that gets it.
        mask: the elements of the operand.
        silent: the gradient that reaches the node is 0 there: a branch that is not taken.
    """

    node: Node
    operand: int
    mask: Tensor
    silent: bool


def infinite(value: Operand) -> Tensor:
    """Which elements are infinite or NaN."""
    return ~torch.as_tensor(value).detach().isfinite()


def origins(point: Point) -> list[Origin]:
    """Where the non-finite elements of the root come from, in the order of evaluation."""
    values = point.forward.values
    wanted = {point.root: infinite(values[point.root])}
    found: list[Origin] = []
    for node in reversed(point.feeding):
        mask = wanted.get(node.id)
        if mask is None or not bool(mask.any()):
            continue
        before = mask
        for role, operand in zip(node.roles, node.args, strict=True):
            bad = _concerned(point, node, role, operand, mask) & infinite(values[operand])
            if not bool(bad.any()):
                continue
            wanted[operand] = wanted.get(operand, torch.zeros_like(bad)) | bad
            before = before & ~bad if _elementwise(node) and bad.dim() else torch.zeros_like(before)
        if bool(before.any()):
            found.append(Origin(node, before))
    return found[::-1]


def _elementwise(node: Node) -> bool:
    row = find(node.op)
    return row is not None and row.kind is Kind.ELEMENTWISE


def _concerned(point: Point, node: Node, role: str, operand: int, mask: Tensor) -> Tensor:
    """The elements of the operand that may account for ``mask``: with ``where`` those that are chosen."""
    shape = point.forward.shapes[operand]
    if not _elementwise(node):
        return torch.ones(shape, dtype=torch.bool, device=mask.device)
    if node.op == "where" and role != "condition":
        condition = point.forward.tensor(node.args[0]).detach() != 0
        mask = mask & (condition if role == "x" else ~condition)
    return _shrunk(mask, shape)


def _shrunk(mask: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A mask of a broadcast result, for an operand of ``shape``: true where any copy is."""
    return mask.float().sum_to_size(shape) > 0


def spills(point: Point) -> list[Spill]:
    """Where the non-finite gradients of the leaves come from, nearest to the root first."""
    values, reaching = point.forward.values, point.reaching
    found = []
    for node in reversed(point.feeding):
        arriving = reaching.get(node.id)
        if arriving is None or not bool(arriving.isfinite().all()):
            continue
        operands = [arg for arg in dict.fromkeys(node.args) if arg in reaching and values[arg] is not values[node.id]]
        if not operands:
            continue
        for operand, sent in zip(operands, _sent(point, node, arriving, operands), strict=True):
            mask = infinite(sent)
            if bool(mask.any()):
                heard = (arriving != 0) & mask.new_ones(())
                loud = _shrunk(heard, tuple(mask.shape)) if _elementwise(node) else heard.any()
                found.append(Spill(node, operand, mask, not bool((loud & mask).any())))
    return found


def _sent(point: Point, node: Node, arriving: Tensor, operands: list[int]) -> list[Tensor]:
    """What this node alone sends back to each operand."""
    values = dict(point.forward.values)
    for arg in operands:
        values[arg] = point.forward.tensor(arg).detach().requires_grad_(True)
    again = step(point.program, node, values, point.forward.like)
    apart: list[Tensor] = [values[arg] for arg in operands]
    return gradients(point.forward, torch.as_tensor(again), arriving, apart)
