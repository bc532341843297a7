"""Jacobians, gradients and differentials in matrix notation, where they have one.

A Jacobian's rows run over the root's elements and its columns over the leaf's, both
in row-major order; ⊗ is the Kronecker product and K the commutation matrix.  Where a
Jacobian is a matrix for each value of a shared index, its blocks are given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gradcli.closed.derivation import Derivation, LeafTerms
from gradcli.closed.index import Condition, Ix, Var, equals, simplify, var
from gradcli.closed.notation import tree
from gradcli.closed.notation.expand import choices, multiplied_out
from gradcli.closed.notation.lifting import Lifter, NoMatrix, bilinear, flattened, scaled, vector
from gradcli.closed.notation.naming import Naming
from gradcli.closed.notation.network import Network, network
from gradcli.closed.notation.scalars import ScalarText, shown
from gradcli.closed.notation.tree import Blocks, Call, Kron, Node, Product, Sum, Symbol
from gradcli.closed.scalar import Num, reindex, split
from gradcli.closed.solving import eliminate
from gradcli.closed.terms import Term, merge

Axes = Sequence[Var]
Signed = tuple[bool, Node]


def gradient_tree(derivation: Derivation, leaf: LeafTerms, naming: Naming) -> Node | None:
    """gᵀJ in the leaf's shape; None where only index notation has it."""
    if leaf.gradient is None:
        return None
    lifter = _lifter(derivation, leaf, naming, naming.letters((), leaf.at))
    return _attempt(lambda: _total(leaf.gradient or [], lifter, (), _axes(leaf.at)))


def adjoint_tree(derivation: Derivation, terms: list[Term], at: Axes, naming: Naming) -> Node | None:
    """The adjoint of a node over its own index; None where only index notation has it."""
    out = tuple(v for v in derivation.sweep.index(derivation.graph.resolve(derivation.graph.root)))
    lifter = Lifter(naming, naming.letters((), at), tuple(v.size for v in out))
    return _attempt(lambda: _total(terms, lifter, (), _axes(at)))


def jacobian_tree(derivation: Derivation, leaf: LeafTerms, naming: Naming) -> Node | None:
    """The Jacobian; None where only index notation has it."""
    if leaf.jacobian is None:
        return None
    lifter = _lifter(derivation, leaf, naming, naming.letters(leaf.out, leaf.at))
    out, at = _axes(leaf.out), _axes(leaf.at)
    return _attempt(lambda: _total(leaf.jacobian or [], lifter, out, at)) or _attempt(
        lambda: _blocks(leaf.jacobian or [], lifter, out, at)
    )


def differential_tree(derivation: Derivation, leaf: LeafTerms, naming: Naming) -> Node | None:
    """J·dleaf in the root's shape, for a matrix of a matrix; None elsewhere."""
    out, at = _axes(leaf.out), _axes(leaf.at)
    if leaf.jacobian is None or len(out) != 2 or len(at) != 2:
        return None
    from gradcli.closed.scalar import Elt, mul

    names, name = derivation.sweep.names, f"d{leaf.leaf}"
    step = Elt(name, tuple(map(var, leaf.at)))
    terms = []
    for term in leaf.jacobian:
        bound = Term(mul(step, term.coefficient), (*term.bound, *at), term.conditions)
        solved = eliminate(bound, names)
        if solved is not None:
            terms.append(solved)
    shape = tuple(v.size for v in leaf.at)
    lifter = replace(
        _lifter(derivation, leaf, naming, naming.letters(leaf.out, ())), upstream_shape=shape
    )
    return _attempt(lambda: _total(merge(terms), lifter, (), out))


def _axes(variables: Axes) -> Axes:
    """Axes of size 1 have no index."""
    return tuple(v for v in variables if v.size != 1)


def _lifter(derivation: Derivation, leaf: LeafTerms, naming: Naming, letters: dict[Var, str]) -> Lifter:
    return Lifter(naming, letters, tuple(v.size for v in leaf.out))


def _attempt(make: Callable[[], Node]) -> Node | None:
    try:
        return make()
    except NoMatrix:
        return None


# -- sums of terms -----------------------------------------------------------------


