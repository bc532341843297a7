"""Ties: elements that share a maximum, a minimum or a place in an order."""

from __future__ import annotations

import torch
from torch import Tensor

from gradcli.findings.lines import axes_of, from_lines, lines
from gradcli.findings.point import Finding, Point
from gradcli.findings.sides import sides
from gradcli.findings.wording import Listing, joined, number, place
from gradcli.language.program import Node
from gradcli.notes import Note

#: row → what its tied elements share
_SHARED = {
    "max": "the maximum",
    "amax": "the maximum",
    "cummax": "the running maximum",
    "min": "the minimum",
    "amin": "the minimum",
    "cummin": "the running minimum",
    "median": "the median",
    "kthvalue": "that place",
    "sort": "a place in the order",
    "topk": "a place among the largest",
}


def ties(point: Point) -> list[Finding]:
    """The ties at the point that matter to L, with the choice that torch makes."""
    findings = [_tie(point, node) for node in point.feeding if node.op in _SHARED]
    return [finding for finding in findings if finding is not None]


def _tie(point: Point, node: Node) -> Finding | None:
    operand = point.forward.tensor(node.args[0])
    tied = _tied(node, operand.detach(), point.forward.tensor(node.id).detach())
    if not operand.requires_grad or not bool(tied.any()):
        return None
    covers = point.moved_by(node.args[0], tied)
    uneven = [one for one in sides(point, covers) if one.tells]
    if not uneven:
        return None
    first = uneven[0]
    listing = Listing.of(point.forward, covers)
    words = (
        f"{listing.text} tie for {_SHARED[node.op]} in {point.program.echoes[node.id]}, and torch"
        f" {_choice(point, node, operand, tied)}. One moved alone has slope {number(first.left)} below and"
        f" {number(first.right)} above ({first.place})."
    )
    return Finding(Note("tie", words, first.leaf, first.index, explains=True), covers)


def _tied(node: Node, operand: Tensor, out: Tensor) -> Tensor:
    """Elements of the operand that equal another one which competes for the same place."""
    attrs = dict(node.attrs)
    axes = axes_of(attrs.get("dim"), operand.dim())
    values = lines(operand, axes)
    order = values.argsort(-1)
    ranked = values.gather(-1, order)
    same = ranked[..., 1:] == ranked[..., :-1]
    none = torch.zeros_like(ranked[..., :1], dtype=torch.bool)
    paired = torch.cat([same, none], -1) | torch.cat([none, same], -1)
    tied = torch.zeros_like(paired).scatter(-1, order, paired)
    if node.op in ("cummax", "cummin"):
        tied = tied & (values == lines(out, axes))
    elif node.op == "topk":
        chosen = lines(out, axes)
        largest = bool(attrs["largest"])
        tied = tied & (values >= chosen.amin(-1, True) if largest else values <= chosen.amax(-1, True))
    elif node.op != "sort":
        tied = tied & (values == out.reshape(*values.shape[:-1], 1))
    return from_lines(tied, axes, tuple(operand.shape))


def _choice(point: Point, node: Node, operand: Tensor, tied: Tensor) -> str:
    if node.op in ("sort", "topk", "cummax", "cummin"):
        return "ranks equal ones in the order in which it meets them"
    out = point.forward.tensor(node.id)
    (weights,) = torch.autograd.grad(out.sum(), operand, retain_graph=True)
    takers = (weights != 0) & tied
    if bool(takers.sum() == tied.sum()):
        return f"shares the slope evenly, {number(float(weights[tied][0]))} each"
    echo = point.program.echoes[node.args[0]]
    text = echo if echo.isidentifier() else f"({echo})"
    return "gives it all to " + joined([place(text, tuple(at)) for at in takers.nonzero()[:3].tolist()])
