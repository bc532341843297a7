"""Closed forms that are not finite where torch's gradient is: a formula at its limit, or a convention."""

from __future__ import annotations

import torch

from gradcli.findings.agreement import Comparison
from gradcli.findings.nonfinite import infinite
from gradcli.findings.point import Finding, Point
from gradcli.findings.sides import sides
from gradcli.findings.wording import Listing, number
from gradcli.notes import Note


def undefined(point: Point, comparisons: dict[str, Comparison]) -> list[Finding]:
    """Where the closed form is ∞ or 0/0: the quotient confirms torch's number, or nothing does."""
    found = []
    for leaf, one in comparisons.items():
        closed, gradient = one.agreement.closed_value, point.gradients[leaf].cpu()
        if closed is None:
            continue
        mask = infinite(torch.as_tensor(closed)) & ~infinite(gradient)
        if not bool(mask.any()):
            continue
        places = {leaf: mask}
        seen = sides(point, places)
        where, first = Listing.of(point.forward, places).text, seen[0]
        value = f"The closed form by {leaf} is {number(float(closed[first.index]))} at {where}"
        if all(side.harmless for side in seen):
            words = f"{value}; torch and the difference quotient agree on its limit, {number(first.torch)}."
            found.append(Finding(Note("removable", words, leaf, first.index, explains=True), places))
        elif not any(side.smooth for side in seen):
            words = f"{value}, where there is no slope; torch gives {number(first.torch)} by convention."
            found.append(Finding(Note("convention", words, leaf, first.index, explains=True), places))
    return found
