"""Index notation: Σ over bound indices of coefficient · deltas · brackets; any order of tensor."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.closed.index import Var
from gradcli.closed.notation.naming import Naming
from gradcli.closed.notation.scalars import PRODUCT, SUM, Letters, ScalarText, shown
from gradcli.closed.scalar import Expr, Mul, Num, build, split
from gradcli.closed.terms import Term

WriterOf = type[ScalarText]


def write_terms(
    terms: Sequence[Term], naming: Naming, letters: Letters, writer: WriterOf = ScalarText
) -> str:
    """The sum of ``terms`` as text; ``writer`` decides between plain text and LaTeX."""
    pieces = [_term(term, naming, dict(letters), writer) for term in terms]
    if not pieces:
        return "0"
    pieces.sort(key=lambda piece: piece[0])  # positive terms first, each in its own order
    text = ""
    for negative, body in pieces:
        text += (" - " if text else "-") + body if negative else (" + " if text else "") + body
    return text


def _term(term: Term, naming: Naming, letters: dict[Var, str], writer_of: WriterOf) -> tuple[bool, str]:
    """Whether the term is negative, and its text without the sign."""
    writer = writer_of(naming, naming.bound(term.bound, letters))
    number, factors = split(shown(term.coefficient))
    negative = number.value < 0
    if negative:
        number = Num(-number.value, number.decimal, number.text.lstrip("-"))
    bound = set(term.bound)
    outside = tuple(f for f in factors if not f[0].variables & bound)
    inside = tuple(f for f in factors if f[0].variables & bound)
    free_conditions = [c for c in term.conditions if not bound & set(c.ix.variables())]
    bound_conditions = [c for c in term.conditions if bound & set(c.ix.variables())]
    alone = not term.bound and not term.conditions
    pieces = []
    head = build(number, outside)
    if not (isinstance(head, Num) and head.value == 1 and (inside or term.conditions or term.bound)):
        pieces.append(writer.at(head, SUM if alone else PRODUCT))
    pieces += writer.conditions(free_conditions)
    if term.bound:
        inner = [*_bare(inside, writer), *writer.conditions(bound_conditions)]
        names = ",".join(writer.letters[v] for v in term.bound)
        pieces.append(writer.summation(names, writer.times(inner)))
    return negative, writer.times(pieces)


def _bare(factors: tuple[tuple[Expr, Num], ...], writer: ScalarText) -> list[str]:
    if not factors:
        return []
    return [writer.at(build(Num(1), factors) if len(factors) > 1 else _single(factors[0]), PRODUCT)]


def _single(factor: tuple[Expr, Num]) -> Expr:
    base, exponent = factor
    return base if exponent.value == 1 else Mul(Num(1), (factor,))

