"""Where a local rule is applied: the node, its output index n, and what rules need to say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gradcli.closed.graph import Graph, GraphNode
from gradcli.closed.index import Condition, Ix, Var, at_least, equals, look, var
from gradcli.closed.scalar import ONE, Elt, Expr, Fn
from gradcli.closed.terms import Names, Term
from gradcli.closed.views import At, Shape, axes, axis


@dataclass(frozen=True, slots=True)
class Local:
    """∂node[n]/∂operand[p] as one term; ``p`` are fresh variables."""

    operand: int
    p: tuple[Var, ...]
    term: Term


@dataclass(frozen=True)
class Site:
    """One opaque node at hand.  ``n`` are the indices of its output."""

    graph: Graph
    node: GraphNode
    n: At
    names: Names

    def attr(self, name: str) -> Any:
        return self.node.attrs[name]

    def shape(self, operand: int) -> Shape:
        return self.graph.nodes[operand].shape

    @property
    def x(self) -> int:
        """The first operand."""
        return self.node.args[0]

    def fresh(self, operand: int) -> tuple[tuple[Var, ...], At]:
        """New variables for an element of ``operand``, and the same as indices."""
        p = tuple(self.names.fresh(size) for size in self.shape(operand))
        return p, tuple(map(var, p))

    def bound(self, size: int) -> tuple[Var, Ix]:
        v = self.names.fresh(size)
        return v, var(v)

    def out(self, at: At | None = None) -> Expr:
        """An element of the node's own output, at n unless said."""
        return Elt(self.node.id, self.n if at is None else at)

    def elt(self, operand: int, at: At) -> Expr:
        """An element of an operand."""
        return self.graph.element(operand, at)

    def make(self, op: str, *operands: int, **attrs: Any) -> int:
        """A further node that the rule speaks of."""
        return self.graph.make(op, operands, **attrs)

    def named(self, id: int, at: At) -> Expr:
        """An element of a further node, by name."""
        return Elt(id, at)

    # -- axes --------------------------------------------------------------------

    def axis(self, name: str = "dim", operand: int | None = None) -> int:
        return axis(cast(int, self.attr(name)), len(self.shape(self.x if operand is None else operand)))

    def axes(self) -> tuple[int, ...]:
        return axes(self.attr("dim"), len(self.shape(self.x)))

    def reduced(self, p: At) -> At:
        """The place of the output that element ``p`` of the operand is folded into."""
        dims, keep = self.axes(), self.node.attrs.get("keepdim", False)
        return tuple(Ix(0) if d in dims else ix for d, ix in enumerate(p) if keep or d not in dims)

    def count(self) -> int:
        """How many elements are folded into one."""
        total = 1
        for d in self.axes():
            total *= self.shape(self.x)[d]
        return total

    def same(self, left: Sequence[Ix], right: Sequence[Ix], but: int | None = None) -> tuple[Condition, ...]:
        """left == right, axis by axis, all axes but one."""
        pairs = enumerate(zip(left, right, strict=True))
        return tuple(equals(a, b) for d, (a, b) in pairs if d != but)


Rule = Callable[[Site], Iterator[Local]]
RULES: dict[str, Rule] = {}


def rule(*ops: str) -> Callable[[Rule], Rule]:
    """Register a local rule for operations by row name."""

    def register(function: Rule) -> Rule:
        for op in ops:
            RULES[op] = function
        return function

    return register


def inverse_or_zero(expr: Expr) -> Expr:
    """1/expr, 0 where expr is 0: torch's convention for norm and std."""
    return Fn("inverse_or_zero", (expr,))


__all__ = [
    "ONE", "RULES", "At", "Elt", "Expr", "Fn", "Iterator", "Ix", "Local", "Rule", "Site", "Term", "at_least",
    "equals", "inverse_or_zero", "look", "rule", "var",
]  # fmt: skip
