"""What a network is as a whole: a scalar, vector or matrix, or a Jacobian as a Kronecker product."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradcli.closed.index import Var
from gradcli.closed.notation import nodes, signs, tree
from gradcli.closed.notation.network import Network
from gradcli.closed.notation.nodes import Call, Kron, Node, Product
from gradcli.closed.notation.products import bilinear, hadamard
from gradcli.closed.notation.sources import NoMatrix
from gradcli.closed.scalar import ONE

Axes = Sequence[Var]


def alone(net: Network, axes: Axes, sized: bool = False) -> Node | None:
    """A scalar (None), vector or matrix over ``axes``; ``sized`` where nothing beside it tells its size."""

    def ones(v: Var) -> Node:
        return signs.sized(signs.ONES, v.size) if sized else signs.ONES

    if not axes:
        return None
    if len(axes) == 1:
        return net.weight(axes[0]) or ones(axes[0])
    if len(axes) == 4:
        return _of_digits(net, axes)
    if len(axes) != 2:
        raise NoMatrix
    row, column = axes
    if any(set(delta) == {row, column} for delta in net.deltas):
        diagonal = _diagonal(net, row, column)
        return signs.sized(signs.IDENTITY, row.size) if sized and diagonal == signs.IDENTITY else diagonal
    a, b, joined = net.weight(row), net.weight(column), net.edge(row, column)
    if joined is None:
        return bilinear(a or ones(row), b or ones(column), None, 2)
    return bilinear(a, b, joined, 2)


def _of_digits(net: Network, axes: Axes) -> Node:
    """A ⊗ B over high and low digits of rows and columns."""
    high, low = axes[::2], axes[1::2]
    if any(set(pair) not in (set(high), set(low)) for pair in (*net.edges, *net.deltas)):
        raise NoMatrix
    factors = []
    for own in (high, low):
        side = alone(replace(net, deltas=[delta for delta in net.deltas if set(delta) == set(own)]), own, sized=True)
        assert side is not None
        factors.append(side)
    return Kron(2, tuple(factors))


def _diagonal(net: Network, row: Var, column: Var) -> Node:
    """The matrix over two axes that are equal."""
    if net.edge(row, column) is not None:
        raise NoMatrix
    weights = [node for node in (net.weight(row), net.weight(column)) if node is not None]
    inside = hadamard([(node, ONE) for node in weights], 1)
    return signs.IDENTITY if inside is None else tree.diagonal(inside)


def matrix(net: Network, out: Axes, at: Axes) -> Node:
    """Rows over ``out``, columns over ``at``: a Kronecker product of what hangs together.

    Raises:
        NoMatrix: there are too many axes on one side, or they hang together otherwise.
    """
    if len(out) == 1 and len(at) == 1:
        return _pair(net, out[0], at[0])
    if max(len(out), len(at)) > 2:
        raise NoMatrix
    groups = _groups(net, [*out, *at])
    if any(len([v for v in g if v in out]) > 1 or len([v for v in g if v in at]) > 1 for g in groups):
        return _vectorised(net, groups, out, at)
    return _kron(net, groups, out, at)


def _groups(net: Network, axes: Axes) -> list[list[Var]]:
    """Free vertices that edges and deltas join."""
    groups = [[v] for v in axes]
    for a, b in [*net.edges, *net.deltas]:
        one = next(g for g in groups if a in g)
        two = next(g for g in groups if b in g)
        if one is not two:
            groups.remove(two)
            one.extend(two)
    return groups


def _pair(net: Network, row: Var, column: Var) -> Node:
    """The matrix over one output and one leaf index."""
    if any({row, column} == set(delta) for delta in net.deltas):
        return _diagonal(net, row, column)
    a, b, joined = net.weight(row), net.weight(column), net.edge(row, column)
    if joined is None:
        a, b = a or signs.sized(signs.ONES, row.size), b or signs.sized(signs.ONES, column.size)
    made = bilinear(a, b, joined, 2)
    assert made is not None
    return made


def _kron(net: Network, groups: list[list[Var]], out: Axes, at: Axes) -> Node:
    """A ⊗ B, with K when the leaf's axes are met in the other order."""
    factors: list[Node] = []
    met: list[Var] = []
    free = [u for (u, *more) in groups if u in at and not more]
    for v in out:
        partner = next((u for u in next(g for g in groups if v in g) if u in at), None)
        if partner is None and free:
            partner = free.pop(0)  # what does not hang together is an outer product
        if partner is None:
            factors.append(net.weight(v) or signs.sized(signs.ONES, v.size))
        else:
            pair = _pair(net, v, partner)
            factors.append(signs.sized(signs.IDENTITY, v.size) if pair == signs.IDENTITY else pair)
            met.append(partner)
    for u in free:
        row = tree.transposed(net.weight(u) or signs.sized(signs.ONES, u.size))
        place = at.index(u)
        factors.insert(place if len(out) == 1 else len(factors), row)
        met.insert(place if len(out) == 1 else len(met), u)
    if sum(_is_open(factor) for factor in factors) > 1:
        raise NoMatrix
    plain = factors == [signs.sized(signs.IDENTITY, v.size) for v in out] and len(met) == len(at)
    body: Node = Kron(2, tuple(map(tree.compact, factors))) if len(factors) > 1 else factors[0]
    if list(met) == [u for u in at if u in met]:
        return signs.IDENTITY if plain else body
    return signs.COMMUTATION if plain else Product(2, (body, signs.COMMUTATION))


def _is_open(factor: Node) -> bool:
    """Whether the size of a factor only follows from the others: unit vectors, and classes that are one hot."""
    inner = factor.inner if isinstance(factor, nodes.Transpose) else factor
    return any(map(signs.is_unit, nodes.symbols(factor))) or (isinstance(inner, Call) and inner.name == "one_hot")


def _vectorised(net: Network, groups: list[list[Var]], out: Axes, at: Axes) -> Node:
    """vec(F) vec(G)ᵀ, where output and leaf do not hang together."""
    if any(any(v in out for v in g) and any(v in at for v in g) for g in groups):
        raise NoMatrix
    sides = []
    for axes in (out, at):
        inner = alone(net, axes, sized=len(axes) > 1)
        assert inner is not None
        if len(axes) > 1 and not signs.tells_its_size(inner):
            raise NoMatrix
        sides.append(inner if len(axes) == 1 else Call(1, "vec", (inner,)))
    return Product(2, tree.flattened([sides[0], tree.transposed(sides[1])]))
