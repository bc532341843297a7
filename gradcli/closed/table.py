"""Small Jacobians entry by entry: terms at constant indices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

from gradcli.closed.index import Ix, Var, simplify
from gradcli.closed.rewriting import reindex
from gradcli.closed.scalar import ZERO, Expr, add
from gradcli.closed.terms import Term

#: places of the bound indices that one entry may sum over
SPELT_OUT = 12


def entry(terms: Sequence[Term], at: dict[Var, Ix]) -> Expr | None:
    """The entry at constant indices; None when its sums are too long to spell out or a look-up decides."""
    total: list[Expr] = []
    for term in terms:
        if prod(v.size for v in term.bound) > SPELT_OUT:
            return None
        for place in product(*(range(v.size) for v in term.bound)):
            spot = {**at, **{v: Ix(k) for v, k in zip(term.bound, place, strict=True)}}
            truths = [simplify(c.subs(spot)) for c in term.conditions]
            if any(not isinstance(truth, bool) for truth in truths):
                return None
            if all(truths):
                total.append(reindex(term.coefficient, spot))
    return add(*total) if total else ZERO


def entries(terms: Sequence[Term], axes: Sequence[Var]) -> Any:
    """Nested lists of entries along ``axes``; None when one of them cannot be spelt out."""

    def nest(depth: int, at: dict[Var, Ix]) -> Any:
        if depth == len(axes):
            return entry(terms, at)
        row = [nest(depth + 1, {**at, axes[depth]: Ix(k)}) for k in range(axes[depth].size)]
        return None if any(item is None for item in row) else row

    return nest(0, {})
