"""Tensors from nothing: what generators and index-valued rows make, in a given dtype on a given device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor
from torch.nn import functional as F

from gradcli.errors import GradcliError
from gradcli.numeric import sizes

Shape = int | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Like:
    """The dtype and device of a new tensor."""

    dtype: torch.dtype
    device: torch.device


def _shape(shape: Shape, what: str) -> tuple[int, ...]:
    sides = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(side < 0 for side in sides):
        raise GradcliError(f"{what} is asked for a negative size, {min(sides)}", hint="sizes are 0 or more")
    sizes.check(prod(sides))
    return sides


def ones(*, shape: Shape, like: Like) -> Tensor:
    return torch.ones(_shape(shape, "ones"), dtype=like.dtype, device=like.device)


def zeros(*, shape: Shape, like: Like) -> Tensor:
    return torch.zeros(_shape(shape, "zeros"), dtype=like.dtype, device=like.device)


def full(*, shape: Shape, value: float, like: Like) -> Tensor:
    return torch.full(_shape(shape, "full"), float(value), dtype=like.dtype, device=like.device)


def eye(*, n: int, m: int | None, like: Like) -> Tensor:
    rows, columns = _shape((n, n if m is None else m), "eye")
    return torch.eye(rows, columns, dtype=like.dtype, device=like.device)


def arange(*, start: float, end: float | None, step: float, like: Like) -> Tensor:
    if end is None:
        start, end = 0, start
    if not all(map(math.isfinite, (start, end, step))) or step == 0:
        raise GradcliError("arange needs finite numbers and a step that is not 0", hint="arange(0, 1, 0.1)")
    if (end - start) / step < 0:
        raise GradcliError(f"arange never gets from {start} to {end} in steps of {step}", hint=f"use step={-step}")
    sizes.check(math.ceil((end - start) / step))
    return torch.arange(start, end, step, dtype=like.dtype, device=like.device)


def linspace(*, start: float, end: float, steps: int, like: Like) -> Tensor:
    (count,) = _shape(steps, "linspace")
    return torch.linspace(start, end, count, dtype=like.dtype, device=like.device)


def _seeded(seed: int) -> torch.Generator:
    # Always on the CPU and in float64: the same numbers on every device and in every dtype.
    try:
        return torch.Generator("cpu").manual_seed(seed)
    except (RuntimeError, ValueError, OverflowError) as error:
        raise GradcliError(f"the seed {seed} is too large", hint="use a seed below 2**63") from error


def rand(*, shape: Shape, seed: int, like: Like) -> Tensor:
    drawn = torch.rand(_shape(shape, "rand"), generator=_seeded(seed), dtype=torch.float64)
    return drawn.to(like.device, like.dtype)


def randn(*, shape: Shape, seed: int, like: Like) -> Tensor:
    drawn = torch.randn(_shape(shape, "randn"), generator=_seeded(seed), dtype=torch.float64)
    return drawn.to(like.device, like.dtype)


def empty(*, shape: Shape, pin_memory: bool, like: Like) -> Tensor:
    pinned = pin_memory and like.device.type == "cpu" and torch.cuda.is_available()
    return torch.empty(_shape(shape, "empty"), dtype=like.dtype, device=like.device, pin_memory=pinned)


def one_hot(index: Tensor, *, num_classes: int, like: Like) -> Tensor:
    return F.one_hot(index, num_classes).to(like.dtype)
