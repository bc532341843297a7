"""Claims as they are decided: forms, slips, points and settings beyond what ``gradcli check`` is tested for."""

from __future__ import annotations

import json

import pytest
from command import run
from jsonschema import Draft202012Validator

from gradcli.ask import build_problem
from gradcli.claims.deciding import Claim, Verdict, decide
from gradcli.claims.telling import details
from gradcli.errors import GradcliError
from gradcli.problem import Upstream
from gradcli.render.schema import schema
from gradcli.values import read_value

TRANSPOSED = "it is transposed: rows are elements of the root, columns those of the leaf"
DOCS = ("3*a + 2*b*b + log(c)", "a=1,2,3; b=3,4,5; c=6,7,8; g=0.1,1,1e-4")
MATRIX = ("A @ B", "A=[[1,2],[3,4]]; B=[[1,2],[3,5]]; g=[[1,1],[1,2]]")


def verdict(problem: tuple[str, str], claim: str, kind: str = "gradient", **settings) -> Verdict:
    program, given = problem
    values = dict(part.strip().split("=") for part in given.split(";") if part)
    grad = values.pop("g", None)
    asked = build_problem(
        program,
        {name: read_value(text, title=name) for name, text in values.items()},
        passes=[] if grad is None else [Upstream(None, read_value(grad, title="g"))],
        **settings,
    )
    leaf, _, formula = claim.partition("=")
    return decide(asked, [Claim(leaf, formula, kind)])[0]


RIGHT = [
    (DOCS, "b=4*b*g"),
    (DOCS, "b=2*g*(b + b)"),
    (DOCS, "b=exp(log(4*b))*g"),
    (DOCS, "a=g + g + g"),
    (DOCS, "a=6*g/2"),
    (DOCS, "c=g*c**-1"),
    (DOCS, "c=g*exp(-log(c))"),
    (DOCS, "b=t = 2*b; 2*t*g"),
    (("sin(x)**2", "x=0.3,2; g=1,-2"), "x=sin(2*x)*g"),
    (("tanh(x)", "x=0.3,2; g=1,-2"), "x=4*g/(exp(x) + exp(-x))**2"),
    (("sigmoid(x)", "x=0.3,-2; g=1,-2"), "x=y*(1 - y)*g"),
    (("log(1 + exp(x))", "x=0.3,-2; g=1,-2"), "x=g/(1 + exp(-x))"),
    (("softmax(x)", "x=1,2,3; g=1,0,2"), "x=y*g - y*dot(y, g)"),
    (("sum(x**2)", "x=1,2,3"), "x=2*x"),
    (("sum(x**2)", "x=1,2,3; g=3"), "x=g*(x + x)"),
    (("mean(x**2)", "x=1,2,3,4"), "x=x/2"),
    (("norm(x)", "x=3,4"), "x=x/sqrt(sum(x*x))"),
    (MATRIX, "A=g @ B.T"),
    (MATRIX, "A=(B @ g.T).T"),
    (("inv(A)", "A=[[2,1],[1,3]]; g=[[1,2],[0,1]]"), "A=-y.T @ g @ y.T"),
    (("a*b", "a=2; b=[[1,2],[3,4]]; g=[[1,1],[1,2]]"), "a=sum(g*b)"),
    (("log(x*x)", "x=-2"), "x=2/x"),
    # rounding of what cancels, however it is written
    (("sum(softmax(x))", "x=1,2,3"), "x=0"),
    (("tanh(x)", "x=1,2,3"), "x=g/cosh(x)**2"),
    (("sigmoid(x)", "x=1,2,3"), "x=g*exp(-x)/(1 + exp(-x))**2"),
    (("abs(x)/x", "x=1,2"), "x=0"),
    (("(x/1e8)**2", "x=1,2"), "x=2*x*g/1e16"),
    (("6.626e-34*nu", "nu=5e14"), "nu=6.626e-34*g"),
    (("sum(log(x - 5))", "x=linspace(5.5, 7, 30)"), "x=g/(x - 5)"),
    (
        ("layer_norm(x, [3])", "x=1,2,4; g=1,1,1"),
        "x=(g - mean(g) - y*mean(g*y))/sqrt(var(x, unbiased=False) + 1e-5)",
    ),
]


