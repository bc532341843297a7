"""The point at which a program was evaluated, as the notes look at it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import torch
from torch import Tensor

from gradcli.language import parse
from gradcli.language.program import Node, Program
from gradcli.notes import Note
from gradcli.numeric.backward import gradients
from gradcli.numeric.differences import SMALLEST_SCALE, Quotients
from gradcli.numeric.forward import Forward, step
from gradcli.numeric.operations import Operand
from gradcli.ops.row import Row

#: slopes of L below this part of the largest weight in the upstream gradient are as good as 0
GRAIN = 1e-11
#: roundings that may add up in one gradient
ROUNDINGS = 64


@dataclass(frozen=True)
class Point:
    """A program's values, the node that backward started from, and the gradients that torch found.

    Attributes:
        forward: the evaluated program, its graph still attached.
        root: id of the node that the pass started from.
        upstream: ∂L/∂root, in the root's shape.
        gradients: leaf → torch's gradient of L, in the leaf's shape.
        quotients: leaf → its difference quotients, where they were worked out.
    """

    forward: Forward
    root: int
    upstream: Tensor
    gradients: dict[str, Tensor]
    quotients: dict[str, Quotients] = field(default_factory=dict)

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

    @cached_property
    def poisoned(self) -> Places:
        """The leaf elements that move a part of the root that is not finite: L has no quotient by them."""
        root = self.forward.tensor(self.root)
        return self.moved_by(root, ~root.detach().isfinite())

    @cached_property
    def reached(self) -> Places:
        """The leaf elements that move any part of the root."""
        root = self.forward.tensor(self.root)
        return self.moved_by(root, torch.ones_like(root, dtype=torch.bool))

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

    def moved_by(self, tensor: Tensor, mask: Tensor) -> Places:
        """The elements of each leaf that ``tensor[mask]`` is computed from.

        A NaN sent backward from there stays NaN whatever slope it meets, 0 too, and does not pass a
        branch that is not taken.
        """
        if not bool(mask.any()):
            return {}
        names = self.forward.differentiable
        marked = torch.where(mask, torch.nan, 0.0).to(tensor.dtype)
        found = gradients(self.forward, tensor, marked, [self.forward.leaves[name] for name in names])
        touched = {name: slope.isnan() for name, slope in zip(names, found, strict=True)}
        return {name: places for name, places in touched.items() if bool(places.any())}


#: leaf → which of its elements, as a mask of its shape
Places = dict[str, Tensor]


@dataclass(frozen=True, slots=True)
class Finding:
    """A note, and the leaf elements for which it accounts for a disagreement.

    ``quotient_only``: it accounts for the difference quotient's alone.
    """

    note: Note
    covers: Places = field(default_factory=dict)
    quotient_only: bool = False


def text_at(text: str, row: Row, node: Node, forward: Forward) -> Tensor | None:
    """An expression of a row's parameters, at one node of an evaluated program.

    Args:
        text: such as ``x - {min_val}``, in terms of the row's parameters and of ``y``, its output.

    Returns:
        The value, its graph attached; None where it speaks of a parameter that was left out.
    """
    program = filled(text, node)
    if program is None:
        return None
    values: dict[int, Operand] = {}
    for inner in program.nodes:
        if inner.op != "leaf":
            values[inner.id] = step(program, inner, values, forward.like)
            continue
        name = str(inner.attr("name"))
        operand = node.id if name == "y" else node.operand(name)
        if operand is None:
            return None
        values[inner.id] = forward.tensor(operand)
    found = values[program.root.node]
    return found if isinstance(found, Tensor) else None


def filled(text: str, node: Node) -> Program | None:
    """``text`` with the node's static parameters put in, parsed; None where one of them is None."""
    static = dict(node.attrs)
    names = re.findall(r"{(\w+)}", text)
    if any(static.get(name) is None for name in names):
        return None
    for name in names:
        text = text.replace("{" + name + "}", repr(static[name]))
    return _parsed(text)


@lru_cache(maxsize=512)
def _parsed(text: str) -> Program:
    return parse(text)


def nonfinite(value: Operand) -> Tensor:
    """Which elements are infinite or NaN."""
    return ~torch.as_tensor(value).detach().isfinite()


def _largest(tensor: Tensor) -> float:
    """The largest finite magnitude."""
    finite = tensor.detach()[tensor.detach().isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0
