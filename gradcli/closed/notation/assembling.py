"""Terms as sums of pieces: taken as they stand, multiplied out as little as will do, or block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradcli.closed.index import Condition, Ix, Var, equals, simplify, var
from gradcli.closed.notation import kronecker, nodes, signs, tree
from gradcli.closed.notation.expand import choices, multiplied_out
from gradcli.closed.notation.indexing import IndexTex, IndexText
from gradcli.closed.notation.lifting import Lifter
from gradcli.closed.notation.network import Network, network
from gradcli.closed.notation.nodes import Blocks, Call, Node
from gradcli.closed.notation.pieces import Piece, total
from gradcli.closed.notation.products import bilinear, hadamard, shared_powers
from gradcli.closed.notation.showing import shown
from gradcli.closed.notation.sources import NoMatrix
from gradcli.closed.notation.unfolding import taken_apart, unfolded
from gradcli.closed.notation.windows import narrowed, windowed
from gradcli.closed.rewriting import reindex
from gradcli.closed.scalar import ONE, Num, split
from gradcli.closed.terms import Term
from gradcli.closed.views import flat, unflat

Axes = Sequence[Var]


def sum_of(terms: Sequence[Term], lifter: Lifter, out: Axes, at: Axes) -> Node:
    """The sum over ``out`` and ``at``: a matrix with rows over ``out``, or in the shape of the one that is not empty.

    Raises:
        NoMatrix: a term has no matrix notation.
    """
    apart = taken_apart(terms, lifter.naming)
    if apart:
        together, separate = _sum_of(terms, lifter, out, at), _sum_of(apart, lifter, out, at)
        return separate if nodes.weight(separate) < nodes.weight(together) else together
    return _sum_of(terms, lifter, out, at)


def _sum_of(terms: Sequence[Term], lifter: Lifter, out: Axes, at: Axes) -> Node:
    parts = [part for term in terms for part in _parts(term, lifter, out, at)]
    plain = total([_piece(part, out, at) for part in parts])
    nets = [part for part in parts if isinstance(part, Network)]
    if len(nets) < 2 or len(nets) < len(parts) or len(out) + len(at) > 2:
        return plain
    weighted = _weighted(nets, out, at)
    if weighted is None:
        return plain
    spared = nodes.weight(plain) - nodes.weight(weighted)
    return weighted if spared > 0 or (spared == 0 and len(nets) > 2) else plain


def _piece(part: Piece | Network, out: Axes, at: Axes) -> Piece:
    if isinstance(part, Piece):
        return part
    core = kronecker.matrix(part, out, at) if out and at else kronecker.alone(part, [*out, *at])
    return Piece(part.number, tuple(part.scalars), core)


def _weighted(nets: Sequence[Network], out: Axes, at: Axes) -> Node | None:
    """The sum with weights that all its terms have on an axis taken out: w∘(a + b), diag(w) (A + B)."""
    axes = [*out, *at]
    common = [shared_powers([net.weights.get(v, []) for net in nets]) for v in axes]
    if not any(common):
        return None
    less = [net.without(dict(zip(axes, common, strict=True))) for net in nets]
    pieces = [_piece(net, out, at) for net in less]
    weights = [hadamard(powers, 1) for powers in common]
    if len(axes) == 1:
        # a multiple of 𝟏 is a number beside vectors
        inner = total([replace(piece, core=None) if piece.core == signs.ONES else piece for piece in pieces])
        return hadamard([*common[0], (inner, ONE)], 1)

    def around(inner: Node) -> Node:
        return bilinear(weights[0], weights[1], inner, 2) or inner

    return total(pieces, around)


def _parts(term: Term, lifter: Lifter, out: Axes, at: Axes) -> list[Piece | Network]:
    """The term as it stands, or multiplied out as little as will do."""
    try:
        return [_part(term, lifter, out, at)]
    except NoMatrix:
        for which in choices(lifter.params):
            split_ = multiplied_out(term, which)
            if split_:
                try:
                    return [_part(one, lifter, out, at) for one in split_]
                except NoMatrix:
                    continue
        raise


def _part(term: Term, lifter: Lifter, out: Axes, at: Axes) -> Piece | Network:
    whole = _whole(term, lifter, out, at)
    if whole is not None:
        return whole
    net = network(windowed(narrowed(unfolded(term, lifter.naming)), (*out, *at)), lifter)
    _piece(net, out, at)  # raises where it has no matrix
    return net


# -- tensors of any order ----------------------------------------------------------


def _whole(term: Term, lifter: Lifter, out: Axes, at: Axes) -> Piece | None:
    """A term that works element by element on tensors of any order, as on long vectors."""
    if term.bound or len(at) < 2 or lifter.params:
        return None
    if not out:
        # matrices have a notation of their own
        piece = None if len(at) == 2 or term.conditions else _elementwise(term, lifter, at)
        return piece if piece is not None and piece.core is not None else None
    tied = _tied(term, out, at)
    if tied is None:
        return None
    piece = _elementwise(tied, lifter, at)
    if piece is None:
        return None
    core = signs.IDENTITY if piece.core is None else tree.diagonal(Call(1, "vec", (piece.core,)))
    return replace(piece, core=core)


def _tied(term: Term, out: Axes, at: Axes) -> Term | None:
    """The term over ``at`` alone, where its conditions say that output and leaf element have the same place."""
    if len(out) == len(at) and [v.size for v in out] == [v.size for v in at]:
        expected = {str(simplify(equals(var(a), var(b)))) for a, b in zip(out, at, strict=True)}
        mapping = {a: var(b) for a, b in zip(out, at, strict=True)}
    else:
        shapes = [tuple(v.size for v in axes) for axes in (out, at)]
        places = [flat(tuple(map(var, axes)), shape) for axes, shape in zip((out, at), shapes, strict=True)]
        expected = {str(simplify(equals(places[0], places[1])))}
        mapping = dict(zip(out, unflat(places[1], shapes[0]), strict=True))
    if {str(c) for c in term.conditions} != expected:
        return None
    return Term(reindex(term.coefficient, mapping))


def _elementwise(term: Term, lifter: Lifter, axes: Axes) -> Piece | None:
    shapes = {lifter.naming.shape(elt.of) for elt in term.coefficient.atoms if elt.variables}
    if len(shapes) > 1:
        return None  # axes of size 1 would have to be matched
    longer = replace(lifter, whole=tuple(axes))
    number, factors = split(shown(term.coefficient))
    scalars: list[tuple[Node, Num]] = []
    vectors: list[tuple[Node, Num]] = []
    try:
        for base, exponent in factors:
            node = longer.lift(base, axes[0])
            (vectors if longer.axes(base) else scalars).append((node, exponent))
    except NoMatrix:
        return None
    return Piece(number, tuple(scalars), hadamard(vectors, 1))


# -- blocks ------------------------------------------------------------------------


def blocks(terms: Sequence[Term], lifter: Lifter, out: Axes, at: Axes) -> Node:
    """blocks δ(i, j) · (the rest, for each i), when all terms share that delta.

    Raises:
        NoMatrix: they share none, or a block has no matrix notation.
    """
    for i in out:
        for j in at:
            delta = simplify(equals(var(i), var(j)))
            if not isinstance(delta, Condition) or not all(delta in t.conditions for t in terms):
                continue
            inside = replace(lifter, params=lifter.params | {i})
            rows, columns = [v for v in out if v != i], [v for v in at if v != j]
            try:
                inner = sum_of([_without(t, delta, {j: var(i)}) for t in terms], inside, rows, columns)
            except NoMatrix:
                continue
            if len(rows) + len(columns) == 2 and not (rows and columns):
                if not signs.tells_its_size(inner):
                    continue
                inner = Call(1, "vec", (inner,))
            if not rows:
                inner = tree.transposed(inner)
            text, tex = (write(lifter.naming, lifter.letters).condition(delta) for write in (IndexText, IndexTex))
            return Blocks(2, text, tex, inner)
    raise NoMatrix


def _without(term: Term, delta: Condition, mapping: dict[Var, Ix]) -> Term:
    conditions = tuple(c.subs(mapping) for c in term.conditions if c != delta)
    return Term(reindex(term.coefficient, mapping), term.bound, conditions)
