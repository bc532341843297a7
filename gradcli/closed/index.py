"""Index expressions: integers that say which element of a tensor is meant.

An :class:`Ix` is affine, ``const + Σ coefficient · atom``.  An atom is a variable
with a known size, a floor division or remainder of an index by a constant, or
the entry of an integer tensor (``argmax(x)[i]``).  Every index knows its range, so
conditions that always hold can be dropped and those that never do kill their term.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import Union


@dataclass(frozen=True, slots=True)
class Var:
    """An index symbol that runs over 0 … size - 1."""

    name: str
    size: int

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Div:
    """inner // by."""

    inner: Ix
    by: int

    @cached_property
    def text(self) -> str:
        return f"({self.inner}//{self.by})"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Mod:
    """inner % by."""

    inner: Ix
    by: int

    @cached_property
    def text(self) -> str:
        return f"({self.inner}%{self.by})"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Look:
    """The entry of an integer tensor, node ``node``, whose entries lie in 0 … size - 1."""

    node: int
    at: tuple[Ix, ...]
    size: int

    @cached_property
    def text(self) -> str:
        return f"#{self.node}[{','.join(map(str, self.at))}]"

    def __str__(self) -> str:
        return self.text


Atom = Union[Var, Div, Mod, Look]  # noqa: UP007 (classes that refer to each other)


