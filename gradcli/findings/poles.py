"""Values that are not finite: what made them so, and what follows for difference quotients."""

from __future__ import annotations

import torch
from torch import Tensor

from gradcli.findings.limits import removable
from gradcli.findings.nonfinite import Origin, infinite, origins
from gradcli.findings.paths import Places
from gradcli.findings.point import Finding, Point
from gradcli.findings.reasons import reason
from gradcli.findings.wording import Listing, number, place
from gradcli.language.program import Node
from gradcli.notes import Note


def given(point: Point) -> list[Finding]:
    """Infinities and NaN in the leaves and the upstream gradient, which have no difference quotient."""
    found = []
    for name in point.forward.differentiable:
        mask = infinite(point.forward.leaves[name])
        if bool(mask.any()):
            found.append(Finding(_as_given(point, name), {name: mask}, quotient_only=True))
    mask = infinite(point.upstream)
    if bool(mask.any()):
        at = _first(mask)
        words = f"The upstream gradient {place('g', at)} is {number(float(point.upstream[at]))} as given."
        note = Note("domain", words, None, at, explains=True)
        found.append(Finding(note, point.moved_by(point.root, mask)))
    return found


def poles(point: Point, advice: str) -> list[Finding]:
    """What made elements of the root infinite or NaN.

    Args:
        advice: a sentence on what would stay finite, or nothing.
    """
    bad = infinite(point.forward.values[point.root])
    if not bool(bad.any()):
        return []
    found = [one for origin in origins(point) for one in explain(point, origin, advice)]
    # Nothing has a slope that moves a part of the root that is not finite.
    return [*found, Finding(found[-1].note, point.poisoned)] if found else []


def _as_given(point: Point, leaf: str) -> Note:
    mask = infinite(point.forward.leaves[leaf])
    words = f"{Listing.of(point.forward, {leaf: mask}).text} as given, where no derivative is taken."
    return Note("domain", words, leaf, _first(mask), explains=True)


def explain(point: Point, origin: Origin, advice: str, aside: str = "") -> list[Finding]:
    """A note for each way in which a node stopped being finite.

    Args:
        advice: a sentence on what would stay finite, or nothing.
        aside: a sentence that belongs before the advice.
    """
    nan = point.forward.tensor(origin.node.id).detach().isnan()
    masks = [mask for mask in (origin.mask & nan, origin.mask & ~nan) if bool(mask.any())]
    return [_explain(point, Origin(origin.node, mask), advice, aside) for mask in masks]


def _explain(point: Point, origin: Origin, advice: str, aside: str) -> Finding:
    node, mask = origin.node, origin.mask
    covers = point.moved_by(node.id, mask) or _all_below(point, node)
    if node.op == "leaf":
        return Finding(_as_given(point, str(node.attr("name"))), covers)
    code, words = reason(point, node, mask, covers)
    limit = removable(point, node.id, _first(mask), covers) if code in ("pole", "domain") else None
    if limit is not None:
        code, words = limit.code, f"{words} {limit.words}"
    if aside:
        words += f" {aside}"
    words += advice
    leaf = next(iter(covers), None)
    index = None if leaf is None else _first(covers[leaf])
    return Finding(Note(code, words, leaf, index, explains=True), covers)


def _all_below(point: Point, node: Node) -> Places:
    """Every element of the leaves that a node is computed from."""
    below = {str(one.attr("name")) for one in point.feeding_of(node.id) if one.op == "leaf"}
    leaves = {name: point.forward.leaves[name] for name in point.forward.differentiable if name in below}
    return {name: torch.ones_like(leaf, dtype=torch.bool) for name, leaf in leaves.items() if leaf.numel()}


def _first(mask: Tensor) -> tuple[int, ...]:
    return tuple(mask.nonzero()[0].tolist())
