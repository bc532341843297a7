"""``gradcli check``: wrong claims are refuted and their slips named, right ones accepted however they are written."""

from __future__ import annotations

import json
import math

import pytest
from command import Ran, run

A, B = "A=[[1,2],[3,4]]", "B=[[5,6],[7,9]]"
X23, DOCS = "X=[[1,2,3],[4,5,6]]", "3*a + 2*b*b + log(c)"


def check(program: str, inputs: list[str], claim: str, *more: str, flag: str = "--claim") -> Ran:
    given = [part for one in inputs for part in ("-i", one)]
    return run("check", program, *given, flag, claim, *more)


def verdict(program: str, inputs: list[str], claim: str, *more: str, flag: str = "--claim") -> dict:
    ran = check(program, inputs, claim, "-f", "json", *more, flag=flag)
    assert ran.err == ""
    told = json.loads(ran.out)
    (one,) = told["claims"]
    assert told["right"] is one["right"] is (ran.code == 0)
    return one


# -- wrong claims: the program, its inputs, the claim, and the slip that should be named --

TRANSPOSED, FORGOTTEN = "should be transposed", "the upstream gradient g is forgotten"
WRONG = [
    ("A @ x", [A, "x=1,1"], "x=A @ g", f"A in it {TRANSPOSED}"),
    ("A @ B", [A, B], "A=g @ B", f"B in it {TRANSPOSED}"),
    ("A @ B", [A, B], "B=(A.T @ g).T", "it is transposed"),
    ("x**2", ["x=1,2,3"], "x=x*g", "a factor 2 is missing"),
    (DOCS, ["a=1,2,3", "b=3,4,5", "c=6,7,8"], "b=2*b*g", "a factor 2 is missing"),
    ("X + b", [X23, "b=1,2,3"], "b=g", "a sum over the broadcast axis 0 is missing"),
    ("X * c", [X23, "c=[[2],[3]]"], "c=X*g", "a sum over the broadcast axis 1 is missing"),
    ("X * s", [X23, "s=2"], "s=X*g", "a sum over the broadcast axes 0, 1 is missing"),
    ("cos(x)", ["x=1,2"], "x=sin(x)*g", "the sign is wrong"),
    ("a - b", ["a=1,2", "b=3,4"], "b=g", "the sign is wrong"),
    ("1/x", ["x=2,4"], "x=g/x**2", "the sign is wrong"),
    ("sigmoid(w*x)", ["w=2", "x=0.5"], "x=y*(1-y)*g", "the chain factor w is missing"),
    ("sin(x**2)", ["x=1,2"], "x=cos(x**2)*g", "the chain factor"),
    ("log(x)**2", ["x=2,3"], "x=2*log(x)*g", "the chain factor"),
    ("log(x)", ["x=2,4"], "x=1/x", FORGOTTEN),
    ("x**2", ["x=1,2"], "x=2*x", FORGOTTEN),
    ("mean(x**2)", ["x=1,2,3,4"], "x=2*x*g", "the 1/4 of a mean over 4 elements is missing"),
    ("mse_loss(a, b)", ["a=1,2,4", "b=3,3,3"], "a=2*(a-b)*g", "the 1/3 of a mean over 3 elements is missing"),
    ("softmax(x, dim=0)", ["x=1,2,3"], "x=y*(1-y)*g", "the diagonal of the Jacobian alone"),
    ("x*exp(x)", ["x=1,2"], "x=exp(x)*g", "the term x[j]*exp(x[j])*g[j] is missing"),
    ("log2(x)", ["x=1,2"], "x=g/x", "a factor 1/log(2) is missing"),
    ("tanh(x)", ["x=0.3,0.5"], "x=(1-y)*g", None),
    ("sum(x**2)", ["x=1,2,3"], "x=x**2*g", None),
    ("x**2", ["x=1,2"], "x=2*x*g + 1e-3", None),
    ("relu(x)", ["x=1,2"], "x=g", "the chain factor"),
]


@pytest.mark.parametrize(("program", "inputs", "claim", "slip"), WRONG, ids=lambda part: str(part)[:40])
def test_a_wrong_claim_is_refuted_and_its_slip_named(program, inputs, claim, slip):
    one = verdict(program, inputs, claim)
    assert one["right"] is False
    assert slip is None or slip in one["slip"]
    assert one["closed_form"]["matrix"]
    found = one["counterexample"]
    assert set(found["leaves"]) == {name.partition("=")[0] for name in inputs}
    assert found["claimed"] != found["torch"]


