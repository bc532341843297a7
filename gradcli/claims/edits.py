"""Single edits of a formula that may make it right: a term with the other sign, a factor transposed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from torch import Tensor

from gradcli.claims.formulas import names_at
from gradcli.errors import GradcliError
from gradcli.language.program import Program
from gradcli.numeric.faults import TORCH_ERRORS
from gradcli.numeric.forward import value_of
from gradcli.numeric.operations import Operand

if TYPE_CHECKING:
    from gradcli.claims.deciding import Case

_PRODUCTS = frozenset(("matmul", "mm", "mv", "bmm"))
_SUMS = frozenset(("add", "sub"))


def edits(formula: Program) -> Iterator[tuple[str, Callable[[Case], Tensor | None]]]:
    """What each edit says of the formula, and the formula's value with it."""
    for node in formula.nodes:
        for place, operand in enumerate(node.args):
            text = formula.echoes[operand]
            if node.op in _SUMS:
                yield f"the sign of {text} in it is wrong", _edited(formula, node.id, place, lambda x: -x)
            if node.op in _PRODUCTS or node.op in _SUMS:
                yield f"{text} in it should be transposed", _edited(formula, node.id, place, _transposed)


def _transposed(value: Operand) -> Operand:
    return value.mT if isinstance(value, Tensor) and value.dim() >= 2 else value


def _edited(
    formula: Program, at: int, place: int, edit: Callable[[Operand], Operand]
) -> Callable[[Case], Tensor | None]:
    """The formula's value where operand ``place`` of node ``at`` is edited; None where it has none."""

    def value(case: Case) -> Tensor | None:
        forward = case.spot.forward
        known = names_at(forward, case.spot.upstream)
        values: dict[int, Operand] = {}
        try:
            for node in formula.nodes:
                if node.op == "leaf":
                    values[node.id] = known[str(node.attr("name"))]
                    continue
                operands = [values[arg] for arg in node.args]
                if node.id == at:
                    operands[place] = edit(operands[place])
                values[node.id] = value_of(node, operands, forward.like)
        except (GradcliError, *TORCH_ERRORS):
            return None
        found = values[formula.root.node]
        return found.detach() if isinstance(found, Tensor) else None

    return value
