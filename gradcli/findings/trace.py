"""One element of a node as a function of one leaf element, in mpmath at any number of digits.

Elementwise operations are followed element by element, and so are those that only move elements: their map is
read off by moving numbered places.  Everything else is taken at its value, which is right while it does not
depend on the leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from gradcli.errors import GradcliError
from gradcli.findings.lines import axes_of, lines
from gradcli.numeric.forward import Forward, step
from gradcli.ops.row import Kind
from gradcli.ops.table import find

#: most elements that one trace evaluates
STEPS = 2_000

#: row → the function of mpmath's context and the operands, where mpmath has none of that name
_OWN: dict[str, Callable[..., Any]] = {
    "add": lambda mp, x, y: x + y,
    "sub": lambda mp, x, y: x - y,
    "mul": lambda mp, x, y: x * y,
    "div": lambda mp, x, y: x / y,
    "pow": lambda mp, x, y: x**y,
    "neg": lambda mp, x: -x,
    "square": lambda mp, x: x * x,
    "reciprocal": lambda mp, x: 1 / x,
    "rsqrt": lambda mp, x: 1 / mp.sqrt(x),
    "exp2": lambda mp, x: mp.mpf(2) ** x,
    "log2": lambda mp, x: mp.log(x, 2),
    "sinc": lambda mp, x: mp.sincpi(x),
    "sigmoid": lambda mp, x: 1 / (1 + mp.exp(-x)),
    "softplus": lambda mp, x: mp.log1p(mp.exp(x)),
    "abs": lambda mp, x: mp.fabs(x),
    "xlogy": lambda mp, x, y: x * mp.log(y),
    "tanhshrink": lambda mp, x: x - mp.tanh(x),
    "softsign": lambda mp, x: x / (1 + mp.fabs(x)),
    "silu": lambda mp, x: x / (1 + mp.exp(-x)),
    "logsigmoid": lambda mp, x: -mp.log1p(mp.exp(-x)),
    "relu": lambda mp, x: max(x, mp.mpf(0)),
    "maximum": lambda mp, x, y: max(x, y),
    "minimum": lambda mp, x, y: min(x, y),
    "hardsigmoid": lambda mp, x: min(max(x / 6 + mp.mpf(1) / 2, mp.mpf(0)), mp.mpf(1)),
}
_SAME = frozenset(
    "exp expm1 log log10 log1p sqrt cbrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh"
    " asinh acosh atanh erf erfc digamma".split()
)


class Untraceable(Exception):
    """An operation on the way has no trace."""


class Trace:
    """``Trace(forward, leaf, flat)(node, place, at)``: the element when the leaf's element is ``at``."""

    def __init__(self, mp: Any, forward: Forward, leaf: int, flat: int) -> None:
        self._mp, self._forward, self._moving, self.flat = mp, forward, (leaf, flat), flat
        self._maps: dict[int, list[int]] = {}
        self._lines: dict[int, list[list[int]]] = {}
        nodes = forward.program.nodes
        self._dependent = {leaf}
        for node in nodes:
            if node.op != "detach" and not self._dependent.isdisjoint(node.args):
                self._dependent.add(node.id)

    def __call__(self, node: int, flat: int, at: Any) -> Any:
        """The value of an element of ``node``.

        Raises:
            Untraceable: an operation has no trace, or there are too many steps.
            ArithmeticError, ValueError: it has no value there.
        """
        return self._element(node, flat, {self._moving: at})

    def _element(self, node: int, flat: int, known: dict[tuple[int, int], Any]) -> Any:
        if (node, flat) not in known:
            if len(known) > STEPS:
                raise Untraceable
            known[node, flat] = self._work_out(node, flat, known)
        return known[node, flat]

    def _work_out(self, node_id: int, flat: int, known: dict[tuple[int, int], Any]) -> Any:
        node, mp = self._forward.program.nodes[node_id], self._mp
        if node.op == "constant" and node.attr("name") in ("pi", "e"):
            return +getattr(mp, str(node.attr("name")))
        if node_id not in self._dependent or node.op == "leaf":
            return mp.mpf(self._forward.element(node_id, flat))
        row = find(node.op)
        if row is not None and row.kind is Kind.ELEMENTWISE:
            operands = [self._element(arg, self._broadcast(arg, node_id, flat), known) for arg in node.args]
            if node.op in _OWN:
                return _OWN[node.op](mp, *operands)
            if node.op in _SAME:
                return getattr(mp, node.op)(*operands)
        if (node.op == "index" or (row is not None and row.kind is Kind.VIEW)) and len(node.args) == 1:
            return self._element(node.args[0], self._moved(node_id)[flat], known)
        if node.op == "sum":
            places = self._summed(node_id)[flat]
            if len(places) <= STEPS:
                return mp.fsum(self._element(node.args[0], place, known) for place in places)
        if node.op == "stack" and node.attr("dim") == 0:
            size = int(torch.Size(self._forward.shapes[node_id][1:]).numel())
            return self._element(node.args[flat // size], flat % size, known)
        raise Untraceable

    def _summed(self, node_id: int) -> list[list[int]]:
        """For each place of a sum the places of the operand that it adds up."""
        if node_id not in self._lines:
            node = self._forward.program.nodes[node_id]
            shape = self._forward.shapes[node.args[0]]
            axes = axes_of(node.attr("dim"), len(shape))
            places = torch.arange(int(torch.Size(shape).numel())).reshape(shape)
            self._lines[node_id] = lines(places, axes).reshape(-1, max(1, lines(places, axes).shape[-1])).tolist()
        return self._lines[node_id]

    def _broadcast(self, arg: int, node: int, flat: int) -> int:
        """The place in the operand that the place in the result is made from."""
        shape, wanted = self._forward.shapes[arg], self._forward.shapes[node]
        if shape == wanted:
            return flat
        count = int(torch.Size(shape).numel())
        return int(torch.arange(count).reshape(shape).expand(wanted).reshape(-1)[flat])

    def _moved(self, node_id: int) -> list[int]:
        """For each place of a view its place in the operand."""
        if node_id not in self._maps:
            node, forward = self._forward.program.nodes[node_id], self._forward
            shape = forward.shapes[node.args[0]]
            places = torch.arange(int(torch.Size(shape).numel()), dtype=torch.float64).reshape(shape)
            try:
                moved = step(forward.program, node, {**forward.values, node.args[0]: places}, forward.like)
            except GradcliError as error:
                raise Untraceable from error
            self._maps[node_id] = [int(place) for place in torch.as_tensor(moved).reshape(-1).tolist()]
        return self._maps[node_id]
