"""Terms taken apart: products over sums multiplied out, as far as a notation needs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod

from gradcli.closed.index import Var
from gradcli.closed.notation.showing import shown
from gradcli.closed.scalar import ONE, Add, Expr, build, mul, split
from gradcli.closed.terms import Term

#: terms that multiplying out may give
MOST = 16


def multiplied_out(term: Term, which: Callable[[Add], bool]) -> list[Term] | None:
    """The term with factors that are sums multiplied out where ``which`` says so; None when none or too many."""
    number, factors = split(shown(term.coefficient))
    options: list[list[Expr]] = []
    for base, exponent in factors:
        if isinstance(base, Add) and exponent.value in (1, 2) and which(base):
            options += [list(base.children)] * int(exponent.value)
        else:
            options.append([build(ONE, ((base, exponent),))])
    count = prod(map(len, options))
    if not 1 < count <= MOST:
        return None
    return [Term(mul(number, *choice), term.bound, term.conditions) for choice in product(*options)]


def choices(params: frozenset[Var]) -> Iterator[Callable[[Add], bool]]:
    """Which sums to multiply out, the least first."""

    def axes(expr: Expr) -> int:
        return len(expr.variables - params)

    yield lambda sum_: axes(sum_) > 2
    yield lambda sum_: axes(sum_) > 1 and any(not axes(term) for term in sum_.children)
    yield lambda sum_: axes(sum_) > 2 or (axes(sum_) > 1 and any(axes(t) < axes(sum_) for t in sum_.children))
    yield lambda sum_: axes(sum_) > 1
    yield lambda sum_: True
