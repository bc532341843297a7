"""Deep programs: a listing of adjoint equations that grows with the program, and whose values are autograd's."""

from __future__ import annotations

import pytest
import torch
from threeways import CLOSED, Point, from_closed_form, point, worst

from gradcli.closed.listing import adjoint_values
from gradcli.closed.points import node_values
from gradcli.numeric.backward import gradients

DEPTH, WIDTH = 8, 4


def _drawn(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) / 2


def residual(depth: int) -> Point:
    """h ← h + tanh(h @ W + b), ``depth`` times, and a loss."""
    lines, inputs, h = [], {"x": _drawn(0, 3, WIDTH), "target": _drawn(1, 3, WIDTH)}, "x"
    for k in range(1, depth + 1):
        lines.append(f"h{k} = {h} + tanh({h} @ W{k} + b{k})")
        inputs |= {f"W{k}": _drawn(10 + k, WIDTH, WIDTH), f"b{k}": _drawn(50 + k, WIDTH)}
        h = f"h{k}"
    return point("; ".join([*lines, f"loss = mse_loss({h}, target)"]), inputs)


def transformer(blocks: int) -> Point:
    """Attention and a feed-forward layer, each with a residual path and a layer norm, ``blocks`` times."""
    lines, inputs, x = [], {"x": _drawn(0, 3, WIDTH)}, "x"
    for k in range(1, blocks + 1):
        lines += [
            f"q{k} = {x} @ Q{k}; k{k} = {x} @ K{k}; v{k} = {x} @ V{k}",
            f"a{k} = softmax(q{k} @ k{k}.T/sqrt({WIDTH})) @ v{k}",
            f"h{k} = layer_norm({x} + a{k} @ O{k}, {WIDTH}, s{k}, c{k})",
            f"f{k} = relu(h{k} @ A{k} + b{k}) @ B{k}",
            f"y{k} = layer_norm(h{k} + f{k}, {WIDTH})",
        ]
        for place, name in enumerate("QKVO"):
            inputs[f"{name}{k}"] = _drawn(10 * k + place, WIDTH, WIDTH)
        inputs |= {f"A{k}": _drawn(10 * k + 4, WIDTH, 6), f"B{k}": _drawn(10 * k + 5, 6, WIDTH)}
        inputs[f"b{k}"] = _drawn(10 * k + 6, 6)
        inputs |= {f"{name}{k}": _drawn(10 * k + place, WIDTH) for place, name in ((7, "s"), (8, "c"))}
        x = f"y{k}"
    return point("; ".join([*lines, f"loss = sum({x}**2)"]), inputs)


@pytest.mark.parametrize("at", [residual(DEPTH), transformer(2)], ids=["residual network", "two transformer blocks"])
def test_the_listing_evaluates_to_autograd(at):
    assert at.forms.grown
    assert any(forms.terms.gradient is None for forms in at.forms.leaves.values())
    assert all(gap <= CLOSED for gap in from_closed_form(at, 1e-12).values())


@pytest.mark.parametrize("at", [residual(DEPTH), transformer(2)], ids=["residual network", "two transformer blocks"])
def test_every_adjoint_on_the_way_is_autograds(at):
    derivation = next(iter(at.forms.leaves.values())).derivation
    statements = {s.node: at.forward.tensor(s.node) for s in at.forward.program.statements if s.node != at.root}
    # a statement that is a composite operation is known by what it means
    kept = {derivation.graph.resolve(node): value for node, value in statements.items()}
    values = node_values(derivation, at.forward, at.upstream, torch.float64)
    ours = adjoint_values(derivation, values, at.upstream, list(kept))
    theirs = gradients(at.forward, at.forward.tensor(at.root), at.upstream, list(kept.values()))
    for node, gradient in zip(kept, theirs, strict=True):
        assert worst(ours[node], gradient, 1e-12) <= CLOSED, derivation.graph.nodes[node].text


@pytest.mark.parametrize(("make", "counts"), [(residual, (6, 8, 10)), (transformer, (1, 2, 3))])
def test_the_listing_grows_with_the_program(make, counts):
    listings = [make(count).forms.listing for count in counts]
    lengths = [len(lines) for lines in listings]
    assert lengths[0] > 0
    assert abs(lengths[2] - 2 * lengths[1] + lengths[0]) <= 1
    assert max(map(len, listings[2])) <= max(map(len, listings[1])) + 10


def test_every_leaf_has_its_line():
    at = residual(DEPTH)
    left = [line.partition(" = ")[0] for line in at.forms.listing]
    for name in at.names:
        assert any(one == f"ḡ{name}" or one.startswith(f"ḡ{name}[") for one in left), name
