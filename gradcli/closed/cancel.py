"""Cancelling for print: x·(1/x) is 1 where only a slope divided by x.

Terms keep such factors apart, since a pole must not vanish from what is evaluated.  In
print they may go where the user's program does not itself divide by that factor: the
slope 1/x of log(x) brings a division, but no pole that log(x) has not already.  Where it
does divide they go as far as a pole is left: x/x**2 is 1/x, and log(p/x) + x/x is log(p/x) + 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from gradcli.closed.graph import Graph
from gradcli.closed.index import Var, var
from gradcli.closed.rewriting import substitute, walk
from gradcli.closed.scalar import Add, Expr, Mul, Num, add, build, mul, power, split
from gradcli.closed.terms import Term

#: operations that divide, and by which operands
_DIVIDE = {"div": "other", "floordiv": "other", "remainder": "other", "fmod": "other", "pow": "x", "reciprocal": "x"}


def divisors(graph: Graph) -> frozenset[int | str]:
    """Leaves and named nodes that the program itself divides by."""
    found: set[int | str] = set()
    for node in graph.nodes[: len(graph.program.nodes)]:
        role = _DIVIDE.get(node.op)
        if role is not None and not _plain_power(graph, node.id):
            below = graph.nodes[graph.resolve(node.arg(role))]
            at = tuple(var(Var(f"d{k}", size)) for k, size in enumerate(below.shape))
            found.update(atom.of for atom in graph.element(below.id, at).atoms)
    return frozenset(found)


def _plain_power(graph: Graph, id: int) -> bool:
    node = graph.nodes[id]
    if node.op != "pow":
        return False
    exponent = graph.nodes[node.arg("exponent")]
    value = exponent.attrs.get("value")
    return isinstance(value, (int, float)) and value >= 0


#: whether a base may leave one side of the line, given its powers above and below
May = Callable[[Expr, Fraction, Fraction], bool]


def cancelled(terms: Sequence[Term], kept: frozenset[int | str]) -> list[Term]:
    """The terms with x·(1/x) as 1, unless x speaks of ``kept`` and no pole would be left where x is 0."""

    def may(base: Expr, above: Fraction, below: Fraction) -> bool:
        return below > above or not _speaks_of(base, kept)

    def simpler(node: Expr) -> Expr | None:
        if isinstance(node, Mul):
            inner = mul(node.coefficient, *(power(inside(base), exponent) for base, exponent in node.factors))
            lowest = _lowest(inner, may)
            return _into_sums(lowest, may)
        if isinstance(node, Add):
            return _beside_poles([inside(child) for child in node.children])
        return None

    def inside(node: Expr) -> Expr:
        return substitute(node, simpler)

    return [replace(term, coefficient=inside(term.coefficient)) for term in terms]


def _speaks_of(base: Expr, kept: frozenset[int | str]) -> bool:
    return any(atom.of in kept for atom in base.atoms)


def _lowest(expr: Expr, may: May) -> Expr:
    """The product with bases that stand above and below the line on one side only, where they ``may``."""
    if not isinstance(expr, Mul):
        return expr
    above = {base.key: exponent.value for base, exponent in expr.factors if exponent.value > 0}
    below = {base.key: -exponent.value for base, exponent in expr.factors if exponent.value < 0}
    left: dict[tuple[str, bool], tuple[Expr, Num]] = {}
    for base, exponent in expr.factors:
        key = base.key
        if key in above and key in below and may(base, above[key], below[key]):
            exponent = Num(above[key] - below[key], exponent.decimal)
        if exponent.value:
            left[key, exponent.value > 0] = base, exponent
    return build(expr.coefficient, tuple(left.values()))


def _into_sums(expr: Expr, may: May) -> Expr:
    """(y/p - z/q)·p·q as y·q - z·p, where that cancels."""
    factors = expr.factors if isinstance(expr, Mul) else ()
    for base, exponent in factors:
        if not isinstance(base, Add) or exponent.value != 1:
            continue
        divided = {b.key for child in base.children for b, e in split(child)[1] if e.value < 0}
        joining = [(b, e) for b, e in factors if b is not base and e.value > 0 and b.key in divided]
        if not joining:
            continue
        inner = add(*(_lowest(mul(child, *(power(b, e) for b, e in joining)), may) for child in base.children))
        rest = [power(b, e) for b, e in factors if b is not base and (b, e) not in joining]
        whole = mul(split(expr)[0], inner, *rest)
        return _into_sums(whole, may) if whole.size < expr.size else expr
    return expr


def _beside_poles(terms: Sequence[Expr]) -> Expr:
    """The sum of terms; x/x is 1 in a term where another has a pole at x = 0 as well."""
    poles = [_poles(term) for term in terms]
    out = []
    for k, term in enumerate(terms):
        others = frozenset().union(*poles[:k], *poles[k + 1 :])
        out.append(_lowest(term, lambda base, above, below, others=others: base.key in others))  # type: ignore[misc]
    return add(*out)


def _poles(expr: Expr) -> frozenset[str]:
    """Bases that an expression divides by and has no power of above the line."""
    found: set[str] = set()
    for node in walk(expr):
        if isinstance(node, Mul):
            above = {base.key for base, exponent in node.factors if exponent.value > 0}
            found |= {base.key for base, exponent in node.factors if exponent.value < 0} - above
    return frozenset(found)
