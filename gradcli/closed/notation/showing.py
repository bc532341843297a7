"""What is written in place of what was derived: the same value in words that a reader knows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from gradcli.closed.elementwise import instantiate, row_of
from gradcli.closed.literals import literal
from gradcli.closed.scalar import Expr, Fn, Mul, Num, mul, power, substitute


def shown(expr: Expr) -> Expr:
    """The expression with internal functions written out as their rows say, and sqrt(v)**2 as v."""
    return substitute(expr, _replace)


def _replace(node: Expr) -> Expr | None:
    if isinstance(node, Mul):
        return _without_roots(node)
    if not isinstance(node, Fn):
        return None
    row = row_of(node.op)
    if not row.prints:
        return None
    names = {p.name: shown(arg) for p, arg in zip(row.operands, node.children, strict=True)}
    return instantiate(row.prints, names, node.attrs)  # type: ignore[arg-type]


def _without_roots(node: Mul) -> Expr | None:
    """Powers of square roots as powers of what is under them where they are even: sqrt(v)**2 is v."""
    roots = [base for base, _ in node.factors if isinstance(base, Fn) and base.op == "sqrt"]
    if not roots:
        return None
    under = {root.children[0]: root for root in roots}
    twice: dict[tuple[Expr, bool], Fraction] = {}
    rest = []
    for base, exponent in node.factors:
        inner = base.children[0] if base in roots else base
        if inner in under:
            place = inner, exponent.value > 0
            twice[place] = twice.get(place, Fraction(0)) + exponent.value * (1 if base in roots else 2)
        else:
            rest.append(power(shown(base), exponent))
    for (inner, _), count in twice.items():
        rest.append(power(_root(inner), Num(count)) if count % 2 else power(shown(inner), Num(count / 2)))
    return mul(node.coefficient, *rest)


def _root(inner: Expr) -> Expr:
    return Fn("sqrt", (shown(inner),))


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
    return number if by.value == 1 else Num(number.value / by.value, number.decimal)


def number_text(num: Num) -> str:
    """An exact number: as the user wrote it, a decimal, or a fraction."""
    if num.text:
        return num.text
    if num.decimal and Fraction(repr(float(num.value))) == num.value:
        return repr(float(num.value))
    return str(num.value)


def static_text(value: object) -> str:
    """A static argument as the language writes it."""
    return f"'{value}'" if isinstance(value, str) else literal(value)
