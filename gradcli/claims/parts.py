"""What a gradient is made of: the terms of its closed form, and the factors of its chain rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from gradcli.claims.spots import Spot
from gradcli.closed.evaluate import BLOCK, cost, evaluate
from gradcli.closed.notation.indices import write_terms
from gradcli.closed.points import node_values
from gradcli.closed.scalar import Add, build, mul, split
from gradcli.closed.terms import Term
from gradcli.errors import GradcliError
from gradcli.findings.texts import text_at
from gradcli.language.program import Node, Program
from gradcli.numeric.forward import Forward
from gradcli.ops.row import Kind, Row
from gradcli.ops.table import find, names
from gradcli.solve.formulas import Formulas

if TYPE_CHECKING:
    from gradcli.claims.deciding import Case, Claim
    from gradcli.closed.forms import LeafForms

#: closed forms of more terms are not taken apart
_MOST = 12


@dataclass(frozen=True)
class Part:
    """One term of a closed form."""

    text: str
    forms: LeafForms
    term: Term
    kind: str

    def value(self, spot: Spot) -> Tensor:
        """The term at a point, in the shape of the gradient or of the Jacobian."""
        leaf = self.forms.terms
        values = node_values(self.forms.derivation, spot.forward, spot.upstream.detach(), torch.float64)
        return evaluate([self.term], leaf.at if self.kind == "gradient" else (*leaf.out, *leaf.at), values)


def parts(claim: Claim, forms: Formulas) -> Iterator[Part]:
    """The terms of the closed form that a claim is about; none where there is one term only."""
    found = forms.forms.get(claim.leaf)
    if found is None:
        return
    leaf = found.terms
    terms = leaf.gradient if claim.kind == "gradient" else leaf.jacobian
    axes = leaf.at if claim.kind == "gradient" else (*leaf.out, *leaf.at)
    singles = [single for term in terms or () for single in _split(term)]
    if not 1 < len(singles) <= _MOST or cost(singles, axes) > BLOCK:
        return
    letters = found.naming.letters(() if claim.kind == "gradient" else leaf.out, leaf.at)
    for single in singles:
        yield Part(write_terms([single], found.naming, letters), found, single, claim.kind)


def _split(term: Term) -> list[Term]:
    """A sum, or a product that has a sum as a factor, as its summands."""
    number, factors = split(term.coefficient)
    for k, (base, exponent) in enumerate(factors):
        if isinstance(base, Add) and exponent.value == 1:
            rest = build(number, (*factors[:k], *factors[k + 1 :]))
            return [replace(term, coefficient=mul(rest, child)) for child in base.children]
    return [term]


@dataclass(frozen=True)
class Link:
    """An elementwise operation between a leaf and the root: its text and its slope's, and both values at a point."""

    text: str
    slope_text: str
    value: Callable[[Case], Tensor | None]
    slope: Callable[[Case], Tensor | None]


def chain(spot: Spot, leaf: str) -> Iterator[Link]:
    """The elementwise operations between a leaf and the root whose slope is no number."""
    forward = spot.forward
    moving = _dependents(spot, leaf)
    for node in forward.program.nodes:
        row = find(node.op)
        if node.id not in moving or row is None or row.kind is not Kind.ELEMENTWISE:
            continue
        for role, operand in zip(node.roles, node.args, strict=True):
            if operand in moving and role in row.slopes and not _is_constant(row.slopes[role], node, forward):
                text = forward.program.echoes[node.id]
                yield Link(text, _slope_text(spot, node, role), value_at(node), _slope(node, row, role))


def _is_constant(slope: str, node: Node, forward: Forward) -> bool:
    """Whether a slope is a number: constant factors are told as such."""
    operand = node.operand(slope)
    fixed = operand is not None and forward.program.nodes[operand].op in ("number", "constant")
    return fixed or slope.lstrip("-").isdigit()


def _dependents(spot: Spot, leaf: str) -> set[int]:
    moving = {spot.forward.program.leaf_id(leaf)}
    for node in spot.forward.program.nodes[: spot.start.node + 1]:
        if not moving.isdisjoint(node.args):
            moving.add(node.id)
    return moving  # type: ignore[return-value]


def _slope(node: Node, row: Row, role: str) -> Callable[[Case], Tensor | None]:
    def value(case: Case) -> Tensor | None:
        try:
            found = text_at(row.slopes[role], node, case.spot.forward)
        except GradcliError:
            return None
        return None if found is None else found.detach()

    return value


def value_at(node: Node) -> Callable[[Case], Tensor | None]:
    """A node's value, as a function of the point."""
    return lambda case: case.spot.forward.tensor(node.id).detach()


def _slope_text(spot: Spot, node: Node, role: str) -> str:
    """``cos(x**2)``: the slope in the operands' own texts where the language can say it, else in words."""
    program = spot.forward.program
    operand, row = node.operand(role), find(node.op)
    assert operand is not None and row is not None
    slope = _power(node, role, program) if node.op == "pow" else row.slopes[role]
    places = dict(zip(node.roles, node.args, strict=True)) | {"y": node.id}
    words = set(re.findall(r"[a-z_]\w*", slope)) - places.keys()
    if "{" in slope or not words <= {*names(), "pi"}:
        return f"∂({program.echoes[node.id]})/∂({program.echoes[operand]})"

    def text(word: re.Match[str]) -> str:
        at = places.get(word[0])
        if at is None:
            return word[0]
        found = find(program.nodes[at].op)
        enclosed = slope == word[0] or f"({word[0]})" == slope[max(word.start() - 1, 0) : word.end() + 1]
        alone = enclosed or found is None or not found.operator
        return program.echoes[at] if alone else f"({program.echoes[at]})"

    return re.sub(r"[a-z_]\w*", text, slope)


def _power(node: Node, role: str, program: Program) -> str:
    """The slope of a power, which the table has as a function of its own."""
    if role == "exponent":
        return "y*log(x)"
    exponent = program.nodes[node.args[1]]
    if exponent.op != "number":
        return "exponent*x**(exponent - 1)"
    number: int | float = exponent.attr("value")  # type: ignore[assignment]
    return "2*x" if number == 2 else f"{number}*x**{number - 1}"
