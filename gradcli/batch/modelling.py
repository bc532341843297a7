"""Results modelled on another one: all of it is alike but the name, the texts and the numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gradcli.batch.templates import Key
from gradcli.language.program import Program
from gradcli.result import Leaf, Result, Tensor

if TYPE_CHECKING:
    from gradcli.result import Array


def modelled(model: Result, program: Program, name: str | None, numbers: dict[Key, Array]) -> Result:
    """``model`` with another program of the same kind and with the numbers of one problem."""
    texts = {statement.name: program.body(statement) for statement in program.statements}

    def tensor(one: Tensor, *key: Any) -> Tensor:
        value, gradient = numbers[(*key, "value")], numbers[(*key, "gradient")]
        return replace(one, value=value, gradient=gradient, text=texts.get(one.name, one.text))

    def leaf(one: Leaf, at: int) -> Leaf:
        key = ("leaves", at)
        jacobian, agreement = one.jacobian, one.agreement
        if jacobian is not None and jacobian.values is not None:
            jacobian = replace(jacobian, values=numbers[(*key, "jacobian", "values")])
        if agreement.compared:
            agreement = replace(
                agreement,
                closed_form=float(numbers[(*key, "agreement", "closed_form")]),
                finite_difference=float(numbers[(*key, "agreement", "finite_difference")]),
                closed_value=numbers[(*key, "agreement", "closed_value")],
                quotient=numbers[(*key, "agreement", "quotient")],
            )
        return replace(one, tensor=tensor(one.tensor, *key), jacobian=jacobian, agreement=agreement)

    leaves = [leaf(one, at) for at, one in enumerate(model.leaves)]
    gradients = {one.tensor.name: one.tensor.gradient for one in leaves if one.tensor.gradient is not None}
    first = replace(model.passes[0], upstream=numbers["passes", 0, "upstream"], gradients=gradients)
    return replace(
        model,
        name=name,
        program=program.text,
        root=tensor(model.root, "root"),
        passes=(first,),
        leaves=tuple(leaves),
        intermediates=tuple(tensor(one, "intermediates", at) for at, one in enumerate(model.intermediates)),
    )
