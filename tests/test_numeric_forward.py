"""Forward: values, shapes, dtypes, and which leaves are differentiable."""

import math

import pytest
import torch

from gradcli.language import parse
from gradcli.numeric.forward import evaluate
from gradcli.values import read_value

D = torch.float64


def run(text, dtype=None, wrt=None, **inputs):
    given = {
        name: read_value(value, title=f"-i {name}").tensor() if isinstance(value, str) else value
        for name, value in inputs.items()
    }
    return evaluate(parse(text), given, dtype=dtype, wrt=wrt)


def root(text, **options):
    forward = run(text, **options)
    return forward.tensor(forward.program.root.node).detach()


# ---- values ----


def test_every_node_is_kept():
    forward = run("z = a*b; y = z + 1", a="2,3", b="5")
    texts = dict(zip(forward.program.echoes, forward.values.values(), strict=True))
    assert texts["a*b"].tolist() == [10, 15]
    assert texts["1"] == 1 and isinstance(texts["1"], int)
    assert [forward.shapes[node.id] for node in forward.program.nodes if node.op in ("mul", "add")] == [
        (2,),
        (2,),
    ]
    node = forward.program.root.node
    assert forward.element(node, 1) == 16.0
    assert list(forward.leaves) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "inputs", "value"),
    [
        (
            "3*a + 2*b*b + log(c)",
            {"a": "1,2,3", "b": "3,4,5", "c": "6,7,8"},
            [22.791759, 39.945910, 61.079442],
        ),
        ("E*A*B*C*D*44/12", {"A": "10.2", "B": "43.07", "C": "19.41", "D": "0.99", "E": "1"}, 30953.3176),
        ("2^3^2 + x^2", {"x": "3"}, 521),
        ("exp(-(x-x0)^2)", {"x": "1", "x0": "0"}, math.exp(-1)),
        ("2·x² − µ", {"x": "3", "μ": "1"}, 17),
        ("std(x)", {"x": "1,2,3,4"}, 1.290994),
        ("sinc(x)", {"x": "0.5"}, 0.636620),
        ("a + b", {"a": "[[1],[2]]", "b": "10,20"}, [[11, 21], [12, 22]]),
        ("a*b", {"a": "2", "b": "[[1,2],[3,4]]"}, [[2, 4], [6, 8]]),
        ("sum(x)", {"x": "zeros(0)"}, 0),
        ("sum(x*2, dim=0)", {"x": "zeros(0, 3)"}, [0, 0, 0]),
        ("x[1:, ..., None]", {"x": "[[1,2],[3,4]]"}, [[[3], [4]]]),
        ("x[-1] + x[::2]", {"x": "1,2,3"}, [4, 6]),
        ("[[1, 2], [3, 4]] @ x", {"x": "1,1"}, [3, 7]),
        ("[x[0], 2, x[1]]", {"x": "1,3"}, [1, 2, 3]),
        ("y[0] = x*2; y[1] = x + 1", {"x": "3"}, [6, 4]),
        ("where([True, False], x, 0)", {"x": "5"}, [5, 0]),
        ("7", {}, 7),
        ("-3 + 1", {}, -2),
        ("sqrt(2)**2", {}, 2),
        ("123456789012345678901234567890*x", {"x": "1"}, 1.2345678901234568e29),
    ],
)
def test_values(text, inputs, value):
    torch.testing.assert_close(root(text, **inputs), torch.tensor(value, dtype=D), rtol=1e-6, atol=0)


# ---- dtypes ----


F32 = torch.tensor([1.0, 2.0], dtype=torch.float32)


@pytest.mark.parametrize("text", ["3*x + 1", "x**2 / 7", "pi*x", "[1, 2]*x", "x + sqrt(2)", "maximum(x, 0)", "x > 1"])
def test_literals_do_not_widen_float32(text):
    found = root(text, x=F32)
    assert found.dtype == (torch.bool if ">" in text else torch.float32)


def test_dtype_overrules_and_mixed_inputs_promote():
    assert root("x + y", x=F32, y="1,2").dtype == D
    assert root("x + y", dtype="bfloat16", x=F32, y="1,2").dtype == torch.bfloat16
    assert root("sqrt(2)", dtype="float32").dtype == torch.float32


def test_an_input_is_not_touched():
    given = torch.ones(2, dtype=D)
    run("x*2", x=given)
    assert not given.requires_grad


# ---- which leaves are differentiable ----


@pytest.mark.parametrize(
    ("text", "inputs", "leaves"),
    [
        ("a*b", {"a": "1", "b": "2"}, ("a", "b")),
        ("where(m, a, b)", {"m": "true,false", "a": "1", "b": "2"}, ("a", "b")),
        ("where(m, a, b)", {"m": "1,0", "a": "1", "b": "2"}, ("a", "b")),
        ("m*a", {"m": "true,false", "a": "1"}, ("a",)),
        ("gather(x, 0, i)", {"x": "1,2", "i": "0"}, ("x",)),
        ("gather(x, 0, i[:1])", {"x": "1,2", "i": "0,1"}, ("x",)),
        ("k = i[:1]; gather(x, 0, k)", {"x": "1,2", "i": "0,1"}, ("x",)),
        ("gather(x, 0, i) + sum(i)", {"x": "1,2", "i": "0"}, ("x", "i")),
        ("where(x > 0, a, 0)", {"x": "1,2", "a": "0"}, ("x", "a")),
        ("cross_entropy(x, t)", {"x": "[[1,2]]", "t": "[1]"}, ("x",)),
        ("cross_entropy(x, t)", {"x": "[[1,2]]", "t": "[[0.5,0.5]]"}, ("x", "t")),
        ("i", {"i": "1"}, ("i",)),
    ],
)
def test_indices_and_masks_are_not_differentiable(text, inputs, leaves):
    assert run(text, **inputs).differentiable == leaves


def test_wrt_makes_the_other_leaves_constants():
    forward = run("a*b", a="1", b="2", wrt=["b"])
    assert forward.differentiable == ("b",) and not forward.leaves["a"].requires_grad
