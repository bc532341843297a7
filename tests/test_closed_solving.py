"""Eliminating bound indices never changes what a term sums to."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from test_closed_index import value

from gradcli.closed.index import Condition, Ix, Var, at_least, equals, var
from gradcli.closed.scalar import Add, Elt, Expr, Mul, Num, mul
from gradcli.closed.solving import eliminate, settle
from gradcli.closed.terms import Names, Term, canonical, merge, tidy

FREE = (Var("i", 6), Var("j", 4))
BOUND = (Var("k", 3), Var("l", 2), Var("m", 4))


def element(expr: Elt, at: Mapping[Var, int]) -> int:
    """A made-up entry that depends on the place alone; 0 outside, as a condition would have it."""
    places = [value(ix, dict(at)) for ix in expr.at]
    return 1 + sum((k + 2) * (p + 3) ** (k + 1) for k, p in enumerate(places))


def worth(expr: Expr, at: Mapping[Var, int]) -> int:
    if isinstance(expr, Num):
        return int(expr.value)
    if isinstance(expr, Elt):
        return element(expr, at)
    if isinstance(expr, Add):
        return sum(worth(term, at) for term in expr.children)
    assert isinstance(expr, Mul)
    total = int(expr.coefficient.value)
    for base, exponent in expr.factors:
        total *= worth(base, at) ** int(exponent.value)
    return total


def total(term: Term | None, at: Mapping[Var, int]) -> int:
    """The term summed by brute force."""
    if term is None:
        return 0
    out = 0
    for place in product(*(range(v.size) for v in term.bound)):
        spot = {**at, **dict(zip(term.bound, place, strict=True))}
        holds = ((value(c.ix, spot) == 0) if c.equation else (value(c.ix, spot) >= 0) for c in term.conditions)
        if all(holds):
            out += worth(term.coefficient, spot)
    return out


def places() -> list[dict[Var, int]]:
    return [dict(zip(FREE, p, strict=True)) for p in product(*(range(v.size) for v in FREE))]


@st.composite
def affine(draw: st.DrawFn, variables: tuple[Var, ...]) -> Ix:
    ix = Ix(draw(st.integers(-2, 3)))
    for v in variables:
        ix = ix + var(v) * draw(st.sampled_from((-4, -3, -2, -1, 0, 0, 0, 1, 1, 2, 3, 4)))
    return ix


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    shape = draw(st.sampled_from(("equation", "bound", "mod", "div", "radix")))
    everything = (*FREE, *BOUND)
    if shape == "equation":
        return equals(draw(affine(everything)), Ix(0))
    if shape == "bound":
        return at_least(draw(affine(everything)), 0)
    if shape == "radix":
        digits = draw(st.permutations(BOUND))[:2]
        left = var(digits[0]) + var(digits[1]) * digits[0].size
        return equals(left, var(draw(st.sampled_from(FREE))) + draw(st.integers(-1, 2)))
    inner, by = draw(affine(everything)), draw(st.integers(2, 5))
    side = inner.mod(by) if shape == "mod" else inner.div(by)
    return equals(side, var(draw(st.sampled_from(everything))))


@st.composite
def terms(draw: st.DrawFn) -> Term:
    factors = [Elt(f"e{n}", (draw(affine((*FREE, *BOUND))),)) for n in range(draw(st.integers(1, 2)))]
    chosen = draw(st.lists(conditions(), min_size=0, max_size=3))
    return Term(mul(Num(draw(st.integers(1, 3))), *factors), BOUND, tuple(chosen))


@settings(max_examples=400, deadline=None)
@given(terms())
def test_elimination_keeps_the_sum(term: Term) -> None:
    solved = eliminate(term, Names())
    for at in places():
        assert total(solved, at) == total(term, at)


@settings(max_examples=200, deadline=None)
@given(terms())
def test_tidying_settling_and_renaming_keep_the_sum(term: Term) -> None:
    tidied = tidy(term)
    settled = settle(tidied) if tidied is not None else None
    renamed = canonical(settled) if settled is not None else None
    for at in places():
        assert total(tidied, at) == total(settled, at) == total(renamed, at) == total(term, at)


@settings(max_examples=100, deadline=None)
@given(st.lists(terms(), min_size=1, max_size=3))
def test_merging_keeps_the_sum(several: list[Term]) -> None:
    merged = merge([*several, *several])
    for at in places()[:8]:
        assert sum(total(t, at) for t in merged) == 2 * sum(total(t, at) for t in several)


def test_a_delta_is_used_up() -> None:
    k, i = var(BOUND[2]), var(FREE[1])
    term = Term(Elt("x", (k,)), (BOUND[2],), (equals(k, i),))
    solved = eliminate(term, Names())
    assert solved == Term(Elt("x", (i,)), (), ())


def test_a_reshape_becomes_quotient_and_remainder() -> None:
    m, k, i = BOUND[1], BOUND[0], FREE[0]
    term = Term(Elt("x", (var(m), var(k))), (m, k), (equals(var(m) * 3 + var(k), var(i)),))
    solved = eliminate(term, Names())
    assert solved == Term(Elt("x", (var(i).div(3), var(i).mod(3))), (), ())


def test_a_condition_that_never_holds_kills_its_term() -> None:
    assert tidy(Term(Num(1), (), (equals(var(FREE[0]), Ix(6)),))) is None


def test_an_idle_bound_index_counts_its_places() -> None:
    assert tidy(Term(Elt("x"), (BOUND[0],))) == Term(mul(Num(3), Elt("x")), (), ())