RIGHT_FORMS = {
    ("A @ x", "x"): "Aᵀ g",
    ("A @ B", "A"): "g Bᵀ",
    ("A @ B", "B"): "Aᵀ g",
    (DOCS, "b"): "4 b∘g",
    ("X + b", "b"): "gᵀ 𝟏",
    ("a - b", "b"): "-g",
    ("1/x", "x"): "-g/x**2",
    ("log2(x)", "x"): "g/(log(2) x)",
    ("relu(x)", "x"): "[x > 0]∘g",
}


def test_what_is_right_is_told():
    claims = {(one[0], one[2].partition("=")[0]): one[:3] for one in WRONG}
    told = {key: verdict(*claims[key])["closed_form"]["matrix"] for key in RIGHT_FORMS}
    assert told == RIGHT_FORMS


def test_a_counterexample_has_the_numbers():
    found = verdict("A @ x", [A, "x=1,1"], "x=A @ g", "-g", "1,10")["counterexample"]
    assert found["given"] is True
    assert found["leaves"] == {"A": [[1, 2], [3, 4]], "x": [1, 1]}
    assert (found["upstream"], found["claimed"], found["torch"]) == ([1, 10], [21, 43], [31, 42])
    assert found["index"] == [0]
    assert found["difference"] == pytest.approx(10 / 31)


def test_a_wrong_claim_in_words():
    ran = check("A @ x", [A, "x=1,1"], "x=A @ g", "-g", "1,10")
    assert ran.code == 1
    assert ran.out == (
        "✗ x = A @ g is not the gradient by x\n"
        "  at the given point, A = [[1, 2], [3, 4]], x = [1, 1], g = [1, 10]:\n"
        "    for x[0] the claim gives 21, torch 31, and 2 of 2 elements differ\n"
        "  it looks as if A in it should be transposed\n"
        "  in closed form the gradient by x is Aᵀ g\n"
    )


def test_what_holds_by_chance_at_the_given_point_is_refuted_at_a_random_one():
    """At x = 2 the slope of x**2 is x**2 too; at x > 0 relu is x."""
    for program, inputs, claim in (("x**2", ["x=2"], "x=x**2*g"), ("relu(x)", ["x=1,2"], "x=g")):
        one = verdict(program, inputs, claim)
        assert one["right"] is False
        assert one["counterexample"]["given"] is False


def test_a_right_gradient_for_one_upstream_gradient_only_is_refuted():
    """Softmax of ones upstream is 0 whatever x is; and g**2 is 1 where g is."""
    assert verdict("softmax(x, dim=0)", ["x=1,2,3"], "x=0*g")["right"] is False
    assert verdict("softmax(x, dim=0)", ["x=1,2,3"], "x=zeros(3)")["right"] is False
    assert verdict("sum(x**2)", ["x=1,2"], "x=2*x*g**2")["right"] is False
    assert verdict("sum(x**2)", ["x=1,2"], "x=2*x*g")["right"] is True


def test_a_scalar_root_needs_no_g():
    assert verdict("sum(x**2)", ["x=1,2"], "x=2*x")["right"] is True
    assert FORGOTTEN in verdict("sum(x**2)", ["x=1,2"], "x=2*x", "-g", "3")["slip"]


def test_a_claim_that_cannot_be_evaluated_is_wrong_and_says_why():
    one = verdict("x**2", ["x=1,2"], "x=2*x*ones(3)")
    assert "cannot pair 2*x of shape (2,) with ones(3) of shape (3,)" in one["reason"]
    assert one["counterexample"]["claimed"] is None
    assert one["counterexample"]["torch"] == [2, 4]


# -- right claims in other words --------------------------------------------------------

