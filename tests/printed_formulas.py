"""Programs at a point with their printed formulas held against autograd."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import torch
from index_reader import index_value
from matrix_reader import blocks_value, matrix_value
from notation_reader import with_aliases
from torch import Tensor

from gradcli.closed import Forms, derive
from gradcli.language import parse
from gradcli.numeric.backward import gradients, jacobian
from gradcli.numeric.forward import Forward, evaluate
from gradcli.result import ClosedForm

Shape = tuple[int, ...]
#: relative difference that rounding explains
CLOSE = 1e-9


@dataclass(frozen=True)
class Printed:
    """A program, its values and its formulas."""

    forward: Forward
    root: int
    forms: Forms

    @property
    def names(self) -> tuple[str, ...]:
        return self.forward.differentiable


def printed(text: str, inputs: Mapping[str, Tensor]) -> Printed:
    """Evaluate and derive."""
    program = parse(text, defined=frozenset(inputs))
    forward = evaluate(program, inputs)
    shapes = [forward.shapes[node.id] for node in program.nodes]
    return Printed(forward, program.root.node, derive(program, shapes, program.root.node, forward.differentiable))


def point(**shapes: tuple[int, ...]) -> dict[str, Tensor]:
    """Inputs of the given shapes: the same numbers for the same shapes, none of them special."""
    draw = torch.Generator().manual_seed(len(shapes))
    return {name: torch.rand(shape, generator=draw, dtype=torch.float64) + 0.3 for name, shape in shapes.items()}


def check(text: str, inputs: Mapping[str, Tensor]) -> Printed:
    """Assert that everything printed of a program evaluates to what autograd says."""
    at = printed(text, inputs)
    root = at.forward.tensor(at.root)
    draw = torch.Generator().manual_seed(prod(root.shape) + 1)
    g = torch.rand(root.shape, generator=draw, dtype=torch.float64) + 0.5
    records = {
        name: (at.forms.leaves[name].jacobian_record(False), at.forms.leaves[name].gradient_record())
        for name in at.names
    }
    values = {name: leaf.detach() for name, leaf in at.forward.leaves.items()}
    for statement in at.forward.program.statements:
        values[statement.name] = at.forward.tensor(statement.node).detach()
    legend = [(alias.name, alias.text) for alias in at.forms.legend]
    upstream = next((name for name, said in legend if said.startswith("∂")), "g")
    assert upstream not in values, f"{upstream} is the upstream gradient and a name of the program"
    names = {**with_aliases(values, legend), upstream: g}
    found = dict(zip(at.names, gradients(at.forward, root, g, [at.forward.leaves[n] for n in at.names]), strict=True))
    for name, (full, gradient) in records.items():
        leaf = at.forward.leaves[name]
        if gradient is not None:
            _same(f"{text}: gradient of {name}", gradient, (), tuple(leaf.shape), found[name], names)
        if full is not None and prod(root.shape) * leaf.numel() <= 4000:
            expected = jacobian(at.forward, at.root, name)
            _same(f"{text}: ∂/∂{name}", full.form, tuple(root.shape), tuple(leaf.shape), expected, names)
            if full.differential is not None:
                _same_step(text, full.differential, name, expected, leaf, names)
    return at


def _letters(text: str, names: Mapping[str, Tensor], out: int, leaf: int) -> tuple[list[str], list[str]]:
    """The letters of the free indices: i and j, or others where the program has names like these."""
    found = []
    for choice, count in (("ipa", out), ("jqb", leaf)):
        numbers = [""] if count == 1 else [str(k + 1) for k in range(count)]
        letter = next(x for x in choice if not {x, *(x + n for n in numbers)} & set(names))
        found.append([letter + n for n in numbers] if count else [])
    return found[0], found[1]


def _same(what: str, form: ClosedForm, out: Shape, leaf: Shape, expected: Tensor, names: Mapping[str, Tensor]) -> None:
    """Assert that both notations of a form give ``expected``, of shape out + leaf."""
    letters = _letters(form.index, names, len(out), len(leaf))
    sizes = dict(zip([*letters[0], *letters[1]], [*out, *leaf], strict=True))
    close(index_value(form.index, sizes, names), expected, f"{what} = {form.index}")
    if form.matrix is None:
        return
    where = f"{what} = {form.matrix}"
    if form.matrix == "0":
        close(torch.zeros(()), expected, where)
        return
    try:
        if prod(out) == 1 or prod(leaf) == 1:
            kept = leaf if prod(leaf) != 1 else out
            shape = kept if len(kept) <= 2 else tuple(n for n in kept if n != 1)
            shape = shape if len(shape) <= 2 else kept
            value = _read(form.matrix, shape, out, leaf, letters, names).reshape(out + leaf)
        else:
            value = _read(form.matrix, (prod(out), prod(leaf)), out, leaf, letters, names).reshape(out + leaf)
    except AssertionError as error:
        raise AssertionError(f"{where}\n{error}") from error
    close(value, expected, where)


def _read(
    text: str, shape: Shape, out: Shape, leaf: Shape, letters: tuple[list[str], list[str]], names: Mapping[str, Tensor]
) -> Tensor:
    if text.startswith("blocks "):
        return blocks_value(text, out, leaf, letters, names)
    return matrix_value(text, shape, names, leaf)


def _same_step(
    text: str, differential: str, leaf: str, full: Tensor, value: Tensor, names: Mapping[str, Tensor]
) -> None:
    """Assert that dY = … is the Jacobian times a step of the leaf."""
    body = differential.partition(" = ")[2]
    if body == "0":
        close(torch.zeros(()), full, f"{text}: {differential}")
        return
    draw = torch.Generator().manual_seed(7)
    step = torch.rand(value.shape, generator=draw, dtype=torch.float64) - 0.3
    expected = torch.tensordot(full, step, dims=value.dim())
    shape = tuple(expected.shape) if expected.dim() == 2 else tuple(n for n in expected.shape if n != 1)
    found = matrix_value(body, shape, {**names, f"d{leaf}": step}, tuple(value.shape))
    close(found.reshape(expected.shape), expected, f"{text}: {differential}")


def close(ours: Tensor, theirs: Tensor, what: str) -> None:
    scale = max(float(theirs.abs().max()) if theirs.numel() else 0.0, 1.0)
    gap = float((ours - theirs).abs().max()) if theirs.numel() else 0.0
    assert gap <= CLOSE * scale, f"{what}\nis off by {gap}"
