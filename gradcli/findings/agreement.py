"""Three derivatives of one leaf held against each other: torch's, the closed form's, the quotient's.

The relative difference of a and b is |a − b| / max(|a|, |b|, scale); 0 for equal ones, infinities and NaN
included, and infinite where only one is finite.  ``scale`` keeps the rounding of what cancels from counting:
it is ``FRACTION`` of the largest magnitude in torch's gradient of the leaf or, where that is more, the
magnitude below which rounding drowns a difference (``noise``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from gradcli.findings.point import Finding, Point, Sampled
from gradcli.findings.wording import Listing, number
from gradcli.notes import Note
from gradcli.numeric.differences import Quotients
from gradcli.result import Agreement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: elements smaller than this part of the leaf's largest gradient are compared as if they were that large
FRACTION = 1e-3
#: dtype → largest relative difference from the closed form, and from the difference quotient
TOLERANCES = {
    torch.float64: (1e-9, 1e-5),
    torch.float32: (2e-4, 1e-3),
    torch.float16: (2e-2, 5e-2),
    torch.bfloat16: (1e-1, 2e-1),
}
#: a quotient that is off by no more than this multiple of its estimated error is too coarse to tell
ERRORS = 4


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was compared for one leaf.

    Attributes:
        agreement: the largest differences, and the numbers.
        closed_outside: the leaf's elements where the closed form differs beyond the tolerance.
        quotient_outside: the same for the quotient; a single truth value along a direction.
        findings: notes that the comparison itself gives rise to.
    """

    agreement: Agreement
    closed_outside: Tensor | None = None
    quotient_outside: Tensor | None = None
    findings: tuple[Finding, ...] = ()


def relative(ours: Tensor, theirs: Tensor, scale: float) -> Tensor:
    """Relative differences, element by element, as the module says."""
    a, b = ours.double(), theirs.double()
    size = torch.maximum(a.abs(), b.abs()).clamp(min=scale)
    apart = torch.where(size == 0, 0.0, (a - b).abs() / size)
    apart = torch.where(a.isfinite() & b.isfinite(), apart, torch.inf)
    return torch.where((a == b) | (a.isnan() & b.isnan()), 0.0, apart)


def compare(point: Point, leaf: str) -> Comparison:
    """Torch's gradient of ``leaf`` against its closed form and its quotient, as far as there are any."""
    closed = point.closed[leaf](point.forward) if leaf in point.closed else None
    quotient = point.quotients.get(leaf)
    gradient = point.gradients[leaf].detach().double().cpu()
    closed_limit, quotient_limit = TOLERANCES[point.coarsest]
    finite = gradient[gradient.isfinite()].abs()
    largest = FRACTION * float(finite.max()) if finite.numel() else 0.0
    agreement, within, findings = Agreement(), True, []
    closed_outside = quotient_outside = None
    if closed is not None:
        apart = _patiently(lambda scale: _from_closed(gradient, closed, scale), largest, closed_limit, point, leaf)
        closed_outside = apart > closed_limit
        whole = closed.values.detach().double().cpu().numpy() if closed.positions is None else None
        agreement = replace(agreement, closed_form=_worst(apart), closed_value=whole)
        within = not bool(closed_outside.any())
    if quotient is not None:
        along, central, lacking = quotient.direction, quotient.central, _lacking(point, leaf, quotient)
        if lacking is not None:
            central = torch.where(lacking, torch.nan, torch.where(_still(point, leaf), 0.0, central))
        ours = gradient if along is None else (gradient * along).sum()
        least = largest if along is None else FRACTION * abs(float(ours))
        apart = _patiently(lambda scale: relative(ours, central, scale), least, quotient_limit, point, leaf)
        apart = torch.where(_negligible(point, ours - central, quotient), 0.0, apart)
        if lacking is not None:
            apart = torch.where(lacking, 0.0, apart)
        quotient_outside = apart > quotient_limit
        if lacking is None or not bool(lacking.all()):
            whole = central.numpy() if along is None else None
            agreement = replace(agreement, finite_difference=_worst(apart), quotient=whole)
        within = within and not bool(quotient_outside.any())
        findings = _coarse(point, leaf, ours - central, quotient, quotient_outside)
    return Comparison(replace(agreement, within=within), closed_outside, quotient_outside, tuple(findings))


