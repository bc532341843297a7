"""Three derivatives of one program at one point: autograd's, the evaluated closed form's, the difference quotient's."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor

from gradcli.closed import Forms, derive, gradient_at, jacobian_at
from gradcli.language import parse
from gradcli.numeric.backward import gradients, jacobian
from gradcli.numeric.differences import quotients
from gradcli.numeric.forward import Forward, evaluate

#: closed form against autograd, relative
CLOSED = 1e-10
#: difference quotient against autograd, relative
QUOTIENT = 1e-5
#: elements smaller than this part of the largest are compared as if they were that large
FRACTION = 1e-3
#: differences below this are rounding: all values here are of the order of 1
ROUNDING = 1e-13
#: Jacobians of more entries are compared through their gradient only
ENTRIES = 400


@dataclass(frozen=True)
class Point:
    """A program at a point; ``upstream`` is random but the same for the same shape."""

    text: str
    inputs: Mapping[str, Tensor]
    forward: Forward
    root: int
    upstream: Tensor
    forms: Forms

    @property
    def names(self) -> tuple[str, ...]:
        return self.forward.differentiable

    def autograd(self) -> dict[str, Tensor]:
        leaves = [self.forward.leaves[name] for name in self.names]
        found = gradients(self.forward, self.forward.tensor(self.root), self.upstream, leaves)
        return dict(zip(self.names, found, strict=True))

    def small(self, name: str) -> bool:
        return prod(self.forward.shapes[self.root]) * self.forward.leaves[name].numel() <= ENTRIES


def point(
    text: str,
    inputs: Mapping[str, Tensor],
    *,
    internal: bool = False,
    wrt: Collection[str] | None = None,
    defined: frozenset[str] = frozenset(),
) -> Point:
    """Evaluate and derive.

    Raises:
        GradcliError, NoClosedForm: the program is refused, or has no closed form.
    """
    program = parse(text, internal=internal, defined=defined)
    forward = evaluate(program, inputs, wrt=wrt)
    root = program.root.node
    value = forward.tensor(root)
    draw = torch.Generator().manual_seed(prod(value.shape) + 1)
    upstream = torch.rand(value.shape, generator=draw, dtype=torch.float64) + 0.5
    shapes = [forward.shapes[node.id] for node in program.nodes]
    return Point(text, inputs, forward, root, upstream, derive(program, shapes, root, forward.differentiable))


def apart(ours: Tensor, theirs: Tensor, rounding: float = ROUNDING) -> Tensor:
    """Relative differences, element by element.

    0 for equal infinities and NaN, and for differences below ``rounding``; inf where only one is finite.
    """
    assert ours.shape == theirs.shape, f"{tuple(ours.shape)} is not {tuple(theirs.shape)}"
    a, b = ours.double(), theirs.double()
    finite = torch.where(a.isfinite() & b.isfinite(), torch.maximum(a.abs(), b.abs()), 0.0)
    floor = FRACTION * float(finite.max()) if finite.numel() else 0.0
    same = (a == b) | (a.isnan() & b.isnan()) | ((a - b).abs() < rounding)
    gap = torch.where(a.isfinite() & b.isfinite(), (a - b).abs() / finite.clamp(min=floor), torch.inf)
    return torch.where(same, 0.0, gap)


def worst(ours: Tensor, theirs: Tensor, rounding: float = ROUNDING) -> float:
    """The largest of :func:`apart`."""
    found = apart(ours, theirs, rounding)
    return float(found.max()) if found.numel() else 0.0


def from_closed_form(at: Point, rounding: float = ROUNDING) -> dict[str, float]:
    """Leaf → how far its closed forms are from autograd's gradient and, where small, Jacobian."""
    found = at.autograd()
    gaps = {}
    for name in at.names:
        sampled = gradient_at(at.forms.leaves[name], at.forward, at.upstream)
        theirs = found[name] if sampled.positions is None else found[name].flatten()[sampled.positions]
        gaps[name] = worst(sampled.values, theirs, rounding)
        if at.small(name) and at.forms.leaves[name].terms.jacobian is not None:
            theirs = jacobian(at.forward, at.root, name)
            if bool(theirs.isfinite().all()):  # autograd's zeros times infinity are NaN
                ours = jacobian_at(at.forms.leaves[name], at.forward)
                gaps[name] = max(gaps[name], worst(ours, theirs, rounding))
    return gaps


def from_quotients(at: Point) -> dict[str, float]:
    """Leaf → how far difference quotients are from autograd's gradient, their own error allowed for."""
    found, gaps = at.autograd(), {}
    for name in at.names:
        quotient = quotients(at.forward, at.root, at.upstream, name)
        ours = found[name] if quotient.direction is None else (found[name] * quotient.direction).sum()
        gap = apart(ours, quotient.central)
        gap = torch.where((ours - quotient.central).abs() <= 4 * quotient.error + 1e-9, 0.0, gap)
        gaps[name] = float(gap.max()) if gap.numel() else 0.0
    return gaps


def reproduction(text: str, inputs: Mapping[str, Tensor]) -> str:
    """The command that shows a disagreement, ready to paste."""
    given = " ".join(f"-i '{name}={_written(value)}'" for name, value in inputs.items())
    return f"gradcli eval '{text}' {given}"


def _written(value: Tensor) -> str:
    if 0 in value.shape:
        return f"zeros({', '.join(map(str, value.shape))})"
    return str(value.tolist()).replace(" ", "")


def check(
    text: str, inputs: Mapping[str, Tensor], *, quotient: bool = False, defined: frozenset[str] = frozenset()
) -> Point:
    """Assert that the closed form is autograd's and, where asked, that quotients are too."""
    at = point(text, inputs, defined=defined)
    gaps = from_closed_form(at)
    assert all(gap <= CLOSED for gap in gaps.values()), f"closed form: {gaps}\n{reproduction(text, inputs)}"
    if quotient:
        gaps = from_quotients(at)
        assert all(gap <= QUOTIENT for gap in gaps.values()), f"quotient: {gaps}\n{reproduction(text, inputs)}"
    return at
