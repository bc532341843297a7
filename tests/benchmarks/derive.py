"""How long deriving and printing takes, at size 3 and at size 1,000,000.

    python tests/benchmarks/derive.py [ROUNDS]

Derives every program below from the shapes of its nodes alone and writes all its formulas, ROUNDS times (default 5)
after one round that is not counted; prints the best time of each, the median and the worst of them, and the ratio of
the two sizes.  Programs whose formulas grow past the cap follow.  Nothing is asserted and pytest does not collect it:
times belong to the machine.
"""

from __future__ import annotations

import re
import statistics
import sys
import time

import torch

from gradcli.closed import derive
from gradcli.language import parse
from gradcli.numeric.forward import evaluate

#: program → shape of each leaf; n is the size
PROGRAMS: dict[str, str] = {
    "3*a + 2*b*b + log(c)": "a=(n,), b=(n,), c=(n,)",
    "sum(x**2 + 2)": "x=(n,)",
    "mean(x)": "x=(n,)",
    "var(x)": "x=(n,)",
    "x/norm(x)": "x=(n,)",
    "softmax(x)": "x=(n,)",
    "log_softmax(x)": "x=(n,)",
    "exp(x)/sum(exp(x))": "x=(n,)",
    "softmax(X, dim=1)": "X=(n, 3)",
    "-sum(t*log_softmax(x))": "x=(n,), t=(n,)",
    "(x - mean(x))/sqrt(var(x, unbiased=False) + 1e-5)": "x=(n,)",
    "layer_norm(X, (3,), w, b)": "X=(n, 3), w=(3,), b=(3,)",
    "A@x": "A=(n, n), x=(n,)",
    "x@A@x": "A=(n, n), x=(n,)",
    "A@B": "A=(n, 3), B=(3, n)",
    "A.T@A": "A=(n, n)",
    "sum((A@x - b)**2)": "A=(n, 3), x=(3,), b=(n,)",
    "sum((X@w - y)**2) + lam*sum(w**2)": "X=(n, n), w=(n,), y=(n,), lam=()",
    "p = sigmoid(X@w); -sum(y*log(p) + (1 - y)*log(1 - p))": "X=(n, 3), w=(3,), y=(n,)",
    "inv(A)": "A=(n, n)",
    "a@inv(X)@b": "X=(n, n), a=(n,), b=(n,)",
    "logdet(A)": "A=(n, n)",
    "trace(A@X@B@X.T)": "A=(n, n), X=(n, n), B=(n, n)",
    "x@A@x/(x@x)": "A=(n, n), x=(n,)",
    "cumsum(x)": "x=(n,)",
    "x[1:] - x[:-1]": "x=(n,)",
    "sum((x[1:] - x[:-1])**2)": "x=(n,)",
    "x[::2]": "x=(n,)",
    "stack([x*y, x + y])": "x=(n,), y=(n,)",
    "X.flatten()": "X=(n, 3)",
    "max(X, dim=1)": "X=(n, 3)",
    "w@sort(x)": "w=(n,), x=(n,)",
    "where(x > 0, x**2, -x)": "x=(n,)",
    "x*sigmoid(x)": "x=(n,)",
    "relu(W@x + b)": "W=(n, n), x=(n,), b=(n,)",
    "h = tanh(W@x + b); sigmoid(V@h + c)": "W=(n, 3), x=(3,), b=(n,), V=(n, n), c=(n,)",
    "h1 = tanh(W1@x); h2 = tanh(W2@h1); h3 = tanh(W3@h2); W4@h3": "W1=(n, n), W2=(n, n), W3=(n, n), W4=(n, n), x=(n,)",
    "S = softmax(Q@K.T/sqrt(2), dim=1); S@V": "Q=(n, 2), K=(n, 2), V=(n, 2)",
    "exp(-sum((X[:, None] - X[None])**2, -1))": "X=(n, 3)",
    "cholesky(A@A.T)": "A=(n, n)",
    "conv1d(x, w)": "x=(2, 3, n), w=(2, 3, 3)",
    "-logdet(S)/2 - (x - mu)@inv(S)@(x - mu)/2": "x=(n,), mu=(n,), S=(n, n)",
}

_BLOCK = (
    "q{k} = {x}@Q{k}; k{k} = {x}@K{k}; v{k} = {x}@V{k}; a{k} = softmax(q{k}@k{k}.T/sqrt(4), -1)@v{k};"
    " u{k} = {x} + a{k}@O{k}; n{k} = layer_norm(u{k}, (4,)); z{k} = n{k} + relu(n{k}@A{k})@B{k}"
)
GROWING: dict[str, tuple[str, str]] = {
    "residual network of depth 8": (
        "h1 = x + tanh(W0 @ x); "
        + "".join(f"h{k + 1} = h{k} + tanh(W{k} @ h{k}); " for k in range(1, 8))
        + "sum(h8**2)",
        ", ".join(["x=(n,)", *(f"W{k}=(n, n)" for k in range(8))]),
    ),
    "two transformer blocks": (
        f"{_BLOCK.format(k=1, x='X')}; {_BLOCK.format(k=2, x='z1')}; sum(z2**2)",
        ", ".join(["X=(n, 4)", *(f"{name}{k}=(4, 4)" for k in (1, 2) for name in "QKVOAB")]),
    ),
}


#: shapes are asked of torch at this size, a prime, and then made as large as wanted
_ASKED = 1009


def grown(shape: tuple[int, ...], n: int) -> tuple[int, ...]:
    """A shape at ``n`` for one at the size that was asked: n, 3n, n - 1 and the like, or half of it."""
    large = {3 * _ASKED: 3 * n, (_ASKED + 1) // 2: (n + 1) // 2, **{_ASKED - k: n - k for k in range(3)}}
    return tuple(large.get(size, size) for size in shape)


def seconds(text: str, shapes: str, n: int, rounds: int) -> float:
    """The best of ``rounds`` times."""
    inputs = {
        name: torch.empty([_ASKED if size == "n" else int(size) for size in re.findall(r"\w+", shape)], device="meta")
        for name, shape in re.findall(r"(\w+)=\(([^)]*)\)", shapes)
    }
    program = parse(text, defined=frozenset(inputs))
    forward = evaluate(program, inputs, device="meta")
    known = [grown(forward.shapes[node.id], n) for node in program.nodes]
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        forms = derive(program, known, program.root.node, list(inputs))
        for leaf in forms.leaves.values():
            leaf.jacobian_record(False)
            leaf.gradient_record()
        times.append(time.perf_counter() - start)
    return min(times[1:])


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    columns: list[list[float]] = [[], []]
    print(f"{'size 3':>10} {'1,000,000':>10} {'ratio':>6}")
    for text, shapes in PROGRAMS.items():
        pair = [1000 * seconds(text, shapes, n, rounds) for n in (3, 1_000_000)]
        for column, value in zip(columns, pair, strict=True):
            column.append(value)
        print(f"{pair[0]:7.1f} ms {pair[1]:7.1f} ms {pair[1] / pair[0]:6.2f}  {text}")
    for name, choose in (("median", statistics.median), ("worst", max)):
        small, large = (choose(column) for column in columns)
        print(f"{small:7.1f} ms {large:7.1f} ms {large / small:6.2f}  {name}")
    for name, (text, shapes) in GROWING.items():
        pair = [1000 * seconds(text, shapes, n, 1) for n in (3, 1_000_000)]
        print(f"{pair[0]:7.1f} ms {pair[1]:7.1f} ms {pair[1] / pair[0]:6.2f}  {name}")


if __name__ == "__main__":
    main()
