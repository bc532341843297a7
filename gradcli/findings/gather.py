"""All findings on one point."""

from __future__ import annotations

from gradcli.findings.advice import advice, is_finite
from gradcli.findings.agreement import Comparison
from gradcli.findings.branches import branches
from gradcli.findings.conditions import conditions
from gradcli.findings.kinks import kinks
from gradcli.findings.leftover import leftover
from gradcli.findings.point import Finding, Point
from gradcli.findings.poles import given, poles
from gradcli.findings.precision import precision
from gradcli.findings.rounding import rounding
from gradcli.findings.singular import singular
from gradcli.findings.ties import ties
from gradcli.findings.undefined import undefined


def gather(point: Point, comparisons: dict[str, Comparison]) -> list[Finding]:
    """What a reader should know about the point, given what was compared."""
    found = [*given(point), *kinks(point), *ties(point), *singular(point), *conditions(point)]
    if not is_finite(point):
        safe = advice(point)
        values = poles(point, safe)
        found += [*values, *branches(point, comparisons, values, safe)]
    found += [finding for one in comparisons.values() for finding in one.findings]
    found += undefined(point, comparisons)
    found += precision(point, comparisons)
    found += leftover(point, comparisons, found)
    return [*found, *rounding(point, comparisons, found)]
