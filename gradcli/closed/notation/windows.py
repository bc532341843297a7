"""Terms that live on part of an axis: 0 outside a stretch, or at all but every n-th place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gradcli.closed.index import Condition, Div, Ix, Mod, Var, equals, var
from gradcli.closed.rewriting import reindex, substitute
from gradcli.closed.scalar import Elt, Expr
from gradcli.closed.terms import Term, tidy


def exact(term: Term) -> Term:
    """The term with quotients by numbers that conditions say divide: where j % 2 = 1, 2·(j // 2) is j - 1."""
    for condition in term.conditions:
        if not condition.equation or len(condition.ix.parts) != 1:
            continue
        ((atom, sign),) = condition.ix.parts
        if isinstance(atom, Mod) and abs(sign) == 1:
            term = _with_remainder(term, condition, atom, -condition.ix.const * sign)
    return term


def _with_remainder(term: Term, told: Condition, mod: Mod, remainder: int) -> Term:
    """The term where ``mod`` is ``remainder``."""
    quotient, plain = Div(mod.inner, mod.by), mod.inner - mod.inner.const
    first = (remainder - mod.inner.const) % mod.by  # the least value of what is divided, its constant left out
    if quotient not in [atom for ix in _indices(term) for atom, _ in ix.parts]:
        return term

    def change(ix: Ix) -> Ix:
        count = ix.coefficient(quotient)
        if not count:
            return ix
        if count % mod.by:
            return ix.without(quotient) + (plain.div(mod.by) + (mod.inner.const + first) // mod.by) * count
        return ix.without(quotient) + (mod.inner - remainder) * (count // mod.by)

    def replaced(node: Expr) -> Expr | None:
        return Elt(node.of, tuple(map(change, node.at))) if isinstance(node, Elt) else None

    conditions = []
    for condition in term.conditions:
        if condition is not told:
            # a bound on the quotient is one on what is divided
            bound = not condition.equation and abs(condition.ix.coefficient(quotient)) == 1
            condition = Condition(change(condition.ix * mod.by if bound else condition.ix), condition.equation)
        implied = plain.range[0] >= 0 and condition.ix - condition.ix.const == plain and condition.ix.const + first >= 0
        if condition.equation or not implied:
            conditions.append(condition)
    new = tidy(Term(substitute(term.coefficient, replaced), term.bound, tuple(conditions)))
    return term if new is None else new


def _indices(term: Term) -> Iterator[Ix]:
    yield from (ix for elt in term.coefficient.atoms for ix in elt.at)
    yield from (condition.ix for condition in term.conditions)


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
        return isinstance(atom, Mod) and atom.inner.without(v).is_constant and atom.inner.coefficient(v) == 1 and c == 1
    return atom == v and abs(c) == 1


def _window(conditions: Sequence[Condition], v: Var) -> tuple[int, int, int]:
    """First place, step and number of places."""
    low, high, step, phase = 0, v.size - 1, 1, 0
    for condition in conditions:
        ((atom, c),) = condition.ix.parts
        if isinstance(atom, Mod):
            step, phase = atom.by, (-condition.ix.const - atom.inner.const) % atom.by
        elif c > 0:
            low = max(low, -condition.ix.const)
        else:
            high = min(high, condition.ix.const)
    start = low + (phase - low) % step
    return start, step, max((high - start) // step + 1, 0)
