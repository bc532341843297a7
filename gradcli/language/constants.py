"""Constant expressions: the values of static arguments such as ``dim=-1`` or ``shape=(2, 3)``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

from gradcli.errors import GradcliError
from gradcli.language import limits
from gradcli.language.program import Attr
from gradcli.language.syntax import Binary, Group, Minus, Name, Number, Sequence, Text, Tree, Word, spine

#: name → the number that it stands for, or None when it is not a constant
Lookup = Callable[[str], "int | float | None"]
MATHS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
#: whole numbers that torch can take
_WIDEST = 2**63


class NotConstant(Exception):
    """``tree`` depends on a leaf, or is no number at all."""

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.tree = tree


def constant(tree: Tree, lookup: Lookup) -> Attr:
    """The value of a constant expression: number, True, False, None, text, or a tuple of them.

    Raises:
        NotConstant: it depends on a leaf.
        GradcliError: its arithmetic has no result.
    """
    if isinstance(tree, Group):
        return constant(tree.inner, lookup)
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Text):
        return tree.value
    if isinstance(tree, Word) and tree.value is not ...:
        return cast(Attr, tree.value)
    if isinstance(tree, Sequence):
        return tuple(constant(item, lookup) for item in tree.items)
    if isinstance(tree, Name):
        value = lookup(tree.name)
        if value is None:
            raise NotConstant(tree)
        return value
    if isinstance(tree, Minus):
        return -_number(tree.operand, lookup)
    if isinstance(tree, Binary) and tree.sign != "@":
        first, steps = spine(tree)
        total = _number(first, lookup)
        for step in steps:
            total = _apply(step, total, _number(step.right, lookup))
        return total
    raise NotConstant(tree)


def _number(tree: Tree, lookup: Lookup) -> int | float:
    value = constant(tree, lookup)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NotConstant(tree)
    return value


def _apply(step: Binary, left: int | float, right: int | float) -> int | float:
    if step.sign == "**" and isinstance(right, int):
        limits.check_exponent(right, step.right.span)
    try:
        result = _OPERATORS[step.sign](left, right)
    except ZeroDivisionError:
        raise GradcliError("a division by 0", span=step.right.span, hint="write inf for infinity") from None
    except OverflowError:
        result = 10**limits.CONSTANT_DIGITS
    if isinstance(result, complex):
        raise GradcliError("a root of a negative number is not real", span=step.span, hint="use a base of 0 or more")
    if isinstance(result, int):
        limits.check_constant(result, step.span)
    return result


_OPERATORS: dict[str, Callable[[int | float, int | float], int | float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: cast("int | float", a**b),
}


def whole(value: Attr) -> bool:
    """Whether ``value`` is a whole number of a size that torch can take."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _WIDEST
