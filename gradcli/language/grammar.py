"""Tokens → syntax trees of expressions: precedence climbing with Python's precedences.

From loose to tight: comparisons (chained), ``+ -``, ``* / // % @``, unary minus, ``**`` (to the right,
``^`` alike), then calls, attributes, indexing and raised powers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gradcli.errors import GradcliError, Span
from gradcli.language import limits, names, wording
from gradcli.language.refusals import KEYWORDS
from gradcli.language.syntax import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Group,
    Index,
    Minus,
    Name,
    Number,
    Sequence,
    Slice,
    Text,
    Tree,
    Word,
    ungroup,
)
from gradcli.language.tokens import Token

COMPARISON, SUM, PRODUCT, MINUS, POWER = 1, 2, 3, 5, 6
_BINARY = {"+": SUM, "-": SUM, **dict.fromkeys(("*", "/", "//", "%", "@"), PRODUCT), "**": POWER}
_COMPARE = frozenset(("<", "<=", ">", ">=", "==", "!="))
_CLOSING = {"(": ")", "[": "]"}


class Parser:
    """A cursor over tokens; every method consumes what it returns."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def expression(self, tightness: int = COMPARISON) -> Tree:
        """An expression whose operators bind at least as tightly as ``tightness``."""
        left = self.operand()
        while True:
            token = self.peek
            if token.kind == "sign" and token.text in _COMPARE:
                if tightness > COMPARISON:
                    return left
                left = self.comparison(left)
            elif token.kind == "sign" and token.text in _BINARY:
                binding = _BINARY[token.text]
                if binding < tightness:
                    return left
                self.at += 1
                right = self.right_side(token, MINUS if binding == POWER else binding + 1)
                left = Binary(_join(left, right), token.text, left, right)
            elif token.kind in ("name", "number", "text"):
                raise wording.side_by_side(left, token, self.text)
            else:
                return left

    def right_side(self, operator: Token, tightness: int) -> Tree:
        if self.peek.kind in ("break", "end"):
            raise wording.dangling(operator, self.peek, self.text)
        # the right side of a sum or product ends where the next one begins; signs and powers nest
        return self.deeper(operator, tightness) if tightness == MINUS else self.expression(tightness)

    def deeper(self, token: Token, tightness: int = COMPARISON) -> Tree:
        self.depth += 1
        limits.check_depth(self.depth, token.span)
        tree = self.expression(tightness)
        self.depth -= 1
        return tree

    def comparison(self, first: Tree) -> Tree:
        signs: list[str] = []
        sides = [first]
        while self.peek.kind == "sign" and self.peek.text in _COMPARE:
            operator = self.next()
            signs.append(operator.text)
            sides.append(self.right_side(operator, SUM))
        return Compare(_join(first, sides[-1]), tuple(signs), tuple(sides))

    def operand(self) -> Tree:
        """A signed operand, or one with its calls, attributes, indices and raised powers."""
        previous = self.tokens[self.at - 1] if self.at else None
        token = self.next()
        if token.kind == "sign" and token.text in "+-":
            operand = self.right_side(token, MINUS)
            return Minus(Span(token.span.start, operand.span.end), operand) if token.text == "-" else operand
        tree = self.primary(token, previous)
        while True:
            token = self.peek
            if token.kind == "super":
                tree = self.raised(tree, self.next())
            elif token.kind == "sign" and token.text == "(":
                tree = self.call(tree, self.next())
            elif token.kind == "sign" and token.text == "[":
                tree = self.index(tree, self.next())
            elif token.kind == "sign" and token.text == ".":
                self.at += 1
                name = self.next()
                if name.kind != "name":
                    raise GradcliError(
                        "a name is missing after '.'", span=token.span, hint="a method is written x.sum()"
                    )
                tree = Attribute(Span(tree.span.start, name.span.end), tree, name.text, name.span)
            else:
                return tree

    def primary(self, token: Token, previous: Token | None) -> Tree:
        span = token.span
        if token.kind == "number":
            return Number(span, token.text)
        if token.kind == "text":
            return Text(span, token.text)
        if token.kind == "name":
            if token.text in names.WORDS:
                return Word(span, names.WORDS[token.text])
            if token.text in KEYWORDS:
                message, hint = KEYWORDS[token.text]
                raise GradcliError(message, span=span, hint=hint)
            names.check_name(token.text, span)
            return Name(span, token.text)
        if token.kind == "sign" and token.text == "...":
            return Word(span, ...)
        if token.kind == "sign" and token.text in _CLOSING:
            return self.bracket(token)
        raise wording.no_value(token, previous, self.text)

    def bracket(self, opening: Token) -> Tree:
        """``(a)``, ``(a, b)`` or ``[a, b]``."""
        items, end, comma = self.items(opening, self.deeper)
        span = Span(opening.span.start, end)
        if opening.text == "(" and len(items) == 1 and not comma:
            return Group(span, items[0])
        return Sequence(span, tuple(items))

    def items(self, opening: Token, read: Callable[[Token], Tree]) -> tuple[list[Tree], int, bool]:
        """Comma-separated items up to the closing bracket, where that ends, and whether a comma came last."""
        closing = _CLOSING[opening.text]
        items: list[Tree] = []
        comma = False
        while not self.sees(closing):
            items.append(read(self.peek))
            comma = self.take(",")
            if not comma and not self.sees(closing):
                raise wording.unexpected(self.peek, items[-1], self.text)
        return items, self.next().span.end, comma

    def call(self, function: Tree, opening: Token) -> Tree:
        items, end, _ = self.items(opening, self.argument)
        arguments = tuple(item for item in items if isinstance(item, Argument))
        call = Call(Span(function.span.start, end), function, arguments)
        return _infinity(call) or call

    def argument(self, first: Token) -> Tree:
        if first.kind == "sign" and first.text in ("*", "**"):
            raise GradcliError(
                f"unpacking with '{first.text}' is not part of the language",
                span=first.span,
                hint="write the arguments one by one",
            )
        after = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if first.kind == "name" and after.kind == "sign" and after.text == "=":
            self.at += 2
            value = self.right_side(after, COMPARISON)
            return Argument(Span(first.span.start, value.span.end), first.text, value)
        value = self.deeper(first)
        return Argument(value.span, None, value)

    def index(self, of: Tree, opening: Token) -> Tree:
        items, end, _ = self.items(opening, self.index_item)
        if not items:
            raise GradcliError("an index is missing in '[]'", span=opening.span, hint="write x[0]")
        return Index(Span(of.span.start, end), of, tuple(items))

    def index_item(self, first: Token) -> Tree:
        parts: list[Tree | None] = []
        while True:
            left_out = self.sees(":") or self.sees(",") or self.sees("]")
            parts.append(None if left_out else self.deeper(self.peek))
            if len(parts) == 3 or not self.take(":"):
                break
        if len(parts) == 1:
            if parts[0] is None:
                raise wording.no_value(first, self.tokens[self.at - 1], self.text)
            return parts[0]
        end = self.tokens[self.at - 1].span.end
        parts += [None] * (3 - len(parts))
        return Slice(Span(first.span.start, end), parts[0], parts[1], parts[2])

    def raised(self, base: Tree, token: Token) -> Tree:
        """``x²`` is ``x**2``, ``xⁿ`` is ``x**n`` and ``Aᵀ`` is ``A.T``."""
        span = Span(base.span.start, token.span.end)
        if token.text == "T":
            return Attribute(span, base, "T", token.span)
        if re.fullmatch("[+-]?[0-9]+", token.text):
            limits.check_digits(token.text, token.span)
            exponent: Number | Name = Number(token.span, str(int(token.text)))
        elif token.text.isidentifier():
            exponent = Name(token.span, token.text)
        else:
            raise GradcliError(
                f"the raised '{self.text[token.span.start : token.span.end]}' is not an exponent",
                span=token.span,
                hint="write x**(n + 1)",
            )
        if self.sees("(") and isinstance(ungroup(base), Name):
            raise wording.raised_function(base, exponent, self.text)
        return Binary(span, "**", base, exponent)

    # -- the cursor

    @property
    def peek(self) -> Token:
        return self.tokens[self.at]

    def next(self) -> Token:
        token = self.tokens[self.at]
        if token.kind != "end":
            self.at += 1
        return token

    def sees(self, sign: str) -> bool:
        token = self.tokens[self.at]
        return token.kind == "sign" and token.text == sign

    def take(self, sign: str) -> bool:
        seen = self.sees(sign)
        self.at += seen
        return seen


def _infinity(call: Call) -> Tree | None:
    """``float('-inf')``, as masks of attention write it, is -inf."""
    if not isinstance(call.function, Name) or call.function.name != "float" or len(call.arguments) != 1:
        return None
    text = call.arguments[0].value
    if not isinstance(text, Text) or text.value.lstrip("+-") not in ("inf", "nan"):
        return None
    constant = Name(call.span, text.value.lstrip("+-"))
    return Minus(call.span, constant) if text.value.startswith("-") else constant


def _join(left: Tree, right: Tree) -> Span:
    return Span(left.span.start, right.span.end)
