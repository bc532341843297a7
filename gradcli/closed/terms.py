"""Terms: Σ over bound indices of coefficient × conditions; a Jacobian is a list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gradcli.closed.factoring import factor
from gradcli.closed.index import Condition, Ix, Var, simplify, var
from gradcli.closed.rewriting import reindex
from gradcli.closed.scalar import ZERO, Add, Bracket, Elt, Expr, Mul, Num, add, mul, split


@dataclass(frozen=True)
class Term:
    """Σ over ``bound`` of ``coefficient`` where all ``conditions`` hold."""

    coefficient: Expr
    bound: tuple[Var, ...] = ()
    conditions: tuple[Condition, ...] = ()

    @property
    def size(self) -> int:
        return self.coefficient.size + len(self.conditions)

    @property
    def key(self) -> str:
        return f"{self.coefficient.key}|{self.frame}"

    @property
    def frame(self) -> str:
        """Bound indices and conditions as a text: terms that share it add up."""
        return f"{[(v.name, v.size) for v in self.bound]}{sorted(map(str, self.conditions))}"


class Names:
    """Fresh index variables; the same sequence for the same program."""

    def __init__(self) -> None:
        self._count = 0

    def fresh(self, size: int) -> Var:
        self._count += 1
        return Var(f"_{self._count}_", size)

    def rename(self, term: Term) -> Term:
        """The same term with bound variables of its own."""
        mapping = {v: var(self.fresh(v.size)) for v in term.bound}
        if not mapping:
            return term
        return Term(
            reindex(term.coefficient, mapping),
            tuple(_only(ix) or v for v, ix in mapping.items()),
            tuple(c.subs(mapping) for c in term.conditions),
        )


def _only(ix: Ix) -> Var | None:
    return ix.parts[0][0] if ix.parts and isinstance(ix.parts[0][0], Var) else None


def tidy(term: Term) -> Term | None:
    """The term with conditions in lowest terms and idle bound indices summed; None when it is 0."""
    coefficient = term.coefficient
    kept: dict[str, Condition] = {}
    for condition in term.conditions:
        simple = simplify(condition)
        if simple is False:
            return None
        if isinstance(simple, Condition):
            kept.setdefault(str(simple), simple)
    if any(v.size == 0 for v in term.bound) or coefficient == ZERO:
        return None
    kept = {text: c for text, c in kept.items() if c.equation or not _implied(c, kept.values())}
    used = set(coefficient.variables)
    for condition in kept.values():
        used.update(condition.ix.variables())
    for v in term.bound:
        if v not in used:
            coefficient = mul(Num(v.size), coefficient)
    return Term(coefficient, tuple(v for v in term.bound if v in used), tuple(kept.values()))


def _implied(bound: Condition, conditions: Iterable[Condition]) -> bool:
    """Whether an equation makes a bound hold over all ranges."""
    own = set(bound.ix.variables())
    for condition in conditions:
        if not condition.equation:
            continue
        for atom, coefficient in condition.ix.parts:
            if atom in own and abs(coefficient) == 1 and isinstance(atom, Var):
                value = condition.ix.without(atom) * -coefficient
                if simplify(bound.subs({atom: value})) is True:
                    return True
    return False


def lift(term: Term) -> Term:
    """The term with index brackets of its coefficient among its conditions."""
    number, factors = split(term.coefficient)
    brackets = [base for base, _ in factors if isinstance(base, Bracket)]
    if not brackets:
        return term
    rest = [Mul(Num(1), ((b, e),)) if e.value != 1 else b for b, e in factors if not isinstance(b, Bracket)]
    conditions = (*term.conditions, *(b.condition for b in brackets))
    return Term(mul(number, *rest), term.bound, conditions)


def canonical(term: Term) -> Term:
    """The term with its bound indices renamed in an order that does not depend on their names."""
    if not term.bound:
        return term
    bound = set(term.bound)
    signs: dict[Var, list[str]] = {v: [] for v in term.bound}

    def masked(text: str, own: Var) -> str:
        # names of bound variables start with an underscore, which no index text has otherwise
        out = text
        for v in sorted(term.bound, key=lambda v: -len(v.name)):
            out = out.replace(v.name, "@" if v == own else "?")
        return out

    _, factors = split(term.coefficient)
    items = [f"{base.key}^{exponent.key}" for base, exponent in factors]
    items += [str(c) for c in term.conditions]
    for v in term.bound:
        for item in items:
            if v.name in item:
                signs[v].append(masked(item, v))
    order = sorted(bound, key=lambda v: (v.size, sorted(signs[v]), term.bound.index(v)))
    mapping = {v: Var(f"_{chr(97 + k // 26)}{chr(97 + k % 26)}", v.size) for k, v in enumerate(order)}
    term = _renamed(term, mapping)
    return Term(term.coefficient, tuple(sorted(term.bound, key=lambda v: v.name)), term.conditions)


def _renamed(term: Term, mapping: dict[Var, Var]) -> Term:
    to = {v: var(new) for v, new in mapping.items()}
    return Term(
        reindex(term.coefficient, to),
        tuple(mapping.get(v, v) for v in term.bound),
        tuple(c.subs(to) for c in term.conditions),
    )


def merge(terms: Iterable[Term]) -> list[Term]:
    """Terms that share bound indices and conditions added into one, common factors taken out."""
    groups: dict[str, list[Term]] = {}
    for term in terms:
        term = canonical(term)
        groups.setdefault(term.frame, []).append(term)
    merged = []
    for group in groups.values():
        coefficient = add(*(t.coefficient for t in group))
        if coefficient != ZERO:
            merged.append(Term(factor(coefficient), group[0].bound, group[0].conditions))
    return merged


def split_sums(terms: Sequence[Term], when: Callable[[Term], bool]) -> list[Term]:
    """Terms whose coefficient is a sum taken apart, one a summand, where ``when`` says so."""
    out = []
    for term in terms:
        if isinstance(term.coefficient, Add) and when(term):
            out += [Term(part, term.bound, term.conditions) for part in term.coefficient.children]
        else:
            out.append(term)
    return out


def atoms(term: Term) -> tuple[Elt, ...]:
    return term.coefficient.atoms
