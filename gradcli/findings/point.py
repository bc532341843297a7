"""The point at which a program was evaluated, as the notes look at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor

from gradcli.findings.paths import Places, moved_by
from gradcli.language.program import Node, Program
from gradcli.notes import Note
from gradcli.numeric.backward import gradients
from gradcli.numeric.differences import SMALLEST_SCALE, Quotients
from gradcli.numeric.forward import Forward

#: slopes of L below this part of the largest weight in the upstream gradient are as good as 0
GRAIN = 1e-11
#: roundings that may add up in one gradient
ROUNDINGS = 64


class Sampled(Protocol):
    """A closed form's values: at ``positions`` of the flattened leaf, or all of it where that is None."""

    @property
    def positions(self) -> Tensor | None: ...

    @property
    def values(self) -> Tensor: ...


#: a closed form at an evaluated program; None where it does not exist there
Closed = Callable[[Forward], Sampled | None]


@dataclass(frozen=True)
class Point:
    """A program's values, the node that backward started from, and the gradients that torch found.

    Attributes:
        forward: the evaluated program, its graph still attached.
        root: id of the node that the pass started from.
        upstream: ∂L/∂root, in the root's shape.
        gradients: leaf → torch's gradient of L, in the leaf's shape.
        quotients: leaf → its difference quotients, where they were worked out.
        closed: leaf → its closed form as a function of an evaluated program, where it has one.
    """

    forward: Forward
    root: int
    upstream: Tensor
    gradients: dict[str, Tensor]
    quotients: dict[str, Quotients] = field(default_factory=dict)
    closed: dict[str, Closed] = field(default_factory=dict)

    @property
    def program(self) -> Program:
        return self.forward.program

    @cached_property
    def feeding(self) -> tuple[Node, ...]:
        """The nodes that the root is computed from, itself included, in order."""
        return self.feeding_of(self.root)

    def feeding_of(self, root: int) -> tuple[Node, ...]:
        """The nodes that ``root`` is computed from, itself included, in order."""
        needed = self.program.feeding(root)
        return tuple(node for node in self.program.nodes if node.id in needed)

    @cached_property
    def coarsest(self) -> torch.dtype:
        """The floating dtype with the fewest digits that the root is computed in."""
        found = {
            value.dtype
            for node in self.feeding
            if isinstance(value := self.forward.values[node.id], Tensor) and value.is_floating_point()
        }
        return max(found, key=lambda dtype: torch.finfo(dtype).eps, default=torch.float64)

    @cached_property
    def reaching(self) -> dict[int, Tensor]:
        """Node → the gradient of L that reaches it, for the nodes that take part in backward."""
        tensors = {
            node.id: value
            for node in self.feeding
            if isinstance(value := self.forward.values[node.id], Tensor) and value.requires_grad
        }
        root = self.forward.tensor(self.root)
        found = gradients(self.forward, root, self.upstream, list(tensors.values()))
        return dict(zip(tensors, found, strict=True))

    def closed_at(self, leaf: str, forward: Forward) -> Tensor | None:
        """The closed form of a leaf at another evaluation, whole and on the CPU; None where it is neither."""
        found = self.closed[leaf](forward) if leaf in self.closed else None
        return found.values.double().cpu() if found is not None and found.positions is None else None

    @cached_property
    def poisoned(self) -> Places:
        """The leaf elements that move a part of the root that is not finite: L has no quotient by them."""
        return self.moved_by(self.root, ~self.forward.tensor(self.root).detach().isfinite())

    @cached_property
    def reached(self) -> Places:
        """The leaf elements that move any part of the root."""
        return self.moved_by(self.root, torch.ones_like(self.forward.tensor(self.root), dtype=torch.bool))

    @cached_property
    def grain(self) -> float:
        """Slopes of L that are as good as 0."""
        return GRAIN * _largest(self.upstream)

    def noise(self, leaf: str) -> float:
        """How large rounding of the values that flow through the program may be in ``leaf``'s gradient.

        Rounding of a node's value v moves L by about ε·|v|·|∂L/∂v|; by the leaf's own size that is a slope.
        """
        flow = max(
            (_largest(self.forward.tensor(node)) * _largest(g) for node, g in self.reaching.items()),
            default=0.0,
        )
        size = max(_largest(self.forward.leaves[leaf]), SMALLEST_SCALE)
        return float(ROUNDINGS * torch.finfo(self.coarsest).eps * flow / size)

    @property
    def root_name(self) -> str:
        return next((s.name for s in reversed(self.program.statements) if s.node == self.root), "the root")

    def moved_by(self, node: int, mask: Tensor) -> Places:
        """The elements of the leaves that the marked elements of ``node`` are computed from."""
        return moved_by(self.forward, {node: mask})


@dataclass(frozen=True, slots=True)
class Finding:
    """A note, and the leaf elements for which it accounts for a disagreement.

    ``quotient_only``: it accounts for the difference quotient's alone.
    """

    note: Note
    covers: Places = field(default_factory=dict)
    quotient_only: bool = False


def _largest(tensor: Tensor) -> float:
    """The largest finite magnitude."""
    finite = tensor.detach()[tensor.detach().isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0
