"""The graph that closed forms are derived on: a program's nodes, and those that rules add.

Nodes are of four kinds.  A *leaf* and an *opaque* node are kept by name.  An
*elementwise* node is inlined as a scalar expression and a *view* as a map on
indices, unless the user named it in a statement or its inlined form is long.
Composite operations are replaced by what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from gradcli.closed.elementwise import apply, is_elementwise, number
from gradcli.closed.expansions import expansion
from gradcli.closed.index import Ix, Look, equals
from gradcli.closed.rewriting import bracket
from gradcli.closed.scalar import ONE, ZERO, Elt, Expr, Num
from gradcli.closed.views import At, Shape, View, axis, broadcast, view_map
from gradcli.language import parse
from gradcli.language.program import Attr, Program
from gradcli.ops.row import Kind
from gradcli.ops.table import find

#: an inlined elementwise form with more nodes than this gets a name of its own
LONG = 24
#: and so does one that is nested deeper than this
DEEP = 60
_LINEAR = frozenset(("add", "sub", "neg"))
#: a source text with more characters than this is not repeated in formulas
SHORT = 16

#: row name, operand shapes (a shape an operand), roles, attributes → shape of the result
ShapeOf = Callable[[str, Sequence[Shape], Sequence[str], dict[str, Any]], Shape]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One node: operation, operand ids, their roles, static attributes, shape, source text."""

    id: int
    op: str
    args: tuple[int, ...]
    roles: tuple[str, ...]
    attrs: dict[str, Attr]
    shape: Shape
    text: str

    def arg(self, role: str) -> int:
        """The id of the operand that fills ``role``."""
        return self.args[self.roles.index(role)]


