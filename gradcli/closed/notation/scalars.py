"""Scalar expressions as text, in the spelling of the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from gradcli.closed.elementwise import instantiate, row_of
from gradcli.closed.index import Condition, Div, Ix, Look, Mod, Var
from gradcli.closed.notation.naming import Naming
from gradcli.closed.scalar import (
    TRUTH,
    Add,
    Bracket,
    Const,
    Elt,
    Expr,
    Fn,
    IndexValue,
    Mul,
    Num,
    split,
    substitute,
)
from gradcli.ops.row import Row

SUM, PRODUCT, POWER, ATOM = range(4)
_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "==", "ne": "!="}

Letters = Mapping[Var, str]


def shown(expr: Expr) -> Expr:
    """The expression with internal functions written out as their rows say."""

    def replace(node: Expr) -> Expr | None:
        if not isinstance(node, Fn):
            return None
        row = row_of(node.op)
        if not row.prints:
            return None
        names = {p.name: shown(arg) for p, arg in zip(row.operands, node.children, strict=True)}
        return instantiate(row.prints, names, node.attrs)  # type: ignore[arg-type]

    return substitute(expr, replace)


def number_text(num: Num) -> str:
    """An exact number: as the user wrote it, a decimal, or a fraction."""
    if num.text:
        return num.text
    if num.decimal and Fraction(repr(float(num.value))) == num.value:
        return repr(float(num.value))
    return str(num.value)


class ScalarText:
    """Writes scalar expressions and index conditions; ``element`` says how an atom is written."""

    def __init__(self, naming: Naming, letters: Letters) -> None:
        self.naming = naming
        self.letters = letters

    def __call__(self, expr: Expr) -> str:
        return self.at(shown(expr), SUM)

    # -- indices -----------------------------------------------------------------

    def ix(self, ix: Ix) -> str:
        out = ""
        for atom, coefficient in sorted(ix.parts, key=lambda part: (part[1] < 0, self.index_atom(part[0]))):
            text = self.index_atom(atom)
            size = abs(coefficient)
            whole = isinstance(atom, (Var, Look))
            piece = text if size == 1 else f"{size}*{text if whole else f'({text})'}"
            out += f" - {piece}" if coefficient < 0 and out else f"-{piece}" if coefficient < 0 else (
                f" + {piece}" if out else piece
            )
        if ix.const or not out:
            out = f"{out} {'-' if ix.const < 0 else '+'} {abs(ix.const)}" if out else str(ix.const)
        return out

    def index_atom(self, atom: object) -> str:
        if isinstance(atom, Var):
            return self.letters.get(atom, atom.name)
        if isinstance(atom, Look):
            inner = ",".join(self.ix(at) for at in atom.at)
            return f"{self.naming.name(atom.node)}[{inner}]" if inner else self.naming.name(atom.node)
        assert isinstance(atom, (Div, Mod))
        inner = self.ix(atom.inner)
        if len(atom.inner.parts) > 1 or atom.inner.const:
            inner = f"({inner})"
        return f"{inner}{'//' if isinstance(atom, Div) else '%'}{atom.by}"

    def sides(self, condition: Condition) -> tuple[str, str]:
        """The two sides of a condition, positive parts left."""
        left = Ix(0, {a: c for a, c in condition.ix.parts if c > 0})
        right = Ix(0, {a: -c for a, c in condition.ix.parts if c < 0})
        const = condition.ix.const
        if not right.parts or const < 0:
            right = right - const
        else:
            left = left + const
        if not left.parts:
            return self.ix(left), self.ix(right)
        return self.ix(left), self.ix(right)

    def condition(self, condition: Condition) -> str:
        left, right = self.sides(condition)
        if not condition.equation:
            if not any(c > 0 for _, c in condition.ix.parts):
                return f"[{right} <= {left}]"
            return f"[{left} >= {right}]"
        if any(isinstance(a, (Div, Mod)) for a, _ in condition.ix.parts):
            return f"[{left} = {right}]"
        first, second = sorted((left, right), key=lambda s: (s[:1].isdigit(), s))
        return f"δ({first},{second})"

    def conditions(self, conditions: Sequence[Condition]) -> list[str]:
        """Deltas, then brackets."""
        return [text for _, text in sorted((not c.equation, self.condition(c)) for c in conditions)]

    def times(self, pieces: Sequence[str]) -> str:
        """Factors of a term side by side; 1 when there are none."""
        return "·".join(pieces) or "1"

    def summation(self, names: str, body: str) -> str:
        return f"Σ_{names} {body}"

    # -- expressions -------------------------------------------------------------

    def at(self, expr: Expr, level: int) -> str:
        """Text of ``expr`` where something of precedence ``level`` is expected."""
        text, own = self.write(expr)
        return f"({text})" if own < level else text

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
            return self.ix(expr.ix), SUM
        if isinstance(expr, Bracket):
            return self.condition(expr.condition), ATOM
        if isinstance(expr, Add):
            return self.sum(expr), SUM
        if isinstance(expr, Mul):
            return self.product(expr)
        assert isinstance(expr, Fn)
        return self.function(expr)

    def element(self, expr: Elt) -> tuple[str, int]:
        name = self.naming.name(expr.of)
        if not expr.at:
            return name, ATOM if self.naming.is_word(expr.of) else SUM
        inner = ",".join(self.ix(at) for at in expr.at)
        return f"{name if self.naming.is_word(expr.of) else f'({name})'}[{inner}]", ATOM

    def sum(self, expr: Add) -> str:
        terms = list(expr.children)
        if split(terms[0])[0].value < 0:
            positive = next((k for k, t in enumerate(terms) if split(t)[0].value > 0), 0)
            terms.insert(0, terms.pop(positive))
        out = self.at(terms[0], SUM)
        for term in terms[1:]:
            coefficient, factors = split(term)
            if coefficient.value < 0:
                out += " - " + self.at(_opposite(coefficient, factors), PRODUCT)
            else:
                out += " + " + self.at(term, PRODUCT)
        return out

    def product(self, expr: Mul) -> tuple[str, int]:
        number = expr.coefficient
        sign = "-" if number.value < 0 else ""
        size = Num(-number.value, number.decimal) if number.value < 0 else number
        above, below = [], []
        head, _, under = number_text(size).partition("/")
        if head != "1":
            above.append(head)
        if under:
            below.append(under)
        for base, exponent in sorted(expr.factors, key=lambda f: self.rank(f[0])):
            positive = exponent.value > 0
            power = exponent if positive else Num(-exponent.value, exponent.decimal)
            (above if positive else below).append(self.power(base, power))
        if len(above) == 1 and not below and not sign:
            only = expr.factors[0]
            return above[0], POWER if only[1].value != 1 else self.write(only[0])[1]
        text = "*".join(above) or "1"
        if below:
            text += f"/({'*'.join(below)})" if len(below) > 1 else f"/{below[0]}"
        return sign + text, SUM if sign else PRODUCT

    def power(self, base: Expr, exponent: Num) -> str:
        if exponent.value == 1:
            return self.at(base, POWER)
        raised = number_text(exponent)
        return f"{self.at(base, ATOM)}**{f'({raised})' if '/' in raised else raised}"

    def rank(self, base: Expr) -> tuple[int, str]:
        """Order of factors: constants, then by text; switches and the upstream gradient last."""
        text = self.at(base, ATOM)
        if isinstance(base, Elt) and isinstance(base.of, str):
            return 4, text
        if isinstance(base, Bracket) or (isinstance(base, Fn) and base.op in TRUTH):
            return 3, text
        return (0 if not base.atoms else 1), text

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
                if param.name in row.missing and not arg.atoms and self.write(arg)[0] in ("inf", "-inf"):
                    named = True
                    continue
                text = self.truth(arg) if isinstance(arg, Fn) and arg.op in TRUTH else self.at(arg, SUM)
            else:
                if statics[param.name] == param.default:
                    named = True
                    continue
                text = str(statics[param.name])
            out.append(f"{param.name}={text}" if named else text)
        return out

    def truth(self, expr: Expr) -> str:
        """A condition without brackets."""
        if isinstance(expr, Fn) and expr.op in _SIGNS:
            left, right = expr.children
            return f"{self.at(left, SUM)} {_SIGNS[expr.op]} {self.at(right, SUM)}"
        if isinstance(expr, Fn) and expr.op == "logical_and":
            one, two = expr.children
            if isinstance(one, Fn) and isinstance(two, Fn) and one.op in ("lt", "le") and two.op in ("lt", "le"):
                if one.children[1] == two.children[0]:
                    return f"{self.truth(one)} {_SIGNS[two.op]} {self.at(two.children[1], SUM)}"
            return f"{self.truth(one)} and {self.truth(two)}"
        if isinstance(expr, Fn) and expr.op == "logical_or":
            return f"{self.truth(expr.children[0])} or {self.truth(expr.children[1])}"
        if isinstance(expr, Fn) and expr.op == "logical_not":
            return f"not {self.truth(expr.children[0])}"
        return self.at(expr, SUM)


def _opposite(coefficient: Num, factors: tuple[tuple[Expr, Num], ...]) -> Expr:
    from gradcli.closed.scalar import build

    return build(Num(-coefficient.value, coefficient.decimal, coefficient.text.lstrip("-")), factors)


Writer = Callable[[Expr], str]
