"""The lines of a tensor along which an operation reduces or orders it."""

from __future__ import annotations

from torch import Tensor

from gradcli.language.program import Attr


def axes_of(dim: Attr, rank: int) -> list[int]:
    """The axes that a ``dim`` means, all of them for None."""
    if dim is None or not rank:
        return list(range(rank))
    return [int(axis) % rank for axis in (dim if isinstance(dim, tuple) else (dim,))]  # type: ignore[arg-type]


def lines(tensor: Tensor, axes: list[int]) -> Tensor:
    """The other axes as they are, and ``axes`` as one last axis."""
    if not axes:
        return tensor.reshape(1)
    rest = tensor.dim() - len(axes)
    return tensor.movedim(axes, list(range(rest, tensor.dim()))).flatten(rest)


def from_lines(tensor: Tensor, axes: list[int], shape: tuple[int, ...]) -> Tensor:
    """What ``lines`` made, in the tensor's own ``shape`` again."""
    if not axes:
        return tensor.reshape(())
    rest = len(shape) - len(axes)
    return tensor.unflatten(-1, [shape[axis] for axis in axes]).movedim(list(range(rest, len(shape))), axes)
