"""What is written in place of what was derived: the same value in words that a reader knows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod

from gradcli.closed.elementwise import instantiate, row_of
from gradcli.closed.literals import literal
from gradcli.closed.rewriting import substitute
from gradcli.closed.scalar import Add, Expr, Fn, Mul, Num, add, build, mul, power, split

#: the row of torch's convention for the slopes of norm and std
_INVERSE = "inverse_or_zero"
#: products of sums are multiplied out up to this many terms
_MOST = 16


def shown(expr: Expr) -> Expr:
    """The expression with internal functions written out as their rows say, and simplified where nothing is lost."""
    return substitute(expr, _replace)


def _replace(node: Expr) -> Expr | None:
    if isinstance(node, Mul):
        inner: Expr = _without_inverses(node)
        number, factors = split(inner)
        inner = mul(number, *(power(shown(base), exponent) for base, exponent in factors))
        return _without_roots(_oriented(inner))
    if isinstance(node, Add):
        return _expanded(node)
    if not isinstance(node, Fn):
        return None
    row = row_of(node.op)
    if not row.prints:
        return None
    names = {p.name: shown(arg) for p, arg in zip(row.operands, node.children, strict=True)}
    return instantiate(row.prints, names, node.attrs)  # type: ignore[arg-type]


def _without_inverses(node: Mul) -> Expr:
    """norm·(1/norm, 0 where it is 0) is 1: all such slopes are 0 there by another factor."""
    bases = [base for base, _ in node.factors]
    inverses = {base.children[0].key: base.key for base in bases if isinstance(base, Fn) and base.op == _INVERSE}
    powers = {base.key: exponent.value for base, exponent in node.factors}
    taken = {key: min(powers[key], powers[inverse]) for key, inverse in inverses.items() if powers.get(key, 0) > 0}
    if not taken:
        return node
    taken |= {inverses[key]: value for key, value in taken.items()}
    left = [(base, Num(e.value - taken.get(base.key, 0), e.decimal)) for base, e in node.factors]
    return build(node.coefficient, tuple((base, exponent) for base, exponent in left if exponent.value))


def _oriented(expr: Expr) -> Expr:
    """Differences beside other factors the way round in which they do not begin with a minus."""
    if not isinstance(expr, Mul) or (len(expr.factors) < 2 and abs(expr.coefficient.value) == 1):
        return expr
    number, factors = expr.coefficient, []
    for base, exponent in expr.factors:
        if isinstance(base, Add) and exponent.value % 2 == 1 and split(base.children[0])[0].value < 0:
            base, number = add(*(-term for term in base.children)), opposite(number)
        factors.append(power(base, exponent))
    return expr if number is expr.coefficient else mul(number, *factors)


def _expanded(node: Add) -> Expr | None:
    """A sum with products of sums multiplied out, where terms cancel then."""
    parts: list[Expr] = []
    for child in node.children:
        number, factors = split(child)
        sums = [b.children if isinstance(b, Add) and e.value == 1 else (power(b, e),) for b, e in factors]
        if prod(map(len, sums)) > _MOST:
            return None
        parts += [mul(number, *choice) for choice in product(*sums)]
    if len(parts) == len(node.children):
        return None
    total = add(*parts)
    cancels = len(total.children) < len(parts) if isinstance(total, Add) else True
    return shown(total) if cancels and total.size < node.size else None


def _without_roots(expr: Expr) -> Expr:
    """Powers of square roots as powers of what is under them where they are even: sqrt(v)**2 is v."""
    if not isinstance(expr, Mul):
        return expr
    under = {base.children[0]: base for base, _ in expr.factors if isinstance(base, Fn) and base.op == "sqrt"}
    if not under:
        return expr
    twice: dict[tuple[Expr, bool], Fraction] = {}
    rest = []
    for base, exponent in expr.factors:
        inner = base.children[0] if base in under.values() else base
        if inner in under:
            place = inner, exponent.value > 0
            twice[place] = twice.get(place, Fraction(0)) + exponent.value * (2 if inner is base else 1)
        else:
            rest.append(power(base, exponent))
    for (inner, _), count in twice.items():
        rest.append(power(under[inner], Num(count)) if count % 2 else power(inner, Num(count / 2)))
    return mul(expr.coefficient, *rest)


def positive(num: Num) -> Num:
    """The size of a number, in the user's spelling where it has one."""
    return num if num.value >= 0 else opposite(num)


def opposite(num: Num) -> Num:
    text = num.text[1:] if num.text.startswith("-") else f"-{num.text}" if num.text else ""
    return Num(-num.value, num.decimal, text)


def shared_number(numbers: Sequence[Num]) -> Num:
    """The size of all numbers, or of the smallest where the others are multiples of it; negative when all are."""
    sign = -1 if all(n.value < 0 for n in numbers) else 1
    least = min((positive(n) for n in numbers), key=lambda n: n.value)
    below = {n.value.denominator for n in numbers}
    if len(below) > 1:
        return Num(sign)
    if all((n.value / least.value).denominator == 1 for n in numbers):
        return least if sign > 0 else opposite(least)
    return Num(Fraction(sign, below.pop())) if not any(n.decimal for n in numbers) else Num(sign)


def divided(number: Num, by: Num) -> Num:
    value = number.value / by.value
    return number if by.value == 1 else Num(value, number.decimal and value.denominator != 1)


def number_text(num: Num) -> str:
    """An exact number: as the user wrote it, a decimal, or a fraction."""
    if num.text:
        return num.text
    if num.decimal and Fraction(repr(float(num.value))) == num.value:
        return repr(float(num.value))
    return str(num.value)


def static_text(value: object) -> str:
    """A static argument as the language writes it."""
    if isinstance(value, str):
        return f"'{value}'"
    text = literal(value)
    return text[1:-1] if text.startswith("(-") and not isinstance(value, tuple) else text
