"""Index expressions mean the integers they stand for, and their ranges hold."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from gradcli.closed.index import Condition, Div, Ix, Mod, Var, simplify, var
from gradcli.closed.views import flat, unflat

VARIABLES = (Var("a", 2), Var("b", 3), Var("c", 4))


def value(ix: Ix, at: dict[Var, int]) -> int:
    """The integer that ``ix`` is at a point, by the plain meaning of its parts."""
    total = ix.const
    for atom, coefficient in ix.parts:
        if isinstance(atom, Var):
            total += coefficient * at[atom]
        elif isinstance(atom, Div):
            total += coefficient * (value(atom.inner, at) // atom.by)
        else:
            assert isinstance(atom, Mod)
            total += coefficient * (value(atom.inner, at) % atom.by)
    return total


def points() -> list[dict[Var, int]]:
    return [dict(zip(VARIABLES, p, strict=True)) for p in product(*(range(v.size) for v in VARIABLES))]


@st.composite
def indices(draw: st.DrawFn, depth: int = 2) -> Ix:
    total = Ix(draw(st.integers(-5, 5)))
    for v in VARIABLES:
        total = total + var(v) * draw(st.integers(-4, 4))
    if depth and draw(st.booleans()):
        inner, by = draw(indices(depth - 1)), draw(st.integers(1, 6))
        part = inner.div(by) if draw(st.booleans()) else inner.mod(by)
        total = total + part * draw(st.integers(-3, 3))
    return total


@given(indices(), st.integers(1, 7))
def test_div_and_mod_are_those_of_integers(ix: Ix, by: int) -> None:
    for at in points():
        assert value(ix.div(by), at) == value(ix, at) // by
        assert value(ix.mod(by), at) == value(ix, at) % by


@given(indices(), indices(), st.integers(-3, 3))
def test_sums_and_multiples(one: Ix, two: Ix, factor: int) -> None:
    for at in points():
        assert value(one + two * factor, at) == value(one, at) + factor * value(two, at)


@given(indices())
def test_ranges_hold(ix: Ix) -> None:
    low, high = ix.range
    assert all(low <= value(ix, at) <= high for at in points())


@given(indices(), indices())
def test_substitution(ix: Ix, new: Ix) -> None:
    b = VARIABLES[1]
    # what stands in for b must be a place of b's axis, since ranges are believed
    inside = new.mod(b.size)
    for at in points():
        assert value(ix.subs({b: inside}), at) == value(ix, {**at, b: value(inside, at)})


@given(indices(), st.booleans())
def test_simplified_conditions_hold_where_they_did(ix: Ix, equation: bool) -> None:
    condition = Condition(ix, equation)
    simple = simplify(condition)
    for at in points():
        holds = value(ix, at) == 0 if equation else value(ix, at) >= 0
        if isinstance(simple, bool):
            assert simple == holds
        else:
            left = value(simple.ix, at)
            assert (left == 0 if equation else left >= 0) == holds


def test_a_quotient_and_its_remainder_join() -> None:
    whole = var(VARIABLES[1]) * 4 + var(VARIABLES[2]) + 1
    assert whole.mod(5) + whole.div(5) * 5 == whole


def test_nested_quotients_join() -> None:
    whole = var(VARIABLES[1]) * 5 + var(VARIABLES[2]) * 7
    assert whole.div(2).div(3) == whole.div(6)


def test_places_of_a_matrix() -> None:
    b, c = VARIABLES[1:]
    place = flat((var(b), var(c)), (3, 4))
    assert place == var(b) * 4 + var(c)
    assert unflat(place, (3, 4)) == (var(b), var(c))
    assert unflat(place, (12,)) == (place,)
