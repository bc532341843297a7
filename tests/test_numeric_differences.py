"""Difference quotients: right where the function is smooth, honest where it is not."""

import math

import pytest
import torch

from gradcli.language import parse
from gradcli.numeric import differences
from gradcli.numeric.backward import backward
from gradcli.numeric.differences import quotient_at, quotients
from gradcli.numeric.forward import evaluate
from gradcli.values import read_value


def run(text, dtype=None, **inputs):
    given = {
        name: read_value(value, title="-i x").tensor() if isinstance(value, str) else value
        for name, value in inputs.items()
    }
    return evaluate(parse(text), given, dtype=dtype)


def probe(text, leaf="x", grad=None, **inputs):
    forward = run(text, **inputs)
    root = forward.program.root.node
    upstream = torch.ones(forward.shapes[root]) if grad is None else torch.tensor(grad)
    return quotients(forward, root, upstream, leaf)


@pytest.mark.parametrize(
    ("text", "x", "slope"),
    [
        ("exp(x)", 1.0, math.e),
        ("log(x)", 1e-3, 1e3),
        ("log(x)", 1e-8, 1e8),
        ("log(x)", 1e5, 1e-5),
        ("exp(1000*x)", 0.1, 1000 * math.exp(100)),
        ("sin(1e4*x)", 1.0, 1e4 * math.cos(1e4)),
        ("x**3", 1e10, 3e20),
        ("x**3", 1e-10, 3e-20),
        ("1/x", -1e-4, -1e8),
        ("sqrt(x)", 1e-6, 500.0),
        ("relu(x)", 1e-7, 1.0),
        ("relu(x)", -1e-7, 0.0),
        ("abs(x)", 1e-12, 1.0),
        ("x**2", 0.0, 0.0),
        ("sinc(x)", 0.0, 0.0),
        ("where(x > 0, sqrt(x), x)", -4.0, 1.0),
        ("x + 1e6", 1.0, 1.0),
    ],
)
def test_smooth_functions_of_any_scale(text, x, slope):
    found = probe(text, x=str(x))
    assert found.direction is None
    assert found.central.item() == pytest.approx(slope, rel=1e-6, abs=1e-12)
    assert abs(found.central.item() - slope) <= found.error.item() + 1e-9 * abs(slope)
    assert found.error.item() <= 1e-5 * max(abs(slope), 1e-4)
    assert found.left.item() == pytest.approx(found.right.item(), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "x", "left", "right"),
    [
        ("relu(x)", "0", 0, 1),
        ("abs(x)", "0", -1, 1),
        ("maximum(x, 0)", "0", 0, 1),
        ("clamp(x, max=2)", "2", 1, 0),
        ("norm(x)", "[0]", -1, 1),
        ("abs(x - 3)*2 + x", "3", -1, 3),
    ],
)
def test_kinks_have_two_slopes(text, x, left, right):
    found = probe(text, x=x)
    assert found.left.item() == pytest.approx(left, abs=1e-6)
    assert found.right.item() == pytest.approx(right, abs=1e-6)


def test_a_tie_has_two_slopes_in_each_place():
    found = probe("max(x)", x="1,2,2")
    assert found.left.tolist() == pytest.approx([0, 0, 0], abs=1e-9)
    assert found.right.tolist() == pytest.approx([0, 1, 1], abs=1e-9)


def test_the_edge_of_a_domain_has_one_side():
    found = probe("sqrt(x)", x="0")
    assert math.isnan(found.left.item()) and math.isnan(found.central.item())
    assert found.right.item() > 100
    assert math.isnan(probe("log(x)", x="-2").central.item())


def test_the_weights_are_the_upstream_gradient():
    found = probe("x*x", grad=[0.1, -2.0, 0.0], x="1,2,3")
    assert found.central.tolist() == pytest.approx([0.1 * 2, -8, 0], rel=1e-7)


def test_a_weight_of_zero_silences_an_infinity():
    found = probe("[log(x), x**2]", grad=[0.0, 1.0], x="0")
    assert found.central.item() == 0


def test_an_upstream_gradient_may_expand_the_root():
    found = probe("x**2", grad=[1.0, 2.0, 3.0], x="[2]")
    assert found.central.tolist() == pytest.approx([24], rel=1e-9)


