"""Torch's complaints in the program's words, and the limit on elements."""

import pytest
import torch

from gradcli.errors import GradcliError
from gradcli.language import parse
from gradcli.numeric.forward import evaluate
from gradcli.values import read_value


def run(text, dtype=None, wrt=None, **inputs):
    given = {
        name: read_value(value, title=f"-i {name}").tensor() if isinstance(value, str) else value
        for name, value in inputs.items()
    }
    return evaluate(parse(text), given, dtype=dtype, wrt=wrt)


def root(text, **options):
    forward = run(text, **options)
    return forward.tensor(forward.program.root.node).detach()


def refusal(text, **options):
    with pytest.raises(GradcliError) as caught:
        run(text, **options)
    return caught.value


# ---- refusals ----


def test_all_missing_inputs_are_named():
    error = refusal("a + b + c", a="1")
    assert error.message == "no value is given for b and c"
    assert error.hint == "add -i b=… -i c=…"
    assert error.source.text[error.span.start : error.span.end] == "b"


@pytest.mark.parametrize(
    ("text", "inputs", "message", "hint"),
    [
        (
            "1 + a*b",
            {"a": "1,2,3", "b": "1,2"},
            "a*b cannot pair a of shape (3,) with b of shape (2,)",
            "sizes must be equal or 1; a[:, None] pairs each element with each",
        ),
        (
            "A + b",
            {"A": "[[1,2,3],[4,5,6]]", "b": "1,2"},
            "A + b cannot pair A of shape (2, 3) with b of shape (2,)",
            "A.T would pair",
        ),
        (
            "A @ B",
            {"A": "ones(2,3)", "B": "ones(2,3)"},
            "A @ B needs equal inner sizes, and got A of shape (2, 3) and B of shape (2, 3)",
            "A @ B.T would work",
        ),
        (
            "A @ x",
            {"A": "ones(2,3)", "x": "1,2"},
            "A @ x needs equal inner sizes, and got A of shape (2, 3) and x of shape (2,)",
            "A.T @ x would work",
        ),
        (
            "x @ A",
            {"A": "ones(3,2)", "x": "1,2"},
            "x @ A needs equal inner sizes, and got x of shape (2,) and A of shape (3, 2)",
            "x @ A.T would work",
        ),
        (
            "A @ 3",
            {"A": "ones(2,2)"},
            "A @ 3 needs vectors or matrices, and 3 is a single number",
            "use * for a number",
        ),
        (
            "sum(x, dim=2)",
            {"x": "1,2"},
            "dim=2 is out of range in sum(x, dim=2): x of shape (2,) has 1 axis",
            "dim goes from -1 to 0",
        ),
        (
            "x[5]",
            {"x": "1,2,3"},
            "index 5 is out of range in x[5]: axis 0 has size 3",
            "indices go from 0 to 2, or from -1 to -3",
        ),
        ("x[0, 0]", {"x": "1,2"}, "x[0, 0] has more indices than x of shape (2,) has axes", "use at most 1"),
        ("x[0]", {"x": "1"}, "x is a single number, so x[0] has nothing to take from", "leave the index out"),
        (
            "gather(x, 0, i)",
            {"x": "1,2", "i": "7"},
            "index 7 is out of range in gather(x, 0, i): axis 0 has size 2",
            "places on that axis go from 0 to 1",
        ),
        (
            "gather(x, 0, i)",
            {"x": "1,2", "i": "[0.5]"},
            "gather needs whole numbers for index",
            "places count from 0: 0, 1, 2",
        ),
        (
            "where(m, x, 0)",
            {"x": "1,2", "m": "0,2"},
            "where needs a condition for condition, and got numbers other than 0 and 1",
            "write a comparison, such as x > 0",
        ),
        (
            "reshape(x, 2, 2)",
            {"x": "1,2,3"},
            "reshape(x, 2, 2) cannot put 3 elements into shape (2, 2)",
            "the sizes must multiply to 3; one may be -1",
        ),
        (
            "inv(A)",
            {"A": "[[1,2],[2,4]]"},
            "A is singular, so inv(A) does not exist",
            "det(A) is 0; add a multiple of the identity: A + 1e-6*eye(2)",
        ),
        (
            "cholesky(A)",
            {"A": "[[1,2],[2,1]]"},
            "A is not positive definite, so cholesky(A) does not exist",
            "add a multiple of the identity: cholesky(A + 1e-6*eye(2))",
        ),
        ("inv(x)", {"x": "1,2"}, "inv(x) needs a matrix, and x has shape (2,)", None),
        ("det(A)", {"A": "[[1,2]]"}, "det(A) needs a square matrix, and A has shape (1, 2)", None),
        (
            "[a, b]",
            {"a": "1,2", "b": "1"},
            "[a, b] needs elements of one shape, and got (2,) and ()",
            "cat([a, b]) joins tensors of different lengths",
        ),
        (
            "cat([a, b])",
            {"a": "1,2", "b": "1"},
            "cat([a, b]) joins vectors or larger tensors, not single numbers",
            "a list joins numbers: [a, b]",
        ),
        (
            "dropout(x, 0.5, True)",
            {"x": "1"},
            "dropout in training draws at random, and the gradient of one draw says little",
            "leave training=True out, or multiply by a mask such as rand(3, seed=0) > 0.5",
        ),
    ],
)
def test_a_fault_names_the_operation_its_operands_and_what_would_work(text, inputs, message, hint):
    error = refusal(text, **inputs)
    assert error.message == message and error.hint == hint
    marked = error.source.text[error.span.start : error.span.end]
    assert marked in text and (marked == "a*b" or text != "1 + a*b")


