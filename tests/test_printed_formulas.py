"""What is printed means what it says: read back and evaluated, every formula is autograd's Jacobian or gradient."""

from __future__ import annotations

import pytest
import torch
from generated_programs import awkward, program
from index_reader import index_value
from matrix_reader import matrix_value
from printed_formulas import check, point, printed

from gradcli.language import parse

T = torch.tensor

GALLERY: list[tuple[str, dict[str, object]]] = [
    ("3*a + 2*b*b + log(c)", {"a": (3,), "b": (3,), "c": (3,)}),
    ("[x1*x2*x3, x1 + x2 + x3, x1 + x2*x3]", {"x1": (), "x2": (), "x3": ()}),
    ("[x[0]*x[1]*x[2], x[0] + x[1] + x[2], x[0] + x[1]*x[2]]", {"x": (3,)}),
    ("sum(x**2 + 2)", {"x": (3,)}),
    ("sum(2*x, 1)", {"x": (1, 4)}),
    ("mean(x)", {"x": (3,)}),
    ("var(x)", {"x": (3,)}),
    ("std(x)", {"x": (4,)}),
    ("norm(x)", {"x": (3,)}),
    ("x/norm(x)", {"x": (3,)}),
    ("softmax(x)", {"x": (3,)}),
    ("log_softmax(x)", {"x": (3,)}),
    ("logsumexp(x)", {"x": (3,)}),
    ("exp(x)/sum(exp(x))", {"x": (3,)}),
    ("softmax(X, -1)", {"X": (4, 3)}),
    ("-sum(t*log_softmax(x))", {"x": (3,), "t": (3,)}),
    ("(x - mean(x))/sqrt(var(x, unbiased=False) + 1e-5)", {"x": (3,)}),
    ("layer_norm(X, (3,), w, b)", {"X": (4, 3), "w": (3,), "b": (3,)}),
    ("A@x", {"A": (4, 3), "x": (3,)}),
    ("x@A@x", {"A": (3, 3), "x": (3,)}),
    ("A@B", {"A": (4, 3), "B": (3, 2)}),
    ("trace(A@B)", {"A": (4, 3), "B": (3, 4)}),
    ("A.T@A", {"A": (4, 3)}),
    ("sum((A@x - b)**2)", {"A": (4, 3), "x": (3,), "b": (4,)}),
    ("h = tanh(W1@x + b1); sigmoid(W2@h + b2)", {"W1": (2, 3), "b1": (2,), "W2": (4, 2), "b2": (4,), "x": (3,)}),
    ("relu(x - 0.7)", {"x": (3,)}),
    ("abs(x)", {"x": (3,)}),
    ("maximum(x, 0.5)", {"x": (3,)}),
    ("clamp(x, 0.4, 0.9)", {"x": (3,)}),
    ("where(x > 0.6, x**2, -3*x)", {"x": (3,)}),
    ("where(logical_and(x > 0.5, logical_not(logical_or(x > 1, y < 0.4))), x*y, y)", {"x": (4,), "y": (4,)}),
    ("amax(X, 1)", {"X": (4, 3)}),
    ("max(X, dim=1)", {"X": (4, 3)}),
    ("amax(x)", {"x": (3,)}),
    ("cumsum(x)", {"x": (3,)}),
    ("sum(cumsum(x))", {"x": (5,)}),
    ("cumprod(x)", {"x": (3,)}),
    ("prod(x)", {"x": (3,)}),
    ("x[1:] - x[:-1]", {"x": (5,)}),
    ("sum(abs(x[1:] - x[:-1]))", {"x": (5,)}),
    ("sum((x[1:] - x[:-1])**2)", {"x": (5,)}),
    ("outer(x, x)", {"x": (3,)}),
    ("inv(A + 3*eye(3))", {"A": (3, 3)}),
    ("det(A)", {"A": (3, 3)}),
    ("trace(inv(A)@B)", {"A": (3, 3), "B": (3, 3)}),
    ("x@inv(A)@x", {"A": (3, 3), "x": (3,)}),
    ("solve(A, b)", {"A": (3, 3), "b": (3,)}),
    ("a*b", {"a": (4, 1), "b": (1, 4)}),
    ("s*x", {"s": (), "x": (3,)}),
    ("v + M", {"v": (3,), "M": (4, 3)}),
    ("x[::2]", {"x": (5,)}),
    ("sum(x[1::2]**2)", {"x": (5,)}),
    ("stack([x*y, x + y])", {"x": (3,), "y": (3,)}),
    ("cat([x**2, 3*y])", {"x": (3,), "y": (4,)}),
    ("x.reshape(3, 4)", {"x": (12,)}),
    ("X.flatten()", {"X": (4, 3)}),
    ("x.reshape(3, 4)@v", {"x": (12,), "v": (4,)}),
    ("(X**2).reshape(8, 3)", {"X": (6, 4)}),
    ("reshape(x, 2, 3)@reshape(x, 3, 2)", {"x": (6,)}),
    ("exp(-sum((X[:, None] - X[None, :])**2, -1))", {"X": (4, 3)}),
    ("w[0]*x[:-2] + w[1]*x[1:-1] + w[2]*x[2:]", {"x": (5,), "w": (3,)}),
    ("softmax(Q@K.T/sqrt(2), -1)@V", {"Q": (4, 2), "K": (3, 2), "V": (3, 2)}),
    ("S = softmax(Q@K.T/sqrt(2), -1); S@V", {"Q": (4, 2), "K": (3, 2), "V": (3, 2)}),
    ("x = (x*x + 1)/2; x = (x*x + 1)/2; x = (x*x + 1)/2; x", {"x": (3,)}),
    ("h1 = tanh(W1@x); h2 = tanh(W2@h1); h3 = tanh(W3@h2); W4@h3",
     {"W1": (2, 3), "W2": (2, 2), "W3": (2, 2), "W4": (4, 2), "x": (3,)}),
    ("cross_entropy(X, t)", {"X": (4, 3), "t": T([0.0, 1, 2, 1])}),
    ("sum(sort(x)*w)", {"x": (3,), "w": (3,)}),
    ("s = sort(x); s[:-1] - x[1:]", {"x": (4,)}),
    ("sum(softplus(X@w) - y*(X@w))", {"X": (4, 3), "w": (3,), "y": (4,)}),
    ("x*sigmoid(x)", {"x": (3,)}),
    ("gelu(x, approximate='tanh')", {"x": (3,)}),
    ("X/norm(X, 2, 1, True)", {"X": (4, 3)}),
    ("norm(A@B)", {"A": (4, 3), "B": (3, 2)}),
    ("cholesky(A@A.T + eye(3))", {"A": (3, 3)}),
    ("conv1d(x, w)", {"x": (2, 3, 6), "w": (2, 3, 3)}),
    ("roll(x, 1)*flip(x, 0)", {"x": (4,)}),
    ("permute(X, 2, 0, 1)*2", {"X": (2, 3, 4)}),
    ("bmm(A, B)", {"A": (2, 3, 4), "B": (2, 4, 2)}),
    ("X.sum(0, keepdim=True)*X", {"X": (3, 2)}),
    ("diag(x)@A", {"x": (3,), "A": (3, 3)}),
    ("tril(A)@x", {"A": (3, 3), "x": (3,)}),
    ("repeat(x, 2)", {"x": (3,)}),
    ("a**b", {"a": (3,), "b": (3,)}),
    ("kron(A, B)", {"A": (2, 2), "B": (2, 3)}),
    ("matrix_power(A, 3)", {"A": (3, 3)}),
    ("einsum('ij,jk,k->i', A, B, v)", {"A": (2, 3), "B": (3, 4), "v": (4,)}),
    ("sum(x)*ones(2, 3)", {"x": (4,)}),
    ("mean(X)", {"X": (2, 3, 4)}),
    ("X*Y", {"X": (2, 3, 4), "Y": (2, 3, 4)}),
]  # fmt: skip


