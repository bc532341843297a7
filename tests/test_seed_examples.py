"""The worked examples, from Python and from the command line."""

from __future__ import annotations

import numpy as np
import pytest
from command import run
from worked import check_record, check_result, command, load, same, solve

import gradcli

CASES = load("seed.yaml")
ANSWERED = [case for case in CASES if "error" not in case]
REFUSED = [case for case in CASES if "error" in case]


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case["id"])
def test_from_python(case):
    check_result(case, solve(case))


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case["id"])
def test_from_flags(case):
    check_record(case, command(case))


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["id"])
def test_refused(case):
    with pytest.raises(gradcli.GradcliError) as caught:
        solve(case)
    said = f"{caught.value.message} {caught.value.hint}"
    assert [words for words in case["error"] if words not in said] == []
    assert command(case).code == 2


def test_two_passes_are_both_shown():
    inputs = {"a": 1, "b": 1, "c": 1}
    result = gradcli.differentiate("3*a + 2*b*b + log(c)", inputs, grad=[{"y": None}, {"y": None}])
    assert [one.source for one in result.passes] == ["implicit-one", "implicit-one"]
    same([result.passes[0].gradients[name] for name in "abc"], [3, 4, 1])
    same([result.passes[1].gradients[name] for name in "abc"], [6, 8, 2])


def test_one_hot_passes_give_the_rows_of_the_jacobian():
    """Three passes from z, one from loss, zeroed between."""
    result = gradcli.differentiate(
        "z = 2*x; loss = z.sum(dim=1)",
        {"x": [[1, 2, 3, 4]]},
        grad=[{"z": [[1, 0, 0, 0]]}, {"z": [[0, 1, 0, 0]]}, {"z": [[1, 1, 1, 1]]}, {"loss": None}],
        zero_grad=True,
    )
    rows = [[[2, 0, 0, 0]], [[0, 2, 0, 0]], [[2, 2, 2, 2]], [[2, 2, 2, 2]]]
    same([one.gradients["x"] for one in result.passes], rows)
    assert [one.of for one in result.passes] == ["z", "z", "z", "loss"]
    assert result.root.name == "loss"


def test_one_hot_passes_from_flags():
    ran = run(
        "eval", "z = 2*x; loss = z.sum(dim=1)", "-i", "x=[[1,2,3,4]]", "-g", "z=[[1,0,0,0]]", "-g",
        "z=[[0,1,0,0]]", "--zero-grad", "-f", "torch",
    )  # fmt: skip
    assert ran.code == 0
    assert "tensor([[2., 0., 0., 0.]], dtype=torch.float64)" in ran.out
    assert "tensor([[0., 2., 0., 0.]], dtype=torch.float64)" in ran.out


def test_automatic_symbolic_and_numeric_stand_side_by_side():
    """S11: three derivatives that agree and differ in kind."""
    result = gradcli.differentiate("3*a + 2*b*b + log(c)", {"a": 1, "b": 1, "c": 1})
    b = result.leaves[1]
    assert b.tensor.gradient == pytest.approx(4)
    assert b.jacobian.diagonal == "4*b" or "4" in b.jacobian.form.index
    assert b.agreement.closed_value == pytest.approx(4)
    assert b.agreement.quotient == pytest.approx(4, rel=1e-6)
    assert b.agreement.quotient != b.tensor.gradient or b.agreement.finite_difference == 0


@pytest.mark.parametrize("value", ["empty(1)", "empty(1, pin_memory=True)"])
def test_uninitialised_leaves_carry_a_warning(value):
    result = gradcli.differentiate("3*a", {"a": value})
    assert [note.name for note in result.notes if note.code == "uninitialised"] == ["a"]


def test_a_downstream_scalar_and_its_weights_give_the_same_gradients():
    """S10: --loss and --grad are two ways to say one thing."""
    program, inputs = "[x1*x2*x3, x1+x2+x3, x1+x2*x3]", {"x1": 1, "x2": 2, "x3": 3}
    weighed = gradcli.differentiate(program, inputs, grad=[0.1, 0.2, 0.3])
    lost = gradcli.differentiate(program, inputs, loss="0.1*y[0] + 0.2*y[1] + 0.3*y[2]")
    for name, gradient in weighed.gradients.items():
        np.testing.assert_allclose(lost.gradients[name], gradient, rtol=1e-15)