RIGHT = [
    (DOCS, ["a=1,2,3", "b=3,4,5", "c=6,7,8"], "b=g*(b + b)*2"),
    (DOCS, ["a=1,2,3", "b=3,4,5", "c=6,7,8"], "c=g*exp(-log(c))"),
    ("sin(x)", ["x=1,2"], "x=g*sin(x + pi/2)"),
    ("tanh(x)", ["x=0.1,0.7"], "x=g/cosh(x)**2"),
    ("tanh(x)", ["x=0.1,0.7"], "x=(1 - y)*(1 + y)*g"),
    ("sigmoid(x)", ["x=0.1,0.7"], "x=g*exp(-x)/(1 + exp(-x))**2"),
    ("sigmoid(x)", ["x=0.1,0.7"], "x=g*y*sigmoid(-x)"),
    ("sqrt(x)", ["x=1,4"], "x=g*sqrt(x)/(2*x)"),
    ("x**x", ["x=1,2"], "x=g*exp(x*log(x))*(1 + log(x))"),
    ("A @ x", [A, "x=1,1"], "A=outer(g, x)"),
    ("A @ x", [A, "x=1,1"], "x=g @ A"),
    ("A @ x", [A, "x=1,1"], "x=einsum('ij,i->j', A, g)"),
    ("X + b", [X23, "b=1,2,3"], "b=ones(2) @ g"),
    ("X + b", [X23, "b=1,2,3"], "b=2*mean(g, dim=0)"),
    ("sum(x**2)", ["x=1,2,3"], "x=x + x"),
    ("mean(x)", ["x=1,2,3,4"], "x=g/4"),
    ("softmax(x, dim=0)", ["x=1,2,3"], "x=y*(g - sum(y*g))"),
    ("softmax(x, dim=0)", ["x=1,2,3"], "x=(diag(y) - outer(y, y)) @ g"),
    ("logsumexp(x, dim=0)", ["x=1,2,3"], "x=exp(x)/sum(exp(x))*g"),
    ("norm(x)", ["x=3,4"], "x=g*x/y"),
    ("relu(x)", ["x=-1,2"], "x=where(x > 0, g, 0)"),
    ("relu(x)", ["x=-1,2"], "x=g*(sign(x) + 1)/2"),
    ("x @ A @ x", [A, "x=1,2"], "x=(A + A.T) @ x*g"),
    ("log(x**2)", ["x=2,3"], "x=2*g/x"),
    ("det(A)", [A], "A=g*y*inv(A).T"),
    ("inv(A)", [A], "A=-y.T @ g @ y.T"),
    ("abs(x)", ["x=-1,2"], "x=g*x/sqrt(x**2)"),
    ("h = x**2; h[0]*h[1]", ["x=1,2"], "x=2*x*[h[1], h[0]]*g"),
]


@pytest.mark.parametrize(("program", "inputs", "claim"), RIGHT, ids=lambda part: str(part)[:40])
def test_a_right_claim_is_accepted(program, inputs, claim):
    one = verdict(program, inputs, claim)
    assert one["right"] is True
    assert one["points"] == 9
    assert one["counterexample"] is one["slip"] is one["reason"] is None


def test_a_right_claim_in_words():
    ran = check("sin(x)", ["x=1,2"], "x=g*cos(x)")
    assert ran.code == 0
    assert ran.out == (
        "✓ x = g*cos(x) is the gradient by x\n"
        "  it holds at the given point and at 8 random points\n"
    )  # fmt: skip


def test_points_that_are_not_finite_are_skipped_and_counted():
    one = verdict("log(x)", ["x=-1"], "x=g/x")
    assert one["right"] is True
    assert (one["points"], one["skipped"] > 0) == (8, True)
    ran = check("log(x)", ["x=-1"], "x=g/x")
    assert "the given point is not finite" in ran.out
    assert "skipped, not finite" in ran.out


def test_a_claim_that_is_finite_nowhere_is_not_accepted():
    one = verdict("x**2", ["x=1"], "x=g*log(-exp(x))")
    assert one["right"] is False
    assert one["points"] == 0
    assert "finite" in one["reason"]


def test_where_a_leaf_is_called_g_the_upstream_gradient_is_called_v():
    assert verdict("g*x**2", ["x=1,2", "g=3"], "x=2*x*g*v")["right"] is True
    assert verdict("g*x**2", ["x=1,2", "g=3"], "x=2*x*v")["right"] is False


def test_a_loss_tells_the_upstream_gradient():
    assert verdict("3*x", ["x=1,2"], "x=6*y", "--loss", "sum(y**2)")["right"] is True
    assert verdict("3*x", ["x=1,2"], "x=3*g", "--loss", "sum(y**2)")["right"] is True
    assert verdict("3*x", ["x=1,2"], "x=3*y", "--loss", "sum(y**2)")["slip"] == "a factor 2 is missing"


def test_two_summands_of_float32_need_not_agree_to_the_last_digit():
    assert verdict("sum(x**2)", ["x=0.1,0.2"], "x=x + x", "--dtype", "float32")["right"] is True
    assert verdict("sum(x**2)", ["x=0.1,0.2"], "x=2.1*x", "--dtype", "float32")["right"] is False


