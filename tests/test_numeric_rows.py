"""Every other row against torch or plain arithmetic written by hand: value, gradient, difference quotient."""

import pytest
import torch
from torch.nn import functional as F

from gradcli.language import parse
from gradcli.numeric.backward import backward
from gradcli.numeric.differences import quotients
from gradcli.numeric.forward import evaluate
from gradcli.numeric.making import Like
from gradcli.numeric.operations import apply, operation
from gradcli.ops.row import Kind
from gradcli.ops.table import all_rows, find

D = torch.float64


def tensor(*rows):
    return torch.tensor(rows, dtype=D)


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=D)


#: the inputs of all cases
INPUTS = {
    "x": tensor(0.5, -1.2, 2.0),
    "y": tensor(1.5, 0.3, -0.7),
    "m": tensor([0.2, -1.0, 0.7], [1.1, 0.4, -0.3]),
    "n": tensor([1.0, 0.5, -0.4], [0.3, -0.8, 2.0]),
    "A": tensor([2.0, 0.3, -0.5], [0.1, 1.5, 0.4], [-0.2, 0.6, 1.8]),
    "S": tensor([2.0, 0.5], [0.5, 1.5]),
    "T": drawn(2, 3, 4),
    "U": drawn(2, 4, 2, seed=1),
    "p": tensor([0.2, 0.5, 0.3], [0.6, 0.1, 0.3]),
    "q": tensor([0.3, 0.3, 0.4], [0.2, 0.5, 0.3]),
    "w": drawn(4, 3, 2, seed=2),
    "b": drawn(4, seed=3),
    "i": tensor(2.0, 0.0),
    "I": tensor([2.0, 0.0, 1.0], [0.0, 0.0, 2.0]),
    "s": torch.tensor(0.7, dtype=D),
}


def by_columns(S):
    """Cholesky's factor of a symmetric matrix of two rows; the gradient is shared by S[0,1] and S[1,0]."""
    S = (S + S.T) / 2
    first = S[0, 0] ** 0.5
    below = S[1, 0] / first
    return torch.stack([first, 0 * first, below, (S[1, 1] - below**2) ** 0.5]).reshape(2, 2)


