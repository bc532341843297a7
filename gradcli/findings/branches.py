"""Gradients that are not finite though the values are: infinite slopes, taken and not taken."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.findings.agreement import Comparison
from gradcli.findings.nonfinite import Origin, Spill, infinite, spills
from gradcli.findings.paths import Places
from gradcli.findings.point import Finding, Point
from gradcli.findings.poles import explain
from gradcli.findings.wording import Listing, number, place
from gradcli.language.program import Node
from gradcli.notes import Note

_CHOICES = ("where", "masked_fill")


def branches(point: Point, comparisons: dict[str, Comparison], known: Iterable[Finding], advice: str) -> list[Finding]:
    """Why leaves have gradients that are not finite.

    Args:
        comparisons: for the slopes that the closed form gives at these places.
        known: what accounts for some of them already.
        advice: a sentence on what would stay finite, or nothing.
    """
    bad: Places = {name: infinite(slope) for name, slope in point.gradients.items()}
    for finding in known:
        for name, mask in finding.covers.items():
            bad[name] = bad[name] & ~mask
    if not any(bool(mask.any()) for mask in bad.values()):
        return []
    findings = []
    for spill in spills(point):
        chooser = _chooser(point, spill) if spill.silent else None
        covers = _both(point.moved_by(spill.operand, spill.mask), bad)
        if not covers:
            continue
        if chooser is not None:
            findings.append(_untaken(point, spill, chooser, covers, comparisons))
        elif bool(infinite(point.forward.values[spill.node.id]).any()):
            origin = Origin(spill.node, infinite(point.forward.values[spill.node.id]))
            aside = f"Its slope there spoils the gradient, although {point.root_name} is finite."
            findings += [Finding(one.note, covers) for one in explain(point, origin, advice, aside)]
        else:
            findings.append(_steep(point, spill, covers, advice))
    return findings


def _both(one: Places, other: Places) -> Places:
    shared = {name: mask & other[name] for name, mask in one.items()}
    return {name: mask for name, mask in shared.items() if bool(mask.any())}


def _chooser(point: Point, spill: Spill) -> Node | None:
    """The nearest choice above the node, which does not take it."""
    above = {spill.node.id}
    for node in point.feeding:
        if not above.isdisjoint(node.args):
            if node.op in _CHOICES:
                return node
            above.add(node.id)
    return None


def _untaken(point: Point, spill: Spill, chooser: Node, covers: Places, comparisons: dict[str, Comparison]) -> Finding:
    echoes = point.program.echoes
    leaf = next(iter(covers))
    index = tuple(covers[leaf].nonzero()[0].tolist())
    words = (
        f"Autograd gives {number(float(point.gradients[leaf][index]))} at"
        f" {Listing.of(point.forward, covers).text}: {echoes[chooser.id]} does not take"
        f" {echoes[spill.node.id]} there, but its slope is not finite, and autograd multiplies it by 0."
    )
    closed = comparisons[leaf].agreement.closed_value if leaf in comparisons else None
    if closed is not None:
        words += f" The true slope by {place(leaf, index)} is {number(float(closed[index]))}."
    words += _safe_argument(point, spill, chooser)
    return Finding(Note("untaken-branch", words, leaf, index, explains=True), covers)


def _safe_argument(point: Point, spill: Spill, chooser: Node) -> str:
    """How to write it so that autograd meets no infinity."""
    echoes, node = point.program.echoes, spill.node
    if chooser.op != "where" or not (len(node.args) == 1 or node.op == "div"):
        return ""
    condition, argument = echoes[chooser.args[0]], echoes[node.args[-1]]
    taken = node in point.feeding_of(chooser.args[1])
    safe = f"where({condition}, {argument}, 1)" if taken else f"where({condition}, 1, {argument})"
    if node.op == "div":
        return f" Divide by something safe: {safe}."
    return f" Give it a safe argument: {node.op}({safe})."


def _steep(point: Point, spill: Spill, covers: Places, advice: str) -> Finding:
    listing = Listing.of(point.forward, covers)
    leaf, index = listing.first[0]
    words = (
        f"{point.program.echoes[spill.node.id]} has no finite slope at {listing.text}; torch's"
        f" gradient there is {number(float(point.gradients[leaf][index]))}.{advice}"
    )
    return Finding(Note("pole", words, leaf, index, explains=True), covers)
