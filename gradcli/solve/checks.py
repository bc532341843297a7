"""The agreement of the leaves, and the notes on the point."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.findings.agreement import compare, settle
from gradcli.findings.gather import gather
from gradcli.findings.point import Point
from gradcli.notes import Note
from gradcli.numeric.backward import Pass
from gradcli.numeric.devices import default_dtype
from gradcli.numeric.differences import ELEMENT_BY_ELEMENT, quotients
from gradcli.numeric.faults import TORCH_ERRORS
from gradcli.numeric.forward import Forward, evaluate
from gradcli.problem import Problem
from gradcli.result import Agreement
from gradcli.solve.formulas import Formulas
from gradcli.solve.starts import summed

if TYPE_CHECKING:
    from gradcli.closed.forms import LeafForms
    from gradcli.closed.points import Sampled

#: the checks run by themselves while they are estimated to take no more operations than this (about a second)
BUDGET = 300_000_000
#: evaluations of the program that one difference quotient takes, retries included
EVALUATIONS = 8
#: steps of a matrix product that take the time of one elementwise operation
TOGETHER = 32
#: operations of which an element takes as many steps as a factor is long
_PRODUCTS = frozenset("matmul mm mv bmm dot inner linear addmm addmv baddbmm einsum tensordot inv solve det".split())


@dataclass(frozen=True, slots=True)
class Checked:
    """Agreement by leaf, and notes."""

    agreements: dict[str, Agreement]
    notes: tuple[Note, ...]


def check(problem: Problem, forward: Forward, last: Pass, formulas: Formulas) -> Checked:
    """Hold the last pass's own gradients against closed forms and quotients, and look at the point."""
    root = forward.tensor(last.node)
    upstream = summed(last.upstream, root)
    asked = problem.jacobian != "none" if problem.check is None else problem.check
    cheap = cost(forward, last.node) <= BUDGET
    wanted = asked and (cheap or problem.check is True)
    names = forward.differentiable if wanted and root.requires_grad else ()
    point = Point(forward, last.node, upstream.to(root.dtype), last.own)
    told = torch.where(root.detach().isfinite(), upstream, 0.0)  # what is not finite has no quotient
    point = replace(
        point,
        quotients={name: quotients(forward, last.node, told, name) for name in names if _may_tell(point, name)},
        closed={name: partial(_evaluated, formulas.forms[name], upstream) for name in names if name in formulas.forms},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of what the notes tell
        comparisons = {name: compare(point, name) for name in names}
        findings = gather(point, comparisons)
    notes = [finding.note for finding in findings]
    if asked and not wanted:
        notes.append(Note("sampled", "The program is large, so nothing was compared; --check compares all the same."))
    return Checked(
        {name: settle(one, name, findings) for name, one in comparisons.items()}, tuple(dict.fromkeys(notes))
    )


def _may_tell(point: Point, leaf: str) -> bool:
    """A direction says nothing where torch's gradient of any element is infinite or NaN."""
    gradient = point.gradients[leaf]
    return gradient.numel() <= ELEMENT_BY_ELEMENT or bool(gradient.isfinite().all())


def _evaluated(forms: LeafForms, upstream: Tensor, forward: Forward) -> Sampled | None:
    """The closed form at a point, in float64; None where it does not exist, as for a singular matrix."""
    from gradcli.closed.points import gradient_at

    try:
        return gradient_at(forms, _wide(forward), upstream)
    except (GradcliError, *TORCH_ERRORS):
        return None


def _wide(forward: Forward) -> Forward:
    """The program in float64: values rounded to fewer digits would not fit each other, as at a maximum."""
    narrow = any(leaf.is_floating_point() and leaf.dtype != torch.float64 for leaf in forward.leaves.values())
    device = forward.like.device.type
    if not narrow or default_dtype(device) != torch.float64:
        return forward
    return evaluate(forward.program, forward.leaves, dtype="float64", device=str(forward.like.device))


def cost(forward: Forward, root: int) -> int:
    """About how many operations the difference quotients of all leaves take."""
    once = sum(_operations(forward, node.id) for node in forward.program.nodes[: root + 1])
    sizes = [forward.leaves[name].numel() for name in forward.differentiable]
    # a small leaf is moved element by element, a large one along one direction
    probes = sum(size if size <= ELEMENT_BY_ELEMENT else 1 for size in sizes)
    return int(once * probes * EVALUATIONS)


def _operations(forward: Forward, node_id: int) -> int:
    """An element of a product takes a step for every ``TOGETHER`` elements of its factor."""
    node, shapes = forward.program.nodes[node_id], forward.shapes
    longest = max((max(shapes[arg], default=1) for arg in node.args), default=1) if node.op in _PRODUCTS else 1
    return prod(shapes[node_id]) * -(-longest // TOGETHER)
