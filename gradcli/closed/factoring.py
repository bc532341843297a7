"""Sums with what their terms share taken out."""

from __future__ import annotations

from fractions import Fraction

from gradcli.closed.scalar import Add, Expr, Mul, Num, add, build, combined, mul, power, split


def factor(expr: Expr) -> Expr:
    """A sum with the factors that all its terms share taken out: a*c + b*c → (a + b)*c.

    A factor that is a sum is shared with its opposite too: (a - b)*c + (b - a)*d → (a - b)*(c - d).
    """
    if isinstance(expr, Mul) and any(isinstance(base, Add) for base, _ in expr.factors):
        return mul(expr.coefficient, *(power(factor(base), exponent) for base, exponent in expr.factors))
    if not isinstance(expr, Add):
        return expr
    split_terms = [split(term) for term in expr.children]
    seen: dict[str, Expr] = {}
    terms: list[tuple[Num, dict[str, tuple[Expr, Num]]]] = []
    for coefficient, factors in split_terms:
        powers: dict[str, tuple[Expr, Num]] = {}
        for base, exponent in factors:
            plain, sign = _unsigned(base, seen)
            if exponent.value.denominator == 1 and exponent.value % 2 and sign < 0:
                coefficient = Num(-coefficient.value, coefficient.decimal)
            elif sign < 0 and exponent.value.denominator != 1:
                plain = base
            key = f"{plain.key}{'+' if exponent.value > 0 else '-'}"
            if key in powers:  # (a - b)*(b - a) is -(a - b)**2
                exponent = combined(powers[key][1].value + exponent.value, powers[key][1], exponent)
            powers[key] = (plain, exponent)
        terms.append((coefficient, powers))
    common: dict[str, tuple[Expr, Num]] = {}
    for key, (base, _) in terms[0][1].items():
        # a factor that a term both multiplies and divides by stays whole, so that x**3/x reads as it does
        opposite = f"{key[:-1]}{'-' if key[-1] == '+' else '+'}"
        if all(key in powers and opposite not in powers for _, powers in terms):
            common[key] = (base, min((powers[key][1] for _, powers in terms), key=lambda e: abs(e.value)))
    scale = _shared_scale([coefficient.value for coefficient, _ in terms])
    if not common and scale == 1:
        return expr
    rest = []
    for coefficient, powers in terms:
        kept = []
        for key, (base, exponent) in powers.items():
            left = exponent.value - (common[key][1].value if key in common else 0)
            if left:
                kept.append((base, Num(left, exponent.decimal)))
        rest.append(build(combined(coefficient.value / scale, coefficient), tuple(kept)))
    shared = combined(scale, *(c for c, _ in terms))
    return mul(shared, add(*rest), *(power(base, exponent) for base, exponent in common.values()))


def _unsigned(base: Expr, seen: dict[str, Expr]) -> tuple[Expr, int]:
    """A sum, or the opposite of it when that was seen first, with the sign between the two."""
    if not isinstance(base, Add):
        return base, 1
    known = seen.get(base.key)
    if known is None:
        seen[base.key] = base
        seen[add(*(-term for term in base.children)).key] = base
        return base, 1
    return known, 1 if known.key == base.key else -1


def _shared_scale(numbers: list[Fraction]) -> Fraction:
    """The size that all coefficients share, negative when all are; 1 when there is none."""
    size = abs(numbers[0])
    if any(abs(n) != size for n in numbers):
        return Fraction(1)
    return -size if all(n < 0 for n in numbers) else size
