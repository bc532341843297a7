"""Notes on kinks, ties, poles, domains, overflow and the rest: that they are said, where, and only then."""

from __future__ import annotations

import math

import pytest

import gradcli
from gradcli.notes import CODES

#: notes on how the tool is used, not on the point
USE = {"default-upstream", "random"}


def look(program: str, inputs: dict, **settings) -> gradcli.Result:
    result = gradcli.differentiate(program, inputs, **settings)
    assert result.agrees is not False, [note.message for note in result.notes]
    return result


def notes(program: str, inputs: dict, **settings) -> list[tuple[str, str]]:
    result = look(program, inputs, **settings)
    return [(note.code, note.message) for note in result.notes if note.code not in USE]


def one(program: str, inputs: dict, code: str, **settings) -> str:
    """The message of the only note, which has this code."""
    found = notes(program, inputs, **settings)
    assert [was for was, _ in found] == [code], found
    return found[0][1]


# ---- kinks ----


def test_kinks_of_an_expression_say_where_the_leaf_is():
    words = one("relu(x - 1)", {"x": [1, 2, 1]}, "kink")
    assert words.startswith("relu(x - 1) has a kink where x - 1 = 0, at x[0] = 1 and x[2] = 1: its slope is 0 below")


def test_many_places_are_counted():
    assert "x[0] = 0, x[1] = 0, x[2] = 0 and 97 more" in one("sum(relu(x))", {"x": "zeros(100)"}, "kink")


def test_a_kink_between_two_leaves():
    words = one("maximum(a, b)", {"a": [1, 2], "b": [1, 3]}, "kink")
    assert "where a = b, at a[0] = 1 and b[0] = 1" in words
    assert "torch takes 0.5" in words


def test_a_kink_that_plays_no_part_is_not_told():
    assert notes("relu(x)**2", {"x": [0, 1]}) == []
    assert notes("abs(x**2)", {"x": 0}) == []
    assert notes("where(x > 0, x**2, 0)", {"x": 0}) == []


def test_no_kink_beside_the_point():
    assert notes("relu(x)", {"x": [1e-12, -1e-12]}) == []


def test_two_kinks_that_cancel_leave_torch_with_a_wrong_slope():
    result = look("relu(x) - relu(-x)", {"x": 0})
    assert float(result.gradients["x"]) == 0
    assert [note.code for note in result.notes] == ["kink", "kink"]
    assert "y has one slope there, 1, and torch's 0 by x is not it" in result.notes[0].message


def test_jumps_have_no_slope():
    assert one("floor(x)", {"x": [2, 2.5]}, "kink") == (
        "floor(x) jumps at x[0] = 2, so it has no slope there; torch takes 0."
    )
    assert "sign(x) jumps at x = 0" in one("sign(x)", {"x": 0}, "kink")
    assert "round(x) jumps at x[0] = 0.5" in one("round(x)", {"x": [0.5, 1]}, "kink")


def test_conditions_on_their_edge():
    words = one("where(x > 0, x, 0)", {"x": 0}, "kink")
    assert words == ("x > 0 is on its edge at x = 0: the slope of y by x is 0 below and 1 above; torch gives 0.")


def test_kinks_of_norms_and_deviations():
    assert "norm(x, dim=1) = 0, at x[0,0] = 0 and x[0,1] = 0" in one("norm(x, dim=1)", {"x": [[0, 0], [3, 4]]}, "kink")
    assert "-0.57735 below and 0.57735 above" in one("std(x)", {"x": [1, 1, 1]}, "kink")


def test_kinks_that_no_row_lists_show_in_the_quotients():
    assert "by x[0] it is -0.5 below and 0.5 above" in notes("l1_loss(x, t)", {"x": [1, 2], "t": [1, 3]})[0][1]
    assert "The slope of y jumps at x[0] = 0" in one("norm(x, 1)", {"x": [0, 1]}, "kink")


# ---- ties ----


@pytest.mark.parametrize(
    ("program", "choice"),
    [
        ("max(x)", "shares the slope evenly, 0.5 each"),
        ("amax(x)", "shares the slope evenly, 0.5 each"),
        ("max(x, dim=0)", "gives it all to x[0]"),
        ("-min(-x)", "shares the slope evenly, 0.5 each"),
    ],
)
def test_ties_say_what_torch_does(program, choice):
    words = one(program, {"x": [2, 1, 2]}, "tie")
    assert choice in words
    assert "tie for the m" in words


def test_ties_of_orders():
    assert "tie for a place in the order" in one("sort(x)", {"x": [2, 1, 2]}, "tie", grad=[1, 2, 3])
    assert notes("sum(sort(x))", {"x": [2, 1, 2]}) == []
    assert notes("sum(topk(x, 2))", {"x": [2, 1, 2]}) == []
    assert "a place among the largest" in one("sum(topk(x, 2))", {"x": [2, 2, 2]}, "tie")


