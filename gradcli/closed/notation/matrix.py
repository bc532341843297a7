"""Jacobians, gradients and differentials in matrix notation, where they have one.

A Jacobian's rows run over the root's elements and its columns over the leaf's, both
in row-major order; ⊗ is the Kronecker product and K the commutation matrix.  Where a
Jacobian is a matrix for each value of a shared index, its blocks are given.
"""

from __future__ import annotations

from collections.abc import Callable

from gradcli.closed.derivation import Derivation, LeafTerms
from gradcli.closed.index import var
from gradcli.closed.notation import signs, tree
from gradcli.closed.notation.assembling import Axes, blocks, sum_of
from gradcli.closed.notation.digits import in_digits
from gradcli.closed.notation.lifting import Lifter
from gradcli.closed.notation.naming import Naming
from gradcli.closed.notation.nodes import Call, Node
from gradcli.closed.notation.sources import NoMatrix
from gradcli.closed.scalar import Elt, mul
from gradcli.closed.solving import eliminate
from gradcli.closed.terms import Term, merge


def gradient_tree(leaf: LeafTerms, naming: Naming) -> Node | None:
    """gᵀJ in the leaf's shape; None where only index notation has it."""
    if leaf.gradient is None:
        return None
    lifter = Lifter(naming, naming.letters((), leaf.at))
    terms = leaf.gradient
    node = _written(naming, leaf.at, lambda axes: sum_of(terms, lifter, (), axes))
    if node is None and len(leaf.at) == 1:  # a matrix read row by row
        split, axes = in_digits(terms, leaf.at)
        if split:
            node = _written(naming, leaf.at, lambda _: Call(1, "vec", (sum_of(split, lifter, (), axes),)))
    return node


def adjoint_tree(terms: list[Term], at: Axes, naming: Naming) -> Node | None:
    """The adjoint of a node over its own index; None where only index notation has it."""
    lifter = Lifter(naming, naming.letters((), at))
    return _written(naming, at, lambda axes: sum_of(terms, lifter, (), axes))


def jacobian_tree(leaf: LeafTerms, naming: Naming) -> Node | None:
    """The Jacobian; None where only index notation has it."""
    if leaf.jacobian is None:
        return None
    terms, lifter = leaf.jacobian, Lifter(naming, naming.letters(leaf.out, leaf.at))
    out, at = _axes(leaf.out), _axes(leaf.at)
    if not out or not at:
        return _written(naming, leaf.at if not out else leaf.out, lambda axes: sum_of(terms, lifter, (), axes))
    node = _attempt(lambda: sum_of(terms, lifter, out, at)) or _attempt(lambda: blocks(terms, lifter, out, at))
    if node is None:
        split, axes = in_digits(terms, (*out, *at))
        count = len(axes) - len(in_digits(terms, at)[1])
        node = _attempt(lambda: sum_of(split, lifter, axes[:count], axes[count:])) if split else None
    return None if node is None else signs.distinct(node, naming.taken)


def differential_tree(derivation: Derivation, leaf: LeafTerms, naming: Naming) -> Node | None:
    """J·dleaf in the root's shape, for a matrix of a matrix; None elsewhere."""
    out, at = _axes(leaf.out), _axes(leaf.at)
    name = f"d{leaf.leaf}"
    if leaf.jacobian is None or len(out) != 2 or len(at) != 2 or name in naming.taken:
        return None
    names, step = derivation.sweep.names, Elt(name, tuple(map(var, leaf.at)))
    terms = []
    for term in leaf.jacobian:
        bound = Term(mul(step, term.coefficient), (*term.bound, *at), term.conditions)
        solved = eliminate(bound, names)
        if solved is not None:
            terms.append(solved)
    lifter = Lifter(naming, naming.letters(leaf.out, ()))
    merged = merge(terms)
    node = _written(naming, leaf.out, lambda axes: sum_of(merged, lifter, (), axes))
    if node is None:  # dX ⊗ B
        split, axes = in_digits(merged, out)
        node = _written(naming, leaf.out, lambda _: sum_of(split, lifter, (), axes)) if split else None
    return node


def _axes(variables: Axes) -> Axes:
    """Axes of size 1 have no index."""
    return tuple(v for v in variables if v.size != 1)


def _attempt(make: Callable[[], Node]) -> Node | None:
    try:
        return make()
    except NoMatrix:
        return None


def _written(naming: Naming, at: Axes, make: Callable[[Axes], Node]) -> Node | None:
    """What ``make`` gives over the axes that are not of size 1, as a row where the first of two is."""
    axes = _axes(at)
    node = _attempt(lambda: make(axes))
    if node is None:
        return None
    if len(at) == 2 and axes == at[1:]:
        node = tree.transposed(node)
    return signs.distinct(node, naming.taken)