def inputs(given: dict[str, object]) -> dict[str, torch.Tensor]:
    drawn = point(**{name: value for name, value in given.items() if isinstance(value, tuple)})
    return {name: value if isinstance(value, torch.Tensor) else drawn[name] for name, value in given.items()}


@pytest.mark.parametrize(("text", "given"), GALLERY, ids=[text for text, _ in GALLERY])
def test_gallery(text: str, given: dict[str, object]) -> None:
    check(text, inputs(given))


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_generated_programs(first: int) -> None:
    for seed in range(first, first + 50):
        text, shapes = program(seed)
        if seed % 3 == 2:  # leaves that are called like the signs of the notation
            text, shapes = awkward(text)
        used = parse(text, defined=frozenset(shapes)).leaves
        if used:
            check(text, point(**{name: shapes[name] for name in used}))


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("g*i + sum(j)*K@i", {"g": (3,), "i": (3,), "j": (3,), "K": (3, 3)}),
        ("I@e0 + cumsum(e0)", {"I": (3, 3), "e0": (3,)}),
        ("[e[0]*e[1], e[2]]", {"e": (3,)}),
        ("L@L", {"L": (3, 3)}),
        ("K.T@K", {"K": (4, 3)}),
        ("t1/norm(t1 + sin(t1)*2)", {"t1": (3,)}),
        ("g = v@x; g*u", {"v": (3,), "x": (3,), "u": (3,)}),
        ("i1*j1 + k[0]*l", {"i1": (3, 2), "j1": (3, 2), "k": (3,), "l": (3, 2)}),
        ("dA@A", {"A": (3, 3), "dA": (3, 3)}),
    ],
)
def test_names_that_are_signs_of_the_notation(text: str, given: dict[str, object]) -> None:
    check(text, inputs(given))


