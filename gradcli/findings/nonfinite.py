"""Where an infinity or a NaN first arose: in the values, or on the way back to the leaves."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from gradcli.findings.paths import concerned, is_elementwise, sent, shrunk
from gradcli.findings.point import Point
from gradcli.language.program import Node
from gradcli.numeric.operations import Operand


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
            bad = _feeding(point, node, role, operand, mask) & infinite(values[operand])
            if not bool(bad.any()):
                continue
            wanted[operand] = wanted.get(operand, torch.zeros_like(bad)) | bad
            before = before & ~bad if is_elementwise(node) and bad.dim() else torch.zeros_like(before)
        if bool(before.any()):
            found.append(Origin(node, before))
    return found[::-1]


def _feeding(point: Point, node: Node, role: str, operand: int, mask: Tensor) -> Tensor:
    """The elements of the operand that may account for ``mask``."""
    if is_elementwise(node):
        return concerned(point.forward, node, role, operand, mask)
    return torch.ones(point.forward.shapes[operand], dtype=torch.bool, device=mask.device)


def spills(point: Point) -> list[Spill]:
    """Where the non-finite gradients of the leaves come from, nearest to the root first."""
    values, reaching = point.forward.values, point.reaching
    found = []
    for node in reversed(point.feeding):
        arriving = reaching.get(node.id)
        if arriving is None:
            continue
        operands = [arg for arg in dict.fromkeys(node.args) if arg in reaching and values[arg] is not values[node.id]]
        if not operands:
            continue
        for operand, back in zip(operands, sent(point.forward, node, arriving, operands), strict=True):
            mask = infinite(back) & ~_reached_by(node, infinite(arriving), tuple(back.shape))
            if bool(mask.any()):
                loud = _reached_by(node, arriving != 0, tuple(back.shape))
                found.append(Spill(node, operand, mask, not bool((loud & mask).any())))
    return found


def _reached_by(node: Node, mask: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The elements of an operand that the marked elements of what arrives may have a part in."""
    return shrunk(mask, shape) if is_elementwise(node) else mask.any().expand(shape)
