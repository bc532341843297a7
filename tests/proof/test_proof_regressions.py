"""Programs whose closed form was once wrong, each held to autograd and to difference quotients."""

import pytest
import torch
from threeways import check

from gradcli.closed import gradient_at, points


def drawn(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape)), dtype=torch.float64)


WRONG_ONCE = {
    "a sum over a part of an axis is not the product over all of it": (
        "sum(z*x[:2]*y[:2]) + dot(x, y)",
        {"x": drawn(3), "y": drawn(3), "z": drawn()},
    ),
    "rules may speak of operations on the numbers of a composite operation": (
        "scaled_dot_product_attention(x, x, x)",
        {"x": drawn(2, 3)},
    ),
    "a value may have the name of a function that its composite operation is made of": (
        "normalize(norm) + layer_norm(mean, 3)",
        {"norm": drawn(2, 3), "mean": drawn(2, 3) + 1},
    ),
    "a value may be called e or pi inside composite operations": (
        "mse_loss(e, pi)",
        {"e": drawn(2), "pi": drawn(2) + 1},
    ),
    "a sum times its own opposite is minus its square": (
        "u = t - x/2 - 3*x[2]; u/(1 + u**2) + (t - x)*(x - t)/(1 + (x - t)**2)",
        {"x": drawn(3), "t": drawn()},
    ),
    "a composite sum times its own opposite": (
        "t0 = baddbmm(x[2], reshape(x[:2], (1, 2, 1)), reshape(x[2:], (1, 1, 2)), beta=0.5, alpha=0.3);"
        "(t[..., None] - t0)/(1 + (t[..., None] - t0)**2)",
        {"x": drawn(4), "t": drawn()},
    ),
    "the largest is found among the numbers that torch computed": (
        "sum(norm(x*y*0.1, inf, -1)) + sum(amax(layer_norm(x, 5), -1)) + sum(max(x*y/3, dim=-1))",
        {"x": drawn(50, 5), "y": drawn(5)},
    ),
    "norms of order 1 and inf of a matrix are sums over columns and rows": (
        "torch.linalg.norm(A, 1) + torch.linalg.norm(A, inf)",
        {"A": drawn(2, 3)},
    ),
}


@pytest.mark.parametrize("case", WRONG_ONCE)
def test_programs_that_were_wrong_once(case):
    text, inputs = WRONG_ONCE[case]
    at = check(text, inputs, quotient=sum(value.numel() for value in inputs.values()) < 20, defined=frozenset(inputs))
    assert at.names


def test_a_single_number_is_sampled_too(monkeypatch):
    monkeypatch.setattr(points, "BLOCK", 1)
    at = check("sum(exp(z*x))", {"x": drawn(3), "z": drawn()})
    for name, leaf in at.forms.leaves.items():
        positions = gradient_at(leaf, at.forward, at.upstream).positions
        assert positions.tolist() == ([0] if name == "z" else [0, 2])


def test_an_operand_compared_as_torch_computed_it_is_printed_as_written():
    at = check("amax(x*y)", {"x": drawn(3), "y": drawn(3)})
    record = at.forms.leaves["x"].gradient_record()
    assert record.matrix == "g [x∘y == amax(x∘y)]∘y/ties(x∘y, amax(x∘y))"
