"""Scalar expressions rebuilt with other parts: substitution, and other indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gradcli.closed.index import Condition, Ix, Var, simplify
from gradcli.closed.scalar import ONE, ZERO, Add, Bracket, Elt, Expr, Fn, IndexValue, Mul, add, mul, power

#: gives the new form of a sub-expression
Walk = Callable[[Expr], Expr]


def substitute(
    expr: Expr, replace: Callable[[Expr], Expr | None], rebuild: Callable[[Expr, Walk], Expr] | None = None
) -> Expr:
    """Rebuild ``expr`` with every sub-expression for which ``replace`` gives another one."""
    memo: dict[int, Expr] = {}
    put_together = rebuild or _rebuild

    def walk(node: Expr) -> Expr:
        known = memo.get(id(node))
        if known is not None:
            return known
        new = replace(node)
        if new is None:
            new = put_together(node, walk)
        memo[id(node)] = new
        return new

    return walk(expr)


def _renamed(node: Expr, walk: Walk) -> Expr:
    """The node over other children, its structure kept."""
    inner = tuple(walk(child) for child in node.children)
    if isinstance(node, Add):
        return Add(inner)
    if isinstance(node, Mul):
        return Mul(node.coefficient, tuple(zip(inner, (exponent for _, exponent in node.factors), strict=True)))
    return Fn(node.op, inner, node.attrs) if isinstance(node, Fn) else node


def _rebuild(node: Expr, walk: Walk) -> Expr:
    if not node.children:
        return node
    inner = tuple(walk(child) for child in node.children)
    if all(new is old for new, old in zip(inner, node.children, strict=True)):
        return node
    if isinstance(node, Add):
        return add(*inner)
    if isinstance(node, Mul):
        exponents = (exponent for _, exponent in node.factors)
        return mul(node.coefficient, *(power(b, e) for b, e in zip(inner, exponents, strict=True)))
    assert isinstance(node, Fn)
    return Fn(node.op, inner, node.attrs)


def reindex(expr: Expr, mapping: Mapping[Var, Ix]) -> Expr:
    """Replace index variables."""
    if mapping.keys().isdisjoint(expr.variables):
        return expr

    def replace(node: Expr) -> Expr | None:
        if mapping.keys().isdisjoint(node.variables):
            return node
        if isinstance(node, Elt):
            return Elt(node.of, tuple(ix.subs(mapping) for ix in node.at))
        if isinstance(node, IndexValue):
            return IndexValue(node.ix.subs(mapping))
        if isinstance(node, Bracket):
            return bracket(node.condition.subs(mapping))
        return None

    return substitute(expr, replace, _renamed if _is_renaming(expr, mapping) else _rebuild)


def _is_renaming(expr: Expr, mapping: Mapping[Var, Ix]) -> bool:
    """Whether different indices stay different, so that nothing can be collected that was not before."""
    new = [next(ix.variables(), None) if len(ix.parts) == 1 and not ix.const else None for ix in mapping.values()]
    plain = all(v is not None and ix.coefficient(v) == 1 for v, ix in zip(new, mapping.values(), strict=True))
    return plain and len(set(new)) == len(new) and not (expr.variables - mapping.keys()).intersection(new)


def bracket(condition: Condition) -> Expr:
    """[condition], folded when its truth is known."""
    simple = simplify(condition)
    if isinstance(simple, bool):
        return ONE if simple else ZERO
    return Bracket(simple)


def walk(expr: Expr) -> Iterator[Expr]:
    """Every node, parents first."""
    yield expr
    for child in expr.children:
        yield from walk(child)