#: row → [(call, the same by hand)]
CASES = {
    "sum": [
        ("sum(m)", lambda m: m[0] @ torch.ones(3, dtype=D) + m[1] @ torch.ones(3, dtype=D)),
        ("m.sum(dim=1)", lambda m: m[:, 0] + m[:, 1] + m[:, 2]),
        ("sum(m, axis=(0, 1), keepdims=True)", lambda m: m.flatten().sum().reshape(1, 1)),
        ("sum(s)", lambda s: s),
    ],
    "mean": [("mean(m)", lambda m: m.sum() / 6), ("mean(m, 0, True)", lambda m: (m[:1] + m[1:]) / 2)],
    "var": [
        ("var(x)", lambda x: ((x - x.sum() / 3) ** 2).sum() / 2),
        ("var(m, 1, unbiased=False)", lambda m: ((m - m.mean(1, True)) ** 2).sum(1) / 3),
        ("var(x, correction=2)", lambda x: ((x - x.sum() / 3) ** 2).sum()),
    ],
    "std": [
        ("std(x)", lambda x: (((x - x.sum() / 3) ** 2).sum() / 2) ** 0.5),
        ("std(m, dim=0, keepdim=True)", lambda m: ((m[:1] - m[1:]) ** 2 / 2) ** 0.5),
    ],
    "norm": [
        ("norm(m)", lambda m: (m * m).sum() ** 0.5),
        ("norm(x, 1)", lambda x: x.abs().sum()),
        ("norm(x, 3)", lambda x: (x.abs() ** 3).sum() ** (1 / 3)),
        ("norm(x, inf)", lambda x: x.abs().max()),
        ("norm(m, dim=1, keepdim=True)", lambda m: (m * m).sum(1, True) ** 0.5),
    ],
    "prod": [
        ("prod(x)", lambda x: x[0] * x[1] * x[2]),
        ("prod(m, 0, True)", lambda m: m[:1] * m[1:]),
        ("prod(m, keepdim=True)", lambda m: (m[0] * m[1]).prod().reshape(1, 1)),
    ],
    "softmax": [
        ("softmax(m)", lambda m: m.exp() / m.exp().sum(1, True)),
        ("softmax(m, dim=0)", lambda m: m.exp() / m.exp().sum(0)),
    ],
    "softmin": [("softmin(x)", lambda x: (-x).exp() / (-x).exp().sum())],
    "log_softmax": [("log_softmax(x)", lambda x: x - x.exp().sum().log())],
    "logsumexp": [
        ("logsumexp(m)", lambda m: m.exp().sum().log()),
        ("logsumexp(m, 1, True)", lambda m: m.exp().sum(1, True).log()),
    ],
    "amax": [
        ("amax(m)", lambda m: m[1, 0]),
        ("amax(m, dim=(0,))", lambda m: torch.stack([m[1, 0], m[1, 1], m[0, 2]])),
    ],
    "amin": [("amin(m, 1)", lambda m: torch.stack([m[0, 1], m[1, 2]]))],
    "max": [
        ("max(m)", lambda m: m[1, 0]),
        ("max(m, keepdim=True)", lambda m: m[1:, :1]),
        ("m.max(dim=1)", lambda m: torch.stack([m[0, 2], m[1, 0]])),
    ],
    "min": [
        ("min(x)", lambda x: x[1]),
        ("min(m, dim=1, keepdim=True)", lambda m: torch.stack([m[0, 1], m[1, 2]])[:, None]),
    ],
    "median": [
        ("median(x)", lambda x: x[0]),
        ("median(m)", lambda m: m[0, 0]),
        ("median(m, 1)", lambda m: torch.stack([m[0, 0], m[1, 1]])),
    ],
    "argmax": [("argmax(m)", lambda m: torch.tensor(3)), ("argmax(m, 1)", lambda m: torch.tensor([2, 0]))],
    "argmin": [("argmin(x)", lambda x: torch.tensor(1))],
    "cumsum": [("cumsum(x)", lambda x: torch.stack([x[0], x[0] + x[1], x.sum()]))],
    "cumprod": [("cumprod(m, 0)", lambda m: torch.stack([m[0], m[0] * m[1]]))],
    "logcumsumexp": [("logcumsumexp(x)", lambda x: x.exp().cumsum(0).log())],
    "cummax": [("cummax(x)", lambda x: x[[0, 0, 2]])],
    "cummin": [("cummin(x)", lambda x: x[[0, 1, 1]])],
    "diff": [
        ("diff(x)", lambda x: x[1:] - x[:-1]),
        ("diff(m, 2)", lambda m: m[:, 2:] - 2 * m[:, 1:2] + m[:, :1]),
    ],
    "reshape": [
        ("reshape(m, 3, 2)", lambda m: torch.stack([m[0, :2], m[:, [2, 0]].diagonal(), m[1, 1:]])),
        ("m.view(-1)", lambda m: torch.cat([m[0], m[1]])),
    ],
    "flatten": [("flatten(T, 1)", lambda T: torch.stack([T[0].flatten(), T[1].flatten()]))],
    "squeeze": [("squeeze(m[:, :1])", lambda m: m[:, 0]), ("squeeze(m[:1], 0)", lambda m: m[0])],
    "unsqueeze": [("unsqueeze(x, -1)", lambda x: x[:, None])],
    "expand": [("expand(x, 2, -1)", lambda x: torch.stack([x, x]))],
    "transpose": [
        ("transpose(T, 0, 2)", lambda T: torch.einsum("abc->cba", T)),
        ("transpose(m)", lambda m: m.T),
    ],
    "t": [("m.T @ m", lambda m: torch.einsum("ka,kb->ab", m, m)), ("x.t()", lambda x: x)],
    "mT": [("T.mT", lambda T: torch.einsum("abc->acb", T))],
    "permute": [("permute(T, 2, 0, 1)", lambda T: torch.einsum("abc->cab", T))],
    "movedim": [("movedim(T, 0, 2)", lambda T: torch.einsum("abc->bca", T))],
    "flip": [("flip(m, 1)", lambda m: m[:, [2, 1, 0]])],
    "roll": [("roll(x, 1)", lambda x: x[[2, 0, 1]]), ("roll(m, 1, 1)", lambda m: m[:, [2, 0, 1]])],
    "repeat": [
        ("repeat(x, 2, 1)", lambda x: torch.stack([x, x])),
        ("x.repeat(2)", lambda x: torch.cat([x, x])),
    ],
    "repeat_interleave": [("repeat_interleave(x, 2)", lambda x: x[[0, 0, 1, 1, 2, 2]])],
    "diagonal": [("diagonal(A, 1)", lambda A: torch.stack([A[0, 1], A[1, 2]]))],
    "select": [("select(m, 1, 2)", lambda m: m[:, 2])],
    "narrow": [("narrow(m, 1, 1, 2)", lambda m: m[:, 1:])],
    "clone": [("clone(x)*x", lambda x: x**2)],
    "detach": [("detach(x)*x", lambda x: x.detach() * x)],
    "index_select": [("index_select(m, 1, i)", lambda m: m[:, [2, 0]])],
    "gather": [("gather(m, 1, I)", lambda m: torch.stack([m[0, [2, 0, 1]], m[1, [0, 0, 2]]]))],
    "take_along_dim": [
        ("take_along_dim(m, I[:, :1], 1)", lambda m: torch.stack([m[0, 2], m[1, 0]])[:, None]),
        ("take_along_dim(m, i)", lambda m: torch.stack([m[0, 2], m[0, 0]])),
    ],
    "take": [("take(m, i)", lambda m: torch.stack([m[0, 2], m[0, 0]]))],
    "embedding": [("embedding(i, A)", lambda A: A[[2, 0]])],
    "one_hot": [("one_hot(i, 3)*x", lambda x: torch.stack([x * tensor(0, 0, 1), x * tensor(1, 0, 0)]))],
    "sort": [("sort(x)", lambda x: x[[1, 0, 2]]), ("sort(x, descending=True)", lambda x: x[[2, 0, 1]])],
    "argsort": [("argsort(x)", lambda x: torch.tensor([1, 0, 2]))],
    "topk": [("topk(x, 2)", lambda x: x[[2, 0]]), ("topk(x, 1, largest=False)", lambda x: x[[1]])],
    "kthvalue": [
        ("kthvalue(x, 2)", lambda x: x[0]),
        ("kthvalue(m, 1, 1, True)", lambda m: m.min(1, True).values),
    ],
    "stack": [
        ("[x, y]", lambda x, y: torch.cat([x, y]).reshape(2, 3)),
        ("stack([x, y], dim=1)", lambda x, y: torch.cat([x[:, None], y[:, None]], 1)),
    ],
    "cat": [("cat([x, m[0], y])", lambda x, m, y: torch.hstack([x, m[0], y]))],
    "hstack": [("hstack([x, y])", lambda x, y: torch.cat([x, y]))],
    "vstack": [("vstack([x, m])", lambda x, m: torch.stack([x, m[0], m[1]]))],
    "diag": [
        ("diag(x)", lambda x: x[:, None] * torch.eye(3, dtype=D)),
        ("diag(A)", lambda A: torch.stack([A[0, 0], A[1, 1], A[2, 2]])),
    ],
    "diag_embed": [("diag_embed(m)", lambda m: m[:, :, None] * torch.eye(3, dtype=D))],
    "tril": [("tril(A)", lambda A: A * tensor([1, 0, 0], [1, 1, 0], [1, 1, 1]))],
    "triu": [("triu(A, 1)", lambda A: A * tensor([0, 1, 1], [0, 0, 1], [0, 0, 0]))],
    "pad": [("pad(x, (1, 2), value=5)", lambda x: torch.cat([tensor(5), x, tensor(5, 5)]))],
    "matmul": [
        ("m @ A", lambda m, A: (m[:, :, None] * A).sum(1)),
        ("x @ y", lambda x, y: (x * y).sum()),
        ("T @ U", lambda T, U: (T[:, :, :, None] * U[:, None]).sum(2)),
    ],
    "dot": [("dot(x, y)", lambda x, y: (x * y).sum())],
    "mv": [("mv(m, x)", lambda m, x: (m * x).sum(1))],
    "mm": [("mm(m, A)", lambda m, A: (m[:, :, None] * A).sum(1))],
    "bmm": [("bmm(T, U)", lambda T, U: torch.stack([T[0] @ U[0], T[1] @ U[1]]))],
    "inner": [("inner(m, n)", lambda m, n: m @ n.T)],
    "outer": [("outer(x, y)", lambda x, y: x[:, None] * y)],
    "tensordot": [("tensordot(m, A, 1)", lambda m, A: m @ A), ("tensordot(m, m)", lambda m: (m * m).sum())],
    "einsum": [
        ("einsum('ij,kj->ik', m, n)", lambda m, n: m @ n.T),
        ("einsum('ii', A)", lambda A: A.diagonal().sum()),
    ],
    "kron": [("kron(m, S)", lambda m, S: (m[:, None, :, None] * S[None, :, None, :]).reshape(4, 6))],
    "linear": [("linear(x, m)", lambda x, m: m @ x), ("linear(m, A, x)", lambda m, A, x: m @ A.T + x)],
    "addmm": [("addmm(x, m, A, beta=2, alpha=3)", lambda x, m, A: 2 * x + 3 * m @ A)],
    "addmv": [("addmv(x, A, y)", lambda x, A, y: x + A @ y)],
    "baddbmm": [("baddbmm(s, T, U)", lambda s, T, U: s + T @ U)],
    "cross": [
        (
            "cross(x, y)",
            lambda x, y: torch.stack(
                [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
            ),
        )
    ],
    "trace": [("trace(A)", lambda A: A[0, 0] + A[1, 1] + A[2, 2])],
    "inv": [
        (
            "inv(S)",
            lambda S: (
                torch.stack([S[1, 1], -S[0, 1], -S[1, 0], S[0, 0]]).reshape(2, 2)
                / (S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0])
            ),
        )
    ],
    "pinv": [("pinv(m)", lambda m: m.T @ torch.linalg.inv(m @ m.T))],
    "det": [("det(S)", lambda S: S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0])],
    "logdet": [("logdet(S)", lambda S: (S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]).log())],
    "slogdet": [("slogdet(-A)", lambda A: torch.linalg.det(A).abs().log())],
    "solve": [("solve(A, x)", lambda A, x: torch.linalg.inv(A) @ x)],
    "cholesky": [("cholesky(S)", lambda S: by_columns(S))],
    "matrix_power": [("matrix_power(A, 3)", lambda A: A @ A @ A), ("matrix_power(A, -1)", torch.linalg.inv)],
    "normalize": [("normalize(m)", lambda m: m / (m * m).sum(1, True) ** 0.5)],
    "layer_norm": [
        (
            "layer_norm(m, 3)",
            lambda m: (m - m.mean(1, True)) / (m.var(1, correction=0, keepdim=True) + 1e-5) ** 0.5,
        ),
        ("layer_norm(m, (3,), x, y)", lambda m, x, y: F.layer_norm(m, [3]) * x + y),
    ],
    "rms_norm": [("rms_norm(m, 3, x)", lambda m, x: m / ((m * m).mean(1, True) + 1e-5) ** 0.5 * x)],
    "glu": [("glu(T)", lambda T: T[..., :2] * torch.sigmoid(T[..., 2:]))],
    "scaled_dot_product_attention": [
        (
            "scaled_dot_product_attention(m, n, A[:2])",
            lambda m, n, A: torch.softmax(m @ n.T / 3**0.5, -1) @ A[:2],
        )
    ],
    "conv1d": [
        (
            "conv1d(T, w, b)",
            lambda T, w, b: (
                torch.stack([torch.einsum("ncd,ocd->no", T[:, :, k : k + 2], w) for k in range(3)], 2)
                + b[:, None]
            ),
        )
    ],
    "avg_pool1d": [
        ("avg_pool1d(T, 2)", lambda T: (T[..., ::2] + T[..., 1::2]) / 2),
        ("avg_pool1d(x[None], 3)", lambda x: x.mean().reshape(1, 1)),
    ],
    "cosine_similarity": [
        ("cosine_similarity(m, n)", lambda m, n: (m * n).sum(1) / ((m * m).sum(1) * (n * n).sum(1)) ** 0.5)
    ],
    "pairwise_distance": [("pairwise_distance(m, n)", lambda m, n: ((m - n + 1e-6) ** 2).sum(1) ** 0.5)],
    "cdist": [("cdist(m, A)", lambda m, A: ((m[:, None] - A) ** 2).sum(2) ** 0.5)],
    "mse_loss": [
        ("mse_loss(x, y)", lambda x, y: ((x - y) ** 2).mean()),
        ("mse_loss(x, y, reduction='none')", lambda x, y: (x - y) ** 2),
    ],
    "l1_loss": [("l1_loss(x, y, reduction='sum')", lambda x, y: (x - y).abs().sum())],
    "huber_loss": [
        (
            "huber_loss(2*x, y, delta=2)",
            lambda x, y: torch.where(
                (2 * x - y).abs() < 2, (2 * x - y) ** 2 / 2, 2 * ((2 * x - y).abs() - 1)
            ).mean(),
        )
    ],
    "smooth_l1_loss": [
        (
            "smooth_l1_loss(2*x, y, beta=2)",
            lambda x, y: torch.where(
                (2 * x - y).abs() < 2, (2 * x - y) ** 2 / 4, (2 * x - y).abs() - 1
            ).mean(),
        )
    ],
    "cross_entropy": [
        ("cross_entropy(m, i)", lambda m: -(m.log_softmax(1)[0, 2] + m.log_softmax(1)[1, 0]) / 2),
        ("cross_entropy(x, 2)", lambda x: -x.log_softmax(0)[2]),
        ("cross_entropy(m, p)", lambda m, p: -(m.log_softmax(1) * p).sum() / 2),
    ],
    "nll_loss": [("nll_loss(m, i, reduction='sum')", lambda m: -m[0, 2] - m[1, 0])],
    "binary_cross_entropy": [
        ("binary_cross_entropy(p, q)", lambda p, q: -(q * p.log() + (1 - q) * (1 - p).log()).mean())
    ],
    "binary_cross_entropy_with_logits": [
        ("binary_cross_entropy_with_logits(m, q)", lambda m, q: ((1 + m.exp()).log() - m * q).mean())
    ],
    "kl_div": [
        ("kl_div(log(p), q, reduction='sum')", lambda p, q: (q * (q.log() - p.log())).sum()),
        ("kl_div(m, n, log_target=True)", lambda m, n: (n.exp() * (n - m)).mean()),
    ],
    "poisson_nll_loss": [("poisson_nll_loss(m, p)", lambda m, p: (m.exp() - p * m).mean())],
    "soft_margin_loss": [("soft_margin_loss(x, y)", lambda x, y: (1 + (-y * x).exp()).log().mean())],
    "ones": [("ones(3)*x", lambda x: x)],
    "zeros": [("zeros(2, 3) + x", lambda x: torch.stack([x, x]))],
    "full": [("full(3, 2)*x", lambda x: 2 * x)],
    "eye": [("eye(3)*x", lambda x: torch.diag(x)), ("eye(2, 3)*x", lambda x: torch.diag(x)[:2])],
    "arange": [
        ("arange(3)*x", lambda x: tensor(0, 1, 2) * x),
        ("arange(1, 2.5, 0.5)*x", lambda x: tensor(1, 1.5, 2) * x),
    ],
    "linspace": [("linspace(-1, 1, 3)*x", lambda x: tensor(-1, 0, 1) * x)],
    "rand": [("x*0 + (rand(3, seed=1) < 1)", lambda x: torch.ones(3, dtype=D) + 0 * x)],
    "randn": [("x + randn(3, seed=4) - randn(3, seed=4)", lambda x: x)],
    "empty": [("x*(empty(3) == empty(3))*0", lambda x: 0 * x)],
}
OTHERS = [row for row in all_rows() if row.kind is not Kind.ELEMENTWISE]
#: elementwise conditions, whose values are held in test_numeric_elementwise
_CONDITIONS = {
    "gt",
    "ge",
    "lt",
    "le",
    "eq",
    "ne",
    "logical_and",
    "logical_or",
    "logical_not",
    "isfinite",
    "isnan",
}
ALL = [(name, *case) for name, cases in CASES.items() for case in cases]