def _total(terms: Sequence[Term], lifter: Lifter, out: Axes, at: Axes) -> Node:
    if not terms:
        return Symbol(0, "0", "0")
    pieces: list[Signed] = []
    for term in terms:
        pieces += _pieces(term, lifter, out, at)
    pieces.sort(key=lambda piece: (piece[0], isinstance(piece[1], tree.Transpose)))
    if len(pieces) == 1 and not pieces[0][0]:
        return pieces[0][1]
    return Sum(max(node.rank for _, node in pieces), tuple(pieces))


def _pieces(term: Term, lifter: Lifter, out: Axes, at: Axes) -> list[Signed]:
    """The term as it stands, or multiplied out as little as will do."""
    try:
        return [_assembled(term, lifter, out, at)]
    except NoMatrix:
        for which in choices(lifter.params):
            parts = multiplied_out(term, which)
            if parts:
                try:
                    return [_assembled(part, lifter, out, at) for part in parts]
                except NoMatrix:
                    continue
        raise


def _assembled(term: Term, lifter: Lifter, out: Axes, at: Axes) -> Signed:
    whole = _whole(term, lifter, out, at)
    if whole is not None:
        return whole
    net = network(_narrowed(term), lifter)
    core = _matrix(net, out, at) if out and at else _alone(net, [*out, *at])
    return scaled(net.number, net.scalars[0], net.scalars[1], core)


def _narrowed(term: Term) -> Term:
    """The coefficient in terms of the shorter of two axes that an equation ties."""
    for condition in term.conditions:
        parts = dict(condition.ix.parts)
        if not condition.equation or len(parts) != 2 or not all(isinstance(a, Var) for a in parts):
            continue
        for v, c in parts.items():
            other = next(a for a in parts if a != v)
            if abs(c) == 1 and isinstance(v, Var) and isinstance(other, Var) and v.size > other.size:
                value = condition.ix.without(v) * -c
                term = replace(term, coefficient=reindex(term.coefficient, {v: value}))
    return term


def _whole(term: Term, lifter: Lifter, out: Axes, at: Axes) -> Signed | None:
    """A term that works element by element on tensors of any order, as on long vectors."""
    axes = out or at
    if term.bound or len(axes) < 2:
        return None
    expected = {str(simplify(equals(var(a), var(b)))) for a, b in zip(out, at, strict=False)}
    if out and (len(out) != len(at) or {str(c) for c in term.conditions} != expected):
        return None
    if not out and term.conditions:
        return None
    if not out and len(axes) == 2:
        return None  # matrices have their own notation
    longer = replace(lifter, whole=tuple(axes))
    number, factors = split(shown(term.coefficient))
    try:
        negative, node = longer.product(number, factors, axes[0], None)
    except NoMatrix:
        return None
    if not out:
        return negative, node
    if not any(longer.axes(base) for base, _ in factors):
        scalars = [(lifter.scalar(b), e) for b, e in factors]
        above = [n for n, e in scalars if e.value == 1]
        if len(above) != len(scalars):
            return None
        return scaled(number, above, [], tree.IDENTITY)
    size = Num(abs(number.value), number.decimal, number.text.lstrip("-"))
    _, body = longer.product(size, factors, axes[0], None)
    return negative, tree.diagonal(Call(1, "vec", (body,)))


# -- shapes of a result ------------------------------------------------------------


def _alone(net: Network, axes: Axes) -> Node | None:
    """A scalar, vector or matrix over ``axes``."""
    if not axes:
        return None
    if len(axes) == 1:
        return net.weight(axes[0]) or tree.ONES
    if len(axes) != 2:
        raise NoMatrix
    row, column = axes
    a, b, matrix = net.weight(row), net.weight(column), net.edge(row, column)
    if net.deltas:
        inside = vector([n for n in (a, b) if n], [])
        if matrix is not None:
            raise NoMatrix
        return tree.diagonal(inside) if inside else tree.IDENTITY
    if matrix is None:
        return bilinear(a or tree.ONES, b or tree.ONES, None, 2)
    return bilinear(a, b, matrix, 2)


