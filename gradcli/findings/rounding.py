"""How far rounding reaches: gradients worked out again with the inputs moved in their last digits.

What changes under such a move is not known any better, whoever computes it.  (The idea is that of stochastic
arithmetic: Vignes, A stochastic arithmetic for reliable scientific computation, 1993.)
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.findings.agreement import Comparison
from gradcli.findings.point import Finding, Point
from gradcli.findings.wording import digits, number, place
from gradcli.notes import Note
from gradcli.numeric.backward import gradients
from gradcli.numeric.forward import Forward, evaluate

#: how often the inputs are moved
MOVES = 6
#: by at most so many steps of their dtype: the last three digits
FAR = 1_000
#: gaps of up to this multiple of what the moves change are the work of rounding
REACH = 8


def rounding(point: Point, comparisons: dict[str, Comparison], known: Iterable[Finding]) -> list[Finding]:
    """Disagreements that are no larger than what the last digits of the inputs decide."""
    known = list(known)
    findings: list[Finding] = []
    moved: list[Forward] | None = None
    for leaf, one in comparisons.items():
        outside = _outside(point, leaf, one, known)
        if outside is None:
            continue
        if moved is None:
            moved = [found for seed in range(MOVES) if (found := _moved(point, seed)) is not None]
        findings += _work_of_rounding(point, leaf, one, outside, moved)
    return findings


def _outside(point: Point, leaf: str, one: Comparison, known: list[Finding]) -> Tensor | None:
    """Elements beyond a tolerance that nothing accounts for; None where there are none."""
    shape = point.gradients[leaf].shape
    rest = torch.zeros(shape, dtype=torch.bool)
    for mask, is_quotient in ((one.closed_outside, False), (one.quotient_outside, True)):
        if mask is None or mask.shape != shape:
            continue
        for finding in known:
            if leaf in finding.covers and (is_quotient or not finding.quotient_only):
                mask = mask & ~finding.covers[leaf].cpu()
        rest = rest | mask
    return rest if bool(rest.any()) else None


def _moved(point: Point, seed: int) -> Forward | None:
    """The program at inputs that differ in their last digits."""
    forward = point.forward
    generator = torch.Generator("cpu").manual_seed(seed)
    inputs: dict[str, Tensor] = {}
    for name, leaf in forward.leaves.items():
        inputs[name] = leaf.detach()
        if name in forward.differentiable:
            steps = torch.randint(-FAR, FAR + 1, leaf.shape, generator=generator).to(leaf.device, leaf.dtype)
            inputs[name] = inputs[name] * (1 + torch.finfo(leaf.dtype).eps * steps)
    try:
        return evaluate(forward.program, inputs, device=str(forward.like.device), wrt=forward.differentiable)
    except GradcliError:
        return None


def _work_of_rounding(point: Point, leaf: str, one: Comparison, outside: Tensor, moved: list[Forward]) -> list[Finding]:
    ours = point.gradients[leaf].double().cpu()
    reach = _spread(ours, (_gradient(point, leaf, forward) for forward in moved))
    closed = one.agreement.closed_value
    gap = torch.zeros_like(ours)
    if closed is not None:
        values = torch.as_tensor(closed)
        reach = reach + _spread(values, (point.closed_at(leaf, forward) for forward in moved))
        gap = (ours - values).abs()
    if one.agreement.quotient is not None:
        quotient = point.quotients[leaf]
        unsure = torch.as_tensor(one.agreement.quotient)
        gap = torch.maximum(gap, (ours - unsure).abs() - quotient.error)
    covers = outside & (gap <= REACH * reach)
    if not bool(covers.any()):
        return []
    at = tuple(covers.nonzero()[0].tolist())
    theirs = "" if closed is None else f", the closed form {digits(float(closed[at]))}"
    words = (
        f"Rounding decides the digits of the slope by {place(leaf, at)}: torch gives"
        f" {digits(float(ours[at]))}{theirs}, and moving the inputs in their last digits changes that by"
        f" {number(float(reach[at]))}."
    )
    return [Finding(Note("precision", words, leaf, at, explains=True), {leaf: covers})]


def _gradient(point: Point, leaf: str, forward: Forward) -> Tensor:
    (found,) = gradients(forward, forward.tensor(point.root), point.upstream, [forward.leaves[leaf]])
    return found.double().cpu()


def _spread(value: Tensor, others: Iterable[Tensor | None]) -> Tensor:
    """The largest finite change from ``value``."""
    total = torch.zeros_like(value)
    for other in others:
        if other is not None:
            change = (other - value).abs()
            total = torch.maximum(total, torch.where(change.isfinite(), change, 0.0))
    return total