class Graph:
    """A program with shapes, and element expressions of its nodes."""

    def __init__(self, program: Program, shapes: Sequence[Shape], shape_of: ShapeOf, root: int) -> None:
        self.program = program
        self.root = root
        self.names: dict[int, str] = {}
        self.nodes: list[GraphNode] = []
        self._shape_of = shape_of
        self._known: dict[tuple[object, ...], int] = {}
        self._expanded: dict[int, int] = {}
        self._named: dict[int, bool] = {}
        self._measures: dict[int, tuple[int, int]] = {}
        self._order: list[int] = []
        self._scalars: dict[tuple[int, At], Expr] = {}
        self._statements: dict[str, int] = {}
        for node, shape, text in zip(program.nodes, shapes, program.echoes, strict=True):
            self._append(node.op, node.args, node.roles, dict(node.attrs), tuple(shape), text)
        for node in program.nodes:
            if node.op == "leaf":
                self.names[node.id] = str(node.attr("name"))
        for statement in program.statements:
            self._statements[statement.name] = statement.node
            self.names.setdefault(statement.node, statement.name)
        self._statements.update({name: id for id, name in self.names.items()})

    # -- adding nodes ------------------------------------------------------------

    def _append(
        self,
        op: str,
        args: tuple[int, ...],
        roles: tuple[str, ...],
        attrs: dict[str, Attr],
        shape: Shape,
        text: str,
    ) -> int:
        id = len(self.nodes)
        self.nodes.append(GraphNode(id, op, args, roles, attrs, shape, text))
        self._known.setdefault((op, args, roles, _frozen(attrs)), id)
        return id

    def make(self, op: str, args: Sequence[int], text: str = "", **attrs: Attr) -> int:
        """The node ``op(args)``, an existing one where the graph has it.

        Operands fill the row's operand parameters in order; attributes left out take their defaults.
        """
        row = find(op)
        assert row is not None
        roles = tuple(p.name for p, _ in zip(row.operands, args, strict=False))
        full: dict[str, Attr] = {p.name: attrs.get(p.name, p.default) for p in row.statics}  # type: ignore[arg-type]
        key = (op, tuple(args), roles, _frozen(full))
        if key in self._known:
            return self._known[key]
        if not text:
            written = [self.nodes[a].text if a not in self.names else self.names[a] for a in args]
            written += [f"{p.name}={full[p.name]}" for p in row.statics if full[p.name] != p.default]
            text = f"{op}({', '.join(written)})"
        shape = self._shape_of(op, [self.nodes[a].shape for a in args], roles, full)
        return self._append(op, tuple(args), roles, full, shape, text)

    def parse(self, text: str) -> int:
        """The node that a text of the language means, over leaf and statement names of the program."""
        sub = parse(text, title="table", internal=True, defined=frozenset(self._statements))
        ids: list[int] = []
        for node, echo in zip(sub.nodes, sub.echoes, strict=True):
            if node.op == "leaf":
                ids.append(self._statements[str(node.attr("name"))])
                continue
            args = tuple(ids[a] for a in node.args)
            key = (node.op, args, node.roles, node.attrs)
            known = self._known.get(key)
            if known is None:
                attrs = dict(node.attrs)
                shape = self._shape_of(node.op, [self.nodes[a].shape for a in args], node.roles, attrs)
                known = self._append(node.op, args, node.roles, attrs, shape, echo)
            ids.append(known)
        return ids[sub.root.node]

    def resolve(self, id: int) -> int:
        """The node itself, or what it means when its operation is composite and can be said by others."""
        node = self.nodes[id]
        row = find(node.op)
        if row is None or row.kind is not Kind.COMPOSITE:
            return id
        if id not in self._expanded:
            text = expansion(row, node, [self.nodes[a] for a in node.args], self.word)
            meant = id if text is None else self.resolve(self.parse(text))
            self._expanded[id] = meant
            if id in self.names and id != self.root:
                self.names.setdefault(meant, self.names[id])  # what a statement means goes by its name
        return self._expanded[id]

    def word(self, id: int) -> str:
        """A text that means node ``id`` in a larger text."""
        return self.names[id] if id in self.names else f"({self.nodes[id].text})"

    # -- elements ----------------------------------------------------------------

    def order(self) -> list[int]:
        """The nodes that the root depends on, each after what it reads; composites replaced by what they mean."""
        if not self._order:
            seen: dict[int, None] = {}
            stack = [(self.resolve(self.root), False)]
            while stack:  # by hand, since programs may be longer than Python's stack is deep
                id, read = stack.pop()
                if read:
                    seen.setdefault(id)
                elif id not in seen:
                    stack.append((id, True))
                    stack += [(self.resolve(arg), False) for arg in reversed(self.nodes[id].args)]
            self._order = list(seen)
            for id in self._order:
                self.is_named(id)
        return self._order

    def is_named(self, id: int) -> bool:
        """Whether formulas keep this node by name."""
        known = self._named.get(id)
        if known is None:
            known = self._named[id] = self._decide(id)
        return known

    def _decide(self, id: int) -> bool:
        node = self.nodes[id]
        if node.op == "leaf":
            return True
        if node.op in ("number", "constant") or node.op in _FOLDED or id != self.resolve(id):
            return False
        named = id in self.names and self._given_name(id)
        if view_map(node.op):
            return named and id != self.root
        if not is_elementwise(node.op):
            return True
        weight, depth = self._measure(node)
        # a long sum is not repeated by its derivative, so only its depth matters
        long = depth > DEEP or (weight > LONG and node.op not in _LINEAR)
        return named or (long and id != self.root)

    def _measure(self, node: GraphNode) -> tuple[int, int]:
        """How many nodes the inlined form has, named ones counting 1, and how deep it is."""
        weight, depth = 1, 0
        for arg in map(self.resolve, node.args):
            inner = self._measures.get(arg, (1, 0)) if not self.is_named(arg) else (1, 0)
            weight, depth = weight + inner[0], max(depth, inner[1])
        self._measures[node.id] = weight, depth + 1
        return self._measures[node.id]

    def _given_name(self, id: int) -> bool:
        # a root that the user did not name reads better by its own text
        return id != self.root or self.program.root.node != id or self.program.root.given

    def speaks_of(self, id: int) -> bool:
        """Whether formulas may write the node's name where its own value recurs in its derivative."""
        return self._given_name(id) or len(self.nodes[id].text) > SHORT

    def is_smooth(self, id: int) -> bool:
        """Whether the operation of a node has a derivative at all."""
        row = find(self.nodes[id].op)
        return row is not None and row.kind is not Kind.CONSTANT

    def element(self, id: int, at: At) -> Expr:
        """The expression of element ``at`` of node ``id``, over atoms of named nodes."""
        id = self.resolve(id)
        node = self.nodes[id]
        if node.op == "stack" and id not in self.names:
            place = at[axis(cast(int, node.attrs["dim"]), len(at))]
            if place.is_constant:
                k = axis(cast(int, node.attrs["dim"]), len(at))
                return self.element(node.args[place.const], at[:k] + at[k + 1 :])
        return Elt(id, at) if self.is_named(id) else self.body(id, at)

    def body(self, id: int, at: At) -> Expr:
        """The expression of element ``at`` in terms of the operands, even when the node has a name."""
        known = self._scalars.get((id, at))
        if known is None:
            known = self._scalars[(id, at)] = self._body(self.nodes[id], at)
        return known

    def _body(self, node: GraphNode, at: At) -> Expr:
        if node.op in ("number", "constant"):
            return number(node.op, node.attrs)
        if node.op in _FOLDED:
            return _FOLDED[node.op](node, at)
        if view_map(node.op):
            return self.element(self.source(node), self.moved(node, at))
        if is_elementwise(node.op):
            operands = {
                role: self.element(arg, broadcast(at, self.nodes[arg].shape))
                for role, arg in zip(node.roles, node.args, strict=True)
            }
            return apply(node.op, operands, tuple(node.attrs.items()))
        return Elt(node.id, at)

    def moved(self, node: GraphNode, at: At) -> At:
        """Indices into the operand of a view."""
        move = view_map(node.op)
        assert move is not None
        shapes = {role: self.nodes[arg].shape for role, arg in zip(node.roles, node.args, strict=True)}

        def look(name: str, place: At, size: int) -> Ix:
            return self.look(node.arg(name), place, size)

        return move(View(node.attrs, self.nodes[self.source(node)].shape, node.shape, at, shapes, look))

    def source(self, node: GraphNode) -> int:
        """The operand that a view moves."""
        return node.arg("weight") if node.op == "embedding" else node.args[0]

    def look(self, id: int, at: At, size: int) -> Ix:
        """The index that integer node ``id`` holds at ``at``, seen through views."""
        id = self.resolve(id)
        while view_map(self.nodes[id].op):
            node = self.nodes[id]
            id, at = self.resolve(self.source(node)), self.moved(node, at)
        return Ix(0) if size == 1 else Ix(0, {Look(id, at, size): 1})


def _frozen(attrs: Mapping[str, Attr]) -> tuple[tuple[str, Attr], ...]:
    return tuple(attrs.items())


def _full(node: GraphNode, at: At) -> Expr:
    return Num(Fraction(cast(float, node.attrs["value"])), isinstance(node.attrs["value"], float))


#: generators whose elements are known without their values
_FOLDED: dict[str, Callable[[GraphNode, At], Expr]] = {
    "ones": lambda node, at: ONE,
    "zeros": lambda node, at: ZERO,
    "full": _full,
    "eye": lambda node, at: bracket(equals(at[0], at[1])),
}
