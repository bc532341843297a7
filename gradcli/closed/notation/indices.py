"""Index notation: Σ over bound indices of coefficient · deltas · brackets; any order of tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gradcli.closed.index import Ix, Look, Var, var
from gradcli.closed.notation.indexing import Letters
from gradcli.closed.notation.lifting import TexScalar
from gradcli.closed.notation.naming import Naming
from gradcli.closed.notation.scalars import PRODUCT, SUM, ScalarText
from gradcli.closed.notation.showing import divided, opposite, shared_number, shown
from gradcli.closed.scalar import ONE, Add, Expr, Num, add, build, split
from gradcli.closed.terms import Term, split_sums

Factors = tuple[tuple[Expr, Num], ...]


@dataclass(frozen=True)
class Writer:
    """Writes sums of terms as plain text or, with another ``scalars`` and ``times``, as LaTeX.

    A bound index whose range no tensor tells is written with it: Σ_k<5.
    """

    naming: Naming
    letters: Letters
    scalars: type[ScalarText] = ScalarText
    times: str = "·"
    sum_over: str = "Σ_%s %s"

    def __call__(self, terms: Sequence[Term]) -> str:
        """The sum of ``terms``, with what all of them share before a parenthesis."""
        if not terms:
            return "0"
        shared, rest = _shared([_shown(term) for term in terms])
        if shared is None:
            return self._sum(rest)
        negative, head = self._term(shared, PRODUCT)
        inner = self.scalars(self.naming, self.letters).parenthesised(self._sum([_shown(term) for term in rest]))
        return ("-" if negative else "") + self.times.join([head, inner])

    def _sum(self, terms: Sequence[Term]) -> str:
        """Positive terms first, each in its own order; a difference alone with a minus before it is turned round."""
        single = split_sums(terms, lambda term: len(terms) > 1 and not term.bound and not term.conditions)
        if len(single) == 1:
            single = [_turned(single[0])]
        pieces = sorted((self._term(term) for term in single), key=lambda piece: piece[0])
        text = ""
        for negative, body in pieces:
            text += (" - " if text else "-") + body if negative else (" + " if text else "") + body
        return text

    def _term(self, term: Term, level: int = SUM) -> tuple[bool, str]:
        """Whether the term is negative, and its text without the sign, for where ``level`` is expected."""
        number, factors = split(term.coefficient)
        negative, number = number.value < 0, opposite(number) if number.value < 0 else number
        bound = set(term.bound)
        inside = tuple(f for f in factors if f[0].variables & bound)
        chain = self._chain(inside, term)
        order = {base.key: k for k, (base, _) in enumerate(chain)}
        met = dict.fromkeys(v for base, _ in chain for v in _in_order(base) if v in bound)
        variables = [*met, *(v for v in term.bound if v not in met)]
        writer = self.scalars(self.naming, self.naming.bound(variables, self.letters), order)
        head = build(number, tuple(f for f in factors if f not in inside))
        pieces = []
        if not (isinstance(head, Num) and head.value == 1 and (term.conditions or bound)):
            pieces.append(writer.at(head, PRODUCT if term.conditions or bound or negative else level))
        pieces += writer.indices.conditions([c for c in term.conditions if not bound & set(c.ix.variables())])
        if bound:
            tied = [c for c in term.conditions if bound & set(c.ix.variables())]
            inner = [writer.at(build(ONE, inside), PRODUCT)] if inside else []
            body = self.times.join([*inner, *writer.indices.conditions(tied)]) or "1"
            ranged = [v for v in variables if not self._is_told(v, term)]
            names = (writer.indices.letter(v) + (f"<{v.size}" if v in ranged else "") for v in variables)
            pieces.append(self.sum_over % (",".join(names), body))
        return negative, self.times.join(pieces)

    def _is_told(self, v: Var, term: Term) -> bool:
        """Whether every axis that is read at just this index is as long as it runs, and there is one."""
        sizes = {
            size
            for of, at in _readings(term)
            for ix, size in zip(at, self.naming.shape(of), strict=True)
            if ix == var(v)
        }
        return sizes == {v.size}

    def _chain(self, factors: Factors, term: Term) -> Factors:
        """Factors of a sum so that neighbours share an index, from the first free index on."""
        plain = self.scalars(self.naming, {**self.letters, **dict.fromkeys(term.bound, "k")})
        left = sorted(factors, key=lambda factor: plain.rank(factor[0]))
        met = {next((v for v in self.letters if v in term.coefficient.variables), Var("", 0))}
        chain: Factors = ()
        while left:
            following = min(left, key=lambda f: (not f[0].variables & met, len(f[0].variables)))
            left.remove(following)
            chain += (following,)
            met = set(following[0].variables)
        return chain


def _shown(term: Term) -> Term:
    return replace(term, coefficient=shown(term.coefficient))


def _shared(terms: Sequence[Term]) -> tuple[Term | None, list[Term]]:
    """What several terms share: number, factors without bound indices, conditions; and what is left of each."""
    if len(terms) < 2:
        return None, list(terms)
    parts = [split(term.coefficient) for term in terms]
    number = shared_number([n for n, _ in parts])
    first, *others = ({(base.key, e.value > 0): (base, e) for base, e in factors} for _, factors in parts)
    common: dict[tuple[str, bool], tuple[Expr, Num]] = {}
    bound = {v for term in terms for v in term.bound}
    for place, (base, exponent) in first.items():
        if not base.variables & bound and all(place in other for other in others):
            least = min([exponent, *(other[place][1] for other in others)], key=lambda e: abs(e.value))
            common[place] = base, least
    tied = [c for c in terms[0].conditions if all(c in term.conditions for term in terms)]
    tied = [c for c in tied if not bound & set(c.ix.variables())]
    if abs(number.value) == 1 and not common and not tied:
        return None, list(terms)
    rest = []
    for term, (own, factors) in zip(terms, parts, strict=True):
        left: Factors = ()
        for base, exponent in factors:
            taken = common[base.key, exponent.value > 0][1].value if (base.key, exponent.value > 0) in common else 0
            if exponent.value != taken:
                left += ((base, Num(exponent.value - taken, exponent.decimal) if taken else exponent),)
        conditions = tuple(c for c in term.conditions if c not in tied)
        rest.append(Term(build(divided(own, number), left), term.bound, conditions))
    return Term(build(number, tuple(common.values())), (), tuple(tied)), rest


def _turned(term: Term) -> Term:
    """-(a - b)·c as (b - a)·c, where there is just one such difference."""
    number, factors = split(term.coefficient)
    sums = [k for k, (base, e) in enumerate(factors) if isinstance(base, Add) and e.value == 1 and _is_difference(base)]
    if number.value >= 0 or len(sums) != 1:
        return term
    base, exponent = factors[sums[0]]
    other = add(*(-part for part in base.children)), exponent
    left = (*factors[: sums[0]], other, *factors[sums[0] + 1 :])
    return replace(term, coefficient=build(opposite(number), left))


def _is_difference(expr: Expr) -> bool:
    return [split(child)[0].value < 0 for child in expr.children] == [False, True]


def _readings(term: Term) -> Iterator[tuple[int | str, tuple[Ix, ...]]]:
    """What is read in a term and at which indices."""
    for elt in term.coefficient.atoms:
        yield elt.of, elt.at
    for ix in (*(ix for elt in term.coefficient.atoms for ix in elt.at), *(c.ix for c in term.conditions)):
        for atom, _ in ix.parts:
            if isinstance(atom, Look):
                yield atom.node, atom.at


def _in_order(expr: Expr) -> list[Var]:
    """The variables of an expression in the order in which they are written."""
    return [v for elt in expr.atoms for ix in elt.at for v in ix.variables()]


def latex_writer(naming: Naming, letters: Letters) -> Writer:
    return Writer(naming, letters, TexScalar, r"\,", r"\sum_{%s} %s")


def write_terms(terms: Sequence[Term], naming: Naming, letters: Letters) -> str:
    """The sum of ``terms`` as plain text."""
    return Writer(naming, letters)(terms)
