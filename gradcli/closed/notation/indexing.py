"""Index expressions and conditions as text, and as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gradcli.closed.index import Atom, Condition, Div, Ix, Look, Mod, Var
from gradcli.closed.notation.lettering import name as name_tex
from gradcli.closed.notation.lettering import verbatim
from gradcli.closed.notation.naming import Naming

Letters = Mapping[Var, str]


class IndexText:
    """Writes indices in the spelling of the language, and conditions as δ(i,j) and [i >= j]."""

    at_least, at_most, equal, product = ">=", "<=", "=", "*"

    def __init__(self, naming: Naming, letters: Letters) -> None:
        self.naming = naming
        self.letters = letters

    def ix(self, ix: Ix) -> str:
        """An index: positive parts first."""
        pieces = [(c < 0, self.multiple(atom, abs(c))) for atom, c in ix.parts]
        if ix.const or not pieces:
            pieces.append((ix.const < 0, str(abs(ix.const))))
        # a number stands last among those of its sign
        pieces.sort(key=lambda piece: (piece[0], piece[1].isdigit(), piece[1]))
        text = "".join((" - " if negative else " + ") + piece for negative, piece in pieces)
        return f"-{text[3:]}" if pieces[0][0] else text[3:]

    def multiple(self, atom: Atom, size: int) -> str:
        text = self.atom(atom)
        if size == 1:
            return text
        return f"{size}{self.product}{text if isinstance(atom, (Var, Look)) else f'({text})'}"

    def letter(self, v: Var) -> str:
        return self.letters.get(v, v.name)

    def atom(self, atom: Atom) -> str:
        """A variable, a quotient, a remainder or an entry of an integer tensor."""
        if isinstance(atom, Var):
            return self.letter(atom)
        if isinstance(atom, Look):
            return self.look(atom)
        inner = self.ix(atom.inner)
        if len(atom.inner.parts) > 1 or atom.inner.const or atom.inner.parts[0][1] != 1:
            inner = f"({inner})"
        return self.quotient(inner, atom.by) if isinstance(atom, Div) else self.remainder(inner, atom.by)

    def look(self, look: Look) -> str:
        name = self.naming.name(look.node)
        return f"{name}[{','.join(map(self.ix, look.at))}]" if look.at else name

    def quotient(self, inner: str, by: int) -> str:
        return f"{inner}//{by}"

    def remainder(self, inner: str, by: int) -> str:
        return f"{inner}%{by}"

    def delta(self, one: str, two: str) -> str:
        return f"δ({one},{two})"

    def bracket(self, inner: str) -> str:
        return f"[{inner}]"

    def condition(self, condition: Condition) -> str:
        """A Kronecker delta for an equation between plain indices, a bracket for anything else."""
        left, right = _sides(_shifted(condition))
        if not condition.equation:
            if left.is_constant:
                return self.bracket(f"{self.ix(right)} {self.at_most} {self.ix(left)}")
            return self.bracket(f"{self.ix(left)} {self.at_least} {self.ix(right)}")
        if any(isinstance(a, (Div, Mod)) for a, _ in condition.ix.parts):
            return self.bracket(f"{self.ix(left)} {self.equal} {self.ix(right)}")
        one, two = sorted((left, right), key=self._place)
        return self.delta(self.ix(one), self.ix(two))

    def _place(self, side: Ix) -> tuple[bool, bool, int, str]:
        """Single letters first, those of the output before those of the leaf; numbers last."""
        order = {v: k for k, v in enumerate(self.letters)}
        first = min((order.get(v, len(order)) for v in side.variables()), default=0)
        return side.is_constant, not _is_plain(side), first, self.ix(side)

    def conditions(self, conditions: Sequence[Condition]) -> list[str]:
        """Deltas, then brackets; two bounds on one index in one bracket."""
        single, chains = _chained(conditions)
        brackets = [
            self.bracket(f"{self.ix(low)} {self.at_most} {self.ix(ix)} {self.at_most} {self.ix(high)}")
            for low, ix, high in chains
        ]
        return [*(text for _, text in sorted((not c.equation, self.condition(c)) for c in single)), *sorted(brackets)]


def _sides(condition: Condition) -> tuple[Ix, Ix]:
    """The two sides of a condition without minus signs, where that can be."""
    left = Ix(0, {a: c for a, c in condition.ix.parts if c > 0})
    right = Ix(0, {a: -c for a, c in condition.ix.parts if c < 0})
    const = condition.ix.const
    return (left, right - const) if not right.parts or const < 0 else (left + const, right)


def _shifted(condition: Condition) -> Condition:
    """(j + a) % n = c as j % n = c - a."""
    atom, sign = condition.ix.parts[0] if len(condition.ix.parts) == 1 else (None, 0)
    if not condition.equation or not isinstance(atom, Mod) or abs(sign) != 1:
        return condition
    const = atom.inner.const
    remainder = (-condition.ix.const * sign - const) % atom.by
    return Condition(Ix(0, {Mod(atom.inner - const, atom.by): 1}) - remainder, True)


def _is_plain(ix: Ix) -> bool:
    """Whether an index is one variable and nothing else."""
    return len(ix.parts) == 1 and not ix.const and ix.parts[0][1] == 1 and isinstance(ix.parts[0][0], Var)


def _chained(conditions: Sequence[Condition]) -> tuple[list[Condition], list[tuple[Ix, Ix, Ix]]]:
    """Conditions, with pairs low <= v and v <= high of one variable apart."""
    single, chains = list(conditions), []
    for lower in conditions:
        ix, low = _sides(lower)
        for upper in conditions:
            high, same = _sides(upper)
            if lower in single and upper in single and not (lower.equation or upper.equation) and same == ix:
                if _is_plain(ix) and not (low.is_constant and high.is_constant and low == high):
                    single = [c for c in single if c not in (lower, upper)]
                    chains.append((low, ix, high))
    return single, chains


class IndexTex(IndexText):
    """The same in LaTeX."""

    at_least, at_most, equal, product = r"\ge", r"\le", "=", r"\,"

    def letter(self, v: Var) -> str:
        text = super().letter(v)
        match = re.fullmatch(r"([a-z])(\d+)", text)
        return f"{match[1]}_{{{match[2]}}}" if match else name_tex(text)

    def look(self, look: Look) -> str:
        text = self.naming.name(look.node)
        name = name_tex(text) if text.isidentifier() else verbatim(text)
        return f"{{{name}}}_{{{','.join(map(self.ix, look.at))}}}" if look.at else name

    def quotient(self, inner: str, by: int) -> str:
        return rf"\left\lfloor {inner} / {by} \right\rfloor"

    def remainder(self, inner: str, by: int) -> str:
        return rf"{inner} \bmod {by}"

    def delta(self, one: str, two: str) -> str:
        return rf"\delta_{{{one},{two}}}"

    def bracket(self, inner: str) -> str:
        return rf"\left[{inner}\right]"
