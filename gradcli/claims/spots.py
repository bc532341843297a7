"""Spots: points at which a claim is decided, the given one and random ones of the domain."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.numeric.backward import gradients, jacobian
from gradcli.numeric.devices import default_dtype
from gradcli.numeric.forward import Forward, evaluate
from gradcli.ops.table import find
from gradcli.problem import Problem
from gradcli.solve.leaves import Inputs, collect
from gradcli.solve.starts import Start, starts

_SEED = 20_240_229
#: where a leaf is drawn from when no operation narrows it
_ANYWHERE = (-2.0, 2.0)
_INTERVAL = re.compile(r"\(([^,]+),([^)]+)\)")


@dataclass(frozen=True)
class Spot:
    """A point with the gradients there.

    Attributes:
        number: None for the given point; random ones count from 0.
        forward: the evaluated program.
        start: the last backward pass.
        gradients: leaf → ∂L/∂leaf by torch, L = Σ g·root.
        inputs: what was collected, for further spots.
    """

    number: int | None
    forward: Forward
    start: Start
    gradients: dict[str, Tensor]
    inputs: Inputs

    @property
    def upstream(self) -> Tensor:
        return self.start.upstream

    @property
    def root_shape(self) -> tuple[int, ...]:
        return tuple(self.forward.tensor(self.start.node).shape)

    def jacobian(self, leaf: str) -> Tensor:
        """∂root/∂leaf, the root's axes first.

        Raises:
            GradcliError: it is too large.
        """
        return jacobian(self.forward, self.start.node, leaf)

    def with_ones(self) -> dict[str, Tensor]:
        """The gradients for an upstream gradient of ones."""
        return _gradients(self.forward, replace(self.start, upstream=torch.ones_like(self.upstream)))

    @property
    def is_finite(self) -> bool:
        """Whether the root and every gradient are."""
        tensors = (self.forward.tensor(self.start.node), *self.gradients.values())
        return all(bool(tensor.isfinite().all()) for tensor in tensors)


def given_spot(problem: Problem) -> Spot:
    """The point that the problem gives.

    Raises:
        GradcliError: it cannot be evaluated.
    """
    inputs = collect(problem)
    forward = evaluate(problem.program, inputs.used, dtype=problem.dtype, device=problem.device, wrt=problem.wrt)
    return _spot(None, problem, forward, inputs)


def random_spot(problem: Problem, given: Spot, number: int, *, fixed: bool) -> Spot | None:
    """A random point of the same shapes, in float64; None where it cannot be evaluated.

    Even ones are near the given point, odd ones anywhere that the operations of each leaf allow.  Indices,
    masks and leaves that nothing is differentiated by stay as they are.  The upstream gradient is drawn too,
    unless a loss tells it, or it is the 1 of a single number and ``fixed``.
    """
    draw = torch.Generator().manual_seed(_SEED + number)
    used = dict(given.inputs.used)
    for name in given.forward.differentiable:
        tensor = given.forward.leaves[name].detach().double().cpu()
        used[name] = _near(tensor, draw) if number % 2 == 0 else _anywhere(given.forward, name, tensor, draw)
    device = problem.device
    dtype = str(default_dtype(device)).removeprefix("torch.")
    try:
        forward = evaluate(problem.program, used, dtype=dtype, device=device, wrt=given.forward.differentiable)
        spot = _spot(number, problem, forward, replace(given.inputs, used=used))
    except GradcliError:
        return None
    if spot.start.source == "loss" or (fixed and spot.start.source == "implicit-one"):
        return spot
    drawn = torch.randn(spot.upstream.shape, generator=draw, dtype=torch.float64).to(spot.upstream)
    start = replace(spot.start, upstream=drawn)
    return replace(spot, start=start, gradients=_gradients(forward, start))


def _spot(number: int | None, problem: Problem, forward: Forward, inputs: Inputs) -> Spot:
    start = starts(problem, forward, inputs)[-1]
    return Spot(number, forward, start, _gradients(forward, start), inputs)


def _gradients(forward: Forward, start: Start) -> dict[str, Tensor]:
    names = forward.differentiable
    leaves = [forward.leaves[name] for name in names]
    found = gradients(forward, forward.tensor(start.node), start.upstream, leaves)
    return dict(zip(names, found, strict=True))


def _uniform(shape: torch.Size, low: float, high: float, draw: torch.Generator) -> Tensor:
    return low + (high - low) * torch.rand(shape, generator=draw, dtype=torch.float64)


def _near(tensor: Tensor, draw: torch.Generator) -> Tensor:
    return tensor * _uniform(tensor.shape, 0.6, 1.4, draw) + _uniform(tensor.shape, -0.05, 0.05, draw)


def _anywhere(forward: Forward, leaf: str, tensor: Tensor, draw: torch.Generator) -> Tensor:
    """A draw from the sample intervals of the operations that take the leaf itself."""
    at = forward.program.leaf_id(leaf)
    low, high = _ANYWHERE
    for node in forward.program.nodes:
        row = find(node.op) if at in node.args else None
        interval = _INTERVAL.search(row.sample) if row is not None else None
        if interval is not None:
            narrower = max(low, float(interval[1])), min(high, float(interval[2]))
            low, high = narrower if narrower[0] < narrower[1] else (low, high)
    return _uniform(tensor.shape, low, high, draw)
