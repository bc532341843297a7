"""Scalar expressions collect like terms exactly, and keep poles, domains and the user's spelling."""

from __future__ import annotations

from fractions import Fraction

from gradcli.closed.elementwise import apply, derivative
from gradcli.closed.factoring import factor
from gradcli.closed.rewriting import substitute
from gradcli.closed.scalar import ONE, ZERO, Const, Elt, Fn, Num, add, mul, power

X, Y, Z = Elt("x"), Elt("y"), Elt("z")


def test_like_terms_and_powers_are_collected() -> None:
    assert add(X, Y, X) == add(mul(Num(2), X), Y)
    assert mul(X, Y, X) == mul(power(X, Num(2)), Y)
    assert add(X, mul(Num(-1), X)) == ZERO
    assert mul(X, ZERO, Y) == ZERO


def test_order_of_building_does_not_matter_for_equality() -> None:
    assert add(X, Y) == add(Y, X)
    assert hash(mul(X, Y, Z)) == hash(mul(Z, X, Y))


def test_a_pole_stays() -> None:
    quotient = mul(power(X, Num(3)), power(X, Num(-1)))
    assert quotient != power(X, Num(2))
    assert power(X, Num(-1)) in [power(b, e) for b, e in quotient.factors]  # type: ignore[attr-defined]


def test_a_factor_is_not_distributed() -> None:
    product = mul(Num(2), add(X, Y))
    assert product != add(mul(Num(2), X), mul(Num(2), Y))
    assert add(Z, mul(Num(-1), add(X, Y))) == add(Z, mul(Num(-1), X), mul(Num(-1), Y))


def test_decimals_stay_decimals_and_untouched_numbers_their_text() -> None:
    written = Num(Fraction("1e-5"), True, "1e-5")
    assert mul(X, written).coefficient.text == "1e-5"  # type: ignore[attr-defined]
    tripled = mul(Num(3), Num(Fraction("0.1"), True))
    assert isinstance(tripled, Num) and tripled.value == Fraction(3, 10) and tripled.decimal


def test_common_factors_come_out_up_to_sign() -> None:
    difference, opposite = add(X, mul(Num(-1), Y)), add(Y, mul(Num(-1), X))
    total = add(mul(difference, Z), mul(opposite, Elt("w")))
    assert factor(total) == mul(difference, add(Z, mul(Num(-1), Elt("w"))))
    assert factor(add(mul(Num(2), X), mul(Num(-2), Y))) == mul(Num(2), difference)


def test_slopes_come_from_the_table() -> None:
    tanh = apply("tanh", {"x": X}, ())
    assert derivative(tanh, X) == add(ONE, mul(Num(-1), power(tanh, Num(2))))
    chain = apply("log", {"x": mul(X, Y)}, ())
    assert derivative(chain, X) == mul(power(mul(X, Y), Num(-1)), Y)
    assert derivative(chain, Z) == ZERO


def test_slopes_read_static_parameters() -> None:
    leaky = apply("leaky_relu", {"x": X}, (("negative_slope", 0.25),))
    positive, other = Fn("gt", (X, ZERO)), Fn("le", (X, ZERO))
    assert derivative(leaky, X) == add(positive, mul(Num(Fraction("0.25"), True), other))


def test_a_missing_bound_decides_nothing() -> None:
    one_sided = apply("clamp", {"x": X, "min": ZERO}, ())
    assert derivative(one_sided, X) == Fn("le", (ZERO, X))


def test_e_to_the_x_is_its_own_slope() -> None:
    grown = apply("pow", {"x": Const("e"), "exponent": X}, ())
    assert derivative(grown, X) == grown


def test_substitution_simplifies_again() -> None:
    assert substitute(add(X, Y), lambda node: mul(Num(-1), X) if node == Y else None) == ZERO
