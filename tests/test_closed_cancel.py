"""What print cancels: divisions that only a slope brought, never one of the user's own."""

from __future__ import annotations

import pytest

import gradcli


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        ("sum(x*log(x))", "log(x) + 1"),
        ("sum(log(x)*x)", "1 + log(x)"),
        ("sum(x**2*log(x))", "2 x∘log(x) + x"),
        ("sum(x**3/x)", "3 x**2/x - x**3/x**2"),
        ("sum(x*log(x)/x)", "1/x"),
        ("sum(x**2*log(1/x))", "2 x∘log(1/x) - x"),
        ("sum(2*log(3/x) + x)", "1 - 2/x"),
        ("p = sigmoid(x); -sum(2*log(p) + 3*log(1 - p))", "5 p - 2"),
    ],
)
def test_cancelling(program: str, shown: str) -> None:
    leaf = gradcli.differentiate(program, {"x": [1.0, 2.0]}).leaves[0]
    assert leaf.jacobian is not None
    assert leaf.jacobian.form.matrix == shown


def test_a_pole_is_still_evaluated() -> None:
    result = gradcli.differentiate("x**3/x", {"x": [0.0, 2.0]}, grad=[1, 1])
    closed = result.leaves[0].agreement.closed_value
    assert closed is not None
    assert closed[1] == 4.0 and closed[0] != closed[0]  # 0/0 is NaN, though the limit is 0
    assert {note.code for note in result.notes} >= {"removable"}