@pytest.mark.parametrize(("problem", "claim"), RIGHT)
def test_right_claims_in_unusual_forms(problem, claim):
    found = verdict(problem, claim)
    assert found.right, (found, found.counterexample and found.counterexample.apart)
    assert found.points >= 4
    assert found.counterexample is None and found.slip is None


@pytest.mark.parametrize(
    ("problem", "claim"),
    [
        (DOCS, "b=diag(4*b)"),
        (DOCS, "a=3*eye(3)"),
        (DOCS, "c=diag_embed(1/c)"),
        (MATRIX, "A=kron(eye(2), B.T)"),
        (MATRIX, "B=kron(A, eye(2))"),
        (("sum(x**2)", "x=1,2"), "x=2*x"),
        (("A @ x", "A=[[1,2],[3,4]]; x=1,1"), "x=A"),
        (("softmax(x)", "x=1,2"), "x=diag(y) - outer(y, y)"),
    ],
)
def test_right_claims_of_jacobians(problem, claim):
    assert verdict(problem, claim, "jacobian").right


WRONG = [
    (DOCS, "b=2*b*g", "a factor 2 is missing"),
    (DOCS, "b=8*b*g", "there is a factor 2 too much"),
    (DOCS, "b=-4*b*g", "the sign is wrong"),
    (DOCS, "b=-2*b*g", "the sign is wrong, and a factor 2 is missing"),
    (DOCS, "b=4*b", "the upstream gradient g is forgotten"),
    (DOCS, "a=3", "the upstream gradient g is forgotten"),
    (DOCS, "c=c*g", "c in it should divide"),
    (("sin(x**2)", "x=1,2; g=1,1"), "x=cos(x**2)*g", "the chain factor 2*x is missing"),
    (("sin(x**2)", "x=1,2; g=1,1"), "x=2*x*g", "the chain factor cos(x**2) is missing"),
    (("exp(tanh(x))", "x=1,2; g=1,1"), "x=exp(tanh(x))*g", "the chain factor 1 - tanh(x)**2 is missing"),
    (("mean(x**2)", "x=1,2,3,4"), "x=2*x", "the 1/4 of a mean over 4 elements is missing"),
    (("a*b", "a=2; b=[[1,2],[3,4]]; g=[[1,1],[1,2]]"), "a=g*b", "a sum over the broadcast axes 0, 1 is missing"),
    (("x + w", "x=[[1,2],[3,4]]; w=1,2; g=[[1,1],[1,2]]"), "w=g", "a sum over the broadcast axis 0 is missing"),
    (MATRIX, "A=g @ B", "B in it should be transposed"),
    (MATRIX, "A=(g @ B.T).T", "it is transposed"),
    (("A @ B", "A=ones(3,2); B=ones(2,4); g=ones(3,4)"), "A=g @ B", "B in it should be transposed"),
    (("x*y + x**2", "x=2; y=3; g=1"), "x=y*g", "the term 2*x*g is missing"),
    (("x*y - x**2", "x=2; y=3; g=1"), "x=(y + 2*x)*g", "the sign of 2*x in it is wrong"),
    (("x/y", "x=2; y=3; g=2"), "y=g*x/y**2", "the sign is wrong"),
    (("softmax(x)", "x=1,2,3; g=1,0,0"), "x=y*(1 - y)*g",
     "it takes the diagonal of the Jacobian alone, and every element of the root counts"),
    (("log10(x)", "x=2; g=1"), "x=g/x", "a factor 1/log(10) is missing"),
    (("x**3", "x=2; g=1"), "x=6*x*g", None),
    (("sum(x)", "x=1,2; g=3"), "x=[1, 2]*g", None),
    (("x @ A @ x", "x=1,2; A=[[1,2],[3,4]]; g=1"), "x=(A + A) @ x*g", "A in it should be transposed"),
    (("x @ A @ x", "x=1,2; A=[[1,2],[3,4]]; g=1"), "x=2*A @ x*g", "2*A in it is taken for symmetric"),
    (("x**2", "x=1,2; g=1,1"), "x=x**2*g", "x**2 stands where its derivative should"),
    (("log(x)", "x=1,2; g=1,1"), "x=log(x)*g", "log(x) stands where its derivative should"),
    (("x**3", "x=1,2; g=1,1"), "x=3*x**3*g", "the exponent of x**3 in it is one too high"),
    (("x**4", "x=1,2; g=1,1"), "x=4*x**2*g", "the exponent of x**2 in it is one too low"),
    (("x**n", "x=1,2; n=2,3; g=1,1"), "x=n*x**n*g", "the exponent of x**n in it is one too high"),
    (("(x*y)**3", "x=1,2; y=2,3; g=1,1"), "x=y*g", "the chain factor 3*(x*y)**2 is missing"),
    (("lgamma(x*y)", "x=1,2; y=2,3; g=1,1"), "x=y*g", "the chain factor digamma(x*y) is missing"),
    (("x**y", "x=1,2; y=2,3; g=1,1"), "y=g*y", None),
    (("tanh(x)", "x=1,2; g=1,1"), "x=(1 - tanh(x))*g", "tanh(x) in it should be squared"),
    (("x/y", "x=2; y=3; g=2"), "y=-g*x/y", "y in it should be squared"),
    (("sqrt(x)", "x=1,2; g=1,1"), "x=sqrt(x)/2*g", "sqrt(x) in it should divide"),
    (("log(x)", "x=1,2; g=1,1"), "x=g/(1/x)", "x in it should multiply"),
    (("sum(sin(x)*x)", "x=1,2; g=1"), "x=(sin(x)*x + sin(x))*g", "sin(x) in it should be cos(x)"),
    (("exp(x*a)", "x=1,2; a=3,4; g=1,1"), "x=x*exp(x*a)*g", "x in it should be a"),
    (("sigmoid(x)", "x=1,2; g=1,1"), "x=(1 - sigmoid(x))*g", "a factor sigmoid(x) is missing"),
    (("x**2 + y", "x=1,2; y=2,3; g=1,1"), "x=2*x*y*g", "there is a factor y too much"),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "claim", "slip"), WRONG)
