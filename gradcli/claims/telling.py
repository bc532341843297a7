"""Verdicts in words, and as the objects that ``--format json`` prints."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from gradcli.claims.formulas import upstream_name
from gradcli.findings.wording import place
from gradcli.render.json import numbers
from gradcli.render.look import Look
from gradcli.render.numbers import number
from gradcli.render.tensors import brief
from gradcli.solve.records import array

if TYPE_CHECKING:
    from torch import Tensor

    from gradcli.claims.deciding import Claim, Counterexample, Verdict
    from gradcli.claims.spots import Spot

#: digits that tell two numbers apart
DIGITS = 8


def headline(verdict: Verdict) -> str:
    """``b = 4*b*g is the gradient by b``."""
    claim = verdict.claim
    verb = "is" if verdict.right else "is not"
    return f"{claim.leaf} = {claim.formula} {verb} {_what(claim)}"


def _what(claim: Claim) -> str:
    return f"the {'gradient' if claim.kind == 'gradient' else 'Jacobian'} by {claim.leaf}"


def details(verdict: Verdict, look: Look | None = None) -> list[str]:
    """What there is to say of a verdict beside its headline, one line each."""
    look = look or Look()
    if verdict.right:
        return [f"{_where(verdict)}{_skipped(verdict)}"]
    lines = []
    if verdict.reason:
        lines.append(verdict.reason)
    if verdict.counterexample is not None:
        lines += _counterexample(verdict.claim, verdict.counterexample, look)
    if verdict.slip:
        lines.append(f"it looks as if {verdict.slip}")
    if verdict.right_form is not None:
        lines.append(f"in closed form {_what(verdict.claim)} is {verdict.right_form.shown}")
        lines += [f"with {alias.name} = {alias.text}" for alias in verdict.legend]
    if verdict.skipped and not verdict.points:
        lines.append(_skipped(verdict).lstrip("; "))
    return lines


def _where(verdict: Verdict) -> str:
    kept = f", {', '.join(verdict.fixed)} as given" if verdict.fixed else ""
    if not verdict.given:
        return f"it holds at {_count(verdict.points, 'random point')}{kept}; the given point is not finite"
    more = f" and at {_count(verdict.points - 1, 'random point')}" if verdict.points > 1 else " alone"
    return f"it holds at the given point{more}{kept}"


def _count(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _skipped(verdict: Verdict) -> str:
    lost = verdict.skipped - (not verdict.given and verdict.counterexample is None)
    return f"; {_count(lost, 'random point')} skipped, not finite" if lost else ""


def spot_words(spot: Spot) -> str:
    """What a point is called."""
    return "the given point" if spot.number is None else "a random point"


def _counterexample(claim: Claim, found: Counterexample, look: Look) -> list[str]:
    spot = found.spot
    point = ", ".join(f"{name} = {_brief(leaf, look)}" for name, leaf in spot.forward.leaves.items())
    upstream = f"{upstream_name(spot.forward.program)} = {_brief(spot.upstream, look)}"
    at = f"at {spot_words(spot)}, {point}, {upstream}:"
    if found.claimed is None or found.apart is None:
        claimed = "" if found.claimed is None else f"the claim gives {_brief(found.claimed, look)}, "
        return [at, f"  {claimed}torch gives {_brief(found.truth, look)}"]
    apart = found.apart
    name = place("it" if not apart.index else claim.leaf if claim.kind == "gradient" else "J", apart.index)
    values = f"the claim gives {number(apart.wanted, DIGITS)}, torch {number(apart.actual, DIGITS)}"
    many = f", and {apart.count} of {apart.size} elements differ" if apart.size > 1 else ""
    return [at, f"  {'' if not apart.index else f'for {name} '}{values}{many}"]


def _brief(tensor: Tensor, look: Look) -> str:
    return brief(array(tensor), look)


def record(verdict: Verdict) -> dict[str, Any]:
    """One verdict as an object."""
    claim, found, form = verdict.claim, verdict.counterexample, verdict.right_form
    return {
        "leaf": claim.leaf,
        "of": claim.kind,
        "claim": claim.formula,
        "right": verdict.right,
        "points": verdict.points,
        "skipped": verdict.skipped,
        "reason": verdict.reason,
        "slip": verdict.slip,
        "counterexample": None if found is None else _found(found),
        "closed_form": None if form is None else {"matrix": form.matrix, "index": form.index, "latex": form.latex},
        "legend": [{"name": alias.name, "text": alias.text} for alias in verdict.legend],
    }


def _found(found: Counterexample) -> dict[str, Any]:
    spot, apart = found.spot, found.apart
    return {
        "given": spot.number is None,
        "leaves": {name: numbers(array(leaf), "float64") for name, leaf in spot.forward.leaves.items()},
        "upstream": numbers(array(spot.upstream), "float64"),
        "claimed": None if found.claimed is None else numbers(array(found.claimed), "float64"),
        "torch": numbers(array(found.truth), "float64"),
        "index": None if apart is None else list(apart.index),
        "difference": None if apart is None else _number(apart.largest),
    }


def _number(value: float) -> Any:
    return value if isfinite(value) else str(value)


def summary(verdicts: list[Verdict]) -> str:
    """``2 of 3 claims are right``."""
    right = sum(verdict.right for verdict in verdicts)
    return f"{right} of {_count(len(verdicts), 'claim')} {'is' if right == 1 else 'are'} right"
