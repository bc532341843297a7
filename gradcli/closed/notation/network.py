"""A term as a network: indices are vertices, vectors weigh them, matrices join them.

Summing a bound index is taking its vertex out: alone it gives an inner product, with
one neighbour matrix times vector, with two a matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gradcli.closed.index import Condition, Look, Var
from gradcli.closed.notation import tree
from gradcli.closed.notation.latex import name_tex
from gradcli.closed.notation.lifting import Lifter, NoMatrix, flattened, hadamard, vector
from gradcli.closed.notation.scalars import ScalarText, number_text, shown
from gradcli.closed.notation.tree import Call, Hadamard, Node, Power, Product, Sum, Symbol
from gradcli.closed.scalar import Num, split
from gradcli.closed.terms import Term

Pair = tuple[Var, Var]
Sides = tuple[list[Node], list[Node]]


@dataclass
class Network:
    """One term: number, scalars, weights of vertices, edges between them, deltas of free ones."""

    number: Num
    scalars: Sides = field(default_factory=lambda: ([], []))
    weights: dict[Var, Sides] = field(default_factory=dict)
    edges: dict[Pair, Sides] = field(default_factory=dict)
    deltas: list[Pair] = field(default_factory=list)

    def weight(self, v: Var) -> Node | None:
        """The vector at a vertex, None when there is none."""
        return vector(*self.weights.get(v, ([], [])))

    def edge(self, row: Var, column: Var) -> Node | None:
        """The matrix that joins two vertices, with ``row`` first."""
        direct = self.edges.get((row, column), ([], []))
        other = self.edges.get((column, row), ([], []))
        above = [*direct[0], *map(tree.transposed, other[0])]
        below = [*direct[1], *map(tree.transposed, other[1])]
        return hadamard(above, below, 2) if above or below else None

    def neighbours(self, v: Var) -> list[Var]:
        found = {b if a == v else a for a, b in self.edges if v in (a, b)}
        return sorted(found, key=lambda u: u.name)

    def take_edge(self, row: Var, column: Var) -> Node:
        node = self.edge(row, column)
        assert node is not None
        self.edges.pop((row, column), None)
        self.edges.pop((column, row), None)
        return node

    def add_weight(self, v: Var, node: Node) -> None:
        self.weights.setdefault(v, ([], []))[0].append(node)

    def add_edge(self, row: Var, column: Var, node: Node) -> None:
        self.edges.setdefault((row, column), ([], []))[0].append(node)


def network(term: Term, lifter: Lifter) -> Network:
    """The network of a term.

    Raises:
        NoMatrix: a factor runs over more than two indices, or a condition has no matrix.
    """
    number, factors = split(shown(term.coefficient))
    net = Network(number)
    order = [*sorted(lifter.params, key=lambda v: v.name), *_order(term)]
    for base, exponent in factors:
        axes = sorted(lifter.axes(base), key=order.index)
        size = abs(exponent.value)
        side = 0 if exponent.value > 0 else 1
        if lifter.whole and axes:
            raise NoMatrix
        if len(axes) > 2:
            raise NoMatrix
        inner = lifter.lift(base, *axes) if axes else lifter.scalar(base)
        node = inner if size == 1 else Power(inner.rank, inner, number_text(Num(size, exponent.decimal)))
        if not axes:
            net.scalars[side].append(node)
        elif len(axes) == 1:
            net.weights.setdefault(axes[0], ([], []))[side].append(node)
        else:
            net.edges.setdefault((axes[0], axes[1]), ([], []))[side].append(node)
    for condition in term.conditions:
        _condition(net, condition, lifter)
    left = list(term.bound)
    while left:
        k = min(left, key=lambda v: (len(net.neighbours(v)), order.index(v)))
        for done in _take_out(net, k, left):
            left.remove(done)
    return net


def _order(term: Term) -> list[Var]:
    seen: dict[Var, None] = {}
    for v in sorted(term.coefficient.variables, key=lambda v: v.name):
        seen[v] = None
    for condition in term.conditions:
        seen.update(dict.fromkeys(condition.ix.variables()))
    seen.update(dict.fromkeys(term.bound))
    return list(seen)


def _condition(net: Network, condition: Condition, lifter: Lifter) -> None:
    parts, const = condition.ix.parts, condition.ix.const
    free = [(a, c) for a, c in parts if not (isinstance(a, Var) and a in lifter.params)]
    if len(free) != len(parts):
        raise NoMatrix
    variables = [(a, c) for a, c in parts if isinstance(a, Var)]
    if condition.equation:
        if len(parts) == 2 and len(variables) == 2:
            _match(net, dict(variables), const)
            return
        if len(parts) == 1 and len(variables) == 1 and abs(variables[0][1]) == 1:
            v, c = variables[0]
            place = -const * c
            net.add_weight(v, Symbol(1, f"e{place}", f"e_{{{place}}}"))
            return
        looks = [(a, c) for a, c in parts if isinstance(a, Look)]
        if len(parts) == 2 and len(looks) == 1 and const == 0 and len(variables) == 1:
            _selection(net, looks[0][0], variables[0][0], lifter)
            return
        raise NoMatrix
    if len(parts) == 2 and len(variables) == 2 and {c for _, c in variables} == {1, -1} and const in (0, -1):
        row, column = (v for v, _ in sorted(variables, key=lambda p: -p[1]))
        if row.size == column.size:
            lower: Node = tree.LOWER if const == 0 else Sum(2, ((False, tree.LOWER), (True, tree.IDENTITY)))
            net.add_edge(row, column, lower)
            return
    raise NoMatrix


def _match(net: Network, sides: dict[Var, int], const: int) -> None:
    """u = v is a delta; v = step·u + start picks rows or columns of an identity matrix."""
    (u, a), (v, b) = sides.items()
    if const == 0 and {a, b} == {1, -1} and u.size == v.size:
        net.deltas.append((u, v))
        return
    if a * b > 0:
        raise NoMatrix
    small, large = (u, v) if abs(b) == 1 and u.size <= v.size else (v, u)
    step, unit = abs(sides[small]), sides[large]
    start = -const * unit
    if abs(unit) != 1 or start < 0 or start + step * (small.size - 1) >= large.size:
        raise NoMatrix
    stop = start + step * (small.size - 1) + 1
    picked = f"{start or ''}:{stop if stop + step <= large.size else ''}" + (f":{step}" if step > 1 else "")
    name = tree.sized(tree.IDENTITY, large.size)
    net.add_edge(small, large, Symbol(2, f"{name.text}[{picked},:]", f"{name.tex}[{picked},:]"))


def _selection(net: Network, look: Look, v: Var, lifter: Lifter) -> None:
    name = lifter.naming.name(look.node)
    if not {w for at in look.at for w in at.variables()} - lifter.params:
        text = ScalarText(lifter.naming, lifter.letters).index_atom(look)
        net.add_weight(v, Symbol(1, f"e[{text}]", f"e_{{{name_tex(text)}}}"))
        return
    at = look.at[-1]
    plain = len(look.at) == 1 and len(at.parts) == 1 and at.const == 0 and at.parts[0][1] == 1
    if not plain or not isinstance(at.parts[0][0], Var):
        raise NoMatrix
    net.add_edge(at.parts[0][0], v, Call(2, "one_hot", (Symbol(1, name, name_tex(name)),)))


def _take_out(net: Network, k: Var, left: Sequence[Var]) -> list[Var]:
    """Sum over the vertex ``k``; the vertices that are gone."""
    if any(k in delta for delta in net.deltas):
        raise NoMatrix
    around = net.neighbours(k)
    if len(around) > 2:
        raise NoMatrix
    weights = net.weights.pop(k, ([], []))
    if not around:
        net.scalars[0].append(_inner_product(weights, k))
    elif len(around) == 1:
        u = around[0]
        if u in left and weights == ([], []) and net.neighbours(u) == [k] and u not in net.weights:
            net.scalars[0].append(_double_sum(net, u, k))
            return [k, u]
        net.add_weight(u, Product(1, flattened([net.take_edge(u, k), vector(*weights) or tree.ONES])))
    else:
        one, two = net.take_edge(around[0], k), net.take_edge(k, around[1])
        middle = vector(*weights)
        between = [tree.diagonal(middle)] if middle else []
        net.add_edge(around[0], around[1], Product(2, flattened([one, *between, two])))
    return [k]


def _double_sum(net: Network, u: Var, k: Var) -> Node:
    """Σ over both ends of an edge: the sum of a matrix, or the trace of a product of two."""
    node = net.take_edge(u, k)
    if isinstance(node, Hadamard) and len(node.above) == 2 and not node.below:
        one, two = node.above
        return Call(0, "tr", (Product(2, flattened([tree.transposed(one), two])),))
    return Call(0, "sum", (node,))


def _inner_product(weights: Sides, k: Var) -> Node:
    above, below = weights
    if not above and not below:
        return Symbol(0, str(k.size), str(k.size))
    if len(above) < 2:
        return Call(0, "sum", (hadamard(above, below, 1),))
    ordered = sorted(above, key=lambda n: tree.text(n) != "g")
    return Product(0, flattened([tree.transposed(ordered[0]), hadamard(ordered[1:], below, 1)]))
