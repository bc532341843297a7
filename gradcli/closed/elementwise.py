"""Elementwise operations as scalar expressions, and their derivatives.

The slopes come from the table, written in gradcli's own language; they are parsed
once a row and rebuilt over the arguments at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache

from gradcli.closed.literals import literal
from gradcli.closed.scalar import MINUS_ONE, ONE, ZERO, Add, Const, Elt, Expr, Fn, Mul, Num, add, mul, power
from gradcli.language import parse
from gradcli.language.program import Attr, Program
from gradcli.ops.row import Kind, Row
from gradcli.ops.table import find

#: rows without a derivative that are still inlined, element by element
INLINE_CONSTANTS = frozenset(
    ["gt", "ge", "lt", "le", "eq", "ne", "logical_and", "logical_or", "logical_not", "isfinite", "isnan"]
)
Attrs = tuple[tuple[str, Attr], ...]


def row_of(op: str) -> Row:
    """The row of an operation that is known to exist."""
    row = find(op)
    assert row is not None, op
    return row


def is_elementwise(op: str) -> bool:
    """Whether nodes of this operation are inlined as scalar expressions."""
    row = find(op)
    return row is not None and (row.kind is Kind.ELEMENTWISE or row.name in INLINE_CONSTANTS)


def number(op: str, attrs: Mapping[str, Attr]) -> Expr:
    """The expression of a ``number`` or ``constant`` node."""
    if op == "constant":
        return Const(str(attrs["name"]))
    raw = attrs["value"]
    assert isinstance(raw, (int, float))
    text = str(attrs["text"])
    try:
        value = Fraction(text)  # exact: 0.1 is 1/10
    except ValueError:
        value = Fraction(raw)
    return Num(value, not isinstance(raw, int), text if not isinstance(raw, int) else "")


def apply(op: str, args: Mapping[str, Expr], attrs: Attrs) -> Expr:
    """The scalar expression of one elementwise operation over its operands, by parameter name."""
    row = row_of(op)
    if op in _SPECIAL:
        return _SPECIAL[op](*(args[p.name] for p in row.operands))
    full = tuple(args.get(p.name) or _missing(row, p.name) for p in row.operands)
    return Fn(op, full, tuple((k, v) for k, v in attrs))


def _missing(row: Row, name: str) -> Expr:
    text = row.missing[name]
    return mul(MINUS_ONE, Const(text[1:])) if text.startswith("-") else Const(text)


def _pow(base: Expr, exponent: Expr) -> Expr:
    if isinstance(exponent, Num):
        return power(base, exponent)
    return Fn("pow", (base, exponent))


def _infinite(expr: Expr) -> int:
    """1 for inf, -1 for -inf, 0 for anything else."""
    if isinstance(expr, Const) and expr.name == "inf":
        return 1
    if isinstance(expr, Mul) and expr.coefficient.value == -1 and len(expr.factors) == 1:
        return -_infinite(expr.factors[0][0])
    return 0


def _compare(op: str) -> Callable[[Expr, Expr], Expr]:
    def build(left: Expr, right: Expr) -> Expr:
        low, high = (left, right) if op in ("lt", "le") else (right, left)
        if (_infinite(low) < 0 and not _infinite(high)) or (_infinite(high) > 0 and not _infinite(low)):
            return ONE
        if (_infinite(low) > 0 and not _infinite(high)) or (_infinite(high) < 0 and not _infinite(low)):
            return ZERO
        if _infinite(low) < 0 < _infinite(high):
            return ONE
        if isinstance(left, Num) and isinstance(right, Num):
            holds = {"lt": left.value < right.value, "le": left.value <= right.value,
                     "gt": left.value > right.value, "ge": left.value >= right.value}[op]  # fmt: skip
            return ONE if holds else ZERO
        return Fn(op, (left, right))

    return build


def _and(left: Expr, right: Expr) -> Expr:
    if ZERO in (left, right):
        return ZERO
    if left == ONE:
        return right
    return left if right == ONE else Fn("logical_and", (left, right))


def _or(left: Expr, right: Expr) -> Expr:
    if ONE in (left, right):
        return ONE
    if left == ZERO:
        return right
    return left if right == ZERO else Fn("logical_or", (left, right))


def _not(inner: Expr) -> Expr:
    if isinstance(inner, Num):
        return ZERO if inner.value else ONE
    if isinstance(inner, Fn) and inner.op in _OPPOSITE:
        return Fn(_OPPOSITE[inner.op], inner.children)
    return Fn("logical_not", (inner,))


def _y_log(y: Expr, base: Expr) -> Expr:
    if isinstance(base, Const) and base.name == "e":
        return y
    return Fn("y_log", (y, base))


_OPPOSITE = {"gt": "le", "le": "gt", "lt": "ge", "ge": "lt", "eq": "ne", "ne": "eq"}
_SPECIAL: Mapping[str, Callable[..., Expr]] = {
    "add": lambda x, y: add(x, y),
    "sub": lambda x, y: add(x, -y),
    "mul": lambda x, y: mul(x, y),
    "div": lambda x, y: mul(x, power(y, MINUS_ONE)),
    "neg": lambda x: mul(MINUS_ONE, x),
    "pow": _pow,
    "square": lambda x: power(x, Num(2)),
    "reciprocal": lambda x: power(x, MINUS_ONE),
    "dropout": lambda x: x,
    "y_log": _y_log,
    "logical_and": _and,
    "logical_or": _or,
    "logical_not": _not,
    **{op: _compare(op) for op in ("gt", "ge", "lt", "le")},
}


@cache
def _parsed(text: str) -> Program:
    return parse(text, title="table", internal=True)


def instantiate(text: str, names: Mapping[str, Expr], attrs: Attrs) -> Expr:
    """The expression that a text of the table means, over expressions for its names."""
    program = _parsed(text.format(**{k: literal(v) for k, v in attrs}) if "{" in text else text)
    built: list[Expr] = []
    for node in program.nodes:
        if node.op == "leaf":
            built.append(names[str(node.attr("name"))])
        elif node.op in ("number", "constant"):
            built.append(number(node.op, dict(node.attrs)))
        else:
            operands = {role: built[arg] for role, arg in zip(node.roles, node.args, strict=True)}
            built.append(apply(node.op, operands, node.attrs))
    return built[program.root.node]


def slope(expr: Fn, position: int) -> Expr:
    """∂expr/∂(its operand at ``position``), from the row of the table."""
    row = row_of(expr.op)
    name = row.operands[position].name
    text = row.slopes.get(name)
    if text is None:
        return ZERO
    names = {p.name: arg for p, arg in zip(row.operands, expr.children, strict=True)}
    attrs = tuple((k, v) for k, v in expr.attrs)
    return instantiate(text, {**names, "y": expr}, attrs)  # type: ignore[arg-type]


def derivative(expr: Expr, atom: Elt) -> Expr:
    """∂expr/∂atom, every other atom held fixed."""
    if isinstance(expr, Elt):
        return ONE if expr == atom else ZERO
    if atom not in expr.atoms:
        return ZERO
    if isinstance(expr, Add):
        return add(*(derivative(term, atom) for term in expr.children))
    if isinstance(expr, Mul):
        terms = []
        for k, (base, exponent) in enumerate(expr.factors):
            inner = derivative(base, atom)
            if inner == ZERO:
                continue
            lower = Num(exponent.value - 1, exponent.decimal)
            others = [power(b, e) for m, (b, e) in enumerate(expr.factors) if m != k]
            terms.append(mul(expr.coefficient, exponent, power(base, lower), *others, inner))
        return add(*terms)
    assert isinstance(expr, Fn)
    terms = []
    for k, arg in enumerate(expr.children):
        inner = derivative(arg, atom)
        if inner != ZERO:
            terms.append(mul(slope(expr, k), inner))
    return add(*terms)
