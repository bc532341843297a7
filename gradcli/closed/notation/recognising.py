"""Products that the program has a name for, written by that name: exp(x[i])/sum(exp(x)) is y[i].

So the softmax that a user writes out has diag(y) - y yᵀ as its Jacobian.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from gradcli.closed.graph import Graph
from gradcli.closed.index import Ix, Var, var
from gradcli.closed.rewriting import reindex, substitute
from gradcli.closed.scalar import Elt, Expr, Mul, Num, build, mul, power, split
from gradcli.closed.terms import Term


@dataclass(frozen=True)
class OwnProduct:
    """A named node that is a product, over index variables of its own; ``anchor`` is read at all of them."""

    id: int
    axes: tuple[Var, ...]
    factors: tuple[tuple[Expr, Num], ...]
    anchor: Elt


def own_products(graph: Graph) -> list[OwnProduct]:
    """The statements of the program that are products of several factors, the last first."""
    found = []
    needed = frozenset(graph.order())
    for id in sorted(graph.names, reverse=True):
        if graph.nodes[id].op == "leaf" or id not in needed or (id == graph.root and not graph.speaks_of(id)):
            continue
        axes = tuple(Var(f"own{k}", size) for k, size in enumerate(graph.nodes[id].shape))
        body = graph.body(id, tuple(map(var, axes)))
        if not isinstance(body, Mul) or body.coefficient.value != 1 or len(body.factors) < 2:
            continue
        wide = {v for v in axes if v.size > 1}
        anchor = next((e for e in body.atoms if _is_plain(e) and e.variables == wide), None)
        if anchor is not None:
            found.append(OwnProduct(id, axes, body.factors, anchor))
    return found


def _is_plain(elt: Elt) -> bool:
    """Whether every index is a variable by itself, or a constant."""
    return all(ix.is_constant or ix == var(next(ix.variables())) for ix in elt.at)


def recognised(terms: Sequence[Term], products: Sequence[OwnProduct], graph: Graph) -> list[Term]:
    """The terms with such products by their names, and cofactors over the determinant as the inverse."""
    if not products and not any(node.op == "cofactor" for node in graph.nodes):
        return list(terms)

    def change(node: Expr) -> Expr | None:
        if not isinstance(node, Mul):
            return None
        inner = mul(node.coefficient, *(power(substitute(base, change), exponent) for base, exponent in node.factors))
        for product in products:
            inner = _named(inner, product)
        return _inverse(inner, graph)

    return [replace(term, coefficient=substitute(term.coefficient, change)) for term in terms]


def _inverse(expr: Expr, graph: Graph) -> Expr:
    """cofactor(A)[p1,p2]/det(A) as inv(A)[p2,p1]."""
    factors = expr.factors if isinstance(expr, Mul) else ()
    for base, exponent in factors:
        node = graph.nodes[base.of] if isinstance(base, Elt) and isinstance(base.of, int) else None
        if node is None or node.op != "cofactor" or exponent.value != 1 or not isinstance(base, Elt):
            continue
        *batch, p1, p2 = base.at
        det = Elt(graph.make("det", node.args), tuple(batch))
        below = next((e for b, e in factors if b == det and e.value <= -1), None)
        if below is not None:
            rest = [power(b, e) for b, e in factors if b not in (base, det)]
            inverse = Elt(graph.make("inv", node.args), (*batch, p2, p1))
            return mul(split(expr)[0], *rest, power(det, Num(below.value + 1)), inverse)
    return expr


def _named(expr: Expr, product: OwnProduct) -> Expr:
    """The product with every place where ``product`` occurs in it called by its name."""
    for atom in expr.atoms:
        places = _places(product, atom)
        count = _count(expr, product, places) if places is not None and isinstance(expr, Mul) else 0
        if count and places is not None and isinstance(expr, Mul):
            name = Elt(product.id, tuple(places[v] for v in product.axes))
            expr = mul(_without(expr, product, places, count), power(name, Num(count)))
    return expr


def _places(product: OwnProduct, atom: Elt) -> dict[Var, Ix] | None:
    """The indices at which the product is read when its anchor is ``atom``."""
    if atom.of != product.anchor.of:
        return None
    places = {v: Ix(0) for v in product.axes}
    for own, ix in zip(product.anchor.at, atom.at, strict=True):
        if own.is_constant:
            if own != ix:
                return None
        else:
            places[next(own.variables())] = ix
    return places


def _count(expr: Mul, product: OwnProduct, places: dict[Var, Ix]) -> int:
    """How often the whole product occurs among the factors."""
    have = {(base.key, e.value > 0): abs(e.value) for base, e in expr.factors}
    counts = []
    for base, exponent in product.factors:
        found = have.get((reindex(base, places).key, exponent.value > 0), Fraction(0))
        counts.append(int(found // abs(exponent.value)))
    return min(counts)


def _without(expr: Mul, product: OwnProduct, places: dict[Var, Ix], count: int) -> Expr:
    """The factors that are left when the product is taken out ``count`` times."""
    taken = {(reindex(b, places).key, e.value > 0): e.value * count for b, e in product.factors}
    left = []
    for base, exponent in expr.factors:
        value = exponent.value - taken.get((base.key, exponent.value > 0), 0)
        if value:
            left.append((base, exponent if value == exponent.value else Num(value, exponent.decimal)))
    return build(expr.coefficient, tuple(left))
