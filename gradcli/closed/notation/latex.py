"""Scalar expressions, index conditions and names in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradcli.closed.elementwise import row_of
from gradcli.closed.index import Condition
from gradcli.closed.notation.naming import is_call
from gradcli.closed.notation.scalars import ATOM, POWER, PRODUCT, SUM, ScalarText, number_text
from gradcli.closed.notation.tree import function_tex
from gradcli.closed.scalar import TRUTH, Const, Elt, Expr, Fn, Mul, Num

_GREEK = frozenset(
    (
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi"
        " psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
    ).split()
)
_SIGNS = {"gt": ">", "ge": r"\ge", "lt": "<", "le": r"\le", "eq": "=", "ne": r"\ne"}


def name_tex(name: str) -> str:
    """A leaf, statement or source text in LaTeX: x1 → x_{1}, beta → \\beta, softmax(x) upright."""
    if is_call(name):
        head, _, rest = name.partition("(")
        if all(part.strip().isidentifier() for part in rest[:-1].split(",")):
            return function_tex(head, [name_tex(part.strip()) for part in rest[:-1].split(",")])
    match = re.fullmatch(r"([^\W\d_]+)_?(\d+)?", name)
    if match is None:
        return rf"\mathtt{{{_escaped(name)}}}"
    stem, digits = match[1], match[2]
    if stem in _GREEK:
        stem = rf"\{stem}"
    elif len(stem) > 1:
        stem = rf"\mathrm{{{stem}}}"
    return f"{stem}_{{{digits}}}" if digits else stem


def _escaped(text: str) -> str:
    escaped = re.sub(r"([_#$%&{}])", r"\\\1", text)
    return escaped.replace("^", r"\hat{}").replace(" ", r"\ ")


class LatexText(ScalarText):
    """The same writer with LaTeX's signs."""

    def times(self, pieces: Sequence[str]) -> str:
        return r"\,".join(pieces) or "1"

    def summation(self, names: str, body: str) -> str:
        return rf"\sum_{{{names}}} {body}"

    def condition(self, condition: Condition) -> str:
        text = super().condition(condition)
        if text.startswith("δ"):
            return rf"\delta_{{{_index_tex(text[2:-1])}}}"
        return rf"\left[{_index_tex(text[1:-1])}\right]"

    def element(self, expr: Elt) -> tuple[str, int]:
        name = name_tex(self.naming.name(expr.of))
        if not expr.at:
            return name, ATOM
        inner = ",".join(_index_tex(self.ix(at)) for at in expr.at)
        return rf"{{{name}}}_{{{inner}}}" if "_" in name else f"{name}_{{{inner}}}", ATOM

    def product(self, expr: Mul) -> tuple[str, int]:
        number = expr.coefficient
        sign = "-" if number.value < 0 else ""
        head, _, under = number_text(Num(abs(number.value), number.decimal, number.text.lstrip("-"))).partition("/")
        above = [_decimal_tex(head)] if head != "1" else []
        below = [under] if under else []
        for base, exponent in sorted(expr.factors, key=lambda f: self.rank(f[0])):
            size = Num(abs(exponent.value), exponent.decimal)
            (above if exponent.value > 0 else below).append(self.power(base, size))
        if len(above) == 1 and not below and not sign:
            only = expr.factors[0]
            return above[0], POWER if only[1].value != 1 else self.write(only[0])[1]
        top = r"\,".join(above) or "1"
        body = rf"\frac{{{top}}}{{{self.times(below)}}}" if below else top
        return sign + body, SUM if sign else PRODUCT

    def power(self, base: Expr, exponent: Num) -> str:
        if exponent.value == 1:
            return self.at(base, POWER)
        return f"{self.at(base, ATOM)}^{{{number_text(exponent)}}}"

    def at(self, expr: Expr, level: int) -> str:
        text, own = self.write(expr)
        return rf"\left({text}\right)" if own < level else text

    def write(self, expr: Expr) -> tuple[str, int]:
        if isinstance(expr, Const):
            return {"pi": r"\pi", "inf": r"\infty", "e": "e"}.get(expr.name, rf"\mathrm{{{expr.name}}}"), ATOM
        if isinstance(expr, Num) and "e" in number_text(expr):
            return _decimal_tex(number_text(expr)), PRODUCT
        return super().write(expr)

    def function(self, expr: Fn) -> tuple[str, int]:
        if expr.op in TRUTH:
            return rf"\left[{self.truth(expr)}\right]", ATOM
        if expr.op == "pow":
            base, exponent = expr.children
            return f"{self.at(base, ATOM)}^{{{self.at(exponent, SUM)}}}", POWER
        row = row_of(expr.op)
        return function_tex(row.name, self.arguments(row, expr)), ATOM

    def truth(self, expr: Expr) -> str:
        if isinstance(expr, Fn) and expr.op in _SIGNS:
            left, right = expr.children
            return f"{self.at(left, SUM)} {_SIGNS[expr.op]} {self.at(right, SUM)}"
        if isinstance(expr, Fn) and expr.op in ("logical_and", "logical_or"):
            sign = r"\wedge" if expr.op == "logical_and" else r"\vee"
            return f"{self.truth(expr.children[0])} {sign} {self.truth(expr.children[1])}"
        if isinstance(expr, Fn) and expr.op == "logical_not":
            return rf"\neg {self.truth(expr.children[0])}"
        return self.at(expr, SUM)


def _decimal_tex(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return text
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa} \cdot {power}"


def _index_tex(text: str) -> str:
    """i1 → i_{1} and the signs of index conditions."""
    text = re.sub(r"\b([a-z])(\d+)\b", r"\1_{\2}", text)
    return (
        text.replace(">=", r"\ge ").replace("<=", r"\le ").replace("*", r"\,")
        .replace("%", r" \bmod ").replace("//", r" \operatorname{div} ")
    )  # fmt: skip
