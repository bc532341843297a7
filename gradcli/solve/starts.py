"""What each backward pass starts from, and with which upstream gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.findings.wording import joined, numbers
from gradcli.language.program import Program, Statement
from gradcli.notes import Note
from gradcli.numeric.backward import fit, gradients
from gradcli.numeric.forward import Forward, evaluate
from gradcli.problem import Problem
from gradcli.result import Source
from gradcli.solve.leaves import Inputs


@dataclass(frozen=True, slots=True)
class Start:
    """One pass: the statement, its node, the upstream gradient (where it came from), and notes on it."""

    of: str
    node: int
    upstream: Tensor
    source: Source
    notes: tuple[Note, ...] = ()


def root_of(problem: Problem) -> Statement:
    """The root: ``--of``, else where the last pass starts, else the last statement."""
    last = problem.passes[-1].of if problem.passes else None
    return _statement(problem.program, problem.of or last)


def starts(problem: Problem, forward: Forward, inputs: Inputs) -> list[Start]:
    """The passes in order; one with the default upstream gradient where none was asked for.

    Raises:
        GradcliError: a start is no real tensor, the loss is no single number, or shapes differ.
    """
    root = root_of(problem)
    _check_real(problem.program, root, forward)
    if problem.loss is not None:
        return [_from_loss(problem, problem.loss, root, forward, inputs)]
    found = []
    for one in problem.passes:
        statement = root if one.of is None else _statement(problem.program, one.of)
        _check_real(problem.program, statement, forward)
        if one.value is None:
            found.append(_default(statement, forward))
            continue
        tensor = forward.tensor(statement.node)
        given = one.value.tensor(None, problem.device).to(tensor.dtype)
        fitted = fit(given, tuple(tensor.shape), statement.name, expand=problem.expand)
        notes = [replace(note, name="g") for note in one.value.notes]
        if fitted.shape != tensor.shape:
            notes.append(_expanded(statement, tensor, fitted))
        found.append(Start(statement.name, statement.node, fitted, "given", tuple(notes)))
    return found or [_default(root, forward)]


def _statement(program: Program, name: str | None) -> Statement:
    if name is None:
        return program.root
    for statement in program.statements:
        if statement.name == name:
            return statement
    raise GradcliError(
        f"the program has no statement '{name}'",
        hint=f"it has {joined([s.name for s in program.statements])}",
    )


def _check_real(program: Program, statement: Statement, forward: Forward) -> None:
    """Refuse conditions and places as starting points: they have no gradient."""
    tensor, node = forward.tensor(statement.node), program.nodes[statement.node]
    if tensor.is_floating_point():
        return
    if tensor.dtype == torch.bool:
        what, hint = "a condition, true or false,", f"let it choose: where({program.body(statement)}, 1, 0)"
    else:
        what, hint = "made of whole numbers", "differentiate what is found there, not the place"
    raise GradcliError(
        f"{statement.name} is {what} and has no gradient", span=node.span, hint=hint, source=program.source
    )


def _default(statement: Statement, forward: Forward) -> Start:
    tensor = forward.tensor(statement.node)
    ones = torch.ones(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    if tensor.numel() == 1:
        return Start(statement.name, statement.node, ones, "implicit-one")
    name = statement.name
    words = (
        f"{name} has shape {tuple(tensor.shape)} and no upstream gradient was given, so it is ones: these"
        f" are the gradients of sum({name}). PyTorch would refuse."
    )
    return Start(name, statement.node, ones, "ones", (Note("default-upstream", words, name),))


def summed(upstream: Tensor, tensor: Tensor) -> Tensor:
    """The upstream gradient in the node's own shape: the weights of a node's copies act as their sum."""
    return upstream.sum_to_size(tensor.shape)


def _expanded(statement: Statement, tensor: Tensor, upstream: Tensor) -> Note:
    total = summed(upstream, tensor)
    short = f": {numbers(total)}" if total.numel() <= 6 else ""
    words = (
        f"{statement.name} of shape {tuple(tensor.shape)} was expanded to {tuple(upstream.shape)}, the"
        f" upstream gradient's shape, so the weights of its copies add up{short}."
    )
    return Note("expanded", words, statement.name)


def _from_loss(problem: Problem, loss: Program, root: Statement, forward: Forward, inputs: Inputs) -> Start:
    """g = ∂L/∂root by torch, all else in the loss held constant."""
    if root.name not in loss.leaves:
        raise GradcliError(
            f"the loss does not depend on {root.name}, so every gradient would be 0",
            hint=f"write it in terms of {root.name}, or name another root with --of",
            source=loss.source,
        )
    computed = {s.name: forward.tensor(s.node).detach() for s in problem.program.statements}
    known = {**inputs.used, **inputs.unused, **computed}
    measured = evaluate(loss, known, device=problem.device, wrt=[root.name])
    value = measured.tensor(loss.root.node)
    if value.numel() != 1:
        raise GradcliError(
            f"the loss has shape {tuple(value.shape)} and must be one number",
            hint=f"take its sum or mean: sum({loss.body(loss.root)})",
            span=loss.nodes[loss.root.node].span,
            source=loss.source,
        )
    ones = torch.ones(value.shape, dtype=value.dtype, device=value.device)
    (slope,) = gradients(measured, value, ones, [measured.leaves[root.name]])
    notes = _held(problem, loss, root, forward)
    return Start(root.name, root.node, slope, "loss", notes)


def _held(problem: Problem, loss: Program, root: Statement, forward: Forward) -> tuple[Note, ...]:
    """A note on names in the loss that also depend on the leaves."""
    moving = {s.name for s in problem.program.statements if forward.tensor(s.node).requires_grad}
    others = [name for name in loss.leaves if name != root.name and name in {*moving, *forward.differentiable}]
    if not others:
        return ()
    words = (
        f"The loss depends on {joined(others)} directly too; that part is not in the gradients, which go"
        f" through {root.name} alone. Put the loss in the program to have all of it."
    )
    return (Note("convention", words, others[0]),)
