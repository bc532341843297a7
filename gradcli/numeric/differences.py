"""Difference quotients: the gradient doubted, in float64 whatever the dtype.

For L = Σ g·root each element of a small leaf is moved by itself; a large leaf is moved as a whole along
one fixed random direction.  Only nodes that depend on the leaf are evaluated again; the others, random
and uninitialised ones too, keep the values they had.

Each quotient is Richardson's extrapolation of two central ones: with D(h) = (L(x+h) − L(x−h))/2h,
(4·D(h/2) − D(h))/3 has an error of order h⁴, and |D(h/2) − D(h)|/3 bounds that of D(h/2).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.language.program import Node
from gradcli.numeric.devices import default_dtype
from gradcli.numeric.forward import Forward, step
from gradcli.numeric.making import Like
from gradcli.numeric.operations import Operand

#: leaves of more elements are compared along one direction
ELEMENT_BY_ELEMENT = 32
#: relative step: the fifth root of float64's precision balances truncation of order h⁴ against rounding
STEP = 5e-4
#: elements are taken to be no smaller than this when the step is scaled by their size
SMALLEST_SCALE = 1e-2
#: steps tried after the first, as multiples of it, while the estimated error is above ``GOOD``
RETRIES = (1e-2, 1e-4, 1e-7, 1e2)
#: relative error of a quotient that is good enough
GOOD = 1e-6
#: relative difference of the one-sided quotients beyond which a kink may lie within the step
JUMP = 1e-3
_EPSILON = 2.0**-52
_SEED = 20_160_101


@dataclass(frozen=True, slots=True)
class Quotients:
    """Difference quotients of L = Σ g·root by one leaf; all tensors are float64 on the CPU.

    Attributes:
        leaf: its name.
        direction: None when each element was moved by itself; else the direction in which the whole
            leaf was moved, in its shape.
        central: the central quotients, in the leaf's shape; along a direction one number, to be
            compared with Σ gradient·direction.
        error: an estimate of the absolute error of each ``central``.  Large where the step is too coarse
            for the function, or where rounding spoils the difference.
        left, right: one-sided quotients; they differ at a kink.
        step: the step of each quotient.
    """

    leaf: str
    direction: Tensor | None
    central: Tensor
    error: Tensor
    left: Tensor
    right: Tensor
    step: Tensor


def quotients(forward: Forward, root: int, upstream: Tensor, leaf: str) -> Quotients:
    """Difference quotients of L = Σ upstream·root by ``leaf``.

    Args:
        forward: an evaluated program.
        root: id of the node that the backward pass started from.
        upstream: its upstream gradient, of the root's shape or of one that the root expands to.
        leaf: name of a floating leaf.
    """
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        probe = _Probe(forward, root, upstream, leaf)
        point = probe.point
        if point.numel() <= ELEMENT_BY_ELEMENT:
            found = [
                _best(probe, _unit(point, flat), max(abs(value), SMALLEST_SCALE))
                for flat, value in enumerate(point.reshape(-1).tolist())
            ]
            columns = torch.tensor(found, dtype=torch.float64).reshape(-1, 5)
            return Quotients(leaf, None, *(column.reshape(point.shape) for column in columns.unbind(1)))
        direction = _random_direction(point)
        columns = torch.tensor(_best(probe, direction, 1.0), dtype=torch.float64)
        return Quotients(leaf, direction.cpu(), *columns.unbind(0))


def quotient_at(
    forward: Forward, root: int, upstream: Tensor, leaf: str, flat: int, *, finer: float = 1.0
) -> tuple[float, float, float]:
    """(left, right, error) by one element of a leaf of any size: one-sided quotients and their error.

    ``finer``: the step is this part of what it would be.
    """
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        probe = _Probe(forward, root, upstream, leaf)
        scale = max(abs(float(probe.point.reshape(-1)[flat])), SMALLEST_SCALE)
        _, error, left, right, _ = _best(probe, _unit(probe.point, flat), scale * finer)
    return left, right, error


def _unit(point: Tensor, flat: int) -> Tensor:
    direction = torch.zeros_like(point)
    direction.view(-1)[flat] = 1.0
    return direction


def _random_direction(point: Tensor) -> Tensor:
    """Each element moves in proportion to its own size, so that no kink at 0 is crossed."""
    generator = torch.Generator("cpu").manual_seed(_SEED)
    drawn = torch.rand(point.shape, generator=generator, dtype=torch.float64).to(point.device) * 2 - 1
    scale = torch.where(point == 0, torch.full_like(point, SMALLEST_SCALE), point.abs())
    return drawn * torch.where(scale.isfinite(), scale, torch.ones_like(scale))


_Found = tuple[float, float, float, float, float]


def _best(probe: _Probe, direction: Tensor, scale: float) -> _Found:
    """(central, error, left, right, step) of the step with the least error that has no jump within it.

    Where every step has one the point itself is a kink, and the first step serves.
    """
    if not math.isfinite(scale):
        return (math.nan, math.inf, math.nan, math.nan, math.nan)
    probe.still()
    tried: list[_Found] = []
    for factor in (1.0, *RETRIES):
        # A power of two, so that x + h is exact.
        tried.append(_richardson(probe, direction, 2.0 ** round(math.log2(STEP * scale * factor))))
        central, error, *_ = tried[-1]
        if _smooth(tried[-1]) and error <= GOOD * abs(central):
            return tried[-1]
    smooth = [found for found in tried if _smooth(found)]
    finite = [found for found in tried if math.isfinite(found[0])]
    return min(smooth, key=lambda found: found[1]) if smooth else (finite or tried)[0]


def _smooth(found: _Found) -> bool:
    _, error, left, right, _ = found
    return abs(right - left) <= JUMP * max(abs(left), abs(right)) + error


def _richardson(probe: _Probe, direction: Tensor, size: float) -> _Found:
    far, near = (probe.differences(direction, h) for h in (size, size / 2))
    return (*extrapolated(far, near, max(far.magnitude, near.magnitude), size), size)


@dataclass(frozen=True, slots=True)
class Moved:
    """L(x + h·v) − L(x) and L(x − h·v) − L(x), with the size of the terms that were subtracted.

    Numbers, or tensors of many elements that are moved side by side.
    """

    up: Any
    down: Any
    magnitude: Any


def extrapolated(far: Moved, near: Moved, magnitude: Any, size: Any) -> tuple[Any, Any, Any, Any]:
    """(central, error, left, right) from moves by ``size`` and by half of it."""
    half = size / 2
    coarse, fine = (far.up - far.down) / (2 * size), (near.up - near.down) / (2 * half)
    rounding = 4 * _EPSILON * magnitude / half
    error = abs(fine - coarse) / 3 + rounding
    # The one-sided quotients are exact to second order: 2·R(h/2) − R(h).
    right = (4 * near.up - far.up) / size
    left = (far.down - 4 * near.down) / size
    return (4 * fine - coarse) / 3, error, left, right


class _Probe:
    """L as a function of one leaf, all else at rest."""

    def __init__(self, forward: Forward, root: int, upstream: Tensor, leaf: str) -> None:
        device = forward.like.device
        if default_dtype(device.type) != torch.float64:
            device = torch.device("cpu")
        self.like = Like(torch.float64, device)
        self.program, self.root = forward.program, root
        leaf_id = forward.program.leaf_id(leaf)
        assert leaf_id is not None
        self.leaf = leaf_id
        moving = _dependents(forward, leaf_id, root)
        self.nodes: list[Node] = [self.program.nodes[i] for i in moving if i != leaf_id]
        self.values: dict[int, Operand] = {
            node: self._cast(value) for node, value in forward.values.items() if node == leaf_id or node not in moving
        }
        self.point = cast(Tensor, self.values[leaf_id])
        self.upstream = cast(Tensor, self._cast(upstream))
        self.depends = root in moving
        self.rest = self._root_at(self.point)
        self.sizes = (self.upstream * self.rest).abs()
        self.largest = float(self.sizes.amax()) if self.sizes.numel() else 0.0
        self.whole = self.point.numel() > ELEMENT_BY_ELEMENT
        self.still()

    def _cast(self, value: Operand) -> Operand:
        if not isinstance(value, Tensor):
            return value
        value = value.detach().to(self.like.device)
        return value.to(torch.float64) if value.is_floating_point() else value

    def _root_at(self, point: Tensor) -> Tensor:
        if not self.depends:
            root = self.values[self.root]
            return torch.as_tensor(root, dtype=torch.float64, device=self.like.device)
        self.values[self.leaf] = point
        for node in self.nodes:
            self.values[node.id] = step(self.program, node, self.values, self.like)
        return torch.as_tensor(self.values[self.root], dtype=torch.float64, device=self.like.device)

    def still(self) -> None:
        """Forget which elements of the root have been seen to move."""
        self.moving = torch.zeros_like(self.sizes, dtype=torch.bool)

    def differences(self, direction: Tensor, size: float) -> Moved:
        """How L changes when the leaf moves by ``±size·direction``; NaN where it cannot be evaluated."""
        try:
            up, down = (self._root_at(self.point + direction * (sign * size)) for sign in (1, -1))
        except GradcliError:  # such as a matrix that is singular there
            return Moved(math.nan, math.nan, math.nan)
        # Element by element, so that what does not move cancels exactly.
        changes = [moved - self.rest for moved in (up, down)]
        totals = [float((self.upstream * change).sum()) for change in changes]
        if all(map(math.isfinite, totals)):
            if self.whole:  # taken to move the whole root
                return Moved(totals[0], totals[1], self.largest)
            self.moving |= (changes[0] != 0) | (changes[1] != 0)
        else:
            weighed = self.upstream != 0
            self.moving |= weighed & ~(_same(up, self.rest) & _same(down, self.rest))
            if not bool(self.moving.any()) and bool((weighed & self.rest.isnan()).any()):
                return Moved(math.nan, math.nan, math.nan)  # what stays NaN may well depend on the leaf
            totals = [float(torch.where(self.moving, self.upstream * change, 0.0).sum()) for change in changes]
        magnitude = float(torch.where(self.moving, self.sizes, 0.0).amax()) if self.sizes.numel() else 0.0
        return Moved(totals[0], totals[1], magnitude)


def _same(one: Tensor, other: Tensor) -> Tensor:
    return (one == other) | (one.isnan() & other.isnan())


def _dependents(forward: Forward, leaf: int, root: int) -> list[int]:
    """Nodes that change with ``leaf`` and that ``root`` needs, in order; a detached node is at rest."""
    nodes = forward.program.nodes
    needed = {root}
    for node in reversed(nodes[: root + 1]):
        if node.id in needed:
            needed.update(node.args)
    moving = {leaf}
    for node in nodes:
        if node.op != "detach" and not moving.isdisjoint(node.args):
            moving.add(node.id)
    return [node.id for node in nodes if node.id in moving and (node.id in needed or node.id == leaf)]
