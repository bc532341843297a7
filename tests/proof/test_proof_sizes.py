"""The same formulas at any size and for any order of hashing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from gradcli.closed import Forms, derive
from gradcli.language import parse
from gradcli.numeric.forward import evaluate

#: sizes that no formula here has as a number of its own
SMALL, LARGE = 17, 1_000_003
#: program | shapes of its leaves, n for the size
PROGRAMS = """
3*a + 2*b*b + log(c)                            | a=n b=n c=n
sum(x**2)                                       | x=n
mean(x)                                         | x=n
var(x)                                          | x=n
std(x, unbiased=False)                          | x=n
norm(x)                                         | x=n
prod(x)                                         | x=n
softmax(x)                                      | x=n
log_softmax(x)                                  | x=n
logsumexp(x)                                    | x=n
amax(x)                                         | x=n
max(x, dim=0)                                   | x=n
sort(x)                                         | x=n
cumsum(x)                                       | x=n
logcumsumexp(x)                                 | x=n
diff(x)                                         | x=n
flip(x, 0)*x                                    | x=n
roll(x, 1)*x                                    | x=n
x[1:]*x[:-1]                                    | x=n
x[::2]                                          | x=n
x[None] + y[:, None]                            | x=3 y=n
cat([x, y])                                     | x=n y=n
A @ x                                           | A=n,3 x=3
x @ A                                           | x=n A=n,3
A.T @ A                                         | A=n,3
sum((A @ w - y)**2)                             | A=n,3 w=3 y=n
softmax(A, 1)                                   | A=n,3
layer_norm(A, 3, s, b)                          | A=n,3 s=3 b=3
normalize(A)                                    | A=n,3
reshape(A, -1)                                  | A=n,3
reshape(A.T, -1)                                | A=n,3
softmax(q @ k.T/sqrt(3)) @ v                    | q=n,3 k=4,3 v=4,2
cross_entropy(A, p)                             | A=n,3 p=n,3
einsum('ij,ik->jk', A, B)                       | A=n,3 B=n,2
kron(x, y)                                      | x=n y=3
where(x > 0, x, exp(x))                         | x=n
A[:, 1]*x                                       | A=n,3 x=n
sigmoid(relu(A @ W + b) @ V)                    | A=n,3 W=3,4 b=4 V=4,2
"""


def _read() -> list[tuple[str, str]]:
    lines = [line.split(" | ") for line in PROGRAMS.strip().splitlines()]
    return [(text.strip(), shapes.strip()) for text, shapes in lines]


def derived(text: str, shapes: str, n: int) -> Forms:
    """Closed forms at declared shapes: tensors without memory are all that is evaluated."""
    inputs = {}
    for one in shapes.split():
        name, _, sizes = one.partition("=")
        shape = [n if size == "n" else int(size) for size in sizes.split(",")]
        inputs[name] = torch.empty(shape, dtype=torch.float64, device="meta")
    program = parse(text)
    forward = evaluate(program, inputs, device="meta")
    shapes_ = [forward.shapes[node.id] for node in program.nodes]
    return derive(program, shapes_, program.root.node, program.leaves)


def written(forms: Forms) -> list[str]:
    """Every text of every leaf."""
    lines = list(forms.listing)
    for name, leaf in forms.leaves.items():
        jacobian, gradient = leaf.jacobian_record(False), leaf.gradient_record()
        for record in (jacobian and jacobian.form, gradient):
            lines += [f"{name}: {text}" for text in (record.index, record.matrix, record.latex)] if record else []
        lines.append(f"{name}: {jacobian and (jacobian.structure, jacobian.diagonal, jacobian.differential)}")
    return [*lines, *(f"{alias}" for alias in forms.legend)]


_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def _sizeless(lines: list[str], n: int) -> list[str]:
    """The texts with n, its neighbours and its multiples said in terms of n."""
    said = {n: "n"}
    said |= {n - k: f"n-{k}" for k in (1, 2)} | {k * n: f"{k}n" for k in (2, 3)}
    said |= {k * n - 1: f"{k}n-1" for k in (2, 3)} | {(n - 1) // 2: "(n-1)/2", (n + 1) // 2: "(n+1)/2"}
    plain = (line.translate(_SUBSCRIPTS).replace("{,}", "").replace(",", " ") for line in lines)
    return [re.sub("[0-9]+", lambda number: said.get(int(number[0]), number[0]), line) for line in plain]


def _weight(forms: Forms) -> int:
    terms = [t for leaf in forms.leaves.values() for t in (leaf.terms.jacobian or []) + (leaf.terms.gradient or [])]
    return sum(term.size for term in terms)


@pytest.mark.parametrize(("text", "shapes"), _read(), ids=[text for text, _ in _read()])
def test_formulas_do_not_depend_on_size(text, shapes):
    small, large = derived(text, shapes, SMALL), derived(text, shapes, LARGE)
    assert _sizeless(written(small), SMALL) == _sizeless(written(large), LARGE)
    assert _weight(small) == _weight(large) > 0


def test_formulas_do_not_depend_on_the_order_of_hashing():
    here = str(Path(__file__).parent)
    program = (
        f"import sys; sys.path.insert(0, {here!r}); import test_proof_sizes as t\n"
        "for text, shapes in t._read(): print(*t.written(t.derived(text, shapes, 5)), sep='\\n')"
    )
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": str(seed)}, stdout=subprocess.PIPE, text=True
        )
        for seed in (0, 1, 2)
    ]
    texts = [run.communicate()[0] for run in runs]
    assert all(run.returncode == 0 for run in runs)
    assert texts[0].count("\n") > 5 * len(_read())
    assert texts[0] == texts[1] == texts[2]
