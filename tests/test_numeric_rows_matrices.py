"""Products, linear algebra, layers and losses against torch and arithmetic written by hand."""

import pytest
import torch
from numeric_rows import hold, listed
from torch.nn import functional as F


def by_columns(S):
    """Cholesky's factor of a symmetric matrix of two rows; the gradient is shared by S[0,1] and S[1,0]."""
    S = (S + S.T) / 2
    first = S[0, 0] ** 0.5
    below = S[1, 0] / first
    return torch.stack([first, 0 * first, below, (S[1, 1] - below**2) ** 0.5]).reshape(2, 2)


#: row → [(call, the same by hand)]
CASES = {
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
            lambda x, y: torch.stack([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]),
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
    "matrix_power": [
        ("matrix_power(A, 3)", lambda A: A @ A @ A),
        ("matrix_power(A, -1)", lambda A: torch.linalg.inv(A)),
    ],
    "normalize": [("normalize(m)", lambda m: m / (m * m).sum(1, True) ** 0.5)],
    "layer_norm": [
        (
            "layer_norm(m, 3)",
            lambda m: (m - m.mean(1, True)) / (m.var(1, correction=0, keepdim=True) + 1e-5) ** 0.5,
        ),
        ("layer_norm(m, (3,), x, y)", lambda m, x, y: F.layer_norm(m, [3]) * x + y),
    ],
    "rms_norm": [
        ("rms_norm(m, 3, x)", lambda m, x: m / (m * m).mean(1, True) ** 0.5 * x),
        ("rms_norm(m, (3,), eps=1e-3)", lambda m: m / ((m * m).mean(1, True) + 1e-3) ** 0.5),
        ("rms_norm(0*x, 3)", lambda x: F.rms_norm(0 * x, (3,))),
    ],
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
                torch.stack([torch.einsum("ncd,ocd->no", T[:, :, k : k + 2], w) for k in range(3)], 2) + b[:, None]
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
            lambda x, y: torch.where((2 * x - y).abs() < 2, (2 * x - y) ** 2 / 2, 2 * ((2 * x - y).abs() - 1)).mean(),
        )
    ],
    "smooth_l1_loss": [
        (
            "smooth_l1_loss(2*x, y, beta=2)",
            lambda x, y: torch.where((2 * x - y).abs() < 2, (2 * x - y) ** 2 / 4, (2 * x - y).abs() - 1).mean(),
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
}


@pytest.mark.parametrize(("name", "call", "function"), listed(CASES), ids=[case[1] for case in listed(CASES)])
def test_value_and_gradient(name, call, function):
    hold(name, call, function)
