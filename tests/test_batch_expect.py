"""Expectations, claims and notes of problems: what passes, what fails, and what is said of it."""

from __future__ import annotations

import json

import pytest
from command import run
from jsonschema import Draft202012Validator

from gradcli.batch.entries import Entry
from gradcli.batch.running import Manner, Outcome
from gradcli.batch.running import run as run_one
from gradcli.render.schema import schema

DOCS = {
    "program": "3*a + 2*b*b + log(c)",
    "inputs": {"a": [1, 2, 3], "b": [3, 4, 5], "c": [6, 7, 8]},
    "grad": [0.1, 1, 1e-4],
}
VALIDATOR = Draft202012Validator(schema())


def outcome(**data) -> Outcome:
    return run_one(Entry({**DOCS, **data}), Manner())


def expecting(**expect) -> Outcome:
    return outcome(expect=expect)


def messages(found: Outcome) -> list[str]:
    return [failure.message for failure in found.failures]


@pytest.mark.parametrize(
    "expect",
    [
        {"value": [22.791759, 39.945910, 61.079442]},
        {"gradient": {"a": [0.3, 3, 3e-4], "b": [1.2, 16, 0.002], "c": [0.0166667, 0.142857, 1.25e-5]}},
        {"gradient": {"a": "3*g", "b": "4*b*g", "c": "g/c"}},
        {"jacobian": {"a": "3*eye(3)", "b": "diag(4*b)", "c": [[1 / 6, 0, 0], [0, 1 / 7, 0], [0, 0, 0.125]]}},
        {"value": "3*a + 2*b**2 + log(c)"},
        {"value": "y"},
        {"notes": []},
        {"value": [22.8, 39.9, 61.1], "tolerance": 0.01},
        {"gradient": {"a": "[3*0.1, 3, 3e-4]"}},
    ],
)
def test_met(expect):
    found = expecting(**expect)
    assert (found.status, found.failures) == ("passed", [])


@pytest.mark.parametrize(
    ("expect", "message", "details"),
    [
        (
            {"gradient": {"a": [0.3, 4, 3e-4]}},
            "∂L/∂a[1] is 3, and 4 was expected",
            "relative difference 0.25, tolerance 1e-05; 1 of 3 elements differ",
        ),
        (
            {"gradient": {"b": "2*b*g"}},
            "∂L/∂b[0] is 1.2, and 0.6 was expected",
            "relative difference 0.5, tolerance 1e-05; 3 of 3 elements differ",
        ),
        (
            {"jacobian": {"b": "diag(3*b)"}},
            "∂y/∂b[0][0] is 12, and 9 was expected",
            "relative difference 0.25, tolerance 1e-05; 3 of 9 elements differ",
        ),
        (
            {"value": [22.79, 39.95, 61.08], "tolerance": 1e-6},
            "y[1] is 39.94591015, and 39.95 was expected",
            "relative difference 0.0001, tolerance 1e-06; 3 of 3 elements differ",
        ),
        (
            {"value": [float("nan")] * 3},
            "y[0] is 22.79175947, and nan was expected",
            "relative difference inf, tolerance 1e-05; 3 of 3 elements differ",
        ),
        ({"notes": ["kink"]}, "there is no note 'kink'", "notes: none"),
        ({"error": "refused"}, "the problem was expected to be refused, and has a result", None),
    ],
)
def test_not_met(expect, message, details):
    found = expecting(**expect)
    assert found.status == "failed"
    assert messages(found) == [message]
    assert found.failures[0].details == (() if details is None else (details,))
    assert not json.loads(found.text)["agrees"] or json.loads(found.text)["failures"][0]["message"] == message


@pytest.mark.parametrize(
    ("expect", "message", "hint"),
    [
        ({"gradient": {"z": 1}}, "the result has no gradient by 'z'", "it has a, b, c"),
        ({"jacobian": {"aa": 1}}, "the result has no jacobian by 'aa'", "a"),
        ({"gradient": {"a": "3*q"}}, "the formula speaks of 'q', which is no leaf", "it may speak of"),
        ({"gradient": {"a": "3*"}}, "a value is missing after '*'", "write a value"),
        ({"value": [1, "x", 3]}, "x is a name, and a value is made of numbers alone", "write numbers"),
        ({"value": "@none.npy"}, "there is no file none.npy", "relative names"),
    ],
)
def test_expectations_that_cannot_be_read(expect, message, hint):
    found = expecting(**expect)
    assert found.status == "refused"
    assert message in found.error.message
    assert hint in found.error.hint


