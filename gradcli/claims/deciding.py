"""Whether a claim is right: its value against torch's at the given point and at random ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from gradcli.claims.fitting import Apart, Shape, apart, fitted
from gradcli.claims.formulas import names_at, read_formula, upstream_name, value_of
from gradcli.claims.spots import Spot, given_spot, random_spot
from gradcli.errors import GradcliError, Source, Span
from gradcli.findings.agreement import FRACTION
from gradcli.language.program import Program
from gradcli.language.suggest import nearest
from gradcli.numeric.devices import resolve_device, resolve_dtype
from gradcli.problem import Problem
from gradcli.result import Alias, ClosedForm
from gradcli.solve.formulas import Formulas, closed_forms

Kind = Literal["gradient", "jacobian"]

#: random points that are finite, and points that are tried to find them
POINTS = 8
TRIES = 40
#: how many roundings of its own a claim may have for each of torch's
SPELLINGS = 64
#: elements of leaves beyond which few points are tried, and how many
LARGE, FEW = 100_000, 3
#: dtype → relative difference beyond which a claim is wrong
TOLERANCES = {torch.float64: 1e-7, torch.float32: 1e-3, torch.float16: 5e-2, torch.bfloat16: 2e-1}


@dataclass(frozen=True, slots=True)
class Claim:
    """``formula`` is said to be the gradient of L by ``leaf``, or the Jacobian of the root.

    ``title``: the words that name the formula in errors.
    """

    leaf: str
    formula: str
    kind: Kind = "gradient"
    title: str = "--claim"


@dataclass(frozen=True, slots=True)
class Case:
    """A claim at one point: what it says, and torch's value; both finite."""

    claim: Claim
    spot: Spot
    claimed: Tensor
    truth: Tensor

    @property
    def floor(self) -> float:
        """A difference that rounding may make, whichever way a formula is written."""
        if not self.truth.numel():
            return 0.0
        if self.truth.dtype != torch.float64:
            return FRACTION * TOLERANCES[self.truth.dtype] * float(self.truth.abs().max())
        size = float(self.spot.upstream.abs().max()) if self.claim.kind == "jacobian" else 1.0
        return SPELLINGS * self.spot.noise(self.claim.leaf) / size if size else 0.0


#: what a claim would have to be to be right, as a function of the point
Repair = Callable[[Case], Tensor | None]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A point where a claim fails.

    Attributes:
        spot: the point.
        claimed: what the claim gives there; None where it cannot be evaluated.
        truth: torch's value.
        apart: how far the claim is off; None where its shape does not fit.
    """

    spot: Spot
    claimed: Tensor | None
    truth: Tensor
    apart: Apart | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a claim.

    Attributes:
        points: at how many points both sides were finite and compared.
        skipped: at how many they were not.
        given: whether the given point is among those that were compared.
        counterexample: the point that refutes it; None for a right claim and where there is no finite point.
        reason: why it cannot be right whatever the point, such as its shape.
        slip: which slip it looks like.
        fixed: leaves that keep their values at every point, because nothing is differentiated by them.
        right_form: the closed form; None where there is none.  ``legend``: the short names in it.
    """

    claim: Claim
    right: bool
    points: int
    skipped: int
    given: bool = True
    counterexample: Counterexample | None = None
    reason: str | None = None
    slip: str | None = None
    right_form: ClosedForm | None = None
    legend: tuple[Alias, ...] = ()
    fixed: tuple[str, ...] = ()


def decide(problem: Problem, claims: Sequence[Claim]) -> list[Verdict]:
    """The verdict on each claim.

    Raises:
        GradcliError: the problem cannot be evaluated, a claim does not parse, speaks of a name that there
            is not, or is about a leaf that has no gradient.
    """
    resolve_device(problem.device)
    if problem.dtype is not None:
        resolve_dtype(problem.dtype)
    given = given_spot(problem)
    known = names_at(given.forward, given.upstream)
    formulas = [_readable(claim, given, known) for claim in claims]
    # a claim about one number that leaves g out means g = 1; one that speaks of g must hold for every g
    silent = [upstream_name(problem.program) not in formula.leaves for formula in formulas]
    spots = {fixed: [given, *_random(problem, given, fixed)] for fixed in set(silent)}
    forms = closed_forms(given.forward, given.start.node, "formula")
    return [
        _decide(claim, formula, spots[fixed], forms)
        for claim, formula, fixed in zip(claims, formulas, silent, strict=True)
    ]


def _readable(claim: Claim, given: Spot, known: dict[str, Tensor]) -> Program:
    leaves = given.forward.differentiable
    if claim.leaf not in leaves:
        hint = nearest(claim.leaf, leaves) or f"it has {', '.join(leaves) or 'none'}"
        words = f"the program has no leaf '{claim.leaf}' that has a gradient"
        if claim.leaf in given.inputs.unused:
            words = f"the program does not use '{claim.leaf}', so that its gradient is 0"
        source = Source(f"{claim.leaf}={claim.formula}", claim.title)
        raise GradcliError(words, span=Span(0, len(claim.leaf)), hint=hint, source=source)
    return read_formula(claim.formula, known, claim.title)


