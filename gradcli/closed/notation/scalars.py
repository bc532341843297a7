"""Scalar expressions as text, in the spelling of the language."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.closed.elementwise import row_of
from gradcli.closed.notation.indexing import IndexText, Letters
from gradcli.closed.notation.naming import Naming
from gradcli.closed.notation.showing import number_text, opposite, positive, shown, static_text
from gradcli.closed.notation.writing import COMPARISONS
from gradcli.closed.scalar import TRUTH, Add, Bracket, Const, Elt, Expr, Fn, IndexValue, Mul, Num, build, split
from gradcli.ops.row import Row

SUM, PRODUCT, POWER, ATOM = range(4)


class ScalarText:
    """Writes scalar expressions; ``order`` gives the place of a factor in products, by its key."""

    times = "*"

    def __init__(self, naming: Naming, letters: Letters, order: Mapping[str, int] | None = None) -> None:
        self.naming = naming
        self.letters = letters
        self.order = order or {}
        self.indices = IndexText(naming, letters)

    def __call__(self, expr: Expr) -> str:
        return self.at(shown(expr), SUM)

    def at(self, expr: Expr, level: int) -> str:
        """Text of ``expr`` where something of precedence ``level`` is expected."""
        text, own = self.write(expr)
        return self.parenthesised(text) if own < level else text

    def parenthesised(self, text: str) -> str:
        return f"({text})"

    def write(self, expr: Expr) -> tuple[str, int]:
        """Text and precedence."""
        if isinstance(expr, Num):
            text = number_text(expr)
            return text, SUM if expr.value < 0 else PRODUCT if "/" in text else ATOM
        if isinstance(expr, Const):
            return expr.name, ATOM
        if isinstance(expr, Elt):
            return self.element(expr)
        if isinstance(expr, IndexValue):
            return self.indices.ix(expr.ix), SUM
        if isinstance(expr, Bracket):
            return self.indices.condition(expr.condition), ATOM
        if isinstance(expr, Add):
            return self.sum(expr), SUM
        if isinstance(expr, Mul):
            return self.product(expr)
        assert isinstance(expr, Fn)
        return self.function(expr)

    def named(self, of: int | str) -> tuple[str, int]:
        """The name of a leaf, node or adjoint; a text that is no word in parentheses."""
        name = self.naming.name(of)
        return name if self.naming.is_word(of) else f"({name})", ATOM

    def element(self, expr: Elt) -> tuple[str, int]:
        name, level = self.named(expr.of)
        return f"{name}[{','.join(map(self.indices.ix, expr.at))}]" if expr.at else name, level

    def sum(self, expr: Add) -> str:
        terms = list(expr.children)
        if split(terms[0])[0].value < 0:
            first = next((k for k, t in enumerate(terms) if split(t)[0].value > 0), 0)
            terms.insert(0, terms.pop(first))
        out = self.at(terms[0], SUM)
        for term in terms[1:]:
            coefficient, factors = split(term)
            negative = coefficient.value < 0
            size = build(opposite(coefficient), factors) if negative else term
            out += (" - " if negative else " + ") + self.at(size, PRODUCT)
        return out

    def product(self, expr: Mul) -> tuple[str, int]:
        above, below, sign = self.sides(expr)
        if len(above) == 1 and not below and not sign:
            base, exponent = expr.factors[0]
            return above[0], POWER if exponent.value != 1 else self.write(base)[1]
        return sign + self.quotient(above, below), SUM if sign else PRODUCT

    def sides(self, expr: Mul) -> tuple[list[str], list[str], str]:
        """Factors above and below the line, and the sign."""
        head, _, under = number_text(positive(expr.coefficient)).partition("/")
        above = [self.number(head)] if head != "1" else []
        below = [under] if under else []
        for base, exponent in sorted(expr.factors, key=lambda f: self.rank(f[0])):
            (above if exponent.value > 0 else below).append(self.power(base, positive(exponent)))
        return above, below, "-" if expr.coefficient.value < 0 else ""

    def number(self, text: str) -> str:
        return text

    def quotient(self, above: list[str], below: list[str]) -> str:
        text = self.times.join(above) or "1"
        if not below:
            return text
        return f"{text}/({self.times.join(below)})" if len(below) > 1 else f"{text}/{below[0]}"

    def power(self, base: Expr, exponent: Num) -> str:
        if exponent.value == 1:
            return self.at(base, POWER)
        raised = number_text(exponent)
        return f"{self.at(base, ATOM)}**{f'({raised})' if '/' in raised else raised}"

    def rank(self, base: Expr) -> tuple[int, int, bool, str]:
        """Order of factors: constants first, then as ``order`` says, functions after names; switches and g last."""
        text, function = self.at(base, ATOM), isinstance(base, Fn)
        if isinstance(base, Elt) and isinstance(base.of, str):
            return 4, 0, function, text
        if isinstance(base, Bracket) or (isinstance(base, Fn) and base.op in TRUTH):
            return 3, 0, function, text
        return (1 if base.atoms else 0), self.order.get(base.key, 0), function, text

    def function(self, expr: Fn) -> tuple[str, int]:
        if expr.op in TRUTH:
            return f"[{self.truth(expr)}]", ATOM
        if expr.op == "pow":
            base, exponent = expr.children
            return f"{self.at(base, ATOM)}**{self.at(exponent, ATOM)}", POWER
        row = row_of(expr.op)
        return f"{row.name}({', '.join(self.arguments(row, expr))})", ATOM

    def arguments(self, row: Row, expr: Fn) -> list[str]:
        """Arguments as a user would write them."""
        statics = dict(expr.attrs)
        operands = dict(zip((p.name for p in row.operands), expr.children, strict=True))
        out, named = [], False
        for param in row.params:
            if param.is_operand:
                arg = operands[param.name]
                if param.name in row.missing and not arg.atoms and ScalarText.write(self, arg)[0] in ("inf", "-inf"):
                    named = True
                    continue
                text = self.truth(arg) if isinstance(arg, Fn) and arg.op in TRUTH else self.at(arg, SUM)
            else:
                if statics[param.name] == param.default:
                    named = True
                    continue
                text = self.static(statics[param.name])
            out.append(self.keyword(param.name, text) if named else text)
        return out

    def static(self, value: object) -> str:
        return static_text(value)

    def keyword(self, name: str, text: str) -> str:
        return f"{name}={text}"

    # -- conditions --------------------------------------------------------------

    signs: Mapping[str, str] = COMPARISONS
    words: Mapping[str, str] = {"logical_and": " and ", "logical_or": " or ", "logical_not": "not "}

    def truth(self, expr: Expr) -> str:
        """A condition without brackets."""
        if not isinstance(expr, Fn) or expr.op not in TRUTH:
            return self.at(expr, SUM)
        if expr.op in self.signs:
            left, right = expr.children
            return f"{self.at(left, SUM)} {self.signs[expr.op]} {self.at(right, SUM)}"
        if expr.op == "logical_not":
            return self.words[expr.op] + self.within(expr.children[0])
        one, two = expr.children
        if expr.op == "logical_and" and is_chain(one, two):
            assert isinstance(two, Fn)
            return f"{self.truth(one)} {self.signs[two.op]} {self.at(two.children[1], SUM)}"
        return self.within(one) + self.words[expr.op] + self.within(two)

    def within(self, expr: Expr) -> str:
        """A condition inside another; one that is itself made of several in parentheses."""
        several = isinstance(expr, Fn) and expr.op.startswith("logical_") and not is_chain(*(expr.children * 2)[:2])
        return self.parenthesised(self.truth(expr)) if several else self.truth(expr)


def is_chain(one: Expr, two: Expr) -> bool:
    """Whether two comparisons read as one chain, 0 <= x <= 1."""
    if not isinstance(one, Fn) or not isinstance(two, Fn) or not {one.op, two.op} <= {"lt", "le"}:
        return False
    return one.children[1] == two.children[0]