def test_ties_below_the_maximum_do_not_count():
    assert notes("max(x)", {"x": [1, 1, 2]}) == []
    assert notes("max(relu(x))", {"x": [-1, -2, -3]}) == []


# ---- poles and domains ----


def test_poles():
    assert one("1/x", {"x": [0, 1]}, "pole") == "1/x divides 1 by 0 at x[0] = 0 and is inf there."
    assert one("log(x)", {"x": 0}, "pole") == "log(x) is -inf at x = 0, which is a pole."
    assert "x**-1 is inf at x = 0" in one("x**-1", {"x": 0}, "pole")


def test_poles_and_domains_of_one_operation_are_told_apart():
    found = notes("log(x)", {"x": [0, -1, 1]})
    assert [code for code, _ in found] == ["domain", "pole"]
    assert "at x[1] = -1: its domain is x > 0" in found[0][1]
    assert "at x[0] = 0" in found[1][1]


def test_domains_are_told_with_their_condition():
    assert "its domain is abs(x) <= 1" in one("acos(x)", {"x": 2}, "domain")
    assert one("x**1.5", {"x": -1}, "domain") == "x**1.5 is nan at x = -1: its domain is x >= 0."
    assert "its domain is x - 3 > 0" in one("log(x - 3)", {"x": 1}, "domain").replace("(x - 3)", "x - 3")


def test_infinite_slopes_of_finite_values():
    assert one("sqrt(x)", {"x": [0, 1]}, "pole") == (
        "sqrt(x) has no finite slope at x[0] = 0; torch's gradient there is inf."
    )
    assert "norm(x) stays finite there" in one("sqrt(sum(x**2))", {"x": [0, 0]}, "pole")


def test_the_end_of_a_domain_has_one_side():
    words = one("x**2.5", {"x": 0}, "domain")
    assert words == "y exists on one side of x = 0 only; the slope of that side by x is 0, as torch gives."


def test_infinities_as_given():
    assert one("x*x", {"x": ["inf", 1]}, "domain", grad=[1, 1]).startswith("x[0] = inf as given")
    assert one("x*x", {"x": [1, 2]}, "domain", grad=["-inf", 1]) == "The upstream gradient g[0] is -inf as given."
    assert notes("softmax(x)", {"x": ["-inf", 1]}, grad=[1, 1])[0][0] == "domain"


def test_a_pole_in_one_element_leaves_the_others_compared():
    result = look("sin(x)/x", {"x": [0, 1]}, grad=[1, 1])
    assert math.isnan(result.leaves[0].agreement.quotient[0])
    assert result.leaves[0].agreement.quotient[1] == pytest.approx(-0.301169, rel=1e-5)


# ---- limits ----


@pytest.mark.parametrize(
    ("program", "at", "value", "slope"),
    [
        ("sin(x)/x", 0, "1", "the limit of the slope is 0"),
        ("x**3/x", 0, "0", "the limit of the slope is 0"),
        ("(1 - cos(x))/x**2", 0, "0.5", "the limit of the slope is 0"),
        ("(x**2 - 1)/(x - 1)", 1, "2", "the limit of the slope is 1"),
        ("(exp(x) - 1)/x", 0, "1", "the limit of the slope is 0.5"),
        ("x*log(x)", 0, "0", "its slope has no limit"),
    ],
)
def test_removable_singularities_have_their_limit(program, at, value, slope):
    words = one(program, {"x": at}, "removable")
    assert f"tends to {value}, and {slope}" in words
    assert f"at x = {at}" in words


def test_limits_are_found_in_views_and_lists():
    words = one("z = x.T; (sin(z)/z)[0,0]", {"x": [[0, 1], [2, 3]]}, "removable")
    assert "at x[0,0] = 0" in words


def test_a_jump_is_no_removable_singularity():
    assert [code for code, _ in notes("abs(x)/x", {"x": 0})] == ["pole"]


def test_a_closed_form_at_its_limit_is_confirmed_by_the_quotient():
    # above 512 elements the products of the others are quotients, 0/0 at a zero
    words = one("cumprod(x)", {"x": [0.0] * 3 + [1.0] * 597}, "removable", grad=[1.0] * 600)
    assert "torch and the difference quotient agree on its limit, 1" in words


def test_where_no_slope_exists_torch_follows_a_convention():
    found = notes("atan2(x, z)", {"x": 0, "z": 0})
    assert [code for code, _ in found] == ["convention", "convention"]
    assert "where there is no slope; torch gives 0 by convention" in found[0][1]


# ---- overflow and precision ----


