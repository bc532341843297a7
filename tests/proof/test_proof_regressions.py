"""Programs whose closed form was once wrong, each held to autograd and to difference quotients."""

import pytest
import torch
from threeways import check


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
}


@pytest.mark.parametrize("case", WRONG_ONCE)
def test_programs_that_were_wrong_once(case):
    text, inputs = WRONG_ONCE[case]
    at = check(text, inputs, quotient=True)
    assert at.names