def test_every_row_is_covered():
    assert {row.name for row in OTHERS if not row.internal} - _CONDITIONS == set(CASES)


@pytest.mark.parametrize("row", all_rows(), ids=lambda row: row.name)
def test_every_row_is_found_in_torch(row):
    assert callable(operation(row.name).call)


def by_hand(function, names):
    leaves = [INPUTS[name].clone().requires_grad_() for name in names]
    value = function(*leaves)
    return leaves, value


@pytest.mark.parametrize(("name", "call", "function"), ALL, ids=[case[1] for case in ALL])
def test_value_and_gradient(name, call, function):
    names = (
        function.__code__.co_varnames[: function.__code__.co_argcount]
        if hasattr(function, "__code__")
        else "A"
    )
    program = parse(call)
    assert any(node.op == name for node in program.nodes)
    forward = evaluate(program, {leaf: INPUTS[leaf] for leaf in program.leaves})
    root = program.root.node
    leaves, expected = by_hand(function, names)
    found = forward.tensor(root)
    assert found.shape == expected.shape and forward.shapes[root] == tuple(expected.shape)
    torch.testing.assert_close(found.detach(), expected.detach(), rtol=1e-12, atol=1e-13, check_dtype=False)
    if not expected.requires_grad:
        assert not found.requires_grad
        return
    weights = drawn(*found.shape, seed=9)
    (only,) = backward(forward, [(root, weights)])
    gradients = torch.autograd.grad((weights * expected).sum(), leaves)
    assert set(only.gradients) == set(names)
    for leaf, gradient in zip(names, gradients, strict=True):
        torch.testing.assert_close(only.gradients[leaf], gradient, rtol=1e-10, atol=1e-12)
        if name != "detach":
            _quotients_agree(forward, root, weights, leaf, gradient)


def _quotients_agree(forward, root, weights, leaf, gradient):
    found = quotients(forward, root, weights, leaf)
    assert found.direction is None
    torch.testing.assert_close(found.central, gradient, rtol=1e-7, atol=1e-8)


# ---- rows that closed forms use ----


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
