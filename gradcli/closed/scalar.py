"""Scalar expressions: what one element of a tensor is, in terms of elements of others.

Sums and products keep the order in which they were built, so that a reader finds
their own spelling again, but compare by a sorted text.  Only exact and safe
simplifications are made: like terms and like powers are collected, numbers are
folded exactly (decimals stay decimals), and nothing that would move a pole or a
domain: ``x**3/x`` stays as it is.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from gradcli.closed.index import Condition, Ix, Var


class Expr:
    """Base of all scalar expressions; immutable, equal when ``key`` is equal."""

    children: tuple[Expr, ...] = ()

    @cached_property
    def key(self) -> str:
        """A text that is the same for the same expression, whatever order it was built in."""
        raise NotImplementedError

    @cached_property
    def size(self) -> int:
        """Number of nodes."""
        return 1 + sum(child.size for child in self.children)

    @cached_property
    def atoms(self) -> tuple[Elt, ...]:
        """The distinct tensor elements, in order of first appearance."""
        found: dict[Elt, None] = {}
        for child in self.children:
            found.update(dict.fromkeys(child.atoms))
        return tuple(found)

    @cached_property
    def variables(self) -> frozenset[Var]:
        """The index variables."""
        return frozenset(v for child in self.children for v in child.variables)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Expr) and self.key == other.key)

    def __repr__(self) -> str:
        return self.key

    def __add__(self, other: Expr) -> Expr:
        return add(self, other)

    def __mul__(self, other: Expr) -> Expr:
        return mul(self, other)

    def __neg__(self) -> Expr:
        return mul(MINUS_ONE, self)

    def __sub__(self, other: Expr) -> Expr:
        return add(self, -other)

    def __truediv__(self, other: Expr) -> Expr:
        return mul(self, power(other, MINUS_ONE))


class Num(Expr):
    """An exact number.  ``text`` is how the user wrote it, while it is untouched."""

    def __init__(self, value: Fraction | int, decimal: bool = False, text: str = "") -> None:
        self.value = Fraction(value)
        self.decimal = decimal
        self.text = text

    @cached_property
    def key(self) -> str:
        return f"{self.value}"


class Const(Expr):
    """pi, e, inf or nan."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def key(self) -> str:
        return f"'{self.name}'"


class Elt(Expr):
    """An element of a leaf, a named node (by id) or an upstream gradient (by name)."""

    def __init__(self, of: int | str, at: tuple[Ix, ...] = ()) -> None:
        self.of = of
        self.at = at

    @cached_property
    def key(self) -> str:
        return f"{self.of}[{','.join(str(ix) for ix in self.at)}]"

    @cached_property
    def atoms(self) -> tuple[Elt, ...]:
        return (self,)

    @cached_property
    def variables(self) -> frozenset[Var]:
        return frozenset(v for ix in self.at for v in ix.variables())


class Fn(Expr):
    """An elementwise operation of the table, by row name, with its static attributes."""

    def __init__(self, op: str, args: tuple[Expr, ...], attrs: tuple[tuple[str, object], ...] = ()) -> None:
        self.op = op
        self.children = args
        self.attrs = attrs

    @cached_property
    def key(self) -> str:
        inner = ",".join([*(a.key for a in self.children), *(f"{k}={v}" for k, v in self.attrs)])
        return f"{self.op}({inner})"


class Bracket(Expr):
    """1 where an index condition holds, else 0; a strong zero."""

    def __init__(self, condition: Condition) -> None:
        self.condition = condition

    @cached_property
    def key(self) -> str:
        return str(self.condition)

    @cached_property
    def variables(self) -> frozenset[Var]:
        return frozenset(self.condition.ix.variables())


class IndexValue(Expr):
    """An index used as a number."""

    def __init__(self, ix: Ix) -> None:
        self.ix = ix

    @cached_property
    def key(self) -> str:
        return f"<{self.ix}>"

    @cached_property
    def variables(self) -> frozenset[Var]:
        return frozenset(self.ix.variables())


class Add(Expr):
    """A sum of terms."""

    def __init__(self, terms: tuple[Expr, ...]) -> None:
        self.children = terms

    @cached_property
    def key(self) -> str:
        return f"({' + '.join(sorted(t.key for t in self.children))})"


