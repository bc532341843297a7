"""Terms that live on part of an axis: 0 outside a stretch, or on every n-th place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradcli.closed.index import Condition, Mod, Var, equals, var
from gradcli.closed.scalar import reindex
from gradcli.closed.terms import Term


def narrowed(term: Term) -> Term:
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


def windowed(term: Term, free: Sequence[Var]) -> Term:
    """Free axes that conditions cut short replaced by bound ones as long as what is left: j = step·u + start."""
    for v in free:
        own = [c for c in term.conditions if set(c.ix.variables()) == {v} and _cuts(c, v)]
        if not own:
            continue
        start, step, size = _window(own, v)
        u = Var(f"_w{v.name}", size)
        place = var(u) * step + start
        rest = tuple(c.subs({v: place}) for c in term.conditions if c not in own)
        coefficient = reindex(term.coefficient, {v: place})
        term = Term(coefficient, (*term.bound, u), (*rest, equals(var(v), place)))
    return term


def _cuts(condition: Condition, v: Var) -> bool:
    """Whether it is a bound on ``v`` itself, or v % n = c."""
    ((atom, c),) = condition.ix.parts if len(condition.ix.parts) == 1 else ((None, 0),)
    if condition.equation:
        return isinstance(atom, Mod) and atom.inner == var(v) and c == 1
    return atom == v and abs(c) == 1


def _window(conditions: Sequence[Condition], v: Var) -> tuple[int, int, int]:
    """First place, step and number of places."""
    low, high, step, phase = 0, v.size - 1, 1, 0
    for condition in conditions:
        ((atom, c),) = condition.ix.parts
        if isinstance(atom, Mod):
            step, phase = atom.by, -condition.ix.const
        elif c > 0:
            low = max(low, -condition.ix.const)
        else:
            high = min(high, condition.ix.const)
    start = low + (phase - low) % step
    return start, step, max((high - start) // step + 1, 0)


