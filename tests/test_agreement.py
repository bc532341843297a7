"""The three derivatives held against each other, and what counts as explained."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from command import run

import gradcli
from gradcli.findings.agreement import TOLERANCES, relative
from gradcli.solve import checks


def tensor(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def spoil(monkeypatch: pytest.MonkeyPatch, change, leaf: str = "x") -> None:
    """Let the closed form of ``leaf`` evaluate to something else."""
    right = checks._evaluated

    def wrong(forms, upstream, forward):
        found = right(forms, upstream, forward)
        if found is None or forms.terms.leaf != leaf:
            return found
        return SimpleNamespace(positions=found.positions, values=change(found.values))

    monkeypatch.setattr(checks, "_evaluated", wrong)


def test_relative_difference_of_plain_numbers():
    found = relative(tensor(1, 2, -4), tensor(1.1, 2, 4), 0.0)
    assert found.tolist() == pytest.approx([0.1 / 1.1, 0, 2])


def test_equal_infinities_and_nans_do_not_differ():
    inf, nan = math.inf, math.nan
    found = relative(tensor(inf, -inf, nan, inf, nan, 1, 0), tensor(inf, -inf, nan, -inf, 1, inf, 0), 0.0)
    assert found.tolist() == [0, 0, 0, inf, inf, inf, 0]


def test_scale_keeps_small_numbers_from_counting():
    found = relative(tensor(1e-20, 1.0), tensor(2e-20, 1.0), 1e-3)
    assert found.tolist() == pytest.approx([1e-17, 0])


def test_tolerances_are_coarser_for_coarser_dtypes():
    closed = [TOLERANCES[dtype][0] for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16)]
    assert closed == sorted(closed) and closed[0] == 1e-9
    assert all(ours <= quotient for ours, quotient in TOLERANCES.values())


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize(
    ("program", "inputs"),
    [
        ("sum((A@x - b)**2)", {"A": "randn(6,4,seed=1)", "x": "randn(4,seed=2)", "b": "randn(6,seed=3)"}),
        ("softmax(x, dim=0)*x", {"x": "randn(9,seed=1)"}),
        ("sin(x)*exp(-x**2)", {"x": "linspace(-2,2,7)"}),
    ],
)
def test_every_dtype_agrees_with_itself(program, inputs, dtype):
    result = gradcli.differentiate(program, inputs, dtype=dtype)
    assert result.agrees is True
    assert [leaf.agreement.within for leaf in result.leaves] == [True] * len(inputs)
    assert all(leaf.agreement.finite_difference is not None for leaf in result.leaves)


def test_cancelled_gradients_are_noise_and_no_disagreement():
    """The gradient of sum(softmax(x)) is 0 but for rounding."""
    result = gradcli.differentiate("sum(softmax(x)) - 1", {"x": [1, 2, 3]})
    assert (result.agrees, result.notes) == (True, ())


def test_a_wrong_closed_form_fails(monkeypatch):
    spoil(monkeypatch, lambda values: values * (1 + 1e-6))
    result = gradcli.differentiate("sum(x**3)", {"x": [1, 2, 3]})
    assert result.agrees is False
    assert result.leaves[0].agreement.closed_form == pytest.approx(1e-6, rel=1e-3)
    assert result.leaves[0].agreement.explained is False


def test_a_wrong_closed_form_is_exit_1(monkeypatch):
    spoil(monkeypatch, lambda values: -values)
    ran = run("eval", "x**3", "-i", "x=2")
    assert ran.code == 1
    assert "✗" in ran.out


def test_one_wrong_element_of_many_fails(monkeypatch):
    def change(values):
        values = values.clone()
        values[3] += 1e-3
        return values

    spoil(monkeypatch, change)
    assert gradcli.differentiate("sin(x)", {"x": "linspace(0,1,8)"}).agrees is False


def test_a_kink_elsewhere_does_not_excuse_a_wrong_element(monkeypatch):
    """The note covers x[0] alone."""
    spoil(monkeypatch, lambda values: values + torch.tensor([0.0, 0.5]))
    result = gradcli.differentiate("relu(x)", {"x": [0, 1]}, grad=[1, 1])
    assert [note.code for note in result.notes] == ["kink"]
    assert result.agrees is False


def test_a_kink_excuses_the_quotient_where_it_is():
    result = gradcli.differentiate("relu(x)", {"x": [0, 1]}, grad=[1, 1])
    agreement = result.leaves[0].agreement
    assert (agreement.within, agreement.explained, result.agrees) == (False, True, True)
    assert agreement.quotient.tolist() == pytest.approx([0.5, 1])
    assert agreement.closed_value.tolist() == [0, 1]


def test_another_leafs_pole_does_not_excuse_this_one(monkeypatch):
    spoil(monkeypatch, lambda values: values + 1)
    result = gradcli.differentiate("[log(c), x**2]", {"c": 0, "x": 3}, grad=[1, 1])
    assert {note.code for note in result.notes} == {"pole"}
    by_name = {leaf.tensor.name: leaf.agreement for leaf in result.leaves}
    assert by_name["c"].within is True
    assert by_name["x"].within is False and by_name["x"].explained is False
    assert result.agrees is False


def test_where_the_root_is_not_finite_there_is_no_quotient():
    """The closed form is compared all the same."""
    result = gradcli.differentiate("[log(c), x**2]", {"c": -2, "x": 3}, grad=[1, 1])
    of_c, of_x = (leaf.agreement for leaf in result.leaves)
    assert (of_c.closed_form, of_c.finite_difference, of_c.quotient, of_c.within) == (0, None, None, True)
    assert of_x.finite_difference < 1e-5
    some = gradcli.differentiate("log(c)", {"c": [-2, 1]}, grad=[1, 1]).leaves[0].agreement
    assert np.isnan(some.quotient[0]) and some.quotient[1] == pytest.approx(1)


def test_unchecked_results_neither_agree_nor_disagree():
    result = gradcli.differentiate("x**2", {"x": 3}, check=False)
    assert result.agrees is None
    assert result.leaves[0].agreement.compared is False


def test_large_leaves_are_compared_along_one_direction():
    result = gradcli.differentiate("sum(sin(x)*x)", {"x": "linspace(-3,3,1000)"})
    agreement = result.leaves[0].agreement
    assert agreement.quotient is None
    assert agreement.finite_difference < 1e-5
    assert result.agrees is True


def test_a_wrong_large_closed_form_fails(monkeypatch):
    spoil(monkeypatch, lambda values: values * 1.001)
    assert gradcli.differentiate("sum(sin(x)*x)", {"x": "linspace(-3,3,1000)"}).agrees is False


def test_the_compared_numbers_have_the_leafs_shape():
    result = gradcli.differentiate("sum(W@x)", {"W": [[1, 2, 3], [4, 5, 6]], "x": [1, 0, -1]})
    assert [leaf.agreement.closed_value.shape for leaf in result.leaves] == [(2, 3), (3,)]
    assert [leaf.agreement.quotient.shape for leaf in result.leaves] == [(2, 3), (3,)]
    np.testing.assert_allclose(result.leaves[1].agreement.quotient, [5, 7, 9], rtol=1e-6)


def test_the_last_pass_alone_is_compared():
    """With accumulation the gradients are twice what the closed form gives for one pass."""
    result = gradcli.differentiate("x**2", {"x": 3}, grad=[{"y": 1}, {"y": 1}])
    assert result.leaves[0].tensor.gradient == pytest.approx(12)
    assert result.leaves[0].agreement.closed_value == pytest.approx(6)
    assert result.agrees is True


def test_an_expanded_root_is_compared_with_the_sum_of_its_weights():
    result = gradcli.differentiate("x**2", {"x": [3]}, grad=[1, 2, 3], expand=True)
    assert result.gradients["x"].tolist() == pytest.approx([36])
    assert result.leaves[0].agreement.closed_value.tolist() == pytest.approx([36])
    assert result.agrees is True