class Mul(Expr):
    """coefficient · Π base ** exponent."""

    def __init__(self, coefficient: Num, factors: tuple[tuple[Expr, Num], ...]) -> None:
        self.coefficient = coefficient
        self.factors = factors
        self.children = tuple(base for base, _ in factors)

    @cached_property
    def key(self) -> str:
        powers = sorted(f"{base.key}^{exponent.key}" for base, exponent in self.factors)
        return f"{self.coefficient.key}*{'*'.join(powers)}"


ZERO, ONE, MINUS_ONE = Num(0), Num(1), Num(-1)
TRUTH = frozenset({"gt", "ge", "lt", "le", "eq", "ne", "logical_and", "logical_or", "logical_not"})


def combined(value: Fraction, *parts: Num) -> Num:
    """The number made of others, a decimal if one of them is; spelt as they were where it is equal."""
    for part in parts:
        if part.value == value and part.text:
            return part
    return Num(value, any(p.decimal for p in parts) and value.denominator != 1)


def split(expr: Expr) -> tuple[Num, tuple[tuple[Expr, Num], ...]]:
    """Coefficient and powers of any expression seen as a product."""
    if isinstance(expr, Num):
        return expr, ()
    if isinstance(expr, Mul):
        return expr.coefficient, expr.factors
    return ONE, ((expr, ONE),)


def build(coefficient: Num, factors: tuple[tuple[Expr, Num], ...]) -> Expr:
    """The product of a coefficient and powers that are already collected."""
    if coefficient.value == 0:
        return ZERO
    if not factors:
        return coefficient
    if coefficient.value == 1 and len(factors) == 1 and factors[0][1].value == 1:
        return factors[0][0]
    return Mul(coefficient, factors)


def add(*terms: Expr) -> Expr:
    """Sum with like terms collected; an inner sum is taken apart when its factor is 1 or -1."""
    collected: dict[str, tuple[Num, tuple[tuple[Expr, Num], ...]]] = {}

    def take(term: Expr, sign: int) -> None:
        if isinstance(term, Add):
            for inner in term.children:
                take(inner, sign)
            return
        coefficient, factors = split(term)
        if coefficient.value in (1, -1) and len(factors) == 1 and factors[0][1].value == 1:
            inner = factors[0][0]
            if isinstance(inner, Add):
                take(inner, sign * int(coefficient.value))
                return
        key = build(ONE, factors).key if factors else ""
        known = collected.get(key)
        value = coefficient.value * sign + (known[0].value if known else 0)
        collected[key] = (combined(value, coefficient, *((known[0],) if known else ())), factors)

    for term in terms:
        take(term, 1)
    left = [build(c, f) for c, f in collected.values() if c.value != 0]
    if not left:
        return ZERO
    return left[0] if len(left) == 1 else Add(tuple(left))


def mul(*items: Expr) -> Expr:
    """Product with like powers collected, unless their exponents differ in sign (a pole stays)."""
    value, numbers = Fraction(1), []
    powers: dict[tuple[str, bool], tuple[Expr, Num]] = {}
    for item in items:
        coefficient, factors = split(item)
        if coefficient.value != 1:
            value *= coefficient.value
            numbers.append(coefficient)
        if value == 0:
            return ZERO
        for base, exponent in factors:
            if isinstance(base, Bracket) or (isinstance(base, Fn) and base.op in TRUTH):
                powers.setdefault((base.key, True), (base, ONE))  # [..]² = [..]
                continue
            place = (base.key, exponent.value > 0)
            known = powers.get(place)
            if known:
                exponent = combined(known[1].value + exponent.value, known[1], exponent)
            powers[place] = (base, exponent)
    number = numbers[0] if len(numbers) == 1 else combined(value, *numbers)
    return build(number, tuple(powers.values()))


def power(base: Expr, exponent: Num) -> Expr:
    """base ** exponent for a number exponent."""
    if exponent.value == 0:
        return ONE
    if exponent.value == 1:
        return base
    if isinstance(base, Num) and exponent.value.denominator == 1 and (base.value or exponent.value > 0):
        return Num(base.value ** int(exponent.value), base.decimal)
    if exponent.value.denominator == 1 and isinstance(base, Mul):
        # (c·Π b**e)**n = cⁿ·Π b**(e·n) holds for every whole n
        coefficient = power(base.coefficient, exponent)
        assert isinstance(coefficient, Num)
        factors = tuple((b, Num(e.value * exponent.value, e.decimal)) for b, e in base.factors)
        if all(e.value.denominator == 1 for _, e in base.factors):
            return build(coefficient, factors)
    return Mul(ONE, ((base, exponent),))
