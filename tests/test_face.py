"""The Python face."""

from __future__ import annotations

import doctest
import importlib

import numpy as np
import pytest

import gradcli

DOCS = "3*a + 2*b*b + log(c)"
INPUTS = {"a": [1, 2, 3], "b": np.array([3.0, 4.0, 5.0]), "c": "6,7,8"}


def test_docs_example():
    result = gradcli.differentiate(DOCS, INPUTS, grad=[0.1, 1, 1e-4])
    assert isinstance(result, gradcli.Result)
    assert result.gradients["b"] == pytest.approx([1.2, 16, 0.002])
    assert result.leaves[2].jacobian.diagonal == "1/c"
    assert result.agrees is True
    assert str(result).startswith("y = 3*a + 2*b*b + log(c) ")
    assert "<td>" in result._repr_html_()
    assert "align*" in result._repr_latex_()


def test_torch_tensors_are_left_alone():
    import torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    result = gradcli.differentiate("sum(x**2)", {"x": x})
    assert result.gradients["x"].tolist() == [2.0, 4.0]
    assert result.root.dtype == "float32"
    assert x.grad is None


def test_passes():
    program, inputs = "z = 2*x; loss = z.sum(dim=1)", {"x": [[1, 2, 3, 4]]}
    starts = [{"z": [[1, 0, 0, 0]]}, {"z": [[0, 1, 0, 0]]}, {"loss": None}]
    zeroed = gradcli.differentiate(program, inputs, grad=starts, zero_grad=True)
    assert [one.gradients["x"].tolist() for one in zeroed.passes] == [
        [[2, 0, 0, 0]],
        [[0, 2, 0, 0]],
        [[2] * 4],
    ]
    added = gradcli.differentiate(program, inputs, grad=starts)
    assert added.gradients["x"].tolist() == [[4, 4, 2, 2]]


def test_settings():
    chosen = {"of": "z", "wrt": "b", "dtype": "float32", "jacobian": "none", "check": False, "name": "n"}
    result = gradcli.differentiate("z = a*b; w = z**2", {"a": 2, "b": 3}, **chosen)
    assert (result.name, result.root.name, result.root.dtype) == ("n", "z", "float32")
    assert {name: float(value) for name, value in result.gradients.items()} == {"b": 2.0}
    assert result.leaves[0].jacobian is None
    assert result.agrees is None


def test_loss():
    result = gradcli.differentiate("[w1**2, w1*w2]", {"w1": 2, "w2": 3}, loss="0.1*y[0] + 2*y[1]")
    assert result.passes[0].upstream.tolist() == [0.1, 2.0]
    assert result.passes[0].source == "loss"


@pytest.mark.parametrize(
    ("program", "inputs", "settings", "message"),
    [
        ("lg(x)", {"x": 1}, {}, "there is no function called lg"),
        ("x", {"x": object()}, {}, "input x"),
        ("x*z", {"x": 1}, {}, "'z' has no value"),
        ("µ", {"µ": 1, "μ": 2}, {}, "'μ' is given twice"),
        ("x", {"x": 1}, {"wrt": ["z"]}, "the program has no leaf 'z'"),
        ("x", {"x": [1, 2]}, {"grad": [1, 2, 3]}, "(3,)"),
        ("x", {"x": 1}, {"grad": {"q": 1}}, "the program has no statement 'q'"),
        ("x", {"x": 1}, {"grad": 1, "loss": "y"}, "both given"),
        ("x", {"x": 1}, {"device": "cuda:99"}, "cuda:99"),
        ("x", {"x": 1}, {"dtype": "int32"}, "int32"),
    ],
)
def test_errors_are_gradcli_errors(program, inputs, settings, message):
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.differentiate(program, inputs, **settings)
    assert message in caught.value.message


@pytest.mark.parametrize("module", ["gradcli", "gradcli.render.numbers", "gradcli.closed.notation.lettering"])
def test_examples_in_docstrings(module):
    failed, tried = doctest.testmod(importlib.import_module(module))
    assert (failed, tried > 0) == (0, True)


def test_unknown_attributes_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gradcli.nothing  # noqa: B018