def _lacking(point: Point, leaf: str, quotient: Quotients) -> Tensor | None:
    """Elements that have no quotient: infinite ones, and those that move a part of the root that is not finite."""
    infinite = ~point.forward.leaves[leaf].detach().isfinite()
    if quotient.direction is not None or not (point.poisoned or bool(infinite.any())):
        return None
    return (infinite | point.poisoned.get(leaf, torch.zeros_like(infinite))).cpu()


def _still(point: Point, leaf: str) -> Tensor:
    """Elements that move nothing."""
    mask = torch.zeros(point.gradients[leaf].shape, dtype=torch.bool)
    return ~point.reached[leaf].cpu() if leaf in point.reached else ~mask


def settle(comparison: Comparison, leaf: str, findings: Iterable[Finding]) -> Agreement:
    """The agreement, knowing whether the findings account for every element outside."""
    telling = [one for one in findings if one.note.explains and leaf in one.covers]
    both = [one.covers[leaf].cpu() for one in telling if not one.quotient_only]
    either = [one.covers[leaf].cpu() for one in telling]
    accounted = _covered(comparison.closed_outside, both) and _covered(comparison.quotient_outside, either)
    return replace(comparison.agreement, explained=accounted and not comparison.agreement.within)


def _covered(outside: Tensor | None, covers: list[Tensor]) -> bool:
    if outside is None:
        return True
    rest = outside
    for cover in covers:
        rest = rest & ~(cover if cover.shape == rest.shape else cover.any())
    return not bool(rest.any())


def _negligible(point: Point, gap: Tensor, quotient: Quotients) -> Tensor:
    """Where the gap is as good as 0, and the quotient knows no better."""
    gap = gap.abs()
    return (gap <= ERRORS * quotient.error) & (gap <= point.grain)


def _patiently(apart: Callable[[float], Tensor], scale: float, limit: float, point: Point, leaf: str) -> Tensor:
    """``apart`` at ``scale``; beyond the limit at the scale of rounding, which costs a backward."""
    found = apart(scale)
    return apart(max(scale, point.noise(leaf) / limit)) if bool((found > limit).any()) else found


def _from_closed(gradient: Tensor, closed: Sampled, scale: float) -> Tensor:
    """Relative differences in the leaf's shape; 0 where nothing was sampled."""
    values = closed.values.detach().cpu()
    if closed.positions is None:
        return relative(gradient, values, scale)
    places = closed.positions.cpu()
    apart = torch.zeros(gradient.numel(), dtype=torch.float64)
    apart[places] = relative(gradient.reshape(-1)[places], values, scale)
    return apart.reshape(gradient.shape)


def _worst(apart: Tensor) -> float:
    return float(apart.max()) if apart.numel() else 0.0


def _coarse(point: Point, leaf: str, gap: Tensor, quotient: Quotients, outside: Tensor) -> list[Finding]:
    """A note on the elements where the quotient itself is no better than the difference."""
    coarse = outside & (gap.abs() <= ERRORS * quotient.error)
    if not bool(coarse.any()):
        return []
    error = number(float(quotient.error[coarse].max()))
    if quotient.direction is None:
        where = f"by {Listing.of(point.forward, {leaf: coarse}).text}"
    else:
        coarse, where = torch.ones(point.gradients[leaf].shape, dtype=torch.bool), f"by {leaf}"
    words = (
        f"The difference quotient {where} is known to about {error} only, at the best of the steps tried,"
        " so it cannot tell; torch and the closed form do not depend on a step."
    )
    return [Finding(Note("step", words, leaf, explains=True), {leaf: coarse}, quotient_only=True)]