@pytest.mark.parametrize(("given", "shape"), [([1, 2], "(2,)"), ("diag(g)", "(3, 3)")])
def test_another_shape_is_a_failure_like_others(given, shape):
    found = expecting(gradient={"a": given, "b": [0, 0, 0]})
    assert found.status == "failed"
    assert messages(found)[0] == f"∂L/∂a has shape (3,), and shape {shape} was expected"
    assert [failure.path[-1] for failure in found.failures] == ["a", "b"]


def test_shapes_that_mean_the_same():
    column = {"program": "sum(x*w)", "inputs": {"x": [[1], [2]], "w": 3}, "grad": 1}
    assert outcome(**column, expect={"gradient": {"x": [3, 3], "w": [3]}, "value": [9]}).status == "passed"
    assert outcome(**column, expect={"gradient": {"x": "w"}}).status == "passed"
    matrix = {"program": "2*A", "inputs": {"A": [[1, 2], [3, 4]]}, "grad": [[1, 1], [1, 1]]}
    assert outcome(**matrix, expect={"jacobian": {"A": "2*eye(4)"}}).status == "passed"
    assert messages(outcome(**matrix, expect={"jacobian": {"A": 2}})) == ["∂y/∂A[0][0][0][1] is 0, and 2 was expected"]


def test_tolerances():
    near = [22.7917594692, 39.9459101490, 61.0794415]
    assert expecting(value=near, tolerance=0).status == "failed"
    assert expecting(value=near).status == "passed"
    assert outcome(expect={"value": near}, tolerance=1e-10).status == "failed"
    assert outcome(expect={"value": near, "tolerance": 1e-5}, tolerance=1e-10).status == "passed"
    zero = {"program": "cos(x)", "inputs": {"x": "pi/2"}, "grad": 1}
    assert outcome(**zero, expect={"value": 0}).status == "passed"
    assert outcome(**zero, expect={"value": 0, "tolerance": 0}).status == "failed"


def test_infinities_are_expected_as_such():
    pole = {"program": "log(x)", "inputs": {"x": [0, 1]}, "grad": [1, 1]}
    assert outcome(**pole, expect={"value": ["-inf", 0], "gradient": {"x": ["inf", 1]}}).status == "passed"
    assert outcome(**pole, expect={"value": ["inf", 0]}).status == "failed"


def test_errors_that_are_expected():
    refused = {"program": "3*a + lg(c)"}
    assert outcome(**refused, expect={"error": "no function called lg"}).status == "passed"
    assert outcome(**refused, expect={"error": "Did you mean LOG"}).status == "passed"
    other = outcome(**refused, expect={"error": "something else"})
    assert other.status == "failed"
    assert messages(other) == ["the error does not say 'something else'"]
    assert other.failures[0].details == ("it says: there is no function called lg",)
    assert outcome(**refused, expect={"value": 3}).status == "refused"


def test_notes():
    kinked = {"program": "relu(x)", "inputs": {"x": 0}, "grad": 1}
    assert outcome(**kinked, expect={"notes": ["kink"]}).status == "passed"
    assert messages(outcome(**kinked, expect={"notes": []})) == ["no note was expected, and there is 'kink'"]


def test_a_jacobian_that_the_result_does_not_have_is_worked_out():
    large = {"program": "x**2", "inputs": {"x": list(range(1, 9))}, "grad": None}
    assert outcome(**large, expect={"jacobian": {"x": "diag(2*x)"}}).status == "passed"
    assert outcome(expect={"jacobian": {"b": "diag(4*b)"}}, jacobian="none").status == "passed"


def test_g_of_a_program_that_has_its_own():
    own = {"program": "3*g", "inputs": {"g": [1, 2]}, "grad": [5, 7]}
    assert outcome(**own, expect={"gradient": {"g": "3*v"}}).status == "passed"
    assert outcome(**own, claims={"g": "3*v"}).status == "passed"


def test_formulas_speak_of_statements():
    chained = {"program": "h = tanh(x); z = h**2", "inputs": {"x": [0.5, 1]}, "grad": [1, 2]}
    assert outcome(**chained, expect={"gradient": {"x": "2*h*(1 - h**2)*g"}, "value": "h*h"}).status == "passed"


def test_several_passes_and_a_loss():
    twice = {"grad": [{"y": [1, 0, 0]}, {"y": [0, 1, 0]}]}
    assert outcome(**twice, expect={"gradient": {"b": [12, 16, 0]}}).status == "passed"
    assert outcome(**twice, zero_grad=True, expect={"gradient": {"b": [0, 16, 0]}}).status == "passed"
    loss = {"grad": None, "loss": "sum(y)**2"}
    assert outcome(**loss, expect={"gradient": {"a": "6*sum(y)*ones(3)"}}).status == "passed"


