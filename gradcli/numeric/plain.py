"""Plain programs: arithmetic and smooth functions of leaves of one shape, element by element.

Many of them can be evaluated side by side in one tensor, and every number comes out to the last bit as it
would alone.  For arithmetic that is what IEEE 754 asks for.  For functions torch may choose another kernel by
the place of an element in memory, so each is tried out once for every length before it is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from gradcli.language.program import Node, Program
from gradcli.numeric.forward import CONSTANTS, Forward
from gradcli.numeric.making import Like
from gradcli.numeric.operations import operation

#: operations that IEEE 754 rounds correctly, wherever an element stands
_EXACT = frozenset(("add", "sub", "mul", "div", "neg", "square", "sqrt", "reciprocal"))
#: smooth functions, each with an interval to try it on
_TRIED: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("exp", "expm1", "sin", "cos", "tanh", "erf"), (-3.0, 3.0)),
    **dict.fromkeys(("log", "log2", "log10", "log1p"), (0.1, 30.0)),
    **dict.fromkeys(("tan", "asin", "acos", "atan"), (-0.9, 0.9)),
}
#: exponents for which torch multiplies, divides or takes a root
_EXPONENTS = (2, 3, -1, 0.5)
#: members that a function is tried out on
_MEMBERS = 61
#: whole numbers beyond this are not exact in float64
_WHOLE = 2**53
LIKE = Like(torch.float64, torch.device("cpu"))


def is_plain(program: Program, root: int, length: int) -> bool:
    """Whether ``program`` can be evaluated side by side when all its leaves have ``length`` elements.

    Everything in it must lead to ``root``, so that there is nothing else to say of it.
    """
    moving: set[int] = set()
    used = {arg for node in program.nodes for arg in node.args} | {root}
    for node in program.nodes:
        if node.id not in used or not _suits(node, program, moving, length):
            return False
        if node.op == "leaf" or not moving.isdisjoint(node.args):
            moving.add(node.id)
    starts = [statement.node for statement in program.statements]
    return root in moving and all(program.nodes[at].args for at in starts) and len(set(starts)) == len(starts)


def _suits(node: Node, program: Program, moving: set[int], length: int) -> bool:
    if node.op in ("leaf", "constant"):
        return True
    if node.op == "number":
        value = node.attr("value")
        return not isinstance(value, bool) and abs(value) <= _WHOLE  # type: ignore[arg-type]
    if moving.isdisjoint(node.args):
        return False
    if node.op == "pow":
        base, exponent = (program.nodes[arg] for arg in node.args)
        fixed = exponent.op == "number" and exponent.attr("value") in _EXPONENTS
        return fixed and base.id in moving
    return node.op in _EXACT or (node.op in _TRIED and is_steady(node.op, length))


@cache
def is_steady(op: str, length: int) -> bool:
    """Whether a function and its slope give ``length`` elements the same bits alone as among others."""
    low, high = _TRIED[op]
    call = operation(op).call
    draw = torch.Generator().manual_seed(length)
    points = low + (high - low) * torch.rand(_MEMBERS, length, generator=draw, dtype=torch.float64)

    def both(part: Tensor) -> Tensor:
        leaf = part.clone().requires_grad_()
        value = call(leaf)
        (slope,) = torch.autograd.grad(value.sum(), leaf)
        return torch.stack([value.detach(), slope])

    together = both(points.reshape(-1)).reshape(2, _MEMBERS, length)
    return all(torch.equal(together[:, k], both(points[k])) for k in range(_MEMBERS))


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain program, ready to be evaluated often.

    ``steps``: (node, callable, operands, None); for what is no operation (node, None, (), leaf's name or number).
    """

    program: Program
    steps: tuple[tuple[int, Any, tuple[int, ...], Any], ...]

    @classmethod
    def of(cls, program: Program) -> Plain:
        """The steps of a program that ``is_plain``."""
        return cls(program, tuple(map(_step, program.nodes)))

    def values(self, leaves: dict[str, Tensor]) -> dict[int, Any]:
        """The value of every node, with nothing checked on the way."""
        values: dict[int, Any] = {}
        for at, call, args, value in self.steps:
            if call is not None:
                values[at] = call(*[values[arg] for arg in args])
            else:
                values[at] = leaves[value] if isinstance(value, str) else value
        return values

    def moved(self, leaf: str, point: Tensor, known: dict[int, Any]) -> dict[int, Any]:
        """The value of every node where ``leaf`` alone has moved to ``point``, all else as in ``known``."""
        values = dict(known)
        moving: set[int] = set()
        for at, call, args, value in self.steps:
            if call is None and value == leaf:
                values[at] = point
                moving.add(at)
            elif not moving.isdisjoint(args):
                values[at] = call(*[values[arg] for arg in args])
                moving.add(at)
        return values

    def forward(self, leaves: dict[str, Tensor]) -> Forward:
        """The program evaluated; ``leaves`` require gradients."""
        values = self.values(leaves)
        shapes = {at: tuple(value.shape) if isinstance(value, Tensor) else () for at, value in values.items()}
        return Forward(self.program, values, shapes, leaves, tuple(leaves), LIKE)


def _step(node: Node) -> tuple[int, Any, tuple[int, ...], Any]:
    if node.args:
        return node.id, operation(node.op).call, node.args, None
    named = node.attr("value" if node.op == "number" else "name")
    return node.id, None, (), CONSTANTS[str(named)] if node.op == "constant" else named
