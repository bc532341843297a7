"""Closed forms at the point: whole where small, sampled entries where large."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from gradcli.closed.derivation import UPSTREAM, Derivation
from gradcli.closed.evaluate import BLOCK, Values, cost, evaluate, evaluate_at
from gradcli.closed.listing import adjoint_values
from gradcli.errors import Span
from gradcli.language.program import Node
from gradcli.numeric.forward import value_of
from gradcli.numeric.making import Like

if TYPE_CHECKING:
    from gradcli.closed.forms import LeafForms
    from gradcli.closed.graph import Graph
    from gradcli.numeric.forward import Forward

#: entries that are compared where the whole is too large
SAMPLES = 256
_NOWHERE = Span(0, 0)
#: the last point at which a listing was evaluated, and the adjoints of its leaves there
_evaluated: WeakKeyDictionary[Graph, tuple[Forward, Tensor, dict[int, Tensor]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Sampled:
    """Values at ``positions`` of the flattened leaf, int64, or of the whole leaf where that is None."""

    positions: Tensor | None
    values: Tensor


def node_values(derivation: Derivation, forward: Forward, g: Tensor | None, dtype: torch.dtype) -> Values:
    """Values of the program's nodes, of those that rules added (computed when asked for), and of g."""
    like = Like(dtype, forward.like.device)
    return Values(_Known(derivation.graph, forward, g, like), like)


class _Known:
    """Tensors by node or name, as they are asked for."""

    def __init__(self, graph: Graph, forward: Forward, g: Tensor | None, like: Like) -> None:
        self.graph, self.forward, self.g, self.like = graph, forward, g, like
        self.found: dict[int, Tensor] = {}

    def __call__(self, name: int | str) -> Tensor:
        if isinstance(name, str):
            if name != UPSTREAM or self.g is None:
                raise KeyError(name)
            return self.g.to(self.like.dtype)
        if name not in self.found:
            value = self._value(name)
            self.found[name] = value.to(self.like.dtype) if value.is_floating_point() else value
        return self.found[name]

    def _value(self, name: int) -> Tensor:
        if name < len(self.forward.program.nodes):
            return self.forward.tensor(name).detach()
        added = self.graph.nodes[self.graph.resolve(name)]
        node = Node(name, added.op, added.args, added.roles, tuple(added.attrs.items()), _NOWHERE)
        with torch.no_grad():
            found = value_of(node, [self(arg) for arg in node.args], self.like)
        number = not isinstance(found, Tensor)
        return torch.as_tensor(found, dtype=self.like.dtype if number else None, device=self.like.device)


def _dtype(forward: Forward) -> torch.dtype:
    """float64 on the CPU, so that the check is not coarser than what it checks; the device's own elsewhere."""
    return torch.float64 if forward.like.device.type != "mps" else torch.float32


def gradient_at(forms: LeafForms, forward: Forward, g: Tensor) -> Sampled:
    """gᵀJ of one leaf at the point.

    Args:
        forms: the closed forms of the leaf; where its gradient grew past the cap the listing is evaluated.
        forward: the evaluated program.
        g: the upstream gradient, of the root's shape.
    """
    leaf = forms.terms
    if leaf.gradient is None:
        return Sampled(None, _from_listing(forms.derivation, forward, g)[leaf.id])
    values = node_values(forms.derivation, forward, g.detach(), _dtype(forward))
    if cost(leaf.gradient, leaf.at) <= BLOCK:
        return Sampled(None, evaluate(leaf.gradient, leaf.at, values))
    size = prod(v.size for v in leaf.at)
    each = cost(leaf.gradient, leaf.at, sampled=1)
    count = max(1, min(SAMPLES, BLOCK // max(each, 1), size))
    positions = _spread(size, count, forward.like.device)
    return Sampled(positions, evaluate_at(leaf.gradient, leaf.at, values, _places(positions, leaf.at)))


def _from_listing(derivation: Derivation, forward: Forward, g: Tensor) -> dict[int, Tensor]:
    """Adjoints of all leaves, evaluated together once for each point."""
    known = _evaluated.get(derivation.graph)
    if known is None or known[0] is not forward or known[1] is not g:
        values = node_values(derivation, forward, g.detach(), _dtype(forward))
        wanted = [leaf.id for leaf in derivation.leaves.values()]
        known = _evaluated[derivation.graph] = forward, g, adjoint_values(derivation, values, g.detach(), wanted)
    return known[2]


def _spread(size: int, count: int, device: torch.device) -> Tensor:
    """``count`` places out of ``size``: both ends and a seeded draw, in order."""
    drawn = torch.randint(size, (count,), generator=torch.Generator().manual_seed(0))
    return torch.cat([drawn, torch.tensor([0, size - 1])]).unique()[: count + 2].to(device)


def _places(positions: Tensor, axes: tuple) -> Tensor:  # type: ignore[type-arg]
    columns, rest = [], positions
    for v in reversed(axes):
        columns.append(rest.remainder(v.size))
        rest = torch.div(rest, v.size, rounding_mode="floor")
    return torch.stack(columns[::-1], 1) if columns else positions.new_zeros((len(positions), 0))


def jacobian_at(forms: LeafForms, forward: Forward) -> Tensor:
    """∂root/∂leaf at the point, of shape root.shape + leaf.shape; only for small ones."""
    leaf = forms.terms
    assert leaf.jacobian is not None
    values = node_values(forms.derivation, forward, None, _dtype(forward))
    return evaluate(leaf.jacobian, (*leaf.out, *leaf.at), values)
