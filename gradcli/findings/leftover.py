"""Quotients that differ from torch though nothing said so far explains it: a jump, or a step too coarse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor

from gradcli.findings.agreement import Comparison
from gradcli.findings.point import Finding, Point
from gradcli.findings.sides import sides
from gradcli.findings.wording import PLACES, Listing, number
from gradcli.notes import Note

#: the steps that are tried again, as parts of the first ones
FINER = (1e-3, 1e-6)


def leftover(point: Point, comparisons: Mapping[str, Comparison], known: Iterable[Finding]) -> list[Finding]:
    """What the leaf's own quotients tell of elements that no other finding covers."""
    known = list(known)
    findings = []
    for leaf, comparison in comparisons.items():
        outside = comparison.quotient_outside
        if outside is None or outside.shape != point.gradients[leaf].shape:
            continue
        for finding in known:
            outside = outside & ~finding.covers.get(leaf, torch.zeros_like(outside)).cpu()
        if bool(outside.any()):
            findings += _jumps(point, leaf, outside) or _steps(point, leaf, outside)
    return findings


def _jumps(point: Point, leaf: str, outside: Tensor) -> list[Finding]:
    """The two sides have different slopes, with torch's between them."""
    places = {leaf: outside}
    seen = sides(point, places)
    if not all(one.known and not one.smooth and one.between for one in seen):
        return []
    first = seen[0]
    words = (
        f"The slope of {point.root_name} jumps at {Listing.of(point.forward, places).text}: by {first.place} it"
        f" is {number(first.left)} below and {number(first.right)} above; torch gives {number(first.torch)}."
    )
    return [Finding(Note("kink", words, leaf, first.index, explains=True), places, quotient_only=True)]


def _steps(point: Point, leaf: str, outside: Tensor) -> list[Finding]:
    """A finer step gives torch's number."""
    places = {leaf: outside}
    for finer in FINER:
        seen = sides(point, places, finer=finer)
        if len(seen) < min(PLACES, int(outside.sum())) or not all(one.harmless for one in seen):
            continue
        words = (
            f"The difference quotient at {Listing.of(point.forward, places).text} takes too long a step and"
            f" misses what lies within it; with a step of {finer:g} of that it gives {number(seen[0].right)},"
            " as torch does."
        )
        return [Finding(Note("step", words, leaf, seen[0].index, explains=True), places, quotient_only=True)]
    return []