def test_wrong_claims_are_refuted_with_numbers_and_their_slip(problem, claim, slip):
    found = verdict(problem, claim)
    assert not found.right
    assert found.slip == slip
    assert found.counterexample is not None
    told = " ".join(details(found))
    assert "torch" in told and "in closed form the gradient by" in told
    apart = found.counterexample.apart
    if apart is not None:
        assert apart.wanted != apart.actual
        truth = found.counterexample.truth
        assert float(truth[apart.index] if truth.dim() else truth) == apart.actual


@pytest.mark.parametrize(
    ("problem", "claim", "slip"),
    [
        (DOCS, "b=4*b", "it is only the diagonal: write diag(…)"),
        (DOCS, "a=3", "it is only the diagonal: write diag(…)"),
        (DOCS, "b=diag(2*b)", "a factor 2 is missing"),
        (DOCS, "c=-diag(1/c)", "the sign is wrong"),
        (("A @ x", "A=[[1,2],[3,4]]; x=1,1"), "x=A.T", TRANSPOSED),
        (("A @ x", "A=ones(3,2); x=1,1"), "x=A.T", TRANSPOSED),
        (("softmax(x)", "x=1,2"), "x=diag(y)", "the term -softmax(x)[i]*softmax(x)[j] is missing"),
    ],
)  # fmt: skip
def test_wrong_claims_of_jacobians(problem, claim, slip):
    found = verdict(problem, claim, "jacobian")
    assert (found.right, found.slip) == (False, slip)


def test_a_claim_that_holds_at_the_given_point_alone_is_wrong():
    found = verdict(("x**3", "x=2; g=1"), "x=6*x*g")
    assert found.counterexample.spot.number is not None
    assert any(line.startswith("at a random point") for line in details(found))