def test_claims():
    assert outcome(claims={"a": "3*g", "b": "2*g*(b + b)"}).status == "passed"
    assert outcome(claims={"gradient": {"a": "3*g"}, "jacobian": {"b": "diag(4*b)"}}).status == "passed"
    wrong = outcome(claims={"b": "2*b*g"})
    assert messages(wrong) == ["b = 2*b*g is not the gradient by b"]
    assert "it looks as if a factor 2 is missing" in wrong.failures[0].details
    # right at the point, and nowhere else
    lucky = {"program": "x**2", "inputs": {"x": 2}, "grad": 1}
    assert outcome(**lucky, expect={"gradient": {"x": "2*g + x"}}).status == "passed"
    assert outcome(**lucky, claims={"x": "(2 + x)*g"}).status == "failed"
    assert outcome(claims={"z": "1"}).error.message == "the program has no leaf 'z' that has a gradient"
    assert "which is no leaf" in outcome(claims={"a": "q"}).error.message


def test_disagreement_that_nothing_explains_fails(monkeypatch):
    import results

    monkeypatch.setattr("gradcli.solve.solve", lambda problem: results.disagreeing())
    found = run_one(Entry({"program": "3*a", "inputs": {"a": 1}}), Manner())
    assert found.status == "failed"
    assert messages(found) == ["the derivatives disagree, and nothing explains it"]


def test_what_batch_prints_in_json_is_what_eval_prints_but_for_the_name(tmp_path):
    flags = {
        "3*a + 2*b*b + log(c)": ["-i", "a=1,2,3", "-i", "b=3,4,5", "-i", "c=6,7,8", "-g", "0.1,1,1e-4"],
        "A @ x": ["-i", "A=[[1,2],[3,4]]", "-i", "x=1,1", "--loss", "sum(y**2)", "--wrt", "x"],
        "z = 2*x; sum(z)": ["-i", "x=1,2", "-g", "z=1,1", "-g", "y=1", "--zero-grad", "--of", "y"],
        "softmax(x)": ["-i", "x=rand(3, seed=1)", "--dtype", "float32", "--jacobian", "formula"],
        "relu(x)": ["-i", "x=0,1", "-i", "unused=3", "--no-check"],
        "x*y": ["-g", "1,2", "--jacobian", "none"],
        "log(x)": ["-i", "x=0", "--expand", "-g", "1,2"],
    }
    problems = [
        {**DOCS, "name": "one"},
        {"program": "A @ x", "inputs": {"A": [[1, 2], [3, 4]], "x": [1, 1]}, "loss": "sum(y**2)", "wrt": "x"},
        {"program": "z = 2*x; sum(z)", "inputs": {"x": [1, 2]}, "grad": [{"z": [1, 1]}, {"y": 1}], "zero_grad": True,
         "of": "y"},
        {"program": "softmax(x)", "inputs": {"x": "rand(3, seed=1)"}, "dtype": "float32", "jacobian": "formula"},
        {"program": "relu(x)", "inputs": {"x": [0, 1], "unused": 3}, "check": False},
        {"program": "x*y", "grad": [1, 2], "jacobian": "none"},
        {"program": "log(x)", "inputs": {"x": 0}, "expand": True, "grad": [1, 2]},
    ]  # fmt: skip
    path = tmp_path / "p.json"
    path.write_text(json.dumps(problems))
    lines = run("batch", str(path), "-f", "json").out.splitlines()
    for (program, given), line in zip(flags.items(), lines, strict=True):
        alone = run("eval", program, *given, "-f", "json").out.rstrip("\n")
        assert line.replace('"name": "one"', '"name": null', 1) == alone
        VALIDATOR.validate(json.loads(line))


def test_failures_and_errors_keep_to_the_json_schema(tmp_path):
    path = tmp_path / "p.json"
    bad = [{**DOCS, "name": "f", "expect": {"value": 0}}, {"program": "lg(x)"}, {"program": "a*b", "inputs": {"c": 1}}]
    expected = {"program": "lg(x)", "name": "e", "expect": {"error": "other"}}
    path.write_text(json.dumps([*bad, expected]))
    records = [json.loads(line) for line in run("batch", str(path), "-f", "json").out.splitlines()]
    for record in records:
        VALIDATOR.validate(record)
    assert [record["kind"] for record in records] == ["result", "error", "error", "error"]
    assert [record["name"] for record in records] == ["f", None, None, "e"]
    assert records[0]["failures"][0]["path"] == "expect.value"
    assert len(records[2]["errors"]) == 2
    assert records[3]["failures"][0]["path"] == "expect.error"
