"""Which slip a wrong claim looks like: each is tried out at every point, and told when it explains all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import isclose, log, pi, prod

import torch
from torch import Tensor

from gradcli.claims.deciding import Case, Claim, compare
from gradcli.claims.edits import edits
from gradcli.claims.formulas import UPSTREAM
from gradcli.claims.parts import Part, chain_factors, parts
from gradcli.language.program import Program
from gradcli.numeric.backward import JACOBIAN_ENTRIES
from gradcli.numeric.sizes import broadcast
from gradcli.solve.formulas import Formulas

#: what a claim would have to be to be right, as a function of the point
Repair = Callable[[Case], Tensor | None]

#: relative difference within which a factor is a number that is known
_CLOSE = 1e-7
_CONSTANTS = {"log(2)": log(2), "log(10)": log(10), "pi": pi, "1/log(2)": 1 / log(2), "1/log(10)": 1 / log(10)}


def slip(claim: Claim, formula: Program, cases: Sequence[Case], forms: Formulas) -> str | None:
    """The first slip that explains the claim at every point, in words; None when none does."""
    named = set(formula.leaves)
    for words, repair in _plain(claim, cases[0], not named.isdisjoint(UPSTREAM)):
        if _explains(repair, cases):
            return words
    return _factor(cases) or next(
        (words for words, repair in _elaborate(claim, formula, cases[0], forms) if _explains(repair, cases)), None
    )


def edited(formula: Program, cases: Sequence[Case]) -> str | None:
    """The edit that makes a formula right that cannot be evaluated as it is."""
    return next((words for words, repair in edits(formula) if _explains(repair, cases)), None)


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
    for text, value in chain_factors(first.spot, claim.leaf):
        yield f"the chain factor {text} is missing", _times(value)
    yield from edits(formula)
    if claim.kind == "gradient" and first.spot.root_shape == tuple(first.truth.shape) != ():
        yield "it takes the diagonal of the Jacobian alone, and every element of the root counts", _diagonal(claim)
    for part in parts(claim, forms):
        yield f"the term {part.text} is missing", _plus(part, 1)
        yield f"the sign of the term {part.text} is wrong", _plus(part, 2)
        yield f"the term {part.text} counts twice", _plus(part, -1)


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
    if claim.kind == "gradient" and first.claimed.numel() == 1 and prod(truth) > 1:
        yield (
            "it is summed over the leaf's own elements",
            (
                lambda case: (
                    case.claimed if isclose(float(case.truth.sum()), float(case.claimed), rel_tol=1e-7) else None
                )
            ),
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
        alike = compare(case.claimed, Case(case.spot, case.claimed, case.spot.with_ones()[claim.leaf]))
        return case.truth if alike is not None and alike.agrees else None

    return repair


def _diagonal(claim: Claim) -> Repair:
    def repair(case: Case) -> Tensor | None:
        size = case.truth.numel()
        if size**2 > JACOBIAN_ENTRIES:
            return None
        alone = case.spot.jacobian(claim.leaf).reshape(size, size).diagonal().reshape(case.truth.shape)
        alike = compare(case.claimed, Case(case.spot, case.claimed, alone * case.spot.upstream))
        return case.truth if alike is not None and alike.agrees else None

    return repair


def _times(value: Callable[[Case], Tensor | None]) -> Repair:
    def repair(case: Case) -> Tensor | None:
        factor = value(case)
        if factor is None or broadcast(tuple(factor.shape), tuple(case.claimed.shape)) != tuple(case.claimed.shape):
            return None
        return case.claimed * factor.to(case.claimed)

    return repair


def _factor(cases: Sequence[Case]) -> str | None:
    """A constant that the claim lacks, at every element of every point."""
    ratios = []
    for case in cases:
        if compare(case.claimed, case) is None:
            return None
        claimed = case.claimed.double().reshape(-1).expand(case.truth.numel()) if case.claimed.numel() == 1 else (
            case.claimed.double().reshape(-1)
        )  # fmt: skip
        truth = case.truth.double().reshape(-1)
        used = (claimed != 0) | (truth != 0)
        ratios.append(truth[used] / claimed[used])
    ratio = torch.cat(ratios)
    if not ratio.numel() or not bool(ratio.isfinite().all()):
        return None
    value = float(ratio.median())
    if value == 0 or not bool(torch.isclose(ratio, ratio.median(), rtol=1e-6, atol=0).all()):
        return None
    return _factor_words(value, cases[0])


def _factor_words(value: float, first: Case) -> str:
    sign = "the sign is wrong, and " if value < 0 else ""
    size = abs(value)
    named = next((text for text, known in _CONSTANTS.items() if isclose(known, size, rel_tol=_CLOSE)), None)
    if named is not None:
        return f"{sign}a factor {named} is missing"
    near = Fraction(size).limit_denominator(1000)
    if isclose(float(near), size, rel_tol=_CLOSE):
        if near.numerator == 1 and near.denominator in _means(first):
            return f"{sign}the 1/{near.denominator} of a mean over {near.denominator} elements is missing"
        if near.denominator == 1:
            return f"{sign}a factor {near.numerator} is missing"
        if near.numerator == 1:
            return f"{sign}there is a factor {near.denominator} too much"
        return f"{sign}a factor {near} is missing"
    return f"{sign}a factor {size:.6g} is missing"


def _means(first: Case) -> set[int]:
    """Over how many elements the program's means are."""
    forward = first.spot.forward
    found = set()
    for node in forward.program.nodes:
        if node.op in ("mean", "mse_loss", "l1_loss"):
            into = max(1, prod(forward.shapes[node.id]))
            found.add(prod(forward.shapes[node.args[0]]) // into)
    return found - {1}
