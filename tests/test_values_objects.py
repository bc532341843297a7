"""Values given as Python objects, from the Python face and from YAML lists."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from gradcli.errors import GradcliError
from gradcli.values import from_python, nested, read_value


def tensor(obj, **options):
    return from_python(obj, "a").tensor(**options)


def refusal(obj):
    with pytest.raises(GradcliError) as caught:
        tensor(obj)
    return caught.value.message


@pytest.mark.parametrize(
    ("obj", "value"),
    [
        (3, 3.0),
        (2.5, 2.5),
        ([1, 2], [1.0, 2.0]),
        (((1, 2), (3, 4)), [[1.0, 2.0], [3.0, 4.0]]),
        (range(3), [0.0, 1.0, 2.0]),
        ([], []),
        ([[], []], [[], []]),
        ([[[1]]], [[[1.0]]]),
        ([1, "inf", "-inf", " Inf "], [1.0, math.inf, -math.inf, math.inf]),
        ([Fraction(1, 4), Decimal("0.5")], [0.25, 0.5]),
        ([np.float32(0.5), np.int64(2)], [0.5, 2.0]),
        ([np.array([1, 2]), [3, 4]], [[1.0, 2.0], [3.0, 4.0]]),
        ([torch.tensor(1.0), torch.tensor(2.0, requires_grad=True)], [1.0, 2.0]),
        ("1,2", [1.0, 2.0]),
        ("pi", math.pi),
    ],
)
def test_objects_become_float64(obj, value):
    made = tensor(obj)
    assert made.dtype == torch.float64
    assert torch.equal(made, torch.tensor(value, dtype=torch.float64))


def test_truth_values_are_masks():
    assert tensor([[True], [False]]).tolist() == [[True], [False]]
    assert tensor(True).dtype == torch.bool
    assert tensor(np.array([True])).dtype == torch.bool


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        ([[1, 2], [3]], "a[1]: the lists do not match: [1] has length 1 and [0] has length 2"),
        ([[1], [[2]]], "a[1][0]: the lists do not match: [1][0] is a list and [0][0] is a number"),
        ([1, [2]], "a[1]: the lists do not match: [1] is a list and [0] is a number"),
        ([[1], 2], "a[1]: the lists do not match: [1] is a number and [0] has length 1"),
        ([1, "two"], "a[1]: 'two' is text and no number"),
        ([None], "a[0]: nothing (null) stands where a number should"),
        (None, "a: nothing (null) stands where a number should"),
        ({"x": 1}, "a: a dict stands where a number should"),
        ([1, 2j], "a[1]: a complex number is given"),
        ([1, True], "a[1]: true and false stand among numbers"),
        ([10**400], "a[0]: the number is too large for float64"),
        (np.array([1j]), "a: holds complex numbers"),
        (np.array(["x"]), "a: holds text"),
        (np.array([None]), "a: holds Python objects"),
        (torch.eye(2).to_sparse(), "a: the tensor is sparse"),
        (torch.empty(2, device="meta"), "a: the tensor is on the meta device and holds no values"),
        (torch.ones(1, dtype=torch.complex64), "a holds complex numbers"),
        (object(), "a: a object stands where a number should"),
    ],
)
def test_what_is_no_tensor_of_real_numbers_is_refused_with_its_place(obj, message):
    assert refusal(obj) == message


def test_a_list_that_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    assert refusal(loop) == "a: lists are nested more than 64 deep"


def test_an_alias_bomb_is_refused_at_once():
    row = [0] * 10
    for _ in range(12):
        row = [row] * 10
    assert refusal(row).endswith("the limit is 100,000,000")


def test_tensors_keep_their_dtype_and_are_copied():
    given = torch.ones(2, dtype=torch.float32, requires_grad=True)
    value = from_python(given, "a")
    made = value.tensor()
    assert made.dtype == torch.float32 and not made.requires_grad
    with torch.no_grad():
        given.add_(1)
    made.add_(5)
    assert value.tensor().tolist() == [1, 1]
    assert value.tensor(dtype="float64").dtype == torch.float64
    assert tensor(torch.ones(2, dtype=torch.int32)).dtype == torch.float64


def test_arrays_keep_their_dtype_and_are_copied():
    given = np.ones(2, dtype="f4")
    value = from_python(given, "a")
    given[0] = 7
    assert value.tensor().tolist() == [1, 1] and value.tensor().dtype == torch.float32
    assert tensor(np.arange(6)[::-2]).tolist() == [5, 3, 1]


def test_an_object_that_becomes_an_array_is_taken():
    class Series:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("no data")

    assert tensor(Series()).tolist() == [1, 2]
    assert refusal(Broken()) == "a: it does not become an array: no data"


def test_a_value_is_taken_as_it_is():
    value = read_value("1,2", title="-i a")
    assert from_python(value, "b") is value


def test_the_element_limit_is_named(monkeypatch):
    monkeypatch.setattr(nested, "ELEMENTS", 5)
    assert refusal([0] * 6) == "a: there are 6 elements, and the limit is 5"
