"""How a row of the table is held against the same thing written by hand."""

import torch

from gradcli.language import parse
from gradcli.numeric.backward import backward
from gradcli.numeric.differences import quotients
from gradcli.numeric.forward import evaluate

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


def listed(cases):
    """(row, call, function) of a table of row → [(call, function)]."""
    return [(name, *case) for name, each in cases.items() for case in each]


def hold(name, call, function):
    """Value, gradient and difference quotient of ``call`` are those of ``function`` of the inputs it names."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    program = parse(call)
    assert any(node.op == name for node in program.nodes)
    forward = evaluate(program, {leaf: INPUTS[leaf] for leaf in program.leaves})
    root = program.root.node
    leaves = [INPUTS[leaf].clone().requires_grad_() for leaf in names]
    expected, found = function(*leaves), forward.tensor(root)
    assert found.shape == expected.shape and forward.shapes[root] == tuple(expected.shape)
    torch.testing.assert_close(found.detach(), expected.detach(), rtol=1e-12, atol=1e-13, check_dtype=False)
    if not expected.requires_grad:
        assert not found.requires_grad
        return
    weights = drawn(*found.shape, seed=9)
    (only,) = backward(forward, [(root, weights)])
    assert set(only.gradients) == set(names)
    for leaf, gradient in zip(names, torch.autograd.grad((weights * expected).sum(), leaves), strict=True):
        torch.testing.assert_close(only.gradients[leaf], gradient, rtol=1e-10, atol=1e-12)
        found = quotients(forward, root, weights, leaf)
        assert found.direction is None
        torch.testing.assert_close(found.central, gradient, rtol=1e-7, atol=1e-8)
