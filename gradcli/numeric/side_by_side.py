"""Difference quotients of a plain program by all elements of a leaf at once.

Element k of the root depends on element k of the leaf alone, so moving all of them together moves each as if
it were alone: the numbers are those of ``differences.quotients``, to the last bit.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from gradcli.numeric.differences import GOOD, JUMP, SMALLEST_SCALE, STEP, Moved, Quotients, extrapolated
from gradcli.numeric.plain import Plain

#: how near to a half the exponent of a step may be before its rounding is left to others
_UNSURE = 1e-9


def quotients_together(
    plain: Plain, root: int, known: dict[int, Any], upstream: Tensor, leaf: str
) -> tuple[Quotients, Tensor]:
    """Quotients of L = Σ upstream·root by every element of ``leaf``.

    Args:
        known: the value of every node, float64 vectors of one length, without a graph.
        upstream: the root's upstream gradient, of the same length.

    Returns:
        The quotients at the first step, and for each element whether ``differences.quotients`` would be
        content with that step.
    """
    at = plain.program.leaf_id(leaf)
    assert at is not None
    point, rest = known[at], known[root]
    exponent = torch.log2(STEP * point.abs().clamp(min=SMALLEST_SCALE))
    size = torch.ldexp(torch.ones_like(point), exponent.round().to(torch.int32))
    sizes = (upstream * rest).abs()
    moving = torch.zeros_like(sizes, dtype=torch.bool)
    moves = []
    for step in (size, size / 2):
        up, down = (plain.moved(leaf, moved, known)[root] - rest for moved in (point + step, point - step))
        moving = moving | (up != 0) | (down != 0)
        moves.append(Moved(upstream * up, upstream * down, torch.where(moving, sizes, 0.0)))
    far, near = moves
    central, error, left, right = extrapolated(far, near, torch.maximum(far.magnitude, near.magnitude), size)
    smooth = (right - left).abs() <= JUMP * torch.maximum(left.abs(), right.abs()) + error
    sure = ((exponent - exponent.floor()) - 0.5).abs() > _UNSURE
    good = smooth & (error <= GOOD * central.abs()) & sure & point.isfinite()
    return Quotients(leaf, None, central, error, left, right, size), good
