"""Single edits of a formula that may make it right: a term with the other sign, a factor transposed or squared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from torch import Tensor

from gradcli.claims.formulas import names_at
from gradcli.errors import GradcliError
from gradcli.language.program import Node, Program
from gradcli.numeric.faults import TORCH_ERRORS
from gradcli.numeric.forward import Forward, value_of
from gradcli.numeric.making import Like
from gradcli.numeric.operations import Operand

if TYPE_CHECKING:
    from gradcli.claims.deciding import Case, Repair


class Point(NamedTuple):
    """What has a value where an operand is edited: names, and the formula's nodes so far."""

    names: dict[str, Tensor]
    nodes: dict[int, Operand]


#: what an operand becomes
Edit = Callable[[Operand, Point], Operand]
#: words, the node whose operand is edited, which operand, and how
Place = tuple[str, Node, int, Edit]

_PRODUCTS = frozenset(("matmul", "mm", "mv", "bmm"))
_SUMS = frozenset(("add", "sub"))
_SCALED = frozenset(("mul", "div"))
_FIXED = frozenset(("number", "constant"))
#: functions that are taken for each other
_TWINS = {"sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh", "log": "exp", "exp": "log"}
#: formulas of more operations are only searched for signs and transposes
_SHORT = 64


def slight_edits(formula: Program) -> Iterator[tuple[str, Repair]]:
    """A sign or a transpose: what each edit says of the formula, and the formula's value with it."""
    for node, place, _, text in _operands(formula):
        if node.op in _SUMS:
            yield f"the sign of {text} in it is wrong", _edited(formula, node, place, lambda x, _: -x)
        if node.op in _PRODUCTS or node.op in _SUMS:
            yield f"{text} in it should be transposed", _edited(formula, node, place, lambda x, _: _transposed(x))
    for node, place, _, text in _operands(formula):
        if node.op in _PRODUCTS:
            yield f"{text} in it is taken for symmetric", _edited(formula, node, place, _symmetric)


def free_edits(formula: Program, leaves: Iterable[str]) -> Iterator[tuple[str, Repair]]:
    """Exponents, squares, a division for a product, what is taken for another; none of long formulas.

    ``leaves``: of the program, one of which may stand for another.
    """
    if len(formula.nodes) > _SHORT:
        return
    for words, node, place, edit in (
        *_exponents(formula),
        *_powers(formula),
        *_twins(formula),
        *_leaves(formula, leaves),
    ):
        yield words, _edited(formula, node, place, edit)


def _operands(formula: Program) -> Iterator[tuple[Node, int, int, str]]:
    """Every operand of every node: the node, the place, the operand's id and its text."""
    for node in formula.nodes:
        for place, operand in enumerate(node.args):
            yield node, place, operand, formula.echoes[operand]


def _exponents(formula: Program) -> Iterator[Place]:
    for node in formula.nodes:
        if node.op == "pow":
            text = formula.echoes[node.id]
            yield f"the exponent of {text} in it is one too high", node, 1, lambda x, _: x - 1
            yield f"the exponent of {text} in it is one too low", node, 1, lambda x, _: x + 1


def _powers(formula: Program) -> Iterator[Place]:
    free = [found for found in _operands(formula) if formula.nodes[found[2]].op not in _FIXED]
    for node, place, _, text in free:
        if node.op in _SUMS or node.op in _SCALED:
            yield f"{text} in it should be squared", node, place, lambda x, _: x * x
    for node, place, _, text in free:
        if node.op in _SCALED:
            should = "multiply" if node.op == "div" and place == 1 else "divide"
            yield f"{text} in it should {should}", node, place, lambda x, _: 1 / x


def _twins(formula: Program) -> Iterator[Place]:
    for node, place, operand, text in _operands(formula):
        op = formula.nodes[operand].op
        if op in _TWINS:
            twin = replace(formula.nodes[operand], op=_TWINS[op])
            yield f"{text} in it should be {twin.op}{text.removeprefix(op)}", node, place, _called(twin)


def _leaves(formula: Program, leaves: Iterable[str]) -> Iterator[Place]:
    for node, place, operand, text in _operands(formula):
        for other in leaves if formula.nodes[operand].op == "leaf" else ():
            if other != text:
                yield f"{text} in it should be {other}", node, place, _named(other)


def _named(name: str) -> Edit:
    return lambda _, at: at.names[name]


def _called(node: Node) -> Edit:
    def value(before: Operand, at: Point) -> Operand:
        if not isinstance(before, Tensor):
            return before
        return value_of(node, [at.nodes[arg] for arg in node.args], Like(before.dtype, before.device))

    return value


def _transposed(value: Operand) -> Operand:
    return value.mT if isinstance(value, Tensor) and value.dim() >= 2 else value


def _symmetric(value: Operand, _: Point) -> Operand:
    if isinstance(value, Tensor) and value.dim() == 2 and value.shape[0] == value.shape[1]:
        return (value + value.mT) / 2
    return value


def _edited(formula: Program, at: Node, place: int, edit: Edit) -> Repair:
    """The formula's value where one operand is edited; None where it has none."""

    def value(case: Case) -> Tensor | None:
        try:
            found = _evaluated(case.spot.forward, case.spot.upstream)
        except (GradcliError, *TORCH_ERRORS):
            return None
        return found.detach() if isinstance(found, Tensor) else None

    def _evaluated(forward: Forward, upstream: Tensor) -> Operand:
        point = Point(names_at(forward, upstream), {})
        for node in formula.nodes:
            if node.op == "leaf":
                point.nodes[node.id] = point.names[str(node.attr("name"))]
                continue
            operands = [point.nodes[arg] for arg in node.args]
            if node.id == at.id:
                operands[place] = edit(operands[place], point)
            point.nodes[node.id] = value_of(node, operands, forward.like)
        return point.nodes[formula.root.node]

    return value
