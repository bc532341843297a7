"""Sums that the program has a name for: Σ_k A[i,k]·B[k,j] is (A @ B)[i,j]."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

from gradcli.closed.graph import Graph
from gradcli.closed.index import Ix, Var, var
from gradcli.closed.scalar import ONE, Elt, Expr, Mul, build, mul
from gradcli.closed.terms import Term

#: (what is read, place of the summed index) twice, and the size of that index → the product's node, and where
#: each place of its index is read
Key = tuple[tuple[object, int], tuple[object, int], int]
Patterns = dict[Key, tuple[int, tuple[tuple[int, int], ...]]]

_PRODUCTS = frozenset(("matmul", "mm", "mv", "dot"))
_known: WeakKeyDictionary[Graph, Patterns] = WeakKeyDictionary()


def patterns(graph: Graph) -> Patterns:
    """The matrix products of the program whose operands are named nodes, or views of them."""
    found = _known.get(graph)
    if found is None:
        found = _known[graph] = {}
        for node in graph.nodes[: len(graph.program.nodes)]:
            if node.op in _PRODUCTS:
                _learn(graph, node.id, found)
    return found


def _learn(graph: Graph, id: int, found: Patterns) -> None:
    node = graph.nodes[id]
    shapes = [graph.nodes[a].shape for a in node.args]
    if any(len(shape) not in (1, 2) or 1 in shape or 0 in shape for shape in shapes):
        return
    k = Var("k", shapes[0][-1])
    row, column = Var("row", shapes[0][0]), Var("column", shapes[1][-1])
    left = graph.element(node.args[0], (var(row), var(k)) if len(shapes[0]) == 2 else (var(k),))
    right = graph.element(node.args[1], (var(k), var(column)) if len(shapes[1]) == 2 else (var(k),))
    if not isinstance(left, Elt) or not isinstance(right, Elt):
        return
    places: list[tuple[int, int]] = []
    for side, (elt, outer, shape) in enumerate(((left, row, shapes[0]), (right, column, shapes[1]))):
        if sorted(map(str, elt.at)) != sorted(str(var(v)) for v in ((outer, k) if len(shape) == 2 else (k,))):
            return
        if len(shape) == 2:
            places.append((side, elt.at.index(var(outer))))
    key = (left.of, left.at.index(var(k))), (right.of, right.at.index(var(k))), k.size
    found.setdefault(key, (id, tuple(places)))


def refold(term: Term, graph: Graph) -> Term:
    """The term with every such sum replaced by an element of the product."""
    known = patterns(graph)
    if not known:
        return term
    again = True
    while again:
        again = False
        for k in term.bound:
            step = _fold(term, k, known)
            if step is not None:
                term, again = step, True
                break
    return term


def _fold(term: Term, k: Var, known: Patterns) -> Term | None:
    if not isinstance(term.coefficient, Mul) or any(k in set(c.ix.variables()) for c in term.conditions):
        return None
    inside = [(b, e) for b, e in term.coefficient.factors if k in b.variables]
    pair = [b for b, e in inside if isinstance(b, Elt) and e.value == 1 and list(b.at).count(var(k)) == 1]
    if len(inside) != 2 or len(pair) != 2:
        if len(inside) == 1 and isinstance(inside[0][0], Elt) and inside[0][1].value == 2:
            pair = [inside[0][0]] * 2  # x·x, as in dot(x, x)
        else:
            return None
    for left, right in (pair, pair[::-1]):
        found = known.get(((left.of, left.at.index(var(k))), (right.of, right.at.index(var(k))), k.size))
        if found is None or any(k in set(ix.variables()) for e in pair for ix in e.at if ix != var(k)):
            continue
        id, places = found
        at: tuple[Ix, ...] = tuple((left, right)[side].at[place] for side, place in places)
        rest: list[Expr] = [build(ONE, ((b, e),)) for b, e in term.coefficient.factors if k not in b.variables]
        folded = mul(term.coefficient.coefficient, *rest, Elt(id, at))
        return replace(term, coefficient=folded, bound=tuple(v for v in term.bound if v != k))
    return None
