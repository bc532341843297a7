"""Solving index equations: bound indices that an equation fixes are substituted.

A bound index with coefficient 1 is replaced and leaves its range as conditions.
Several whose coefficients form a mixed radix (u + N·v = R) become R mod N and
R div N, which is what reshapes need.  Remainders and quotients of a bound
index are undone with the help of their partner, or of a new bound index.
"""

from __future__ import annotations

from itertools import pairwise

from gradcli.closed.index import Condition, Div, Ix, Mod, Var, at_least, atom_variables, var
from gradcli.closed.rewriting import reindex
from gradcli.closed.terms import Names, Term, lift, tidy


def eliminate(term: Term, names: Names) -> Term | None:
    """The term with every equation that fixes a bound index used up; None when it is 0."""
    current = tidy(lift(term))
    while current is not None:
        step = _step(current, names)
        if step is None:
            return current
        current = tidy(lift(step))
    return None


def settle(term: Term) -> Term:
    """The term with remainders and quotients that belong together joined: i%3 = k and i//3 = j is i = 3*j + k."""
    while True:
        for equation in term.conditions:
            joined = _combine(term, equation, None, None) if equation.equation else None
            simple = tidy(joined) if joined is not None else None
            if simple is not None:
                term = simple
                break
        else:
            return term


def _step(term: Term, names: Names) -> Term | None:
    equations = [c for c in term.conditions if c.equation]
    if not term.bound or not equations:
        return None
    bound = set(term.bound)
    for method in (_radix, _unit, _combine, _cycle, _undo):
        for equation in equations:
            step = method(term, equation, bound, names)
            if step is not None:
                return step
    return None


def _substitute(term: Term, solution: dict[Var, Ix], drop: tuple[Condition, ...], extra: list[Condition]) -> Term:
    conditions = [c.subs(solution) for c in term.conditions if c not in drop]
    return Term(
        reindex(term.coefficient, solution),
        tuple(v for v in term.bound if v not in solution),
        (*conditions, *extra),
    )


def _within(ix: Ix, size: int) -> list[Condition]:
    """0 <= ix < size."""
    return [at_least(ix, 0), at_least(Ix(size - 1), ix)]


def _plain(ix: Ix, bound: set[Var]) -> list[tuple[Var, int]]:
    """Bound variables that stand by themselves in ``ix`` and nowhere inside another atom of it."""
    hidden = {v for atom, _ in ix.parts if not isinstance(atom, Var) for v in atom_variables(atom)}
    return [(a, c) for a, c in ix.parts if isinstance(a, Var) and a in bound and a not in hidden]


