"""Terms taken apart: products over sums multiplied out, as far as a notation needs it."""

from __future__ import annotations

from itertools import product

from gradcli.closed.index import Var
from gradcli.closed.notation.scalars import shown
from gradcli.closed.scalar import ONE, Add, Expr, build, mul, split
from gradcli.closed.terms import Term

#: terms that multiplying out may give
MOST = 16


def multiplied_out(term: Term, more_axes_than: int, params: frozenset[Var]) -> list[Term] | None:
    """The term with factors that are sums over more axes than that multiplied out; None when too many."""
    number, factors = split(shown(term.coefficient))
    options: list[list[Expr]] = []
    for base, exponent in factors:
        wide = len(base.variables - params) > more_axes_than
        if isinstance(base, Add) and wide and exponent.value in (1, 2):
            options += [list(base.children)] * int(exponent.value)
        else:
            options.append([build(ONE, ((base, exponent),))])
    if all(len(option) == 1 for option in options):
        return None
    count = 1
    for option in options:
        count *= len(option)
    if count > MOST:
        return None
    return [Term(mul(number, *choice), term.bound, term.conditions) for choice in product(*options)]
