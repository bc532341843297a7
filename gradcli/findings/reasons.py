"""Why one operation gave an infinity or a NaN from finite operands, in words."""

from __future__ import annotations

import re

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.findings.operands import at_element, named, spots
from gradcli.findings.paths import Places
from gradcli.findings.point import Point
from gradcli.findings.texts import text_at
from gradcli.findings.wording import number
from gradcli.language.program import Node
from gradcli.numeric.forward import step
from gradcli.ops.row import Kind, Row
from gradcli.ops.table import find

#: how far, in steps of the dtype at 1 + |x|, the neighbours are that tell a pole from an overflow
NEIGHBOUR = 8
_MATRICES = frozenset({"det", "logdet", "slogdet", "inv", "solve", "cholesky", "pinv"})

Index = tuple[int, ...]


def reason(point: Point, node: Node, mask: Tensor, covers: Places) -> tuple[str, str]:
    """(code, sentence) on the elements ``mask`` of a node, all NaN or all infinite.

    Args:
        covers: the leaf elements that they are computed from.
    """
    tensor, echo = point.forward.tensor(node.id).detach(), point.program.echoes[node.id]
    at: Index = tuple(mask.nonzero()[0].tolist())
    value, where = number(float(tensor[at])), spots(point, node, mask, covers)
    row = find(node.op)
    if row is None or node.op in ("leaf", "number", "constant"):
        return "domain", f"{echo} is {value} as given{where}."
    if node.op == "logdet" and bool(tensor[at].isnan()):
        return (
            "domain",
            f"{echo} is nan, because the determinant is negative; slogdet takes its absolute value.",
        )
    if node.op in _MATRICES:
        return "singular", f"{echo} is {value}: the matrix {point.program.echoes[node.args[0]]} is singular."
    if node.op == "div" and at_element(point, node, node.args[1], at)[1] == 0:
        above = number(at_element(point, node, node.args[0], at)[1])
        return "pole", f"{echo} divides {above} by 0{where} and is {value} there."
    if node.op in ("var", "std") and bool(tensor[at].isnan()):
        return "domain", f"{echo} is nan: it divides by N - 1, which is 0 for one element; give unbiased=False."
    if bool(tensor[at].isnan()):
        return "domain", f"{echo} is nan{where}{_domain(point, node, row, at)}"
    if row.kind is Kind.ELEMENTWISE and _near(point, node, at):
        return "pole", f"{echo} is {value}{where}, which is a pole."
    dtype = str(tensor.dtype).removeprefix("torch.")
    largest = f"{torch.finfo(tensor.dtype).max:.2g}"
    return "overflow", f"{echo} overflows{where}: {dtype} ends at {largest}, so it is {value} there."


def _domain(point: Point, node: Node, row: Row, at: Index) -> str:
    """``: its domain is c > 0. …`` where the element lies outside; a full stop where that is not why."""
    inside = text_at(row.domain, node, point.forward) if row.domain else None
    if inside is None or bool(inside.expand(point.forward.shapes[node.id])[at]):
        return "."
    return f": its domain is {_in_words(point, node, row.domain)}.{_own_slope(point, node, at)}"


def _in_words(point: Point, node: Node, domain: str) -> str:
    """A row's domain with the operands' texts for the parameters, as far as it speaks of what can move."""
    operands = dict(zip(node.roles, node.args, strict=True))
    moving = {role for role, arg in operands.items() if point.forward.tensor(arg).requires_grad}
    choices = re.fullmatch(r"logical_or\((.*), (.*)\)", domain)
    parts = [part for part in (choices.groups() if choices else (domain,)) if moving & set(_names(part))]
    texts = {role: named(point.program, arg) for role, arg in operands.items()}
    return " or ".join(re.sub(r"[A-Za-z_]\w*", lambda found: texts.get(found[0], found[0]), p) for p in parts)


def _names(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text)


def _own_slope(point: Point, node: Node, at: Index) -> str:
    """A warning where torch gives a finite slope outside the domain."""
    arg = next((arg for arg in node.args if point.forward.tensor(arg).requires_grad), None)
    if arg is None:
        return ""
    variable = point.forward.tensor(arg).detach().requires_grad_(True)
    again = step(point.program, node, {**point.forward.values, arg: variable}, point.forward.like)
    (slope,) = torch.autograd.grad(torch.as_tensor(again).sum(), variable)
    value = slope[at_element(point, node, arg, at)[0]]
    if bool(value.isnan()):
        return ""
    return f" The slope {number(float(value))} that torch gives there is not a derivative of anything real."


def _near(point: Point, node: Node, at: Index) -> bool:
    """Whether the operation is finite a little aside: then the value is a pole, else it overflowed."""
    forward = point.forward
    for sign in (1, -1):
        values = dict(forward.values)
        for arg in node.args:
            value = forward.tensor(arg).detach()
            if value.is_floating_point():
                values[arg] = value + sign * NEIGHBOUR * torch.finfo(value.dtype).eps * (1 + value.abs())
        try:
            moved = torch.as_tensor(step(point.program, node, values, forward.like))
        except GradcliError:
            continue
        if bool(moved.expand(forward.shapes[node.id])[at].isfinite()):
            return True
    return False