ELSEWHERE = [
    # right for positive leaves, near 0, or where the point is, and not elsewhere
    (("relu(x/2)", "x=1,2"), "x=g/2"),
    (("x**3", "x=1,2"), "x=3*x*abs(x)*g"),
    (("sqrt(x**2)", "x=1,2"), "x=g"),
    (("relu(x) - x/2", "x=1,2"), "x=g/2"),
    (("relu6(x)", "x=1,2"), "x=g*(x > 0)"),
    (("clamp(x, -5, 5)", "x=1,2"), "x=g"),
    (("clamp(x, -50, 50)", "x=1,2"), "x=g"),
    (("where(x > 3, x**2, x)", "x=1,2"), "x=g"),
    (("maximum(x, 10)", "x=1,2"), "x=0"),
    (("huber_loss(x, t, delta=50)", "x=1,2; t=0,0"), "x=(x - t)/2"),
    (("asin(1000*x)", "x=1e-4"), "x=g*1000/sqrt(0.99)"),
    (("sum(log(x - 5))", "x=linspace(5.5, 7, 30)"), "x=1/linspace(0.5, 2, 30)"),
    # of a size that an absolute tolerance would swallow
    (("6.626e-34*nu", "nu=5e14"), "nu=1e-20"),
    (("1e-13*x", "x=1,2"), "x=3e-13*g"),
    (("(x/1e8)**2", "x=1,2"), "x=5*x*g/1e16"),
    (("sum([1e10, 1]*x)", "x=1,2"), "x=[1e10, 1.5]"),
    # of another shape
    (("A @ x", "A=[[1,2]]; x=[[3],[4]]"), "x=g @ A"),
]


@pytest.mark.parametrize(("problem", "claim"), ELSEWHERE)
def test_claims_that_hold_in_a_part_of_the_domain_are_wrong(problem, claim):
    found = verdict(problem, claim)
    assert not found.right
    assert found.counterexample is not None


@pytest.mark.parametrize(
    ("problem", "claim", "truth"),
    [(("abs(x)", "x=0,1"), "x=x/abs(x)*g", [0, 1]), (("prod(x)", "x=0,2,3"), "x=prod(x)/x", [6, 0, 0])],
)
def test_a_claim_must_be_finite_at_the_given_point_where_the_gradient_is(problem, claim, truth):
    found = verdict(problem, claim)
    assert (found.right, found.reason) == (False, "it is not finite at the given point, and the gradient is")
    assert found.counterexample.spot.number is None
    assert found.counterexample.truth.tolist() == truth


def test_nothing_is_claimed_of_no_elements():
    found = verdict(("x**2", "x=zeros(0)"), "x=3*g")
    assert (found.right, found.reason) == (False, "there is nothing to compare: the gradient has no elements")


def test_leaves_that_nothing_is_differentiated_by_are_told():
    found = verdict(("w*x", "x=1,2; w=2,2"), "x=2*g", wrt=("x",))
    assert found.right
    assert details(found) == ["it holds at the given point and at 8 random points, w as given"]


def test_short_names_in_the_right_formula_are_explained():
    told = details(verdict(("sum([1e9, 1]*x)", "x=1,2"), "x=g"))
    assert told[-2:] == ["in closed form the gradient by x is g t1", "with t1 = [1e9, 1]"]


@pytest.mark.parametrize(
    ("problem", "claim", "slip"),
    [
        (("m = mean(x); sum((x - m)**2)/2", "x=1,2"), "x=2*(x - m)", "there is a factor 2 too much"),
        (("sum(x**2)/3 + mean(z)", "x=1,2,3; z=1,2,3"), "x=2*x*g", "there is a factor 3 too much"),
        (("mean(x)*sum(z)/3", "x=1,2,3; z=1,2,3"), "z=mean(x)", "there is a factor 3 too much"),
        (("cross_entropy(x, t)", "x=[[1,2,3],[3,4,5]]; t=0,1"), "x=softmax(x, 1) - [[1,0,0],[0,1,0]]",
         "the 1/2 of a mean over 2 elements is missing"),
        (("mse_loss(x, t)", "x=1,2,3; t=0,0,1"), "x=2*(x - t)", "the 1/3 of a mean over 3 elements is missing"),
        (("pi*x", "x=1,2,3"), "x=3.14159*g", "a number in it is rounded: it is off by a factor 1.000000845"),
        (("x**2", "x=1,2,3; g=1,2,3"), "x=sum(2*x*g)", "it is summed over the leaf's own elements"),
    ],
)  # fmt: skip
def test_slips_are_named_truly(problem, claim, slip):
    assert verdict(problem, claim).slip == slip