class Ix:
    """An affine index expression; immutable, equal when its text is equal."""

    __slots__ = ("const", "parts", "text")

    def __init__(self, const: int, parts: Mapping[Atom, int] | None = None) -> None:
        self.const = const
        self.parts: tuple[tuple[Atom, int], ...] = tuple(
            sorted(((a, c) for a, c in (parts or {}).items() if c), key=lambda part: str(part[0]))
        )
        if len(self.parts) > 1:
            self._rejoin()
        self.text = "+".join([*(f"{c}*{a}" for a, c in self.parts), str(self.const)])

    def _rejoin(self) -> None:
        """c·(E mod n) + c·n·(E div n) is c·E."""
        for atom, c in self.parts:
            if not isinstance(atom, Mod):
                continue
            quotient = Div(atom.inner, atom.by)
            if self.coefficient(quotient) == c * atom.by:
                rest = Ix(self.const, {a: k for a, k in self.parts if a not in (atom, quotient)})
                whole = rest + atom.inner * c
                self.const, self.parts = whole.const, whole.parts
                return

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Ix({self.text})"

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ix) and self.text == other.text

    def __add__(self, other: Ix | int) -> Ix:
        if isinstance(other, int):
            return Ix(self.const + other, dict(self.parts))
        parts = dict(self.parts)
        for atom, coefficient in other.parts:
            parts[atom] = parts.get(atom, 0) + coefficient
        return Ix(self.const + other.const, parts)

    def __mul__(self, factor: int) -> Ix:
        return Ix(self.const * factor, {a: c * factor for a, c in self.parts})

    def __neg__(self) -> Ix:
        return self * -1

    def __sub__(self, other: Ix | int) -> Ix:
        return self + (-other)

    @property
    def is_constant(self) -> bool:
        return not self.parts

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value, by interval arithmetic."""
        low = high = self.const
        for atom, coefficient in self.parts:
            a, b = atom_range(atom)
            low += min(a * coefficient, b * coefficient)
            high += max(a * coefficient, b * coefficient)
        return low, high

    def variables(self) -> Iterator[Var]:
        """Every variable, inner ones included, in the order of the text; may repeat."""
        for atom, _ in self.parts:
            yield from atom_variables(atom)

    def coefficient(self, atom: Atom) -> int:
        return next((c for a, c in self.parts if a == atom), 0)

    def without(self, atom: Atom) -> Ix:
        return Ix(self.const, {a: c for a, c in self.parts if a != atom})

    def subs(self, mapping: Mapping[Var, Ix]) -> Ix:
        """The index with variables replaced, simplified again."""
        if not any(v in mapping for v in self.variables()):
            return self
        total = Ix(self.const)
        for atom, coefficient in self.parts:
            total = total + _subs_atom(atom, mapping) * coefficient
        return total

    def div(self, by: int) -> Ix:
        """self // by, split into the part that divides and the rest."""
        if by == 1:
            return self
        whole, rest = self._split(by)
        low, high = rest.range
        if low // by == high // by:
            return whole + low // by
        if len(rest.parts) == 1 and rest.const == 0:
            (atom, coefficient) = rest.parts[0]
            if coefficient == 1 and isinstance(atom, Div):
                return whole + atom.inner.div(atom.by * by)
        return whole + Ix(0, {Div(rest, by): 1})

    def mod(self, by: int) -> Ix:
        """self % by."""
        if by == 1:
            return Ix(0)
        _, rest = self._split(by)
        low, high = rest.range
        if low // by == high // by:
            return rest - by * (low // by)
        if len(rest.parts) == 1 and rest.const == 0:
            (atom, coefficient) = rest.parts[0]
            if coefficient == 1 and isinstance(atom, Mod) and atom.by % by == 0:
                return atom.inner.mod(by)
        return Ix(0, {Mod(rest, by): 1})

    def _split(self, by: int) -> tuple[Ix, Ix]:
        whole = {a: c // by for a, c in self.parts if c % by == 0}
        rest = {a: c for a, c in self.parts if c % by}
        return Ix(self.const // by, whole), Ix(self.const % by, rest)


def atom_range(atom: Atom) -> tuple[int, int]:
    """Smallest and largest value of one atom."""
    if isinstance(atom, (Var, Look)):
        return 0, max(atom.size - 1, 0)
    low, high = atom.inner.range
    if isinstance(atom, Div):
        return low // atom.by, high // atom.by
    return 0, atom.by - 1


def atom_variables(atom: Atom) -> Iterator[Var]:
    """Variables inside one atom."""
    if isinstance(atom, Var):
        yield atom
    elif isinstance(atom, Look):
        for at in atom.at:
            yield from at.variables()
    else:
        yield from atom.inner.variables()


def _subs_atom(atom: Atom, mapping: Mapping[Var, Ix]) -> Ix:
    if isinstance(atom, Var):
        return mapping.get(atom) or var(atom)
    if isinstance(atom, Look):
        return Ix(0, {Look(atom.node, tuple(at.subs(mapping) for at in atom.at), atom.size): 1})
    inner = atom.inner.subs(mapping)
    return inner.div(atom.by) if isinstance(atom, Div) else inner.mod(atom.by)


def var(v: Var) -> Ix:
    """The index that is just ``v``; 0 for a variable of size 1."""
    return Ix(0) if v.size == 1 else Ix(0, {v: 1})


def look(node: int, at: Sequence[Ix], size: int) -> Ix:
    """The index found in integer tensor ``node`` at ``at``."""
    return Ix(0) if size == 1 else Ix(0, {Look(node, tuple(at), size): 1})


@dataclass(frozen=True, slots=True)
class Condition:
    """``ix == 0`` (an equation, a Kronecker delta) or ``ix >= 0`` (a bound)."""

    ix: Ix
    equation: bool

    def __str__(self) -> str:
        return f"[{self.ix}{'=' if self.equation else '>'}0]"

    def subs(self, mapping: Mapping[Var, Ix]) -> Condition:
        return Condition(self.ix.subs(mapping), self.equation)


def equals(left: Ix, right: Ix) -> Condition:
    """left == right."""
    return Condition(left - right, True)


def at_least(left: Ix, right: Ix | int) -> Condition:
    """left >= right."""
    return Condition(left - right, False)


def simplify(condition: Condition) -> Condition | bool:
    """The condition in lowest terms, or the truth it always has over its ranges."""
    ix = condition.ix
    low, high = ix.range
    divisor = gcd(*(c for _, c in ix.parts)) if ix.parts else 1
    if condition.equation:
        if low > 0 or high < 0 or ix.const % divisor:
            return False
        if low == high == 0:
            return True
        sign = -1 if ix.parts[0][1] < 0 else 1
        if divisor != 1 or sign < 0:
            ix = Ix(sign * ix.const // divisor, {a: sign * c // divisor for a, c in ix.parts})
        return Condition(ix, True)
    if low >= 0:
        return True
    if high < 0:
        return False
    if divisor != 1:
        ix = Ix(ix.const // divisor, {a: c // divisor for a, c in ix.parts})
    return Condition(ix, False)