def _matrix(net: Network, out: Axes, at: Axes) -> Node:
    """Rows over ``out``, columns over ``at``: a Kronecker product of what hangs together."""
    groups = _groups(net, [*out, *at])
    if len(out) == 1 and len(at) == 1:
        return _pair(net, out[0], at[0])
    if max(len(out), len(at)) > 2:
        raise NoMatrix
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
    a, b = net.weight(row), net.weight(column)
    if any({row, column} == set(delta) for delta in net.deltas):
        if net.edge(row, column) is not None:
            raise NoMatrix
        inside = vector([n for n in (a, b) if n], [])
        return tree.diagonal(inside) if inside else tree.IDENTITY
    matrix = net.edge(row, column)
    if matrix is None:
        made = bilinear(a or tree.sized(tree.ONES, row.size), b or tree.sized(tree.ONES, column.size), None, 2)
    else:
        made = bilinear(a, b, matrix, 2)
    assert made is not None
    return made


def _kron(net: Network, groups: list[list[Var]], out: Axes, at: Axes) -> Node:
    """A ⊗ B, with K when the leaf's axes are met in the other order."""
    factors: list[Node] = []
    met: list[Var] = []
    rest = [g for g in groups if not any(v in out for v in g)]
    for v in out:
        group = next(g for g in groups if v in g)
        partner = next((u for u in group if u in at), None)
        if partner is None:
            factors.append(net.weight(v) or tree.sized(tree.ONES, v.size))
        else:
            factors.append(_identity_sized(_pair(net, v, partner), v))
            met.append(partner)
    for (u,) in rest:
        row = tree.transposed(net.weight(u) or tree.sized(tree.ONES, u.size))
        place = at.index(u)
        factors.insert(place if len(out) == 1 else len(factors), row)
        met.insert(place if len(out) == 1 else len(met), u)
    body: Node = Kron(2, tuple(factors)) if len(factors) > 1 else factors[0]
    if list(met) != [u for u in at if u in met]:
        transposes = Symbol(2, "K", "K")
        plain = factors == [tree.sized(tree.IDENTITY, v.size) for v in out]
        return transposes if plain else Product(2, (body, transposes))
    return body


def _identity_sized(node: Node, v: Var) -> Node:
    return tree.sized(tree.IDENTITY, v.size) if node == tree.IDENTITY else node


def _vectorised(net: Network, groups: list[list[Var]], out: Axes, at: Axes) -> Node:
    """vec(F) vec(G)ᵀ, where output and leaf do not hang together."""
    if any(any(v in out for v in g) and any(v in at for v in g) for g in groups):
        raise NoMatrix
    sides = []
    for axes in (out, at):
        inner = _alone(net, axes)
        assert inner is not None
        sides.append(inner if len(axes) == 1 else Call(1, "vec", (inner,)))
    return Product(2, flattened([sides[0], tree.transposed(sides[1])]))


# -- blocks ------------------------------------------------------------------------


def _blocks(terms: Sequence[Term], lifter: Lifter, out: Axes, at: Axes) -> Node:
    """blocks δ(j, i) · (the rest, for each i), when all terms share that delta."""
    for i in out:
        for j in at:
            delta = simplify(equals(var(i), var(j)))
            if not isinstance(delta, Condition) or not all(delta in t.conditions for t in terms):
                continue
            rest = [_without(t, delta, {j: var(i)}) for t in terms]
            inside = replace(lifter, params=lifter.params | {i})
            inner = _attempt(
                lambda rest=rest, inside=inside, i=i, j=j: _total(  # type: ignore[misc]
                    rest, inside, [v for v in out if v != i], [v for v in at if v != j]
                )
            )
            if inner is not None:
                writer = ScalarText(lifter.naming, lifter.letters)
                text = writer.condition(delta)
                return Blocks(2, text, rf"\delta_{{{text[2:-1]}}}", inner)
    raise NoMatrix


def _without(term: Term, delta: Condition, mapping: dict[Var, Ix]) -> Term:
    conditions = tuple(c.subs(mapping) for c in term.conditions if c != delta)
    return Term(reindex(term.coefficient, mapping), term.bound, conditions)
