"""An index that is only read as quotient and remainder is two indices, the digits of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.closed.index import Div, Ix, Mod, Var, var
from gradcli.closed.rewriting import reindex
from gradcli.closed.terms import Term, atoms, tidy

Axes = Sequence[Var]


def in_digits(terms: Sequence[Term], axes: Axes) -> tuple[list[Term], Axes]:
    """The terms over the digits of those axes that have any, and the new axes, in row-major order."""
    mapping: dict[Var, Ix] = {}
    out: list[Var] = []
    for v in axes:
        base = next((by for term in terms for by in _bases(term, v)), None)
        if base is None or v.size % base:
            out.append(v)
            continue
        high, low = Var(f"{v.name}h", v.size // base), Var(f"{v.name}l", base)
        out += [high, low]
        mapping[v] = var(high) * base + var(low)
    if not mapping:
        return [], axes
    moved = (
        Term(reindex(t.coefficient, mapping), t.bound, tuple(c.subs(mapping) for c in t.conditions)) for t in terms
    )
    return [term for term in map(tidy, moved) if term is not None], out


def _bases(term: Term, v: Var) -> Iterator[int]:
    """Numbers that ``v`` by itself is divided by."""
    for ix in (*(ix for elt in atoms(term) for ix in elt.at), *(c.ix for c in term.conditions)):
        for atom, _ in ix.parts:
            if isinstance(atom, (Div, Mod)) and atom.inner == var(v):
                yield atom.by
