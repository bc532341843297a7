"""Reductions, scans, shapes, selections and generators against plain arithmetic written by hand."""

import pytest
import torch
from numeric_rows import D, hold, listed, tensor

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
    "matrix_norm": [
        ("matrix_norm(m)", lambda m: (m * m).sum() ** 0.5),
        ("matrix_norm(m, 1)", lambda m: m.abs().sum(0).max()),
        ("matrix_norm(m, inf, True)", lambda m: m.abs().sum(1).max().reshape(1, 1)),
    ],
    "linalg_norm": [
        ("torch.linalg.norm(m, 1)", lambda m: m.abs().sum(0).max()),
        ("torch.linalg.norm(m, ord=-inf)", lambda m: m.abs().sum(1).min()),
        ("torch.linalg.norm(x, 1)", lambda x: x.abs().sum()),
        ("torch.linalg.norm(m, 3, dim=1)", lambda m: (m.abs() ** 3).sum(1) ** (1 / 3)),
        ("torch.linalg.norm(m, 2)", lambda m: torch.linalg.svdvals(m)[0]),
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


@pytest.mark.parametrize(("name", "call", "function"), listed(CASES), ids=[case[1] for case in listed(CASES)])
def test_value_and_gradient(name, call, function):
    hold(name, call, function)
