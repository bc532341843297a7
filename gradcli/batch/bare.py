"""Plain problems of different programs, of which torch's numbers alone are asked for, in one backward pass.

Each program is evaluated on its own part of one vector; the graphs share nothing else, so every gradient is
that of a pass of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gradcli.batch.columns import tensors
from gradcli.batch.plans import Plan
from gradcli.batch.sketches import Sketch
from gradcli.batch.templates import Gap, Key, Writer
from gradcli.language.program import Program


class Bare:
    """Problems of one kind, evaluated: their leaves and statements have the same names and shapes."""

    def __init__(self, plans: Sequence[Plan], sketches: Sequence[Sketch]) -> None:
        self.plans = plans
        first = plans[0]
        names, length = first.program.leaves, first.length
        self.shape = first.shape
        given, upstream = tensors(sketches, names, len(plans))
        inputs = given.flatten().requires_grad_()
        upstream = upstream.flatten()
        parts = iter(inputs.split(length))
        values = [plan.plain.values(dict(zip(names, parts, strict=False))) for plan in plans]
        roots = torch.cat([found[plan.root] for plan, found in zip(plans, values, strict=True)])
        others = [found[node] for plan, found in zip(plans, values, strict=True) for _, node in plan.statements]
        slopes, *reaching = torch.autograd.grad((upstream * roots).sum(), [inputs, *others])
        self.numbers: dict[Key, Any] = {}
        self._put([("leaves", at) for at in range(len(names))], inputs, slopes)
        self._put([("root",)], roots, upstream)
        if others:
            self._put([key for key, _ in first.statements], torch.cat(others), torch.cat(reaching))
        self.numbers["passes", 0, "upstream"] = self.numbers["root", "gradient"]

    def _put(self, keys: Sequence[Key], values: Tensor, gradients: Tensor) -> None:
        """Numbers that stand problem by problem, and in each key by key."""
        for word, tensor in (("value", values), ("gradient", gradients)):
            whole = tensor.detach().reshape(len(self.plans), len(keys), *self.shape).numpy()
            for at, key in enumerate(keys):
                self.numbers[(*key, word)] = whole[:, at]

    def program(self, k: int) -> Program:
        """The program of problem ``k``."""
        return self.plans[k].program

    def usual(self) -> list[int]:
        """The problems of which everything is told: all numbers are finite."""
        finite = np.ones(len(self.plans), dtype=bool)
        for array in self.numbers.values():
            finite &= np.isfinite(array).reshape(len(self.plans), -1).all(1)
        return np.flatnonzero(finite).tolist()

    def gaps(self, kept: Sequence[int]) -> dict[Key, Gap]:
        """The numbers of some problems, as a template takes them."""
        writer = Writer()
        return {key: writer.gap(array[kept]) for key, array in self.numbers.items()}

    def arrays(self, k: int) -> dict[Key, Any]:
        """The numbers of problem ``k``."""
        return {key: np.asarray(array[k]) for key, array in self.numbers.items()}

    def largest(self) -> None:
        """Nothing was compared."""