def test_every_dtype_is_differenced_in_float64():
    found = probe("exp(x)/3", x=torch.tensor([0.1, 0.7], dtype=torch.float16))
    expected = torch.tensor([0.1, 0.7], dtype=torch.float16).double().exp() / 3
    assert found.central.dtype == torch.float64
    torch.testing.assert_close(found.central, expected, rtol=1e-9, atol=0)


def test_large_leaves_are_compared_along_a_fixed_direction():
    x = torch.rand(1000, dtype=torch.float64) + 0.5
    forward = run("sum(log(x)*x)", x=x)
    root = forward.program.root.node
    first, second = (quotients(forward, root, torch.tensor(1.0), "x") for _ in range(2))
    assert first.direction.shape == x.shape and torch.equal(first.direction, second.direction)
    (only,) = backward(forward, [(root, torch.tensor(1.0))])
    expected = (only.gradients["x"] * first.direction).sum().item()
    assert first.central.shape == () and first.central.item() == pytest.approx(expected, rel=1e-8)
    assert first.central.item() == second.central.item()


def test_a_direction_crosses_no_kink_at_zero():
    x = torch.randn(2000, dtype=torch.float64)
    x[0] = 1e-9
    found = probe("sum(relu(x))", x=x)
    expected = found.direction[x > 0].sum().item()
    assert found.central.item() == pytest.approx(expected, rel=1e-9)


def test_a_wrong_gradient_would_be_noticed_along_the_direction():
    x = torch.linspace(1, 2, 100, dtype=torch.float64)
    found = probe("sum(x**3)", x=x)
    right, wrong = ((gradient * found.direction).sum().item() for gradient in (3 * x**2, 2 * x**2))
    assert found.central.item() == pytest.approx(right, rel=1e-8)
    assert found.central.item() != pytest.approx(wrong, rel=1e-2)


def test_what_does_not_move_keeps_its_values():
    random = run("x*randn(2, seed=3)", x="3,4")
    root = random.program.root.node
    (only,) = backward(random, [(root, torch.ones(2))])
    found = quotients(random, root, torch.ones(2), "x")
    torch.testing.assert_close(found.central, only.gradients["x"], rtol=1e-9, atol=0)
    assert probe("x*detach(x)", x="3").central.item() == pytest.approx(3, rel=1e-9)
    held = run("x*empty(2)", x="3,4")
    memory = next(held.values[node.id] for node in held.program.nodes if node.op == "empty")
    if memory.isfinite().all():
        found = quotients(held, held.program.root.node, torch.ones(2), "x")
        torch.testing.assert_close(found.central, memory.double(), rtol=1e-6, atol=1e-300)


def test_a_leaf_that_does_not_matter_has_zero():
    found = probe("a + 0*b", leaf="b", a="1", b="2")
    assert (found.central.item(), found.left.item(), found.right.item()) == (0, 0, 0)
    assert probe("a*detach(b)", leaf="b", a="1", b="2").central.item() == 0


def test_an_operation_that_fails_next_to_the_point_gives_nan():
    found = probe("det(inv(x))", x="[[1,2],[2,4.000000001]]")
    assert found.central.shape == (2, 2)


def test_an_element_that_is_not_finite_gives_nan():
    found = probe("x*2", x="inf,1,nan")
    assert [math.isnan(value) for value in found.central.tolist()] == [True, False, True]
    assert found.central[1].item() == pytest.approx(2)


def test_an_empty_leaf_has_no_quotients():
    assert probe("sum(x)", x="zeros(0, 2)").central.shape == (0, 2)


def test_one_element_of_a_large_leaf():
    forward = run("sum(abs(x))", x=torch.zeros(100, dtype=torch.float64))
    left, right, _ = quotient_at(forward, forward.program.root.node, torch.tensor(1.0), "x", 7)
    assert (left, right) == pytest.approx((-1, 1))


def test_the_named_limit_decides(monkeypatch):
    assert probe("sum(x)", x="ones(32)").direction is None
    assert probe("sum(x)", x="ones(33)").direction is not None
    monkeypatch.setattr(differences, "ELEMENT_BY_ELEMENT", 2)
    assert probe("sum(x)", x="ones(3)").direction is not None
