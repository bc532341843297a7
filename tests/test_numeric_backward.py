"""Backward: gradients, several passes, named nodes, expansion, shapes, small Jacobians."""

import math

import pytest
import torch

from gradcli.errors import GradcliError
from gradcli.language import parse
from gradcli.numeric import backward as module
from gradcli.numeric.backward import backward, jacobian
from gradcli.numeric.forward import evaluate
from gradcli.values import read_value

D = torch.float64


def value(given):
    return read_value(given, title="-i x").tensor() if isinstance(given, str) else given


def run(text, wrt=None, **inputs):
    return evaluate(parse(text), {name: value(given) for name, given in inputs.items()}, wrt=wrt)


def node(forward, name=None):
    statements = forward.program.statements
    return next(s for s in reversed(statements) if name in (None, s.name)).node


def passes(forward, *grads, **options):
    started = [(node(forward, name), value(grad)) for name, grad in grads]
    return backward(forward, started, **options)


def gradients(text, grad="1", of=None, **inputs):
    (only,) = passes(run(text, **inputs), (of, grad))
    return {name: gradient.tolist() for name, gradient in only.gradients.items()}


def close(found, expected):
    for name, wanted in expected.items():
        torch.testing.assert_close(
            torch.as_tensor(found[name], dtype=D), torch.tensor(wanted, dtype=D), rtol=1e-5, atol=1e-12
        )
    assert set(found) == set(expected)


@pytest.mark.parametrize(
    ("text", "inputs", "grad", "expected"),
    [
        (
            "3*a + 2*b*b + log(c)",
            {"a": "1,2,3", "b": "3,4,5", "c": "6,7,8"},
            "0.1,1,1e-4",
            {"a": [0.3, 3, 3e-4], "b": [1.2, 16, 0.002], "c": [0.1 / 6, 1 / 7, 1.25e-5]},
        ),
        ("3*a + 2*b*b + log(c)", {"a": "0.1", "b": "1", "c": "0.1"}, "1", {"a": 3, "b": 4, "c": 10}),
        ("[w1**2, w1*w2, w2**3]", {"w1": "2", "w2": "3"}, "-0.1,1,1e-4", {"w1": 2.6, "w2": 2.0027}),
        ("y = x**2 + 2; z = torch.sum(y)", {"x": "1,2,3"}, "1", {"x": [2, 4, 6]}),
        (
            "y[0] = x1*x2*x3; y[1] = x1 + x2 + x3; y[2] = x1 + x2*x3",
            {"x1": "1", "x2": "2", "x3": "3"},
            "0.1,0.2,0.3",
            {"x1": 1.1, "x2": 1.4, "x3": 1.0},
        ),
        ("[x[0]**2 + 3*x[1], x[1]**2 + 2*x[0]]", {"x": "2,3"}, "1,1", {"x": [6, 9]}),
        ("3*a**3 - b**2", {"a": "2,3", "b": "6,4"}, "1,1", {"a": [36, 81], "b": [-12, -8]}),
        ("a*b", {"a": "[2]", "b": "[[1,2],[3,4]]"}, "ones(2,2)", {"a": [10], "b": [[2, 2], [2, 2]]}),
        ("max(x)", {"x": "1,2,2,1,2"}, "1", {"x": [0, 1 / 3, 1 / 3, 0, 1 / 3]}),
        ("norm(x)", {"x": "0,0,0"}, "1", {"x": [0, 0, 0]}),
        ("a**b", {"a": "0,2", "b": "1,1"}, "1,1", {"a": [1, 1], "b": [0, 2 * math.log(2)]}),
        ("prod(x)", {"x": "2,0,3,4"}, "1", {"x": [0, 24, 0, 0]}),
        ("softmax(x)", {"x": "1000,1001,1002"}, "1,0,0", {"x": [0.081925, -0.022033, -0.059892]}),
        ("det(A)", {"A": "[[1,2],[2,4]]"}, "1", {"A": [[4, -2], [-2, 1]]}),
        ("exp(-(x-x0)^2)", {"x": "1", "x0": "0"}, "1", {"x": -0.735759, "x0": 0.735759}),
        ("2·x² − µ", {"x": "3", "μ": "1"}, "1", {"x": 12, "μ": -1}),
        ("std(x)", {"x": "1,2,3,4"}, "1", {"x": [-0.387298, -0.129099, 0.129099, 0.387298]}),
        ("log(x)", {"x": "0"}, "1", {"x": math.inf}),
        ("sum(x)", {"x": "zeros(0)"}, "1", {"x": []}),
        (
            "x*y",
            {"x": "zeros(0, 1)", "y": "1,2"},
            "zeros(0, 2)",
            {"x": torch.zeros(0, 1).tolist(), "y": [0, 0]},
        ),
    ],
)
def test_gradients(text, inputs, grad, expected):
    close(gradients(text, grad, **inputs), expected)


