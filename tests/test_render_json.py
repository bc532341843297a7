"""The JSON contract."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import results
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from gradcli.errors import GradcliError, GradcliErrors, Source, Span
from gradcli.notes import CODES
from gradcli.render.errors import render_json
from gradcli.render.json import numbers, record, render
from gradcli.render.look import Look
from gradcli.render.schema import schema

VALIDATOR = Draft202012Validator(schema())


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("make", results.ALL)
def test_every_result_fits_the_schema(make):
    shown = render(make(), Look())
    assert shown.count("\n") == 1
    VALIDATOR.validate(json.loads(shown))


def test_every_error_fits_the_schema():
    one = GradcliError("no", span=Span(0, 1), source=Source("x"), hint="yes")
    for error in (GradcliError("no"), one, GradcliErrors([one, one])):
        VALIDATOR.validate(json.loads(render_json(error, Look())))


@pytest.mark.parametrize("key", ["schema", "program", "root", "passes", "leaves", "notes"])
def test_the_schema_misses_a_missing_key(key):
    broken = record(results.docs_example())
    del broken[key]
    with pytest.raises(ValidationError):
        VALIDATOR.validate(broken)


def test_the_schema_lists_every_note_code():
    codes = schema()["$defs"]["note"]["properties"]["code"]["oneOf"]
    assert {one["const"]: one["description"] for one in codes} == CODES


def test_keys_of_the_contract():
    shown = record(results.docs_example())
    assert shown["schema"] == 1
    assert shown["kind"] == "result"
    assert shown["program"] == "y = 3*a + 2*b*b + log(c)"
    assert shown["root"]["shape"] == [3]
    assert shown["passes"] == [{"of": "y", "upstream": [0.1, 1.0, 0.0001], "source": "given"}]
    leaf = shown["leaves"][1]
    assert leaf["gradient"] == [1.2000000000000002, 16.0, 0.002]
    assert leaf["jacobian"] == {
        "structure": "diagonal", "diagonal": "4*b", "matrix": "diag(4 b)", "index": "4*b[i]·δ(i,j)",
        "latex": r"\operatorname{diag}(4 b)", "table": None, "values": None, "differential": None,
    }  # fmt: skip
    assert leaf["closed_form"] == {"matrix": "4 b∘g", "index": "4*b[j]*g[j]", "latex": r"4\,b \circ g"}
    assert leaf["agreement"] == {"closed_form": 0.0, "finite_difference": 2.1e-10}


def test_several_passes_have_gradients_of_their_own():
    passes = record(results.two_passes())["passes"]
    assert [one["gradients"] for one in passes] == [
        {"a": 3.0, "b": 4.0, "c": 1.0},
        {"a": 6.0, "b": 8.0, "c": 2.0},
    ]


def test_table_and_values_of_a_small_jacobian():
    jacobian = record(results.full_jacobian())["leaves"][0]["jacobian"]
    assert jacobian["table"] == ["x2*x3", "1", "1"]
    assert jacobian["values"] == [6.0, 1.0, 1.0]


def test_display_settings_change_nothing():
    plain = render(results.large(), Look())
    loud = Look(width=40, colour=True, precision=2, full=True, quiet=True, verbose=True, jacobian="none")
    assert render(results.large(), loud) == plain


def test_nan_and_infinities_are_words():
    leaf = json.loads(render(results.not_finite(), Look()))["leaves"][0]
    assert leaf["gradient"] == ["nan", "-inf"]
    agreement = replace(results.AGREED, finite_difference=float("inf"))
    shown = record(results.docs_example(leaves=(results.leaf("a", 1, 1, agreement=agreement),)))
    assert shown["leaves"][0]["agreement"]["finite_difference"] == "inf"


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_narrow_dtypes_print_their_shortest_decimals(dtype):
    values = np.array([0.1, 1 / 3, 65504.0, 1e-7]).astype(dtype)
    shown = numbers(values.astype(float), dtype)
    assert np.array_equal(np.array(shown).astype(dtype), values)
    assert shown[0] == 0.1


def test_bfloat16_comes_back_through_four_digits():
    torch = pytest.importorskip("torch")
    values = torch.linspace(-3, 3, 997).to(torch.bfloat16)
    shown = numbers(values.double().numpy(), "bfloat16")
    assert torch.equal(torch.tensor(shown).to(torch.bfloat16), values)


def test_float64_comes_back_exactly():
    values = np.array([[0.1, 1 / 3], [1e-300, 22.791759469228055]])
    assert np.array_equal(np.array(json.loads(json.dumps(numbers(values, "float64")))), values)
    assert numbers(np.array(2.0), "float64") == 2.0
