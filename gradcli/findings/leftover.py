"""What the quotients tell that nothing else did: kinks that no row lists, ends of a domain, steps too long."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import torch
from torch import Tensor

from gradcli.findings.agreement import Comparison
from gradcli.findings.exact import exact_slope
from gradcli.findings.point import Finding, Point
from gradcli.findings.sides import SAME, Sides, sides
from gradcli.findings.wording import PLACES, Listing, number
from gradcli.notes import Note

#: the steps that are tried again, as parts of the first ones
FINER = (1e-3, 1e-6, 1e-9)
#: elements up to this number are looked at one by one
FEW = 16
#: a one-sided slope tends to torch's where the finest step leaves no more than this part of the gap
CLOSER = 0.1


def leftover(point: Point, comparisons: Mapping[str, Comparison], known: Iterable[Finding]) -> list[Finding]:
    """Findings on elements that none of ``known`` covers, from the quotients of each leaf."""
    known = list(known)
    findings: list[Finding] = []
    for leaf, comparison in comparisons.items():
        outside = comparison.quotient_outside
        if outside is None or outside.shape != point.gradients[leaf].shape:
            continue
        covered = torch.zeros_like(outside)
        for finding in known:
            if leaf in finding.covers:
                covered = covered | finding.covers[leaf].cpu()
        for look in (_kinks, _ends, _steps, _beyond, _sides_lacking):
            mask = (outside | _bent(point, leaf) if look is _kinks else outside) & ~covered
            told = _told(look, point, leaf, mask)
            if bool(told.any()) and (words := look(point, leaf, told)):
                findings.append(_finding(words, leaf, told))
                covered = covered | told
    return findings


#: (code, sentence); None where it is something else
Words = tuple[str, str] | None


def _told(look: Callable[[Point, str, Tensor], Words], point: Point, leaf: str, mask: Tensor) -> Tensor:
    """The elements of which this is told, one by one while they are few."""
    told = torch.zeros_like(mask)
    places = mask.nonzero().tolist()
    if len(places) > FEW:
        return mask
    for index in map(tuple, places):
        alone = torch.zeros_like(mask)
        alone[index] = True
        told[index] = look(point, leaf, alone) is not None
    return told


def _finding(words: tuple[str, str], leaf: str, mask: Tensor) -> Finding:
    at = tuple(mask.nonzero()[0].tolist())
    return Finding(Note(*words, leaf, at, explains=True), {leaf: mask}, quotient_only=True)


def _bent(point: Point, leaf: str) -> Tensor:
    """Elements with different slopes on both sides."""
    found = point.quotients[leaf]
    largest = torch.maximum(found.left.abs(), found.right.abs())
    apart = (found.right - found.left).abs() > SAME * largest + 10 * found.error + point.grain
    return apart & (found.error <= SAME * largest)


def _kinks(point: Point, leaf: str, mask: Tensor) -> Words:
    """The two sides have different slopes, with torch's between them."""

    def kinked(one: Sides) -> bool:
        return one.known and not one.smooth and one.between

    first = _all(sides(point, {leaf: mask}), kinked)
    if first is None:
        return None
    return "kink", (
        f"The slope of {point.root_name} jumps at {_listing(point, leaf, mask)}: by {first.place} it is"
        f" {number(first.left)} below and {number(first.right)} above; torch gives {number(first.torch)}."
    )


def _ends(point: Point, leaf: str, mask: Tensor) -> Words:
    """One side only can be evaluated, and has torch's slope."""
    coarse, fine = (sides(point, {leaf: mask}, finer=finer) for finer in (1, FINER[1]))
    pairs = list(zip(coarse, fine, strict=True))
    if not pairs or not all(one.end_gap == 0 or two.end_gap <= CLOSER * one.end_gap < math.inf for one, two in pairs):
        return None
    first = coarse[0]
    return "domain", (
        f"{point.root_name} exists on one side of {_listing(point, leaf, mask)} only; the slope of that side"
        f" by {first.place} is {number(first.torch)}, as torch gives."
    )


def _steps(point: Point, leaf: str, mask: Tensor) -> Words:
    """A finer step gives torch's number."""
    for finer in FINER:
        if _all(sides(point, {leaf: mask}, finer=finer), lambda one: one.harmless):
            return "step", (
                f"The difference quotient at {_listing(point, leaf, mask)} takes too long a step and misses"
                f" what lies within it; with {finer:g} of that step it agrees with torch."
            )
    return None


def _beyond(point: Point, leaf: str, mask: Tensor) -> Words:
    """No step of float64 is fine enough, and many digits give torch's number."""
    for index in mask.nonzero()[:PLACES].tolist():
        exact, ours = exact_slope(point, leaf, tuple(index)), float(point.gradients[leaf][tuple(index)])
        if exact is None or not abs(exact - ours) <= SAME * abs(exact):
            return None
    return "step", (
        f"No difference quotient in float64 can tell the slope at {_listing(point, leaf, mask)}; with many digits"
        " it is what torch gives."
    )


def _sides_lacking(point: Point, leaf: str, mask: Tensor) -> Words:
    """A side that cannot be evaluated: the quotient says nothing."""
    if _all(sides(point, {leaf: mask}), lambda one: not one.known) is None:
        return None
    return "domain", (
        f"{point.root_name} is not finite just beside {_listing(point, leaf, mask)}, so no difference quotient"
        " tells the slope there."
    )


def _all(seen: list[Sides], told: Callable[[Sides], bool]) -> Sides | None:
    """The first of them, when it is told of all."""
    return seen[0] if seen and all(map(told, seen)) else None


def _listing(point: Point, leaf: str, mask: Tensor) -> str:
    return Listing.of(point.forward, {leaf: mask}).text
