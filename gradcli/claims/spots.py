"""Spots: points at which a claim is decided, the given one and random ones of the domain."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.findings.point import Point
from gradcli.numeric.backward import gradients, jacobian
from gradcli.numeric.devices import default_dtype
from gradcli.numeric.forward import Forward, evaluate
from gradcli.ops.table import find
from gradcli.problem import Problem
from gradcli.solve.leaves import Inputs, collect
from gradcli.solve.starts import Start, starts, summed

_SEED = 20_240_229
#: where a leaf is drawn from when no operation narrows it
_ANYWHERE = (-2.0, 2.0)
#: relative distances from the given point: narrower ones stay in small domains
_NEAR = (0.4, 0.1, 0.01, 0.001)
#: sizes of numbers that are drawn without regard to domains, beside those that the program speaks of
_WIDE, _FAR = 3.0, 10.0
#: numbers of a program beyond which nothing is drawn
_FARTHEST = 1e4
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
        try:
            return jacobian(self.forward, self.start.node, leaf)
        except GradcliError as error:
            hint = "claim the gradient instead, which may have any size: it is the sum of g times the Jacobian"
            raise GradcliError(error.message, hint=hint) from None

    def with_ones(self) -> dict[str, Tensor]:
        """The gradients for an upstream gradient of ones."""
        return _gradients(self.forward, replace(self.start, upstream=torch.ones_like(self.upstream)))

    def noise(self, leaf: str) -> float:
        """How large rounding of the values that flow through the program may be in ``leaf``'s gradient."""
        return self._point.noise(leaf)

    @cached_property
    def _point(self) -> Point:
        return Point(self.forward, self.start.node, self.upstream, self.gradients)

    @property
    def fixed(self) -> tuple[str, ...]:
        """Leaves with real values that keep them at every point."""
        leaves = self.forward.leaves
        return tuple(
            name
            for name, leaf in leaves.items()
            if leaf.is_floating_point() and name not in self.forward.differentiable
        )

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

    In turn: near the given point; where the operations of each leaf allow; and twice each leaf in a way of its
    own, both signs and beyond the numbers that the program speaks of among them.  Indices, masks and leaves that
    nothing is differentiated by stay as they are.  The upstream gradient is drawn too, unless a loss tells it,
    or it is the 1 of a single number and ``fixed``.
    """
    draw = torch.Generator().manual_seed(_SEED + number)
    used = dict(given.inputs.used)
    for name in given.forward.differentiable:
        tensor = given.forward.leaves[name].detach().double().cpu()
        turn = number % 4
        way = turn if turn < 2 else int(torch.randint(1, 4, (), generator=draw))
        if way == 0:
            used[name] = _near(tensor, _NEAR[number // 4 % len(_NEAR)], draw)
        elif way == 1:
            used[name] = _anywhere(given.forward, name, tensor, draw)
        elif way == 2:
            used[name] = _WIDE * torch.randn(tensor.shape, generator=draw, dtype=torch.float64)
        else:
            used[name] = _beyond(given.forward, tensor, draw)
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
    # an upstream gradient for copies of the root acts as their sum, which is what g means in formulas
    start = replace(start, upstream=summed(start.upstream, forward.tensor(start.node)))
    return Spot(number, forward, start, _gradients(forward, start), inputs)


def _gradients(forward: Forward, start: Start) -> dict[str, Tensor]:
    names = forward.differentiable
    leaves = [forward.leaves[name] for name in names]
    found = gradients(forward, forward.tensor(start.node), start.upstream, leaves)
    return dict(zip(names, found, strict=True))


def _uniform(shape: torch.Size, low: float, high: float, draw: torch.Generator) -> Tensor:
    return low + (high - low) * torch.rand(shape, generator=draw, dtype=torch.float64)


def _near(tensor: Tensor, width: float, draw: torch.Generator) -> Tensor:
    size = tensor.abs().max() if tensor.numel() else tensor.sum()
    beside = _uniform(tensor.shape, -width / 8, width / 8, draw) * (size if size > 0 else 1.0)
    return torch.where(tensor == 0, beside, tensor * _uniform(tensor.shape, 1 - width, 1 + width, draw))


def _beyond(forward: Forward, tensor: Tensor, draw: torch.Generator) -> Tensor:
    """A draw from both sides of a number that the program speaks of, where things may change."""
    found = {_FAR}
    for node in forward.program.nodes:
        for _, value in node.attrs:
            if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < abs(value) <= _FARTHEST:
                found.add(float(abs(value)))
    far = sorted(found)[int(torch.randint(len(found), (), generator=draw))]
    return _uniform(tensor.shape, -2 * far, 2 * far, draw)


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
