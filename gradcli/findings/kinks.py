"""Kinks: where an operation's slope jumps exactly at the point.

A row of the table says where its kinks are.  Each candidate is confirmed on the whole program: the
one-sided difference quotients of L = Σ g·root by the leaf element concerned.  Where both sides agree with
torch the kink plays no part, and nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from gradcli.findings.paths import Places, moved_by, shrunk
from gradcli.findings.point import Finding, Point
from gradcli.findings.sides import Sides, sides
from gradcli.findings.texts import filled, text_at
from gradcli.findings.wording import Listing, number
from gradcli.language.program import Node
from gradcli.notes import Note
from gradcli.numeric import operations
from gradcli.numeric.making import Like
from gradcli.ops.row import Kind, Row
from gradcli.ops.table import find

#: step of the one-sided slopes of a single operation, relative to 1 + |x|
STEP = 1e-6


def kinks(point: Point) -> list[Finding]:
    """The kinks at the point that matter to L, with torch's choice and the slopes on both sides."""
    findings = []
    for node in point.feeding:
        row = find(node.op)
        for text in row.kinks if row is not None else ():
            finding = _kink(point, node, row, text)  # type: ignore[arg-type]
            if finding is not None:
                findings.append(finding)
    return findings


def _kink(point: Point, node: Node, row: Row, text: str) -> Finding | None:
    deciding = text_at(text, node, point.forward)
    if deciding is None or not deciding.requires_grad or not bool((deciding == 0).any()):
        return None
    at = (deciding == 0).detach()
    covers = _deciders(point, node, text, at)
    shown = next((one for one in sides(point, covers) if one.tells), None)
    if shown is None:
        return None
    own = _own_slopes(point, node, text, at) if row.kind is Kind.ELEMENTWISE else None
    words = _where(point, node, text, covers, own) + _slopes(point, own, shown)
    if shown.smooth:
        words += (
            f" Yet {point.root_name} has one slope there, {number(shown.right)}, and torch's"
            f" {number(shown.torch)} by {shown.place} is not it."
        )
    return Finding(Note("kink", words, shown.leaf, shown.index, explains=True), covers)


def _deciders(point: Point, node: Node, text: str, at: Tensor) -> Places:
    """The leaf elements that decide: through the operands of which the kink speaks, or the output ``y``."""
    program = filled(text, node)
    assert program is not None
    if "y" in program.leaves:
        return point.moved_by(node.id, at)
    shapes = point.forward.shapes
    operands = {arg for role, arg in zip(node.roles, node.args, strict=True) if role in program.leaves}
    return moved_by(point.forward, {arg: shrunk(at.expand(shapes[node.id]), shapes[arg]) for arg in operands})


def _where(point: Point, node: Node, text: str, covers: Places, own: _Slopes | None) -> str:
    """``relu(x) has a kink where x = 0, at x[1]``."""
    echo = point.program.echoes
    listing = Listing.of(point.forward, covers)
    program = filled(text, node)
    assert program is not None
    root = program.nodes[program.root.node]

    def side(inner: int) -> str:
        part = program.nodes[inner]
        operand = node.operand(str(part.attr("name"))) if part.op == "leaf" else None
        return program.echoes[inner] if operand is None else echo[operand]

    if text == "y":
        condition = f"where {echo[node.id]} = 0, "
    elif root.op == "leaf":
        condition = _condition(side(root.id), "0")
    elif root.op == "sub" and all(program.nodes[arg].op in ("leaf", "number", "neg") for arg in root.args):
        condition = _condition(*(side(arg) for arg in root.args))
    else:
        condition = ""
    what = "is on its edge" if _compares(node) else "jumps" if own is not None and own.jumps else "has a kink"
    return f"{echo[node.id]} {what} {condition}at {listing.text}"


def _condition(left: str, right: str) -> str:
    """``where x - 1 = 0, ``; nothing where the list of places says it already."""
    return "" if left.isidentifier() and _is_number(right) else f"where {left} = {right}, "


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdecimal()


def _compares(node: Node) -> bool:
    row = find(node.op)
    return row is not None and row.kind is Kind.CONSTANT


@dataclass(frozen=True, slots=True)
class _Slopes:
    left: float
    right: float
    torch: float
    jumps: bool


def _slopes(point: Point, own: _Slopes | None, shown: Sides) -> str:
    if own is None:
        root, gives = point.root_name, f"torch gives {number(shown.torch)}."
        if shown.jumps:
            return f": {root} jumps there and has no slope by {shown.place}; {gives}"
        sides_ = f"{number(shown.left)} below and {number(shown.right)} above"
        return f": the slope of {root} by {shown.place} is {sides_}; {gives}"
    if own.jumps:
        return f", so it has no slope there; torch takes {number(own.torch)}."
    return (
        f": its slope is {number(own.left)} below and {number(own.right)} above, and torch takes"
        f" {number(own.torch)}, one of many subgradients."
    )


def _own_slopes(point: Point, node: Node, text: str, at: Tensor) -> _Slopes | None:
    """One-sided slopes of the operation by the operand that decides, at the first kink."""
    program = filled(text, node)
    assert program is not None
    forward = point.forward
    roles = [role for role in node.roles if role in program.leaves]
    moving = next((role for role in roles if forward.tensor(node.operand(role)).requires_grad), None)  # type: ignore[arg-type]
    if moving is None:
        return None
    shape = forward.shapes[node.id]
    first = tuple(at.expand(shape).nonzero()[0].tolist()) if shape else ()
    operands = {
        role: forward.tensor(arg).detach().to(torch.float64).expand(shape)[first]
        for role, arg in zip(node.roles, node.args, strict=True)
    }
    x = operands[moving]
    like = Like(torch.float64, x.device)

    def value(moved: Tensor) -> Tensor:
        return operations.apply(node.op, ({**operands, moving: moved}).items(), node.attrs, like)

    h = STEP * (1 + x.abs())
    middle, up, down = value(x), value(x + h), value(x - h)
    left, right = float((middle - down) / h), float((up - middle) / h)
    variable = x.clone().requires_grad_(True)
    (chosen,) = torch.autograd.grad(value(variable), variable, allow_unused=True)
    jumps = max(abs(left), abs(right)) > 0.1 / STEP
    return _Slopes(_tidy(left), _tidy(right), 0.0 if chosen is None else float(chosen), jumps)


def _tidy(slope: float) -> float:
    """A quotient without the noise of its step."""
    return float(f"{slope:.4g}") if abs(slope) > 1e-4 else 0.0
