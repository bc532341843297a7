"""Scalar expressions, index conditions and names in LaTeX."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.closed.elementwise import row_of
from gradcli.closed.notation import lettering
from gradcli.closed.notation.indexing import IndexTex, Letters
from gradcli.closed.notation.naming import MARK, Naming, is_call
from gradcli.closed.notation.scalars import ATOM, POWER, PRODUCT, SUM, ScalarText
from gradcli.closed.notation.showing import number_text, positive
from gradcli.closed.notation.typesetting import COMPARISONS
from gradcli.closed.scalar import TRUTH, Const, Elt, Expr, Fn, Mul, Num


def name_tex(text: str) -> str:
    """A leaf, statement or source text in LaTeX: x1 → x_{1}, beta → \\beta, softmax(x) upright."""
    if text.isidentifier():
        return lettering.name(text)
    if text.startswith(MARK) and text[len(MARK) :].isidentifier():
        return rf"\bar{{{lettering.name(text[len(MARK) :])}}}"
    if is_call(text):
        head, _, rest = text.partition("(")
        parts = [part.strip() for part in rest[:-1].split(",")]
        if all(part.isidentifier() for part in parts):
            return lettering.function(head, [lettering.name(part) for part in parts])
    return lettering.verbatim(text)


class LatexText(ScalarText):
    """The same writer with LaTeX's signs."""

    times = r"\,"
    signs: Mapping[str, str] = COMPARISONS
    words: Mapping[str, str] = {"logical_and": r" \wedge ", "logical_or": r" \vee ", "logical_not": r"\neg "}

    def __init__(self, naming: Naming, letters: Letters, order: Mapping[str, int] | None = None) -> None:
        super().__init__(naming, letters, order)
        self.indices = IndexTex(naming, letters)

    def named(self, of: int | str) -> tuple[str, int]:
        return name_tex(self.naming.name(of)), ATOM

    def element(self, expr: Elt) -> tuple[str, int]:
        name, level = self.named(expr.of)
        if not expr.at:
            return name, level
        inner = ",".join(map(self.indices.ix, expr.at))
        return f"{name}_{{{inner}}}" if len(name) == 1 else f"{{{name}}}_{{{inner}}}", ATOM

    def product(self, expr: Mul) -> tuple[str, int]:
        above, below, sign = self.sides(expr)
        if len(above) == 1 and not below and not sign:
            base, exponent = expr.factors[0]
            return above[0], POWER if exponent.value != 1 else self.write(base)[1]
        top = self.times.join(above) or "1"
        if not below:
            return sign + top, SUM if sign else PRODUCT
        return sign + rf"\frac{{{top}}}{{{self.times.join(below)}}}", SUM if sign else POWER

    def number(self, text: str) -> str:
        return lettering.value(text)

    def power(self, base: Expr, exponent: Num) -> str:
        if exponent.value == 1:
            return self.at(base, POWER)
        return f"{self.at(base, ATOM)}^{{{number_text(exponent)}}}"

    def parenthesised(self, text: str) -> str:
        return rf"\left({text}\right)"

    def write(self, expr: Expr) -> tuple[str, int]:
        if isinstance(expr, Const):
            return r"\pi" if expr.name == "pi" else "e" if expr.name == "e" else lettering.value(expr.name), ATOM
        if isinstance(expr, Num):
            text = number_text(positive(expr))
            over, _, under = text.partition("/")
            body = rf"\frac{{{over}}}{{{under}}}" if under else lettering.value(text)
            return (f"-{body}", SUM) if expr.value < 0 else (body, PRODUCT if "times" in body else ATOM)
        return super().write(expr)

    def function(self, expr: Fn) -> tuple[str, int]:
        if expr.op in TRUTH:
            return rf"\left[{self.truth(expr)}\right]", ATOM
        if expr.op == "pow":
            base, exponent = expr.children
            return f"{self.at(base, ATOM)}^{{{self.at(exponent, SUM)}}}", POWER
        row = row_of(expr.op)
        return lettering.function(row.name, self.arguments(row, expr)), ATOM

    def static(self, value: object) -> str:
        return lettering.static(value)

    def keyword(self, name: str, text: str) -> str:
        return lettering.keyword(name, text)