def _radix(term: Term, equation: Condition, bound: set[Var], names: Names) -> Term | None:
    """Σ c_k·u_k = R with c_k a mixed radix: u_k = (R div c_k) mod (c_{k+1}/c_k)."""
    ix = equation.ix
    best: Term | None = None
    for sign in (1, -1):
        digits = sorted(((c * sign, v) for v, c in _plain(ix, bound) if c * sign > 0), key=lambda d: d[0])
        if not digits or (len(digits) == 1 and digits[0][0] == 1):
            continue
        if any(high % low or low * v.size > high for (low, v), (high, _) in pairwise(digits)):
            continue
        rest = ix
        for _, v in digits:
            rest = rest.without(v)
        value = rest * -sign
        solution: dict[Var, Ix] = {}
        extra: list[Condition] = []
        if digits[0][0] != 1:
            extra.append(Condition(value.mod(digits[0][0]), True))
        for k, (unit, v) in enumerate(digits):
            digit = value.div(unit)
            if k + 1 < len(digits):
                digit = digit.mod(digits[k + 1][0] // unit)
            solution[v] = digit
            extra += _within(digit, v.size)
        best = _substitute(term, solution, (equation,), extra)
        if len(digits) > 1 or not any(abs(c) == 1 for _, c in _plain(ix, bound)):
            return best
    return None


def _unit(term: Term, equation: Condition, bound: set[Var], names: Names) -> Term | None:
    """u + R = 0: u = -R."""
    candidates = [(v, c) for v, c in _plain(equation.ix, bound) if abs(c) == 1]
    if not candidates:
        return None

    def cost(candidate: tuple[Var, int]) -> tuple[int, int, str]:
        v, c = candidate
        value = equation.ix.without(v) * -c
        low, high = value.range
        # a solution that stays in range leaves no condition behind
        return (0 if low >= 0 and high < v.size else 1, -v.size, v.name)

    v, c = min(candidates, key=cost)
    value = equation.ix.without(v) * -c
    return _substitute(term, {v: value}, (equation,), _within(value, v.size))


def _combine(term: Term, equation: Condition, bound: set[Var] | None, names: Names | None) -> Term | None:
    """X = E mod n together with Y = E div n: E = n·Y + X."""
    for atom, sign in equation.ix.parts:
        if not isinstance(atom, Mod) or abs(sign) != 1:
            continue
        if bound is not None and not bound & set(atom_variables(atom)):
            continue
        partner_atom = _partner(atom)
        for other in term.conditions:
            if other is equation or not other.equation:
                continue
            coefficient = other.ix.coefficient(partner_atom)
            if abs(coefficient) != 1:
                continue
            x = equation.ix.without(atom) * -sign
            y = other.ix.without(partner_atom) * -coefficient
            joined = Condition(atom.inner - y * atom.by - x, True)
            conditions = tuple(c for c in term.conditions if c is not equation and c is not other)
            return Term(term.coefficient, term.bound, (*conditions, joined, *_within(x, atom.by)))
    return None


def _partner(atom: Mod) -> Div:
    quotient = atom.inner.div(atom.by)
    if len(quotient.parts) == 1 and isinstance(quotient.parts[0][0], Div) and quotient.const == 0:
        return quotient.parts[0][0]
    return Div(atom.inner, atom.by)


def _cycle(term: Term, equation: Condition, bound: set[Var], names: Names) -> Term | None:
    """X = (u + R) mod n for u over all of 0 … n - 1: u = (X - R) mod n."""
    for atom, sign in equation.ix.parts:
        if not isinstance(atom, Mod) or abs(sign) != 1:
            continue
        for u, c in _plain(atom.inner, bound):
            value = equation.ix.without(atom) * -sign
            if u.size == atom.by and abs(c) == 1 and u not in set(value.variables()):
                solution = ((value - atom.inner.without(u)) * c).mod(atom.by)
                return _substitute(term, {u: solution}, (equation,), _within(value, atom.by))
    return None


def _undo(term: Term, equation: Condition, bound: set[Var], names: Names) -> Term | None:
    """X = E mod n (or E div n) alone: E = X + n·m with a new bound index m (or n·X + m)."""
    for atom, sign in equation.ix.parts:
        if not isinstance(atom, (Mod, Div)) or abs(sign) != 1:
            continue
        plain = _plain(atom.inner, bound)
        inside = [v for v, _ in plain]
        # a remainder is undone only for an index that can then be solved for, or it would come back
        if not inside or (isinstance(atom, Mod) and not any(abs(c) == 1 for _, c in plain)):
            continue
        value = equation.ix.without(atom) * -sign
        if any(v in set(value.variables()) for v in inside):
            continue
        low, high = atom.inner.range
        if isinstance(atom, Mod):
            first = low // atom.by
            m = names.fresh(high // atom.by - first + 1)
            joined = atom.inner - value - (var(m) + first) * atom.by
            extra = _within(value, atom.by)
        else:
            m = names.fresh(atom.by)
            joined = atom.inner - value * atom.by - var(m)
            extra = []
        conditions = tuple(c for c in term.conditions if c is not equation)
        return Term(term.coefficient, (*term.bound, m), (*conditions, Condition(joined, True), *extra))
    return None