# ---- passes ----

DOCS = ("3*a + 2*b*b + log(c)", {"a": "1", "b": "1", "c": "1"})


def test_passes_add_up_and_zeroing_stops_that():
    first, second = passes(run(DOCS[0], **DOCS[1]), (None, "1"), (None, "1"))
    close(first.gradients, {"a": 3, "b": 4, "c": 1})
    close(second.gradients, {"a": 6, "b": 8, "c": 2})
    close(second.own, {"a": 3, "b": 4, "c": 1})
    _, zeroed = passes(run(DOCS[0], **DOCS[1]), (None, "1"), (None, "1"), zero_grad=True)
    close(zeroed.gradients, {"a": 3, "b": 4, "c": 1})


def test_adding_up_is_what_torch_does_to_the_last_bit():
    x = torch.randn(50, dtype=torch.float32, requires_grad=True)
    y = torch.sin(x) * x.exp()
    done = passes(run("sin(x)*exp(x)", x=x.detach()), *[(None, torch.full((50,), k * 0.1)) for k in (1, 2, 3)])
    for k, one in zip((1, 2, 3), done, strict=True):
        (y * torch.full((50,), k * 0.1)).sum().backward(retain_graph=True)
        assert torch.equal(one.gradients["x"], x.grad)


def test_one_hot_passes_from_named_nodes():
    forward = run("z = 2*x; loss = z.sum(dim=1)", x="[[1,2,3,4]]")
    grads = [("z", "[[1,0,0,0]]"), ("z", "[[0,1,0,0]]"), ("z", "[[1,1,1,1]]"), ("loss", "[1]")]
    done = passes(forward, *grads, zero_grad=True)
    assert [one.gradients["x"].tolist() for one in done] == [
        [[2, 0, 0, 0]],
        [[0, 2, 0, 0]],
        [[2, 2, 2, 2]],
        [[2, 2, 2, 2]],
    ]
    assert [one.node for one in done] == [node(forward, name) for name, _ in grads]


def test_what_reaches_each_statement():
    forward = run("y = [x**2, 3*x, exp(x)]; z = y[0]*y[1] + y[2]", x="1")
    (only,) = passes(forward, ("z", "1"))
    close(only.reaching, {"y": [3, 1, 1], "z": 1})
    close(only.gradients, {"x": 9 + math.e})


def test_what_reaches_is_each_passes_own():
    forward = run("y = 2*x; z = y*y", x="3")
    first, second = passes(forward, ("z", "1"), ("y", "5"))
    close(first.reaching, {"y": 12, "z": 1})
    close(second.reaching, {"y": 5, "z": 0})
    close(second.gradients, {"x": 34})


def test_a_downstream_scalar_shows_the_weights_that_it_stands_for():
    forward = run("y[0] = x1*x2; y[1] = x1 + x2; A = 0.1*y[0] + 0.2*y[1]", x1="1", x2="2")
    (only,) = passes(forward, ("A", "1"))
    close(only.reaching, {"y": [0.1, 0.2], "A": 1})


def test_statements_that_no_leaf_enters_are_left_out():
    (only,) = passes(run("t = ones(2); y = x*t", x="1,2"), (None, "1,1"))
    assert set(only.reaching) == {"y"}


def test_a_reassigned_name_and_an_alias_of_a_leaf_are_nodes_too():
    (only,) = passes(run("t = x; u = clone(t); y = t*u", x="3"), (None, "1"))
    close(only.reaching, {"t": 6, "u": 3, "y": 1})


def test_identities_are_nodes_of_their_own():
    (only,) = passes(run("u = dropout(x); y = x + 5*u", x="3"), (None, "1"))
    close(only.reaching, {"u": 5, "y": 1})
    close(only.gradients, {"x": 6})


def test_leaves_that_the_root_does_not_depend_on_have_zeros():
    close(gradients("a - a + 3 + 0*detach(b)", "1,1", a="1,2", b="5,5"), {"a": [0, 0], "b": [0, 0]})
    close(gradients("floor(a) + (b > 1)", "1", a="1.5", b="2"), {"a": 0, "b": 0})
    close(gradients("u = x*2; v = 7", "1", of="v", x="2"), {"x": 0})


def test_wrt_leaves_the_others_out():
    (only,) = passes(run("a*b", wrt=["b"], a="3", b="2"), (None, "1"))
    close(only.gradients, {"b": 3})


