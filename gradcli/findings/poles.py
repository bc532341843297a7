"""Why a value is not finite: a pole, an overflow, a domain, a 0/0, a singular matrix, or what was given."""

from __future__ import annotations

import re

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.findings.limits import removable
from gradcli.findings.nonfinite import Origin, infinite, origins
from gradcli.findings.point import Finding, Point, text_at
from gradcli.findings.wording import PLACES, joined, number, place
from gradcli.language.program import Node
from gradcli.notes import Note
from gradcli.numeric.forward import step
from gradcli.ops.row import Kind
from gradcli.ops.table import find

#: how far, in steps of the dtype at 1 + |x|, the neighbours are that tell a pole from an overflow
NEIGHBOUR = 8
_MATRICES = frozenset({"det", "logdet", "slogdet", "inv", "solve", "cholesky", "pinv"})


def poles(point: Point, advice: str) -> list[Finding]:
    """What made elements of the root infinite or NaN, and what follows for difference quotients.

    Args:
        advice: a sentence on what would stay finite, or nothing.
    """
    bad = infinite(point.forward.values[point.root])
    if not bool(bad.any()):
        return []
    findings = [explain(point, origin, advice) for origin in origins(point)]
    poisoned = point.moved_by(point.forward.tensor(point.root), bad)
    if not findings or not poisoned:
        return findings
    # L has no quotient by an element that moves a part of the root that is not finite.
    return [*findings, Finding(findings[-1].note, poisoned, quotient_only=True)]


def explain(point: Point, origin: Origin, advice: str) -> Finding:
    """A note on one place where an infinity or a NaN arose."""
    node, mask = origin.node, origin.mask
    covers = point.moved_by(point.forward.tensor(node.id), mask)
    at = tuple(mask.nonzero()[0].tolist())
    code, words = _reason(point, node, mask, at)
    limit = removable(point, node.id, at, covers) if code in ("pole", "domain") else None
    if limit is not None:
        code, words = "removable", f"{words} {limit}"
    if code in ("overflow", "removable"):
        words += advice
    leaf = next(iter(covers), None)
    index = None if leaf is None else tuple(covers[leaf].nonzero()[0].tolist())
    return Finding(Note(code, words, leaf, index, explains=True), covers)


def _reason(point: Point, node: Node, mask: Tensor, at: tuple[int, ...]) -> tuple[str, str]:
    """(code, sentence) for a node whose operands are finite at ``at``."""
    forward, echo = point.forward, point.program.echoes[node.id]
    value = float(forward.tensor(node.id).detach()[at])
    if node.op in ("leaf", "number", "constant"):
        return "domain", f"{place(echo, at)} is {number(value)} as given, and no derivative is taken there."
    where = _where(point, node, mask)
    dtype = str(forward.tensor(node.id).dtype).removeprefix("torch.")
    row = find(node.op)
    elementwise = row is not None and row.kind is Kind.ELEMENTWISE
    if node.op in _MATRICES:
        return "singular", f"{echo} is {number(value)}: the matrix {_echoes(point, node)} is singular."
    if node.op == "div" and _zero(point, node, "other", at):
        return (
            "pole",
            f"{echo} divides {_element(point, node, 'x', at)} by 0{where} and is {number(value)} there.",
        )
    if value != value:
        outside = row is not None and row.domain and _violated(point, node, row.domain, at)
        if outside:
            domain = _in_words(point, node, row.domain)  # type: ignore[union-attr]
            slope = _own_slope(point, node, at)
            return "domain", f"{echo} is nan{where}: its domain is {domain}.{slope}"
        return "domain", f"{echo} is nan{where}."
    if elementwise and _near(point, node, at):
        return "pole", f"{echo} is {number(value)}{where}, which is a pole."
    largest = f"{torch.finfo(forward.tensor(node.id).dtype).max:.2g}"
    return "overflow", f"{echo} overflows{where}: {dtype} ends at {largest}, so it is {number(value)} there."


def _where(point: Point, node: Node, mask: Tensor) -> str:
    """`` at x[0] = 1000, x[1] = 1001 and 3 more``, by the operands that depend on leaves."""
    row = find(node.op)
    if row is None or row.kind is not Kind.ELEMENTWISE:
        return ""
    moving = [arg for arg in dict.fromkeys(node.args) if point.forward.tensor(arg).requires_grad] or list(
        node.args
    )
    places = [tuple(index) for index in mask.nonzero()[:PLACES].tolist()]
    texts = []
    for at in places:
        for arg in moving[:2]:
            index, value = _operand_at(point, node, arg, at)
            text = f"{place(_named(point.program.echoes[arg]), index)} = {number(value)}"
            if text not in texts:
                texts.append(text)
    more = int(mask.sum()) - len(places)
    return f" at {', '.join(texts)} and {more} more places" if more else f" at {joined(texts)}"


def _named(echo: str) -> str:
    return echo if echo.isidentifier() or echo.endswith((")", "]")) else f"({echo})"


def _operand_at(point: Point, node: Node, arg: int, at: tuple[int, ...]) -> tuple[tuple[int, ...], float]:
    """The element of an operand that an element of a broadcast result is made of."""
    value = point.forward.tensor(arg).detach()
    tail = at[len(at) - value.dim() :]
    index = tuple(0 if size == 1 else i for i, size in zip(tail, value.shape, strict=True))
    return index, float(value[index])


def _element(point: Point, node: Node, role: str, at: tuple[int, ...]) -> str:
    arg = node.operand(role)
    assert arg is not None
    return number(_operand_at(point, node, arg, at)[1])


def _zero(point: Point, node: Node, role: str, at: tuple[int, ...]) -> bool:
    return float(_element(point, node, role, at)) == 0


def _echoes(point: Point, node: Node) -> str:
    return point.program.echoes[node.args[0]]


def _violated(point: Point, node: Node, domain: str, at: tuple[int, ...]) -> bool:
    row = find(node.op)
    assert row is not None
    inside = text_at(domain, row, node, point.forward)
    if inside is None:
        return False
    return not bool(inside.expand(point.forward.shapes[node.id])[at])


def _in_words(point: Point, node: Node, domain: str) -> str:
    """A row's domain with the operands' texts for the parameters."""
    texts = {role: _named(point.program.echoes[arg]) for role, arg in zip(node.roles, node.args, strict=True)}
    return re.sub(r"[A-Za-z_]\w*", lambda found: texts.get(found.group(), found.group()), domain)


def _own_slope(point: Point, node: Node, at: tuple[int, ...]) -> str:
    """A warning where torch gives a finite slope outside the domain."""
    arg = next((arg for arg in node.args if point.forward.tensor(arg).requires_grad), None)
    if arg is None:
        return ""
    variable = point.forward.tensor(arg).detach().requires_grad_(True)
    again = step(point.program, node, {**point.forward.values, arg: variable}, point.forward.like)
    (slope,) = torch.autograd.grad(torch.as_tensor(again).sum(), variable)
    value = float(slope[_operand_at(point, node, arg, at)[0]])
    if value != value:
        return ""
    return f" The slope {number(value)} that torch gives there is not a derivative of anything real."


def _near(point: Point, node: Node, at: tuple[int, ...]) -> bool:
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