def test_dtypes_that_do_not_mix_are_named():
    error = refusal("W @ x", W=torch.ones(2, 2), x="1,2")
    assert error.message == "W @ x mixes dtypes" and error.hint == "--dtype float64 gives every tensor the same"


def test_whatever_torch_refuses_is_said_with_the_shapes():
    error = refusal("topk(x, 9)", x="1,2,3")
    assert error.message.startswith("topk(x, 9) is refused by torch for x of shape (3,): ")
    assert error.hint.startswith("topk(x, k, dim=-1, largest=True): ")


# ---- limits ----


@pytest.mark.parametrize(
    "text",
    [
        "x[:, None] + x",
        "outer(x, x)",
        "kron(x, x)",
        "x[:, None] @ x[None]",
        "linear(x[:, None], x[:, None])",
        "inner(x[:, None], x[:, None])",
        "cdist(x[:, None], x[:, None])",
        "einsum('i,j->ij', x, x)",
        "einsum('...i,...j', x, x)",
        "tensordot(x, x, 0)",
        "diag(x)",
        "diag_embed(x)",
        "x[:1].expand(20000, 20000)",
        "x.repeat(20000)",
        "repeat_interleave(x, 20000)",
        "pad(x, (0, 400000000))",
        "one_hot(0*x, 20000)",
        "embedding(0*x, x[None])",
        "1.0*(x[:, None] == x)",
        "mse_loss(x[:, None], x)",
    ],
)
def test_a_result_beyond_the_element_limit_is_refused_before_it_is_made(text):
    error = refusal(text, x=torch.ones(20_000))
    assert error.message.startswith("the tensor would have ") and error.message.endswith("the limit is 100,000,000")


def test_operations_that_only_look_large_are_not_refused():
    x = torch.ones(20_000)
    assert root("x + x", x=x).shape == (20_000,)
    assert root("x @ x", x=x).item() == 20_000
    assert root("einsum('i,i', x, x)", x=x).item() == 20_000
    assert root("x.expand(3, -1)", x=x).shape == (3, 20_000)
    assert root("sum(softmax(x))", x=x).item() == pytest.approx(1, rel=1e-4)
