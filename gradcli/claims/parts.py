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
from gradcli.language.program import Node
from gradcli.numeric.forward import Forward
from gradcli.ops.row import Kind, Row
from gradcli.ops.table import find
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


def chain_factors(spot: Spot, leaf: str) -> Iterator[tuple[str, Callable[[Case], Tensor | None]]]:
    """The slopes of the elementwise operations between a leaf and the root, as text and value."""
    forward = spot.forward
    moving = _dependents(spot, leaf)
    for node in forward.program.nodes:
        row = find(node.op)
        if node.id not in moving or row is None or row.kind is not Kind.ELEMENTWISE:
            continue
        for role, operand in zip(node.roles, node.args, strict=True):
            if operand in moving and role in row.slopes and not _is_constant(row.slopes[role], node, forward):
                yield _text(spot, node, role), _slope(node, row, role)


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


def _text(spot: Spot, node: Node, role: str) -> str:
    """``cos(x**2)``: the slope with the operands' own texts where that reads well, else in words."""
    program = spot.forward.program
    echo, operand = program.echoes, node.operand(role)
    assert operand is not None
    row = find(node.op)
    assert row is not None
    slope = row.slopes[role]
    if re.fullmatch(r"\w+(\(\w+\))?", slope) and "{" not in slope and not slope.startswith("power"):
        texts = {one: echo[at] for one, at in zip(node.roles, node.args, strict=True)} | {"y": echo[node.id]}
        names = set(re.findall(r"\w+", slope)) - {slope.partition("(")[0]} if "(" in slope else {slope}
        if names <= texts.keys():
            return re.sub(r"\w+", lambda word: texts.get(word.group(), word.group()), slope)
    return f"∂({echo[node.id]})/∂({echo[operand]})"
