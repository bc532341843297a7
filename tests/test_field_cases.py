"""What people stumble over, from Python and from the command line."""

from __future__ import annotations

import pytest
from command import run
from worked import check_record, check_result, command, load, same, solve

import gradcli

CASES = load("field.yaml")
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


def test_a_kink_in_each_of_four():
    """F08: every choice at 0 is told, with the slopes on both sides."""
    result = gradcli.differentiate("[relu(x), maximum(x, 0), clamp(x, min=0), abs(x)]", {"x": 0})
    kinks = [note for note in result.notes if note.code == "kink"]
    assert [note.message.partition(" has")[0] for note in kinks] == [
        "relu(x)", "maximum(x, 0)", "clamp(x, 0)", "abs(x)",
    ]  # fmt: skip
    assert ["-1 below and 1 above" in note.message for note in kinks] == [False, False, False, True]
    assert all(note.name == "x" and note.index == () for note in kinks)


def test_the_true_slope_is_told_where_autograd_gives_nan():
    """F11: the branch not taken has an infinite slope."""
    result = gradcli.differentiate("where(x > 0, sqrt(x), x)", {"x": [-1, -4]}, grad=[1, 1])
    (note,) = (note for note in result.notes if note.code == "untaken-branch")
    assert "does not take sqrt(x) there" in note.message
    assert "The true slope by x[0] is 1" in note.message
    assert "sqrt(where(x > 0, x, 1))" in note.message
    cured = gradcli.differentiate("where(x > 0, sqrt(where(x > 0, x, 1)), x)", {"x": [-1, -4]}, grad=[1, 1])
    same(cured.gradients["x"], [1, 1])
    assert cured.notes == ()


@pytest.mark.parametrize(
    "tail",
    [["--grad", "-0.1,1"], ["--grad=-1e-3,2"], ["--grad", "-10.,-.5"], ["--grad", "-inf,1"]],
    ids=" ".join,
)
def test_negative_lists_are_values(tail):
    """F20: a value may begin with a minus."""
    ran = run("eval", "x*x", "-i", "x=1,2", *tail)
    assert (ran.code, ran.err) == (0, "")


def test_a_program_may_begin_with_a_minus():
    ran = run("eval", "-e", "-x**2", "-i", "x=3", "-f", "torch")
    assert (ran.code, ran.out) == (0, ">>> x.grad\ntensor(-6., dtype=torch.float64)\n")


@pytest.mark.parametrize(
    "program",
    [
        '__import__("os").system("id")', "().__class__.__bases__", "lambda: 0", "open('x')", "x.__class__",
        "[i for i in x]", "f'{x}'", "x if y else z", "(x := 3)", "9**9**9**9", "(" * 5000 + "x" + ")" * 5000,
    ],
    ids=lambda program: program[:24],
)  # fmt: skip
def test_attacks_are_refused_with_their_column(program):
    """F25: nothing is evaluated."""
    with pytest.raises(gradcli.GradcliError) as caught:
        gradcli.differentiate(program, {"x": 1})
    assert caught.value.column is not None
    assert run("eval", program, "-i", "x=1").code == 2


def test_micro_and_mu_are_one_name():
    """F24: U+00B5 and U+03BC."""
    result = gradcli.differentiate("2·x² − µ", {"x": 3, "\u03bc": 1})
    assert list(result.gradients) == ["x", "\u03bc"]
