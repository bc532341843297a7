"""Values given as text: what is taken, and where a mistake is marked."""

import math

import pytest
import torch

from gradcli.errors import GradcliError
from gradcli.values import read_value


def tensor(text, **options):
    return read_value(text, title="-i a").tensor(**options)


def refusal(text):
    with pytest.raises(GradcliError) as caught:
        read_value(text, title="-i a").tensor()
    error = caught.value
    assert error.source.title == "-i a" and error.source.text == text
    return error


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3.0),
        ("-.5", -0.5),
        ("+1", 1.0),
        ("1e-4", 1e-4),
        ("1,2,3", [1.0, 2.0, 3.0]),
        ("1,2,", [1.0, 2.0]),
        ("-1e-3, 2", [-1e-3, 2.0]),
        ("-10.,-.5", [-10.0, -0.5]),
        ("[7]", [7.0]),
        ("[[1,2],[3,4]]", [[1.0, 2.0], [3.0, 4.0]]),
        ("[1,2],[3,4]", [[1.0, 2.0], [3.0, 4.0]]),
        ("[[],[]]", [[], []]),
        ("inf, -inf", [math.inf, -math.inf]),
        ("pi/2", math.pi / 2),
        ("-inf", -math.inf),
        ("2*[1,2] + 1", [3.0, 5.0]),
        ("[1, pi]", [1.0, math.pi]),
        ("1_000", 1000.0),
        ("ones(2)", [1.0, 1.0]),
        ("zeros(2, 1)", [[0.0], [0.0]]),
        ("full((2,), 0.5)", [0.5, 0.5]),
        ("eye(2)", [[1.0, 0.0], [0.0, 1.0]]),
        ("arange(3)", [0.0, 1.0, 2.0]),
        ("arange(1, 2, 0.5)", [1.0, 1.5]),
        ("linspace(0, 1, 3)", [0.0, 0.5, 1.0]),
    ],
)
def test_a_text_means_float64_numbers(text, value):
    made = tensor(text)
    assert made.dtype == torch.float64
    assert torch.equal(made, torch.tensor(value, dtype=torch.float64))
    assert not made.requires_grad


def test_nan_is_a_number():
    assert torch.isnan(tensor("nan, 1")).tolist() == [True, False]


@pytest.mark.parametrize("text", ["true, false", "[true, false]", "[True, False]"])
def test_truth_values_are_a_mask_whatever_the_dtype(text):
    assert tensor(text, dtype="float32").tolist() == [True, False]
    assert tensor(text).dtype == torch.bool


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "torch.float32", "half"])
def test_dtype_overrules(name):
    made = tensor("1,2", dtype=name)
    assert str(made.dtype).removeprefix("torch.") == name.removeprefix("torch.").replace("half", "float16")
    assert made.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        ("[[1,2],[3]]", "the lists do not match: [1] has length 1 and [0] has length 2", "[3]"),
        ("1,2,[3]", "the lists do not match: [2] is a list and [0] is a number", "[3]"),
        ("[[1, [2]], [3, 4]]", "the lists do not match: [0][1] is a list and [0][0] is a number", "[2]"),
        ("[[1,2], 3]", "the lists do not match: [1] is a number and [0] has length 2", "3"),
        ("[1, true]", "true and false stand among numbers", "true"),
        ("  ", "the value is empty", "  "),
        ("abc", "abc is a name, and a value is made of numbers alone", "abc"),
        ("1,,2", "a value is missing before ','", ","),
        ("[1,2", "'[' is never closed", "["),
        ("inv([[1,2],[2,4]])", "[[1, 2], [2, 4]] is singular, so inv([[1, 2], [2, 4]]) does not exist", None),
        ("[ones(2), ones(3)]", "[ones(2), ones(3)] needs elements of one shape, and got (2,) and (3,)", None),
        ("arange(0, 1, 0)", "arange needs finite numbers and a step that is not 0", None),
        ("arange(1, 0)", "arange never gets from 1 to 0 in steps of 1", None),
        ("eye(100000)", "the tensor would have 10,000,000,000 elements; the limit is 100,000,000", None),
        ("arange(1e12)", "the tensor would have 1,000,000,000,000 elements; the limit is 100,000,000", None),
        ("9" * 310, "the number is too large for float64", None),
    ],
)
def test_a_mistake_is_named_and_marked(text, message, marked):
    error = refusal(text)
    assert error.message == message
    found = text[error.span.start : error.span.end]
    assert found == (text if marked is None else marked)


@pytest.mark.parametrize("text", ["'a'", "x > 1", "__import__('os')", "1j", "0x10", "lambda: 0", "1;2"])
def test_what_is_no_value_is_refused_with_its_column(text):
    assert refusal(text).column is not None


def test_a_long_list_is_read_without_the_parser():
    numbers = [index * 1.5 - 1e3 for index in range(100_000)]
    value = read_value(str(numbers), title="-i a")
    assert value.shape == (100_000,)
    assert value.tensor().tolist() == numbers


def test_a_text_beyond_the_limit_is_refused():
    assert "the limit is 1,000,000" in refusal("1," * 600_000).message


def test_shapes_of_plain_lists_are_known_without_torch():
    assert read_value("[[1,2,3]]", title="-i a").shape == (1, 3)
    assert read_value("ones(3)", title="-i a").shape is None


def test_random_values_are_the_same_every_time_and_noted():
    value = read_value("rand(3, seed=1)", title="-i a")
    assert torch.equal(value.tensor(), value.tensor())
    assert torch.equal(value.tensor(dtype="float32"), value.tensor().float())
    assert not torch.equal(value.tensor(), tensor("rand(3, seed=2)"))
    (note,) = value.notes
    assert note.code == "random" and "seed 1" in note.message
    assert abs(tensor("randn(10000)").mean()) < 0.05


@pytest.mark.parametrize("text", ["empty(1)", "empty(1, pin_memory=True)"])
def test_uninitialised_values_are_noted(text):
    value = read_value(text, title="-i a")
    (note,) = value.notes
    assert note.code == "uninitialised" and "whatever the memory held" in note.message
    assert ("Pinned" in note.message) == ("pin_memory" in text)
    assert value.tensor().shape == (1,)


def test_numbers_have_no_notes():
    assert read_value("1,2", title="-i a").notes == ()


def test_dtypes_without_gradient_are_refused():
    with pytest.raises(GradcliError, match="complex numbers are not supported"):
        tensor("1", dtype="complex64")
    with pytest.raises(GradcliError, match="dtype int32 has no gradient"):
        tensor("1", dtype="int32")
    with pytest.raises(GradcliError, match="there is no dtype 'float63'"):
        tensor("1", dtype="float63")
