"""The inputs of a problem as tensors, and what there is to say about them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from gradcli.findings.wording import joined
from gradcli.notes import Note
from gradcli.numeric.devices import default_dtype, resolve_dtype
from gradcli.problem import Problem


@dataclass(frozen=True, slots=True)
class Inputs:
    """Tensors by name.

    Attributes:
        used: those that the program, or the loss, speaks of.
        unused: those that neither does.
        notes: default, unused, random and uninitialised inputs.
    """

    used: dict[str, Tensor]
    unused: dict[str, Tensor]
    notes: tuple[Note, ...]


def collect(problem: Problem) -> Inputs:
    """The inputs on the problem's device; ones of the upstream gradient's shape when none at all are given.

    Raises:
        GradcliError: a value cannot be read.
    """
    names = list(dict.fromkeys((*problem.program.leaves, *_of_loss(problem))))
    if names and not problem.inputs:
        return _ones(problem, names)
    used: dict[str, Tensor] = {}
    unused: dict[str, Tensor] = {}
    notes: list[Note] = []
    for name, value in problem.inputs.items():
        (used if name in names else unused)[name] = value.tensor(problem.dtype, problem.device)
        notes += [replace(note, name=name) for note in value.notes]
        if name not in names:
            words = f"{name} is given but the program does not use it, so its gradient is 0."
            notes.append(Note("unused-input", words, name))
    return Inputs({name: used[name] for name in names if name in used}, unused, tuple(notes))


def _of_loss(problem: Problem) -> tuple[str, ...]:
    if problem.loss is None:
        return ()
    computed = {statement.name for statement in problem.program.statements}
    return tuple(name for name in problem.loss.leaves if name not in computed)


def _ones(problem: Problem, names: list[str]) -> Inputs:
    first = problem.passes[0].value if problem.passes else None
    shape = () if first is None else tuple(first.tensor(problem.dtype, problem.device).shape)
    dtype = default_dtype(problem.device) if problem.dtype is None else resolve_dtype(problem.dtype)
    whose = "1" if first is None else f"ones of shape {shape}, that of the upstream gradient"
    verb = "is" if len(names) == 1 else "are"
    words = f"No inputs were given, so {joined(names)} {verb} {whose}."
    made = {name: torch.ones(shape, dtype=dtype, device=problem.device) for name in names}
    return Inputs(made, {}, (Note("default-inputs", words),))
