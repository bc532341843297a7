"""Two tensors held against each other: whether their shapes mean the same, and how far they are apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor

from gradcli.findings.agreement import FRACTION, relative

Shape = tuple[int, ...]

#: values nearer than this are equal whatever the tolerance, except where that is 0
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
    if [size for size in value.shape if size != 1] == [size for size in shape if size != 1]:
        return value.reshape(shape)
    if value.numel() == 1:
        return value.reshape(()).expand(shape)
    if root is not None and tuple(value.shape) == (prod(root), prod(shape[len(root) :])):
        return value.reshape(shape)
    return None


def apart(wanted: Tensor, actual: Tensor, tolerance: float, *, scaled: bool = False) -> Apart:
    """Relative differences |a − b| / max(|a|, |b|) of two tensors of one shape; NaN equals NaN.

    ``scaled``: an element counts as no smaller than ``FRACTION`` of the largest, so that the rounding of
    what cancels is not told as a difference.
    """
    a, b = wanted.detach().double().cpu(), actual.detach().double().cpu()
    finite = b[b.isfinite()].abs()
    scale = FRACTION * float(finite.max()) if scaled and finite.numel() else 0.0
    differences = relative(a, b, scale)
    if tolerance > 0:
        near = (a - b).abs() <= ROUNDING * (max(1.0, float(finite.max())) if scaled and finite.numel() else 1.0)
        differences = torch.where(near, 0.0, differences)
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
