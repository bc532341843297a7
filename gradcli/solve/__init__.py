"""The one pipeline: Problem → Result.

``leaves`` gives the inputs, ``starts`` the upstream gradients, ``formulas`` the closed forms, ``checks`` the
agreement and the notes, ``records`` the numbers as the result holds them.  Importing this loads torch.
"""

from __future__ import annotations

import torch

from gradcli.errors import GradcliError
from gradcli.numeric.backward import Pass, backward
from gradcli.numeric.devices import resolve_device, resolve_dtype
from gradcli.numeric.forward import Forward, evaluate
from gradcli.problem import Problem
from gradcli.result import Agreement, Leaf, Result
from gradcli.result import Pass as PassRecord
from gradcli.solve import records
from gradcli.solve.checks import check
from gradcli.solve.formulas import Formulas, closed_forms
from gradcli.solve.leaves import Inputs, collect
from gradcli.solve.starts import Start, root_of, starts, summed
from gradcli.solve.statements import idle, reached

__all__ = ["solve"]


def solve(problem: Problem) -> Result:
    """Evaluate, go backward, derive, compare.

    Raises:
        GradcliError: the device, a value, a shape or an operation is at fault; with its place.
    """
    resolve_device(problem.device)
    if problem.dtype is not None:
        resolve_dtype(problem.dtype)
    inputs = collect(problem)
    forward = evaluate(problem.program, inputs.used, dtype=problem.dtype, device=problem.device, wrt=problem.wrt)
    _check_wrt(problem, forward, inputs)
    begun = starts(problem, forward, inputs)
    passes = backward(
        forward,
        [(one.node, one.upstream) for one in begun],
        zero_grad=problem.zero_grad,
        expand=problem.expand,
    )
    return _result(problem, inputs, forward, begun, passes)


def _check_wrt(problem: Problem, forward: Forward, inputs: Inputs) -> None:
    """Refuse to differentiate by an index or a mask."""
    for name in problem.wrt or ():
        if name in problem.program.leaves and name not in forward.differentiable:
            raise GradcliError(f"{name} serves as an index or a mask and has no gradient", hint="leave it out of --wrt")


def _result(problem: Problem, inputs: Inputs, forward: Forward, begun: list[Start], passes: tuple[Pass, ...]) -> Result:
    last, root = passes[-1], root_of(problem)
    bare = problem.jacobian == "none" and not problem.check
    forms = Formulas() if bare else closed_forms(forward, last.node, problem.jacobian)
    checked = check(problem, forward, last, forms)
    leaves = [
        Leaf(
            records.named(name, forward.leaves[name], last.gradients[name]),
            forms.jacobians.get(name),
            forms.gradients.get(name),
            checked.agreements.get(name, Agreement()),
        )
        for name in forward.differentiable
    ]
    leaves += [
        Leaf(records.named(name, tensor, torch.zeros_like(tensor)))
        for name, tensor in inputs.unused.items()
        if tensor.is_floating_point() and (problem.wrt is None or name in problem.wrt)
    ]
    started = [note for one in begun for note in one.notes]
    notes = [*inputs.notes, *started, *idle(forward, last), *forms.notes, *checked.notes]
    statements = reached(forward, passes, root.node, problem.zero_grad)
    return Result(
        name=problem.name,
        program=problem.program.text,
        device=problem.device,
        root=statements[root.name],
        passes=tuple(
            PassRecord(
                one.of,
                records.array(summed(done.upstream, forward.tensor(done.node))),
                one.source,
                {name: records.array(gradient) for name, gradient in done.gradients.items()},
            )
            for one, done in zip(begun, passes, strict=True)
        ),
        leaves=tuple(leaves),
        intermediates=tuple(one for name, one in statements.items() if name != root.name),
        notes=tuple(dict.fromkeys(notes)),
        legend=forms.legend,
        listing=forms.listing,
        loss=None if problem.loss is None else problem.loss.text,
        zero_grad=problem.zero_grad,
    )
