"""Two tensors held against each other: whether their shapes mean the same, and how far they are apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor

from gradcli.findings.agreement import relative

Shape = tuple[int, ...]

#: values nearer than this part of the largest, or than this where that is 0, are equal unless the tolerance is 0
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Apart:
    """How far two tensors of one shape are apart.

    Attributes:
        index: where they differ most.
        wanted, actual: the two values there.
        largest: the relative difference there.
        count, size: how many elements differ by more than was tolerated, and how many there are.
    """

    index: tuple[int, ...]
    wanted: float
    actual: float
    largest: float
    count: int
    size: int

    @property
    def agrees(self) -> bool:
        return self.count == 0


def fitted(value: Tensor, shape: Shape, root: Shape | None = None) -> Tensor | None:
    """``value`` in ``shape`` where it means the same, else None.

    Axes of one element do not count, one number stands for all elements and, where ``root`` is the
    leading part of a Jacobian's shape, so does the matrix of root elements by leaf elements.
    """
    if tuple(value.shape) == shape:
        return value
    if value.dim() != len(shape) and _long(value.shape) == _long(shape):
        return value.reshape(shape)
    if value.numel() == 1:
        return value.reshape(()).expand(shape)
    if root is not None and tuple(value.shape) == (prod(root), prod(shape[len(root) :])):
        return value.reshape(shape)
    return None


def _long(shape: Shape) -> list[int]:
    return [size for size in shape if size != 1]


def apart(wanted: Tensor, actual: Tensor, tolerance: float, floor: float | None = None) -> Apart:
    """Relative differences |a − b| / max(|a|, |b|) of two tensors of one shape; NaN equals NaN.

    ``floor``: values that are nearer than this are equal; by default what ``ROUNDING`` says.
    """
    a, b = wanted.detach().double().cpu(), actual.detach().double().cpu()
    differences = relative(a, b, 0.0)
    if tolerance > 0:
        if floor is None:
            largest = a[a.isfinite()].abs().max() if bool(a.isfinite().any()) else 0.0
            floor = ROUNDING * min(1.0, float(largest) or 1.0)
        differences = torch.where((a - b).abs() <= floor, 0.0, differences)
    if not differences.numel():
        return Apart((), 0.0, 0.0, 0.0, 0, 0)
    flat = int(differences.reshape(-1).argmax())
    index = tuple(int(k) for k in torch.unravel_index(torch.tensor(flat), differences.shape)) if a.dim() else ()
    return Apart(
        index,
        float(a.reshape(-1)[flat]),
        float(b.reshape(-1)[flat]),
        float(differences.reshape(-1)[flat]),
        int((differences > tolerance).sum()),
        differences.numel(),
    )
