"""A term as a network: indices are vertices, vectors weigh them, matrices join them.

Summing a bound index is taking its vertex out: alone it gives an inner product, with
one neighbour matrix times vector, with two a matrix product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gradcli.closed.index import Var
from gradcli.closed.notation import nodes, signs, tree
from gradcli.closed.notation.lifting import Lifter
from gradcli.closed.notation.nodes import Call, Hadamard, Node, Product
from gradcli.closed.notation.places import place
from gradcli.closed.notation.products import Bases, hadamard, less
from gradcli.closed.notation.showing import shown
from gradcli.closed.notation.sources import NoMatrix
from gradcli.closed.scalar import ONE, Num, split
from gradcli.closed.terms import Term

Pair = tuple[Var, Var]


@dataclass
class Network:
    """One term: number, scalars, weights of vertices, edges between them, deltas of free ones."""

    number: Num
    scalars: Bases = field(default_factory=list)
    weights: dict[Var, Bases] = field(default_factory=dict)
    edges: dict[Pair, Bases] = field(default_factory=dict)
    deltas: list[Pair] = field(default_factory=list)

    def weight(self, v: Var) -> Node | None:
        """The vector at a vertex, None when there is none."""
        return hadamard(self.weights.get(v, []), 1)

    def edge(self, row: Var, column: Var) -> Node | None:
        """The matrix that joins two vertices, with ``row`` first."""
        turned = [(tree.transposed(base), exponent) for base, exponent in self.edges.get((column, row), [])]
        return hadamard([*self.edges.get((row, column), []), *turned], 2)

    def neighbours(self, v: Var) -> list[Var]:
        found = {b if a == v else a for a, b in self.edges if v in (a, b)}
        return sorted(found, key=lambda u: u.name)

    def take_edge(self, row: Var, column: Var) -> Node:
        node = self.edge(row, column)
        assert node is not None
        self.edges.pop((row, column), None)
        self.edges.pop((column, row), None)
        return node

    def without(self, weights: Mapping[Var, Bases]) -> Network:
        """The same network with some weights of vertices taken away."""
        left = {v: less(bases, weights.get(v, [])) for v, bases in self.weights.items()}
        return Network(self.number, self.scalars, left, self.edges, self.deltas)

    def add(self, axes: Sequence[Var], node: Node, exponent: Num = ONE) -> None:
        """Multiply by a scalar, a vector over one axis or a matrix over two."""
        if not axes:
            self.scalars.append((node, exponent))
        elif len(axes) == 1:
            self.weights.setdefault(axes[0], []).append((node, exponent))
        else:
            self.edges.setdefault((axes[0], axes[1]), []).append((node, exponent))


def network(term: Term, lifter: Lifter) -> Network:
    """The network of a term, its bound indices summed.

    Raises:
        NoMatrix: a factor runs over more than two indices, or a condition has no matrix.
    """
    number, factors = split(shown(term.coefficient))
    net = Network(number)
    order = _order(term)
    for base, exponent in factors:
        axes = sorted(lifter.axes(base), key=order.index)
        if len(axes) > 2:
            raise NoMatrix
        net.add(axes, lifter.lift(base, *axes) if axes else lifter.scalar(base), exponent)
    for condition in term.conditions:
        found = place(condition, lifter)
        if found.node is None:
            net.deltas.append((found.axes[0], found.axes[1]))
        else:
            net.add(found.axes, found.node)
    left = list(term.bound)
    while left:
        k = min(left, key=lambda v: (len(net.neighbours(v)), order.index(v)))
        for done in _take_out(net, k, left):
            left.remove(done)
    return net


def _order(term: Term) -> list[Var]:
    seen = dict.fromkeys(sorted(term.coefficient.variables, key=lambda v: v.name))
    for condition in term.conditions:
        seen.update(dict.fromkeys(condition.ix.variables()))
    return list({**seen, **dict.fromkeys(term.bound)})


def _take_out(net: Network, k: Var, left: Sequence[Var]) -> list[Var]:
    """Sum over the vertex ``k``; the vertices that are gone."""
    around = net.neighbours(k)
    if len(around) > 2 or any(k in delta for delta in net.deltas):
        raise NoMatrix
    weights = net.weights.pop(k, [])
    if not around:
        net.add((), _inner_product(weights, k))
    elif len(around) == 1:
        u = around[0]
        if u in left and not weights and net.neighbours(u) == [k] and u not in net.weights:
            net.add((), _double_sum(net.take_edge(u, k)))
            return [k, u]
        net.add([u], Product(1, tree.flattened([net.take_edge(u, k), hadamard(weights, 1) or signs.ONES])))
    else:
        one, two = net.take_edge(around[0], k), net.take_edge(k, around[1])
        middle = hadamard(weights, 1)
        between = [tree.diagonal(middle)] if middle else []
        net.add(around, Product(2, tree.flattened([one, *between, two])))
    return [k]


def _double_sum(node: Node) -> Node:
    """Σ over both ends of an edge: the sum of a matrix, or the trace of a product of two."""
    turned = tree.transposed(node)
    node = turned if nodes.turns(turned) < nodes.turns(node) else node
    if isinstance(node, Hadamard) and len(node.above) == 2 and not node.below:
        one, two = node.above
        return Call(0, "tr", (Product(2, tree.flattened([tree.transposed(one), two])),))
    return Call(0, "sum", (node,))


def _inner_product(weights: Bases, k: Var) -> Node:
    """xᵀ y, or the sum of one vector; the upstream gradient stands first."""
    if not weights:
        return signs.number(str(k.size))
    simple = [base for base, exponent in weights if exponent.value in (1, 2) for _ in range(int(exponent.value))]
    rest = [(base, exponent) for base, exponent in weights if exponent.value not in (1, 2)]
    if len(simple) < 2:
        whole = hadamard(weights, 1)
        assert whole is not None
        if isinstance(whole, Call) and whole.name == "diag":
            return Call(0, "tr", whole.arguments)
        return Call(0, "sum", (whole,))
    first = next((base for base in simple if isinstance(base, nodes.Upstream)), simple[0])
    simple.remove(first)
    other = hadamard([*((base, ONE) for base in simple), *rest], 1)
    assert other is not None
    return Product(0, tree.flattened([tree.transposed(first), other]))
