"""Tensors as the result record holds them: numpy arrays of float64."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from gradcli.result import Tensor

if TYPE_CHECKING:
    from gradcli.result import Array


def array(tensor: torch.Tensor) -> Array:
    """The numbers, as float64 on the CPU."""
    return tensor.detach().to("cpu", torch.float64).numpy()  # type: ignore[no-any-return]


def named(name: str, tensor: torch.Tensor, gradient: torch.Tensor | None = None, text: str = "") -> Tensor:
    """A named value with the gradient that arrived there."""
    return Tensor(
        name,
        tuple(tensor.shape),
        str(tensor.dtype).removeprefix("torch."),
        array(tensor),
        None if gradient is None else array(gradient),
        text,
    )