def test_the_legend_says_which_letter_the_upstream_gradient_is() -> None:
    at = printed("g*x", point(g=(3,), x=(3,)))
    assert at.forms.leaves["x"].gradient_record().matrix == "g∘v"
    assert [(alias.name, alias.text) for alias in at.forms.legend] == [("v", "∂L/∂y")]


def test_only_names_that_are_used_are_in_the_legend() -> None:
    at = printed("softmax(Q@K.T/sqrt(2), -1)@V", point(Q=(4, 2), K=(3, 2), V=(3, 2)))
    assert at.forms.legend == ()
    at.forms.leaves["V"].gradient_record()
    assert {alias.name for alias in at.forms.legend} <= {"t1"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 x∘y/x", "2*y"), ("xᵀ y x", "dot(x, y)*x"), ("diag(x) y", "x*y"), ("(x yᵀ - I) x", "x*dot(y, x) - x"),
        ("L x", "cumsum(x)"), ("x**2 - 1", "x**2 - 1"), ("[x > y]∘x", "where(x > y, x, 0)"),
        ("sum(x) 𝟏", "sum(x)*ones(3)"),
        ("-(x - y)/2", "(y - x)/2"), ("(I + x yᵀ)⁻¹ x", "solve(eye(3) + outer(x, y), x)"), ("e1", "[0, 1, 0]"),
    ],
)  # fmt: skip
def test_matrix_reader(text: str, value: str) -> None:
    """The reader itself reads what the precedence says."""
    names = point(x=(3,), y=(3,))
    expected = printed(value + " + 0*x", names).forward
    assert torch.allclose(matrix_value(text, (3,), names), expected.tensor(expected.program.root.node))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x[i]*y[i]", "x*y"), ("Σ_k x[k]*y[k]·δ(i,0)", "[dot(x, y), 0, 0]"), ("x[i]·[i >= 1]", "[0, x[1], x[2]]"),
        ("Σ_k x[k]·[k >= i]", "flip(cumsum(flip(x, 0)), 0)"), ("Σ_k<2 x[i]", "2*x"), ("x[2 - i]/2", "flip(x, 0)/2"),
        ("x[i]·(δ(i,1) - y[i])", "[-x[0]*y[0], x[1] - x[1]*y[1], -x[2]*y[2]]"), ("x[(i + 1)%3]", "roll(x, -1)"),
        ("[0 <= i <= 1]", "[1, 1, 0]"),
        ("[x[i] > 0.5 and not y[i] > 0.5]*2", "where(logical_and(x > 0.5, y <= 0.5), 2, 0)"),
    ],
)  # fmt: skip
def test_index_reader(text: str, value: str) -> None:
    names = point(x=(3,), y=(3,))
    expected = printed(value + " + 0*x", names).forward
    assert torch.allclose(index_value(text, {"i": 3}, names), expected.tensor(expected.program.root.node))


@pytest.mark.parametrize("text", ["x y", "x + A", "diag(s)", "(𝟏ᵀ 𝟏) x", "x ⊗", "q"])
def test_matrix_reader_refuses(text: str) -> None:
    with pytest.raises(AssertionError):
        matrix_value(text, (3,), point(x=(3,), y=(3,), A=(3, 3), s=()))


@pytest.mark.parametrize("text", ["x", "Σ_k 1", "x[i + 1]", "q[i]", "x[i,i]", "x[i] +"])
def test_index_reader_refuses(text: str) -> None:
    try:
        value = index_value(text, {"i": 3}, point(x=(3,)))
    except AssertionError:
        return
    assert value.isnan().any()  # an index that leaves the tensor