# -- Jacobians --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "inputs", "claim", "slip"),
    [
        ("A @ x", [A, "x=1,1"], "x=A.T", "it is transposed"),
        ("2*b*b", ["b=3,4"], "b=4*b", "it is only the diagonal: write diag(…)"),
        ("2*b*b", ["b=3,4"], "b=diag(2*b)", "a factor 2 is missing"),
        ("cos(x)", ["x=1,2"], "x=diag(sin(x))", "the sign is wrong"),
        ("softmax(x, dim=0)", ["x=1,2,3"], "x=diag(y)", "the term -y[i]*y[j] is missing"),
    ],
)
def test_a_wrong_jacobian(program, inputs, claim, slip):
    one = verdict(program, inputs, claim, flag="--claim-jacobian")
    assert (one["of"], one["right"]) == ("jacobian", False)
    assert slip in one["slip"]
    assert one["counterexample"]["claimed"] != one["counterexample"]["torch"]


@pytest.mark.parametrize(
    ("program", "inputs", "claim"),
    [
        ("A @ x", [A, "x=1,1"], "x=A"),
        ("2*b*b", ["b=3,4"], "b=4*b*eye(2)"),
        ("softmax(x, dim=0)", ["x=1,2,3"], "x=diag(y) - outer(y, y)"),
        ("sum(x**2)", ["x=1,2,3"], "x=2*x"),
        ("[x1*x2, x1 + x2]", ["x1=2", "x2=3"], "x1=[x2, 1]"),
        ("A @ B", [A, B], "B=kron(A, eye(2))"),
    ],
)
def test_a_right_jacobian(program, inputs, claim):
    assert verdict(program, inputs, claim, flag="--claim-jacobian")["right"] is True


def test_gradients_and_jacobians_in_one_go():
    ran = run(
        "check", DOCS, "-i", "a=1,2,3", "-i", "b=3,4,5", "-i", "c=6,7,8",
        "--claim", "b=4*b*g", "--claim", "c=g*c", "--claim-jacobian", "c=diag(1/c)",
    )  # fmt: skip
    assert ran.code == 1
    heads = [line for line in ran.out.splitlines() if not line.startswith(" ")]
    assert heads == [
        "✓ b = 4*b*g is the gradient by b",
        "✗ c = g*c is not the gradient by c",
        "✓ c = diag(1/c) is the Jacobian by c",
        "2 of 3 claims are right",
    ]


# -- errors -----------------------------------------------------------------------------


def caret(err: str) -> tuple[str, str]:
    """The line of source that is shown, and what the carets point at."""
    lines = err.splitlines()
    at = next(k for k, line in enumerate(lines) if line.lstrip().startswith("^"))
    begin = lines[at].index("^")
    return lines[at - 1].strip(), lines[at - 1][begin : begin + lines[at].count("^")]


@pytest.mark.parametrize(
    ("claim", "message", "marked", "hint"),
    [
        ("x", "a claim is LEAF=FORMULA", "x", "--claim 'b=4*b*g'"),
        ("x=", "a claim is LEAF=FORMULA", "x=", "--claim 'b=4*b*g'"),
        ("z=2*x", "no leaf 'z' that has a gradient", "z", "it has x"),
        ("x=2*x*h", "speaks of 'h'", "h", "it may speak of x, y, g"),
        ("x=2*(x", "'(' is never closed", "(", "closing bracket"),
        ("x=2*sine(x)", "sine", "sine", "sin"),
    ],
)
def test_a_faulty_claim_is_shown_with_a_caret(claim, message, marked, hint):
    ran = check("x**2", ["x=1,2"], claim)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert caret(ran.err)[1] == marked
    assert hint in ran.err


def test_a_faulty_program_is_shown_with_a_caret():
    ran = check("x**2 + (", [], "x=2*x")
    assert ran.code == 2
    assert caret(ran.err) == ("x**2 + (", "(")
    whole = check("argmax(x)", ["x=1,2"], "x=0")
    assert whole.code == 2
    assert caret(whole.err) == ("argmax(x)", "argmax(x)")


def test_nothing_claimed():
    ran = run("check", "x**2", "-i", "x=1")
    assert ran.code == 2
    assert "nothing is claimed" in ran.err
    assert "--claim 'b=4*b*g'" in ran.err


def test_numbers_in_json_that_json_has_no_word_for():
    told = verdict("sqrt(x)", ["x=4"], "x=g/sqrt(x)")
    assert math.isclose(told["counterexample"]["torch"], 0.25)
    assert told["slip"] == "there is a factor 2 too much"
