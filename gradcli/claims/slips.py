"""Which slip a wrong claim looks like: each is tried out at every point, and told when it explains all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose, prod
from time import monotonic

from torch import Tensor

from gradcli.claims.deciding import Case, Claim, Repair, compare
from gradcli.claims.edits import free_edits, slight_edits
from gradcli.claims.factors import balanced, constant_factor, program_factors, times
from gradcli.claims.formulas import upstream_name
from gradcli.claims.parts import Part, chain, parts
from gradcli.language.program import Program
from gradcli.numeric.backward import JACOBIAN_ENTRIES
from gradcli.numeric.sizes import broadcast
from gradcli.solve.formulas import Formulas

#: seconds after which no further slip is tried: a name for it is worth no longer wait
PATIENCE = 2.0


def slip(claim: Claim, formula: Program, cases: Sequence[Case], forms: Formulas) -> str | None:
    """The first slip that explains the claim at every point, in words; None when none does."""
    until = monotonic() + PATIENCE
    speaks_of_g = upstream_name(cases[0].spot.forward.program) in formula.leaves
    return (
        _first(_plain(claim, cases[0], speaks_of_g), cases, until)
        or constant_factor(cases)
        or _first(_elaborate(claim, formula, cases[0], forms), cases, until)
    )


def edited(formula: Program, cases: Sequence[Case]) -> str | None:
    """The edit that makes a formula right that cannot be evaluated as it is."""
    return _first(slight_edits(formula), cases, monotonic() + PATIENCE)


def _first(slips: Iterator[tuple[str, Repair]], cases: Sequence[Case], until: float) -> str | None:
    for words, repair in slips:
        if monotonic() > until:
            return None
        if _explains(repair, cases):
            return words
    return None


def _explains(repair: Repair, cases: Sequence[Case]) -> bool:
    for case in cases:
        mended = repair(case)
        if mended is None or not bool(mended.isfinite().all()):
            return False
        found = compare(mended, case)
        if found is None or not found.agrees:
            return False
    return True


def _plain(claim: Claim, first: Case, speaks_of_g: bool) -> Iterator[tuple[str, Repair]]:
    """Slips that need no look into the program, in the order in which they are tried."""
    yield "the sign is wrong", lambda case: -case.claimed
    yield from _shapes(claim, first)
    if claim.kind == "gradient" and not speaks_of_g:
        yield "the upstream gradient g is forgotten", _with_upstream
        yield "the upstream gradient g is forgotten: it is the gradient for g = 1", _for_ones(claim)


def _elaborate(claim: Claim, formula: Program, first: Case, forms: Formulas) -> Iterator[tuple[str, Repair]]:
    """Slips in the chain rule, in the formula's own terms, and in the terms of the closed form."""
    if claim.kind == "gradient" and first.claimed.numel() == 1 and first.truth.numel() > 1:
        yield "it is summed over the leaf's own elements", _summed
    links = list(chain(first.spot, claim.leaf))
    for link in links:
        yield f"the chain factor {link.slope_text} is missing", times(link.slope)
    yield from slight_edits(formula)
    if claim.kind == "gradient" and first.spot.root_shape == tuple(first.truth.shape) != ():
        yield "it takes the diagonal of the Jacobian alone, and every element of the root counts", _diagonal(claim)
    for part in parts(claim, forms):
        yield f"the term {part.text} is missing", _plus(part, 1)
        yield f"the sign of the term {part.text} is wrong", _plus(part, 2)
        yield f"the term {part.text} counts twice", _plus(part, -1)
    for link in links:
        yield f"{link.text} stands where its derivative should", balanced(link.slope, link.value)
    yield from free_edits(formula, first.spot.forward.leaves)
    yield from program_factors(first.spot.forward.program)


def _summed(case: Case) -> Tensor | None:
    return case.truth if isclose(float(case.truth.sum()), float(case.claimed), rel_tol=1e-7) else None


def _plus(part: Part, times: int) -> Repair:
    def repair(case: Case) -> Tensor | None:
        value = part.value(case.spot)
        return case.claimed + times * value.to(case.claimed) if value.shape == case.claimed.shape else None

    return repair


def _shapes(claim: Claim, first: Case) -> Iterator[tuple[str, Repair]]:
    """Transposition, sums over broadcast axes, diagonals."""
    claimed, truth = tuple(first.claimed.shape), tuple(first.truth.shape)
    root = first.spot.root_shape
    rows, columns = prod(root), prod(truth[len(root) :])
    if claim.kind == "jacobian":
        yield (
            "it is transposed: rows are elements of the root, columns those of the leaf",
            (lambda case: case.claimed.reshape(columns, rows).T if case.claimed.numel() == rows * columns else None),
        )
        if rows == columns and prod(claimed) in (1, rows):
            yield "it is only the diagonal: write diag(…)", (lambda case: case.claimed.reshape(-1).expand(rows).diag())
    elif len(claimed) >= 2:
        yield "it is transposed", lambda case: case.claimed.mT
    if claim.kind == "gradient" and claimed != truth and broadcast(claimed, truth) == claimed:
        summed = _broadcast_axes(claimed, truth)
        yield f"a sum over the broadcast {summed} is missing", lambda case: case.claimed.sum_to_size(truth)
        yield (
            f"a sum over the broadcast {summed} is missing, and the sign is wrong",
            (lambda case: -case.claimed.sum_to_size(truth)),
        )


def _broadcast_axes(claimed: tuple[int, ...], truth: tuple[int, ...]) -> str:
    padded = (0,) * (len(claimed) - len(truth)) + truth
    axes = [k for k, (had, size) in enumerate(zip(padded, claimed, strict=True)) if had != size]
    return f"axis {axes[0]}" if len(axes) == 1 else f"axes {', '.join(map(str, axes))}"


def _with_upstream(case: Case) -> Tensor | None:
    g = case.spot.upstream.to(case.claimed)
    shape = broadcast(tuple(case.claimed.shape), tuple(g.shape))
    return case.claimed * g if shape is not None else None


def _for_ones(claim: Claim) -> Repair:
    def repair(case: Case) -> Tensor | None:
        alike = compare(case.claimed, replace(case, truth=case.spot.with_ones()[claim.leaf]))
        return case.truth if alike is not None and alike.agrees else None

    return repair


def _diagonal(claim: Claim) -> Repair:
    def repair(case: Case) -> Tensor | None:
        size = case.truth.numel()
        if size**2 > JACOBIAN_ENTRIES:
            return None
        alone = case.spot.jacobian(claim.leaf).reshape(size, size).diagonal().reshape(case.truth.shape)
        alike = compare(case.claimed, replace(case, truth=alone * case.spot.upstream))
        return case.truth if alike is not None and alike.agrees else None

    return repair
