"""Factors that a claim lacks or has too many: constants, parts of the program, whatever is put for another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isclose, log, pi, prod

import torch
from torch import Tensor

from gradcli.claims.deciding import Case, Repair, compare
from gradcli.claims.parts import value_at
from gradcli.language.program import Node, Program
from gradcli.numeric.forward import Forward
from gradcli.numeric.sizes import broadcast

#: relative difference within which a factor is a number that is known
_CLOSE = 1e-7
#: relative difference of a number that is rounded to few digits
_ROUNDED = 1e-3
#: parts of the program that are tried as factors
_PARTS = 64
_CONSTANTS = {"log(2)": log(2), "log(10)": log(10), "pi": pi, "1/log(2)": 1 / log(2), "1/log(10)": 1 / log(10)}


def constant_factor(cases: Sequence[Case]) -> str | None:
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
    if isclose(size, 1, rel_tol=_ROUNDED):
        return f"{sign}a number in it is rounded: it is off by a factor {size:.10g}"
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
    """The lengths of means that everything passes which the root has of the leaf."""
    forward, root = first.spot.forward, first.spot.start.node
    found: dict[int, set[int]] = {}
    for node in forward.program.nodes:
        length = _mean_of(node, forward)
        if length > 1:
            found.setdefault(length, set()).add(node.id)
    return {length for length, means in found.items() if not _reaches(forward.program, first.claim.leaf, root, means)}


def _mean_of(node: Node, forward: Forward) -> int:
    """Over how many elements a node takes the mean; 0 where it takes none."""
    attrs = dict(node.attrs)
    if node.op == "mean" or attrs.get("reduction") == "mean":
        before, after = forward.shapes[node.args[0]], max(1, prod(forward.shapes[node.id]))
        classes = node.op in ("cross_entropy", "nll_loss") and len(before) > 1
        return prod(before[:1] + before[2:]) if classes else prod(before) // after
    return 0


def _reaches(program: Program, leaf: str, root: int, without: set[int]) -> bool:
    """Whether the root depends on the leaf by a way that goes through none of some nodes."""
    moving = {program.leaf_id(leaf)}
    for node in program.nodes[: root + 1]:
        if node.id not in without and not moving.isdisjoint(node.args):
            moving.add(node.id)
    return root in moving


def times(value: Repair) -> Repair:
    """The claim times a factor."""

    def repair(case: Case) -> Tensor | None:
        factor = value(case)
        if factor is None or broadcast(tuple(factor.shape), tuple(case.claimed.shape)) != tuple(case.claimed.shape):
            return None
        return case.claimed * factor.to(case.claimed)

    return repair


def balanced(ours: Repair, theirs: Repair) -> Repair:
    """Whether claim · ours = truth · theirs, without dividing by what may be 0."""

    def repair(case: Case) -> Tensor | None:
        left, right, shape = ours(case), theirs(case), tuple(case.truth.shape)
        if left is None or right is None:
            return None
        if any(broadcast(tuple(one.shape), shape) != shape for one in (left, right, case.claimed)):
            return None
        alike = compare(case.claimed * left, replace(case, truth=case.truth * right))
        return case.truth if alike is not None and alike.agrees else None

    return repair


def program_factors(program: Program) -> Iterator[tuple[str, Repair]]:
    """A part of the program as a factor that is missing, or one too many."""
    for node in program.nodes[:_PARTS]:
        if node.op not in ("number", "constant"):
            text, value = program.echoes[node.id], value_at(node)
            yield f"a factor {text} is missing", times(value)
            yield f"there is a factor {text} too much", balanced(_one, value)


def _one(case: Case) -> Tensor:
    return torch.ones((), dtype=case.claimed.dtype, device=case.claimed.device)
