"""Every row is found in torch and held by a test; and the rows that only closed forms use."""

import pytest
import test_numeric_rows_arrays as arrays
import test_numeric_rows_matrices as matrices
import torch
from numeric_rows import D, tensor

from gradcli.numeric.making import Like
from gradcli.numeric.operations import apply, operation
from gradcli.ops.row import Kind
from gradcli.ops.table import all_rows, find

OTHERS = [row for row in all_rows() if row.kind is not Kind.ELEMENTWISE]
#: their values are held in test_numeric_elementwise
CONDITIONS = {"gt", "ge", "lt", "le", "eq", "ne", "logical_and", "logical_or", "logical_not", "isfinite", "isnan"}


def test_every_row_is_covered():
    assert {row.name for row in OTHERS if not row.internal} == CONDITIONS | set(arrays.CASES) | set(matrices.CASES)


@pytest.mark.parametrize("row", all_rows(), ids=lambda row: row.name)
def test_every_row_is_found_in_torch(row):
    assert callable(operation(row.name).call)


def internal(name, operands, **attrs):
    return apply(name, operands, attrs, Like(D, torch.device("cpu")))


X = tensor(2.0, 0.0, 3.0, 4.0)
M = tensor([1.0, 5.0, 5.0], [7.0, 2.0, 7.0])


INTERNAL = [
    ("prod_others", [("x", X)], {"dim": None}, [0, 24, 0, 0]),
    ("prod_others", [("x", M)], {"dim": 0}, [[7, 2, 7], [1, 5, 5]]),
    ("prod_others", [("x", torch.tensor(3.0, dtype=D))], {"dim": None}, 1),
    ("cumprod_others", [("x", X[:3])], {"dim": -1}, [[1, 2, 2], [0, 2, 0], [0, 6, 0]]),
    ("cumprod_others", [("x", X[:2, None])], {"dim": 0}, [[[1, 2], [0, 2]]]),
    ("argmedian", [("x", X)], {"dim": None, "keepdim": False}, 0),
    ("argmedian", [("x", M)], {"dim": 1, "keepdim": True}, [[1], [0]]),
    ("argcummax", [("x", X)], {"dim": 0}, [0, 0, 2, 3]),
    ("argcummin", [("x", X)], {"dim": 0}, [0, 1, 1, 1]),
    ("argtopk", [("x", X)], {"k": 2, "dim": -1, "largest": True}, [3, 2]),
    ("argkthvalue", [("x", X)], {"k": 1, "dim": -1, "keepdim": False}, 1),
    ("ties", [("x", M), ("extreme", M.amax())], {"dim": None}, 2),
    ("ties", [("x", M), ("extreme", M.amax(1))], {"dim": 1}, [2, 2]),
    ("ties", [("x", M), ("extreme", M.amax(1, True))], {"dim": (1,)}, [[2], [2]]),
    ("cofactor", [("x", tensor([1.0, 2.0], [2.0, 4.0]))], {}, [[4, -2], [-2, 1]]),
    ("cofactor", [("x", tensor([[2.0, 1.0], [0.0, 3.0]]))], {}, [[[3, 0], [-1, 2]]]),
    ("cofactor", [("x", torch.zeros(3, 3, dtype=D))], {}, [[0] * 3] * 3),
]


@pytest.mark.parametrize(("name", "operands", "attrs", "value"), INTERNAL)
def test_internal_rows(name, operands, attrs, value):
    found = internal(name, operands, **attrs)
    assert found.shape == torch.tensor(value).shape
    torch.testing.assert_close(found.double(), torch.tensor(value, dtype=D), rtol=1e-12, atol=1e-12)


def test_internal_rows_are_all_held():
    assert {case[0] for case in INTERNAL} == {row.name for row in OTHERS if row.internal}


def test_synonyms_mean_the_row():
    assert all(find(synonym) is row for row in OTHERS for synonym in row.synonyms)