@pytest.mark.parametrize(
    ("program", "inputs", "safe"),
    [
        ("log(sum(exp(x)))", {"x": [1000, 1]}, "logsumexp(x)"),
        ("exp(x)/sum(exp(x), 1, True)", {"x": [[1000, 1]]}, "softmax(x, 1)"),
        ("log(1 + exp(x))", {"x": 1000}, "softplus(x)"),
        ("log(exp(a) + exp(b))", {"a": 1000, "b": 999}, "logaddexp(a, b)"),
        ("1/(1 + exp(-x))", {"x": -1000}, "sigmoid(x)"),
        ("log(softmax(x))", {"x": [0, 1000]}, "log_softmax(x"),
        ("log(sigmoid(2*x))", {"x": -1000}, "logsigmoid(2*x)"),
        ("(exp(x) - exp(-x))/(exp(x) + exp(-x))", {"x": 1000}, "tanh(x)"),
        ("sqrt(x*x + z*z)", {"x": 1e200, "z": 1e200}, "hypot(x, z)"),
    ],
)
def test_overflow_advises_the_safe_spelling(program, inputs, safe):
    found = notes(program, inputs)
    assert any((code in ("overflow", "pole") and f"{safe} stays finite there" in words) or safe in words
               for code, words in found), found  # fmt: skip
    assert all(code in CODES for code, _ in found)


def test_overflow_without_a_safe_spelling_advises_nothing():
    assert one("exp(x)", {"x": 1000}, "overflow") == (
        "exp(x) overflows at x = 1000: float64 ends at 1.8e+308, so it is inf there."
    )


def test_float64_is_advised_only_to_a_coarser_dtype():
    words = one("exp(x)", {"x": 100}, "overflow", dtype="float32")
    assert words.endswith("The same in float64 stays finite there (gradient of x: 2.68812e+43).")


def test_overflow_on_the_way_back_is_told_though_the_value_is_finite():
    words = one("b/exp(x)", {"x": 1000, "b": 2}, "overflow")
    assert "Its slope there spoils the gradient, although y is finite" in words


def test_underflow_has_its_exact_value():
    assert "With enough digits log(sigmoid(x)) is -1000 there, with slope 1" in one(
        "log(sigmoid(x))", {"x": -1000}, "overflow"
    )


def test_cancellation_is_told_with_the_better_value():
    words = one("exp(x) - 1", {"x": 1e-13}, "precision")
    assert "1e-13 with expm1(x)" in words
    assert notes("exp(x) - 1", {"x": 1}) == []


def test_rounding_inside_torch_is_decided_by_many_digits():
    """torch's backward of sinc cancels near 0."""
    result = look("sinc(x)", {"x": 1e-8})
    (note,) = result.notes
    assert note.code == "precision"
    assert "-3.28986813" in note.message
    assert result.leaves[0].agreement.closed_value == pytest.approx(-3.28986813e-8, rel=1e-6)


# ---- branches, matrices, steps ----


@pytest.mark.parametrize(
    ("program", "advice"),
    [
        ("where(x > 0, sqrt(x), 0)", "sqrt(where(x > 0, x, 1))"),
        ("where(x <= 0, x, sqrt(x))", "sqrt(where(x <= 0, 1, x))"),
        ("where(x != -1, sin(x + 1)/(x + 1), 1)", "Divide by something safe: where(x != -1, x + 1, 1)"),
    ],
)
def test_branches_that_are_not_taken(program, advice):
    words = one(program, {"x": -1}, "untaken-branch")
    assert advice in words
    assert "autograd multiplies it by 0" in words


def test_conditions_on_nan_are_told():
    found = notes("where(sqrt(x) > 0, x, 3*x)", {"x": [4, -1]})
    assert [code for code, _ in found] == ["domain"]
    assert found[0][1].startswith("sqrt(x) > 0 is false where sqrt(x)[1] is nan")


def test_a_branch_that_is_taken_is_no_excuse():
    assert [code for code, _ in notes("where(x >= 0, sqrt(x), x)", {"x": 0})] == ["kink", "pole"]


def test_singular_matrices():
    assert "cofactors" in one("det(A)", {"A": [[1, 2], [2, 4]]}, "singular")
    assert "nearly singular" in one("inv(A)", {"A": [[1, 2], [2, 4.0000000000001]]}, "singular", grad="ones(2,2)")
    assert one("slogdet(A)", {"A": [[1, 2], [2, 4]]}, "singular") == "slogdet(A) is -inf: the matrix A is singular."
    assert "determinant is negative" in one("logdet(A)", {"A": [[1, 2], [2, 1]]}, "domain")
    assert notes("det(A)", {"A": [[1, 2], [3, 4]]}) == []


def test_steps_that_are_too_long():
    words = one("round(x)", {"x": 1e5}, "step")
    assert "takes too long a step" in words
    assert "with many digits it is what torch gives" in one("tan(x)", {"x": "pi/2"}, "step")


def test_a_variance_of_one_element():
    assert "give unbiased=False" in one("var(x)", {"x": [3]}, "domain")


def test_plain_programs_have_no_notes():
    assert notes("3*a + 2*b*b + log(c)", {"a": [1, 2], "b": [3, 4], "c": [5, 6]}) == []
    assert notes("softmax(A@x)", {"A": "randn(3,4,seed=1)", "x": "randn(4,seed=2)"}, grad=[1, 0, 0]) == []