def _random(problem: Problem, given: Spot, fixed: bool) -> Iterator[Spot]:
    """Random points until enough of them are finite; those that are not come too, to be counted."""
    finite, leaves = 0, given.forward.leaves
    wanted = POINTS if sum(leaf.numel() for leaf in leaves.values()) <= LARGE else FEW
    for number in range(TRIES if given.forward.differentiable else 0):
        spot = random_spot(problem, given, number, fixed=fixed)
        if spot is None:
            continue
        finite += spot.is_finite
        yield spot
        if finite == wanted:
            return


def _decide(claim: Claim, formula: Program, all_spots: Sequence[Spot], forms: Formulas) -> Verdict:
    from gradcli.claims.slips import edited, slip

    form = _written(claim, forms)
    verdict = Verdict(claim, False, 0, 0, False, right_form=form, legend=_spoken(form, forms))
    spots = [spot for spot in all_spots if spot.is_finite]
    lost = len(all_spots) - len(spots)
    cases: list[Case] = []
    for spot in spots:
        truth = _truth(claim, spot)
        try:
            claimed = value_of(formula, names_at(spot.forward, spot.upstream), str(spot.forward.like.device))
        except GradcliError as error:
            why = f"it cannot be evaluated: {error.message}"
            looks = edited(formula, [Case(claim, one, truth, _truth(claim, one)) for one in spots])
            found = Counterexample(spot, None, truth)
            return replace(verdict, skipped=lost, counterexample=found, reason=why, slip=looks)
        if not bool(truth.isfinite().all()):
            continue
        if bool(claimed.isfinite().all()):
            cases.append(Case(claim, spot, claimed, truth))
        elif spot.number is None:
            why = "it is not finite at the given point, and the gradient is"
            return replace(verdict, counterexample=Counterexample(spot, claimed, truth), reason=why)
    verdict = replace(verdict, skipped=lost + len(spots) - len(cases))
    if not cases:
        return replace(verdict, reason="there is no point where both the claim and the gradient are finite")
    if not cases[0].truth.numel():
        return replace(verdict, reason="there is nothing to compare: the gradient has no elements")
    verdict = replace(verdict, points=len(cases), given=cases[0].spot.number is None, fixed=cases[0].spot.fixed)
    counterexample, reason = _refuted(claim, cases)
    if counterexample is None:
        return replace(verdict, right=True)
    return replace(verdict, counterexample=counterexample, reason=reason, slip=slip(claim, formula, cases, forms))


def _spoken(form: ClosedForm | None, forms: Formulas) -> tuple[Alias, ...]:
    """The short names that a form uses."""
    words = set(re.findall(r"\w+", f"{form.shown}")) if form is not None else set()
    return tuple(alias for alias in forms.legend if alias.name in words)


def _truth(claim: Claim, spot: Spot) -> Tensor:
    return (spot.gradients[claim.leaf] if claim.kind == "gradient" else spot.jacobian(claim.leaf)).detach()


def _written(claim: Claim, forms: Formulas) -> ClosedForm | None:
    if claim.kind == "gradient":
        return forms.gradients.get(claim.leaf)
    found = forms.jacobians.get(claim.leaf)
    return None if found is None else found.form


def _refuted(claim: Claim, cases: Sequence[Case]) -> tuple[Counterexample | None, str | None]:
    """The given point where the claim fails there, else the point where it fails worst, and a reason."""
    worst: Counterexample | None = None
    for case in cases:
        found = compare(case.claimed, case)
        if found is None:
            what = "gradient" if claim.kind == "gradient" else "Jacobian"
            reason = f"it has shape {tuple(case.claimed.shape)}, and the {what} has shape {tuple(case.truth.shape)}"
            return Counterexample(case.spot, case.claimed, case.truth), reason
        if found.agrees:
            continue
        if worst is None or (worst.spot.number is not None and worst.apart.largest < found.largest):  # type: ignore[union-attr]
            worst = Counterexample(case.spot, case.claimed, case.truth, found)
    return worst, None


def compare(claimed: Tensor, case: Case) -> Apart | None:
    """The claim's value against torch's at one point; None where the shapes do not mean the same."""
    shape: Shape = tuple(case.truth.shape)
    ready = fitted(claimed, shape, case.spot.root_shape)
    if ready is None:
        return None
    limit = TOLERANCES[case.truth.dtype]
    found = apart(ready, case.truth, limit, 0.0)
    return found if found.agrees else apart(ready, case.truth, limit, case.floor)
