"""What the digits of a dtype do to the values and the gradients."""

from __future__ import annotations

import math

import torch

from gradcli.findings.advice import again
from gradcli.findings.agreement import TOLERANCES, Comparison, relative
from gradcli.findings.exact import exact_slope
from gradcli.findings.point import Finding, Point
from gradcli.findings.spellings import safe_spellings
from gradcli.findings.wording import Listing, digits, number, place
from gradcli.notes import Note

#: relative loss in the root beyond which another spelling is advised, as a multiple of the dtype's step
LOSS = 1e6
#: most elements whose slope is worked out with many digits
TRIED = 24
#: a closed form is right where it is this many times nearer to the slope with many digits than torch is
NEARER = 0.1


def precision(point: Point, comparisons: dict[str, Comparison]) -> list[Finding]:
    """Gradients that a coarse dtype or rounding spoils, and values that cancel."""
    return [*_coarse_dtype(point, comparisons), *_rounded(point, comparisons), *_cancelled(point)]


def _coarse_dtype(point: Point, comparisons: dict[str, Comparison]) -> list[Finding]:
    outside = [leaf for leaf, one in comparisons.items() if not one.agreement.within]
    if point.coarsest == torch.float64 or not outside:
        return []
    wide = again(point, point.program, dtype="float64")
    if wide is None:
        return []
    dtype = str(point.coarsest).removeprefix("torch.")
    found = []
    for leaf in outside:
        coarse, fine = point.gradients[leaf].double().cpu(), wide.gradients[leaf].double().cpu()
        limit = TOLERANCES[point.coarsest][0]
        off = relative(coarse, fine, 0.0) > limit
        covers = {leaf: off & coarse.isfinite() & fine.isfinite()}
        if not bool(covers[leaf].any()):
            continue
        name, at = Listing.of(point.forward, covers).first[0]
        words = (
            f"{dtype} has too few digits here: by {place(name, at)} torch's gradient is"
            f" {number(float(coarse[at]))}, and {number(float(fine[at]))} in float64 (--dtype float64)."
        )
        found.append(Finding(Note("precision", words, leaf, at, explains=True), covers))
    return found


def _rounded(point: Point, comparisons: dict[str, Comparison]) -> list[Finding]:
    """Gradients in which rounding inside torch leaves few digits; the slope with many digits decides."""
    found = []
    for leaf, one in comparisons.items():
        closed, outside = one.agreement.closed_value, one.closed_outside
        if closed is None or outside is None or one.agreement.within:
            continue
        if one.quotient_outside is not None and one.quotient_outside.shape == outside.shape:
            outside = outside | one.quotient_outside
        covers = torch.zeros_like(outside)
        words = ""
        for index in outside.nonzero()[:TRIED].tolist():
            at = tuple(index)
            ours, theirs = float(point.gradients[leaf][at]), float(closed[at])
            exact = exact_slope(point, leaf, at)
            if exact is None or not abs(theirs - exact) <= NEARER * abs(ours - exact) < math.inf or ours == exact:
                continue
            covers[at] = True
            words = words or (
                f"Rounding leaves torch's gradient few digits by {place(leaf, at)}: it is {digits(ours)}, and"
                f" {digits(exact)} with many digits, as the closed form has it."
            )
        if words:
            first = tuple(covers.nonzero()[0].tolist())
            found.append(Finding(Note("precision", words, leaf, first, explains=True), {leaf: covers}))
    return found


def _cancelled(point: Point) -> list[Finding]:
    """Values that a safer spelling gives with more digits."""
    found = []
    root = point.forward.tensor(point.root).detach()
    for spelling in safe_spellings(point.program, point.forward.shapes):
        tried = again(point, spelling.program)
        if tried is None:
            continue
        safer = tried.forward.tensor(point.root).detach()
        apart = relative(root, safer, 0.0)
        if not bool(apart.isfinite().all()) or float(apart.max()) <= LOSS * torch.finfo(point.coarsest).eps:
            continue
        at = tuple((apart == apart.max()).nonzero()[0].tolist())
        words = (
            f"{point.program.echoes[spelling.node]} cancels here: {place(point.root_name, at)} is"
            f" {number(float(root[at]))}, and {number(float(safer[at]))} with {spelling.text}."
        )
        found.append(Finding(Note("precision", words, None, at)))
    return found[:1]