def test_the_search_for_a_slip_ends(monkeypatch):
    from gradcli.claims import slips

    monkeypatch.setattr(slips, "PATIENCE", -1.0)
    found = verdict(DOCS, "b=4*b")
    assert (found.right, found.slip) == (False, None)


def test_points_that_are_not_finite_are_skipped_and_counted():
    found = verdict(("log(x)", "x=-2"), "x=g/x")
    assert found.right and not found.given
    assert (found.points, found.skipped) == (8, 7)
    assert details(found) == [
        "it holds at 8 random points; the given point is not finite; 6 random points skipped, not finite"
    ]
    nowhere = verdict(("sqrt(-x*x - 1)", "x=1"), "x=g")
    assert (nowhere.right, nowhere.points) == (False, 0)
    assert nowhere.reason == "there is no point where both the claim and the gradient are finite"


def test_a_kink_at_the_given_point_alone():
    found = verdict(("relu(x)", "x=0; g=1"), "x=where(x >= 0, 1, 0)*g")
    assert not found.right
    assert found.counterexample.spot.number is None
    assert verdict(("relu(x)", "x=0; g=1"), "x=where(x > 0, 1, 0)*g").right


def test_the_1_of_a_single_number_stays():
    assert verdict(("sum(x**2)", "x=1,2"), "x=2*x").right
    assert verdict(("x**2", "x=1,2"), "x=2*x*g").right
    assert not verdict(("x**2", "x=1,2; g=1,1"), "x=2*x").right


def test_losses_roots_and_several_passes():
    assert verdict(("x**2", "x=1,2"), "x=2*x*2*y", loss="sum(y**2)").right
    assert verdict(("x**2", "x=1,2"), "x=2*x*g", loss="sum(y**2)").right
    assert verdict(("z = x**2; w = sum(z)", "x=1,2"), "x=2*x*g", of="z").right


def test_dtypes_and_settings():
    assert verdict(DOCS, "b=4*b*g", dtype="float32").right
    assert not verdict(DOCS, "b=4.1*b*g", dtype="float32").right
    assert verdict(("3*a", "a=0; g=1,2"), "a=3*sum(g)", expand=True).right


def test_indices_and_masks_stay_as_they_are():
    assert verdict(("gather(x, 0, k)", "x=1,2,3; k=2,0; g=1,5"), "x=[g[1], 0, g[0]]").right


@pytest.mark.parametrize(
    ("claim", "message", "hint"),
    [
        ("z=1", "the program has no leaf 'z' that has a gradient", "it has a, b, c"),
        ("a=q*g", "the formula speaks of 'q', which is no leaf, no statement and not the upstream gradient", "a, b, c"),
        ("a=3*", "a value is missing after '*'", "write a value"),
        ("a=lg(a)", "there is no function called lg", "did you mean log?"),
    ],
)
def test_claims_that_cannot_be_read(claim, message, hint):
    with pytest.raises(GradcliError) as caught:
        verdict(DOCS, claim)
    assert caught.value.message == message
    assert hint in caught.value.hint


def test_the_letter_of_the_closed_form_where_the_program_has_a_g():
    asked = build_problem("3*g", {"g": read_value("1,2", title="g")})
    assert decide(asked, [Claim("g", "3*v")])[0].right


@pytest.mark.parametrize(
    "args",
    [
        ["3*a + 2*b*b", "-i", "a=1,2", "-i", "b=3,4", "--claim", "b=2*b*g", "--claim-jacobian", "b=4*b"],
        ["log(x)", "-i", "x=-2", "--claim", "x=g/x"],
        ["A @ x", "-i", "A=[[1,2],[3,4]]", "-i", "x=1,1", "--claim", "x=A @ ones(3)"],
        ["sqrt(-x*x - 1)", "-i", "x=1", "--claim", "x=g"],
    ],
)
def test_verdicts_keep_to_the_json_schema(args):
    record = json.loads(run("check", *args, "-f", "json").out)
    Draft202012Validator(schema()).validate(record)
    assert record["right"] is all(claim["right"] for claim in record["claims"])
