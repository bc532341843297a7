"""One-sided slopes of L at single leaf elements, held against torch's gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from gradcli.findings.wording import PLACES, place
from gradcli.numeric.differences import quotient_at

if TYPE_CHECKING:
    from gradcli.findings.paths import Places
    from gradcli.findings.point import Point

#: relative difference within which two slopes count as one
SAME = 1e-3
#: leaves of more elements are probed at one place only
LARGE = 10_000
#: an error of a quotient beyond this part of it means that it does not settle: the value jumps
UNSETTLED = 0.05


@dataclass(frozen=True, slots=True)
class Sides:
    """Slopes of L just below and just above one leaf element, and torch's gradient there.

    ``error`` is the estimated error of the quotients, ``grain`` what is as good as 0.
    """

    leaf: str
    index: tuple[int, ...]
    left: float
    right: float
    torch: float
    error: float
    grain: float

    @property
    def place(self) -> str:
        return place(self.leaf, self.index)

    @property
    def known(self) -> bool:
        """Both quotients could be evaluated."""
        return math.isfinite(self.left) and math.isfinite(self.right)

    @property
    def end_gap(self) -> float:
        """How far the only quotient that could be evaluated is from torch's gradient; infinite where both could."""
        ends = [side for side in (self.left, self.right) if math.isfinite(side)]
        if len(ends) != 1:
            return math.inf
        gap = abs(ends[0] - self.torch)
        return 0.0 if gap <= SAME * max(abs(ends[0]), abs(self.torch)) + 100 * self.grain else gap

    @property
    def smooth(self) -> bool:
        """Both sides have one slope."""
        return self._settled and self._same(self.left, self.right)

    @property
    def harmless(self) -> bool:
        """Both sides have the slope that torch gives."""
        return self.smooth and self._same(self.left, self.torch)

    @property
    def tells(self) -> bool:
        """The point is a kink, or a smooth one of which torch gives another, finite slope."""
        return self.known and not self.harmless and (not self.smooth or math.isfinite(self.torch))

    @property
    def between(self) -> bool:
        """Torch's gradient lies between the two slopes, as a subgradient does."""
        low, high = sorted((self.left, self.right))
        return low <= self.torch <= high or self._same(self.torch, low) or self._same(self.torch, high)

    @property
    def jumps(self) -> bool:
        """The quotients grow without end: the value itself jumps."""
        return not self._settled

    @property
    def _settled(self) -> bool:
        return self.error <= UNSETTLED * max(abs(self.left), abs(self.right)) + self.grain

    def _same(self, one: float, other: float) -> bool:
        return abs(one - other) <= SAME * max(abs(one), abs(other)) + 10 * self.error + self.grain


def sides(point: Point, places: Places, *, finer: float = 1.0) -> list[Sides]:
    """The slopes on both sides of the first ``PLACES`` elements of each leaf, of the first alone when it is large.

    ``finer``: the step is this part of what it would be.
    """
    found = []
    for leaf, mask in places.items():
        for index in mask.nonzero()[: PLACES if mask.numel() <= LARGE else 1].tolist():
            at = tuple(index)
            left, right, error = one_sided(point, leaf, at, finer)
            found.append(Sides(leaf, at, left, right, float(point.gradients[leaf][at]), error, point.grain))
    return found


def one_sided(point: Point, leaf: str, index: tuple[int, ...], finer: float) -> tuple[float, float, float]:
    """(left, right, error) of L by one leaf element."""
    known = point.quotients.get(leaf)
    if known is not None and known.direction is None and finer == 1:
        return float(known.left[index]), float(known.right[index]), float(known.error[index])
    shape = point.gradients[leaf].shape
    flat = sum(i * stride for i, stride in zip(index, torch.empty(shape, device="meta").stride(), strict=True))
    return quotient_at(point.forward, point.root, point.upstream, leaf, flat, finer=finer)
