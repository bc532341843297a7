"""Matrix products without a name of their own as the sums they are: (A @ x)[i] is Σ_k A[i,k]·x[k].

So that what is multiplied with them joins in: 2·(x - a) @ W, transposed, is 2 Wᵀ (x - a).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradcli.closed.index import Ix, Var, var
from gradcli.closed.notation.naming import Naming
from gradcli.closed.scalar import ONE, Add, Elt, Expr, build, mul, split
from gradcli.closed.terms import Term

#: operations that are unfolded, of vectors and matrices
PRODUCTS = frozenset(("matmul", "mm", "mv", "dot"))
_UNFOLDED = PRODUCTS | {"outer"}
#: how many products one term may have unfolded
_MOST = 8


def unfolded(term: Term, naming: Naming) -> Term:
    """The term with factors that are elements of such products unfolded."""
    for count in range(_MOST):
        number, factors = split(term.coefficient)
        found = next((b for b, e in factors if e.value == 1 and isinstance(b, Elt) and _may(b, naming)), None)
        if found is None:
            break
        k, one, two = _sides(found, naming, f"_p{count}_")
        rest = tuple(f for f in factors if f[0] is not found)
        term = Term(mul(build(number, rest), one, two), (*term.bound, *([k] if k.size != 1 else [])), term.conditions)
    return term


def taken_apart(terms: Sequence[Term], naming: Naming) -> list[Term]:
    """The terms, with sums that such a product is part of as one term a summand; none where there is no such sum."""
    found, out = False, list[Term]()
    for term in terms:
        number, factors = split(term.coefficient)
        plain = [b for b, e in factors if isinstance(b, Add) and e.value == 1]
        sums = [b for b in plain if any(_holds(child, naming) for child in b.children)]
        if len(sums) != 1:
            out.append(term)
            continue
        rest = build(number, tuple(f for f in factors if f[0] is not sums[0]))
        out += [replace(term, coefficient=mul(rest, child)) for child in sums[0].children]
        found = True
    return out if found else []


def _holds(expr: Expr, naming: Naming) -> bool:
    return any(isinstance(base, Elt) and _may(base, naming) for base, _ in split(expr)[1])


def _may(elt: Elt, naming: Naming) -> bool:
    if not isinstance(elt.of, int) or naming.is_given(elt.of):
        return False
    node = naming.graph.nodes[elt.of]
    if node.op not in _UNFOLDED or any(len(naming.graph.nodes[arg].shape) not in (1, 2) for arg in node.args):
        return False
    return not naming.is_aliased(elt.of)


def _sides(elt: Elt, naming: Naming, name: str) -> tuple[Var, Expr, Expr]:
    """The summed index and the two factors."""
    graph = naming.graph
    assert isinstance(elt.of, int)
    left, right = graph.nodes[elt.of].args
    if graph.nodes[elt.of].op == "outer":
        return Var(name, 1), mul(ONE, graph.element(left, elt.at[:1])), mul(ONE, graph.element(right, elt.at[1:]))
    rows = len(graph.nodes[left].shape) - 1
    k = Var(name, graph.nodes[left].shape[-1])
    at: list[Ix] = list(elt.at)
    one = graph.element(left, (*at[:rows], var(k)))
    two = graph.element(right, (var(k), *at[rows:]))
    return k, mul(ONE, one), mul(ONE, two)