def test_gradients_keep_the_leafs_dtype():
    forward = run("sum(h*s)", h=torch.ones(2, dtype=torch.bfloat16), s=torch.ones(2, dtype=torch.float32))
    (only,) = passes(forward, (None, "1"))
    assert only.gradients["h"].dtype == torch.bfloat16 and only.gradients["s"].dtype == torch.float32


def test_the_upstream_gradient_arrives_exactly_where_the_root_is_not_finite():
    (only,) = passes(run("x/0", x="1,-1,0"), (None, "1,2,0"))
    assert only.reaching["y"].tolist() == [1, 2, 0]


# ---- shapes of upstream gradients ----


@pytest.mark.parametrize("grad", ["1", "[1]"])
def test_one_element_shapes_are_one(grad):
    close(gradients("sum(x*x)", grad, x="1,2,3"), {"x": [2, 4, 6]})
    close(gradients("x*x", grad, x="[3]"), {"x": [6]})


def test_expand_repeats_the_root():
    forward = run(DOCS[0], a="[0]", b="[0]", c="[0]")
    (only,) = passes(forward, (None, "0.1,1,1e-4"), expand=True)
    close(only.gradients, {"a": [3.3003], "b": [0], "c": [math.inf]})
    close(only.reaching, {"y": [1.1001]})
    assert only.expanded and only.upstream.shape == (3,)
    (fits,) = passes(run("x*x", x="1,2"), (None, "1,1"), expand=True)
    assert not fits.expanded


@pytest.mark.parametrize(
    ("text", "inputs", "grad", "message", "hint"),
    [
        (
            "mean(x + 2)",
            {"x": "[[1,1],[1,1]]"},
            "0.1,0.01",
            "the upstream gradient has shape (2,), and y has shape ()",
            "give one number for y: several weights act as their sum, or --expand, which repeats y for each",
        ),
        (
            "x*x",
            {"x": "1,2,3"},
            "[[1],[1],[1]]",
            "the upstream gradient has shape (3, 1), and y has shape (3,)",
            "give the same numbers in shape (3,)",
        ),
        (
            "x*x",
            {"x": "1,2,3"},
            "1",
            "the upstream gradient has shape (), and y has shape (3,)",
            "give y's shape, for instance -g 'ones(3)', or take sum(y) as the root",
        ),
        (
            "x*x",
            {"x": "1,2,3"},
            "1,2",
            "the upstream gradient has shape (2,), and y has shape (3,)",
            "give y's shape, for instance -g 'ones(3)'",
        ),
        (
            "x*x",
            {"x": "ones(1,1)"},
            "1",
            "the upstream gradient has shape (), and y has shape (1, 1)",
            "give y's shape, for instance -g 'ones(1, 1)', or take sum(y) as the root",
        ),
        (
            "x*x",
            {"x": "1,2"},
            "ones(3,2)",
            "the upstream gradient has shape (3, 2), and y has shape (2,)",
            "give y's shape, for instance -g 'ones(2)', or --expand, which repeats y for each",
        ),
    ],
)
def test_other_shapes_are_refused_with_both(text, inputs, grad, message, hint):
    with pytest.raises(GradcliError) as caught:
        passes(run(text, **inputs), (None, grad))
    assert caught.value.message == message and caught.value.hint == hint


def test_expand_does_not_shrink():
    with pytest.raises(GradcliError, match="has shape"):
        passes(run("x*x", x="1,2,3"), (None, "1"), expand=True)


# ---- Jacobians ----


def test_a_jacobian_has_the_roots_axes_first():
    forward = run("[x1*x2*x3, x1+x2+x3, x1+x2*x3]", x1="1", x2="2", x3="3")
    rows = [jacobian(forward, node(forward), name).tolist() for name in ("x1", "x2", "x3")]
    assert rows == [[6, 1, 1], [3, 1, 3], [2, 1, 2]]
    forward = run("A @ x", A="[[1,2],[3,4],[5,6]]", x="1,-1")
    assert jacobian(forward, node(forward), "x").tolist() == [[1, 2], [3, 4], [5, 6]]
    by_matrix = jacobian(forward, node(forward), "A")
    assert by_matrix.shape == (3, 3, 2)
    assert by_matrix[1].tolist() == [[0, 0], [1, -1], [0, 0]]


def test_the_jacobian_of_what_does_not_depend_is_zero():
    forward = run("y = x*x; z = 3*t", x="1,2", t="1")
    assert jacobian(forward, node(forward, "z"), "x").tolist() == [0, 0]


def test_a_large_jacobian_is_refused(monkeypatch):
    monkeypatch.setattr(module, "JACOBIAN_ENTRIES", 8)
    forward = run("x*x", x="1,2,3")
    with pytest.raises(GradcliError, match="the Jacobian by x has 9 entries; the limit for numbers is 8"):
        jacobian(forward, node(forward), "x")
