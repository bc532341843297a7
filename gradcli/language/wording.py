"""Syntax faults in words: each function returns the error to raise."""

from __future__ import annotations

import re

from gradcli.errors import GradcliError, Span
from gradcli.language.refusals import KEYWORDS
from gradcli.language.syntax import Call, Group, Index, Name, Number, Sequence, Tree
from gradcli.language.tokens import Token
from gradcli.ops import table

#: longest piece of the user's text that a message repeats
_LONGEST = 30
_BEGINS = "an expression begins with a name, a number, a bracket or a minus"


def shown(span: Span, text: str) -> str:
    """The user's text under ``span`` on one line, shortened when long, safe to print."""
    piece = " ".join(text[span.start : span.end].split())
    piece = "".join(char if char.isprintable() else "?" for char in piece)
    return piece if len(piece) <= _LONGEST else piece[: _LONGEST - 3] + "..."


def _is_function(tree: Tree) -> bool:
    if not isinstance(tree, Name):
        return False
    row = table.find(tree.name)
    return row is not None and not row.internal


def dangling(operator: Token, after: Token, text: str) -> GradcliError:
    """An operator with nothing after it."""
    sign = shown(operator.span, text)
    hint = "write a value after it"
    if after.text == "\n":
        hint = "an expression that goes on over several lines stands in parentheses"
    return GradcliError(f"a value is missing after '{sign}'", span=operator.span, hint=hint)


def no_value(token: Token, previous: Token | None, text: str) -> GradcliError:
    """A token where a value should begin."""
    if previous is not None and previous.kind == "sign" and previous.text not in ("(", "[", ","):
        return dangling(previous, token, text)
    if token.kind in ("break", "end"):
        return GradcliError("a value is missing at the end", span=token.span, hint=_BEGINS)
    if token.kind == "super":
        return GradcliError("a raised sign with nothing under it", span=token.span, hint="write x²")
    hint = _BEGINS
    if token.text == "=":
        hint = "write a name before it: y = x**2"
    elif token.text == "@":
        hint = "files are for inputs: -i x=@x.npy; in a program a @ b is the matrix product"
    elif token.text == ".":
        hint = "a method stands after a value: x.sum()"
    return GradcliError(f"a value is missing before '{shown(token.span, text)}'", span=token.span, hint=hint)


def unexpected(token: Token, value: Tree, text: str, statement: bool = False) -> GradcliError:
    """A token after a complete expression."""
    span = token.span
    if token.kind in ("break", "end"):
        return GradcliError("a value is one expression", span=span, hint="separate list items by commas")
    if token.text == ",":
        return GradcliError(
            "a comma outside brackets",
            span=span,
            hint="write a list, [a, b]; give each name a statement of its own",
        )
    if token.text == "=" and statement:
        return GradcliError("two '=' in one statement", span=span, hint="one name a statement; compare with ==")
    if token.text == "=":
        return GradcliError(
            "'=' inside an expression",
            span=span,
            hint="compare with ==; names are given in statements of their own",
        )
    if token.text == ":":
        return GradcliError("':' stands only inside [ ]", span=span, hint="a slice is written x[1:3]")
    return _missing_operator(shown(value.span, text), shown(span, text), span)


def _missing_operator(left: str, right: str, span: Span) -> GradcliError:
    return GradcliError(
        f"an operator is missing between '{left}' and '{right}'", span=span, hint=f"write {left}*{right}"
    )


def side_by_side(left: Tree, token: Token, text: str) -> GradcliError:
    """Two values side by side, such as ``2x`` or ``sin x``."""
    span = token.span
    if token.kind == "name" and token.text in KEYWORDS:
        message, hint = KEYWORDS[token.text]
        return GradcliError(message, span=span, hint=hint)
    before, after = shown(left.span, text), shown(Span(span.start, _end_of_call(text, span.end)), text)
    touching = left.span.end == span.start
    if token.kind == "text":
        if touching and isinstance(left, Name):
            what = "an f-string" if "f" in left.name.lower() else "a string"
            return GradcliError(
                f"{what} is not part of the language", span=left.span, hint="names are written without quotes"
            )
        return GradcliError("a string is not part of an expression", span=span, hint="names are written without quotes")
    if _is_function(left):
        return GradcliError(
            f"'{before}' is a function and needs parentheses", span=span, hint=f"write {before}({after})"
        )
    if isinstance(left, Number) and token.kind == "number":
        return GradcliError(
            f"a comma or an operator is missing between '{before}' and '{after}'",
            span=span,
            hint=f"write {before}, {after} in a list, or {before}*{after}",
        )
    if isinstance(left, Number) and touching:
        if left.text == "0" and re.fullmatch("[xXoObB][0-9a-fA-F]+", token.text):
            return GradcliError(
                "hexadecimal, octal and binary numbers are not part of the language",
                span=Span(left.span.start, span.end),
                hint="write the number in decimal",
            )
        if token.text in ("j", "J"):
            return GradcliError(
                "complex numbers are not part of the language",
                span=span,
                hint=f"to multiply write {before}*{after}",
            )
    return _missing_operator(before, after, span)


def _end_of_call(text: str, end: int) -> int:
    """Where the call whose name ends at ``end`` ends; ``end`` when no bracket follows."""
    depth = 0
    for at in range(end, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1 if at > end else end
    return end


def missing_multiplication(call: Call, text: str) -> GradcliError:
    """``2(x + 1)``, ``(a)(b)``, ``x(1 + x)``: something that is no function is called."""
    function = call.function
    before = shown(function.span, text)
    arguments = shown(Span(function.span.end, call.span.end), text).strip()
    span = Span(function.span.end, call.span.end)
    raised = re.search(r"(\w+)\s*(?:\^|\*\*)\s*(-?)\s*$", text[: function.span.start])
    if isinstance(function, Number) and raised and table.find(raised.group(1)):
        return _function_power(raised.group(1), f"{raised.group(2)}{before}", arguments, span)
    if isinstance(function, (Number, Group, Name, Sequence, Index, Call)) and call.arguments:
        return GradcliError(
            f"an operator is missing between '{before}' and '{arguments}'", span=span,
            hint=f"to multiply write {before}*{arguments}",
        )  # fmt: skip
    return GradcliError(f"'{before}' is not a function", span=function.span, hint="write f(x) or x.f()")


def raised_function(base: Tree, exponent: Number | Name, text: str) -> GradcliError:
    """``sin²(x)``."""
    name = shown(base.span, text)
    power = exponent.text if isinstance(exponent, Number) else exponent.name
    if _is_function(base):
        return _function_power(name, power, "(x)", exponent.span)
    return _missing_operator(f"{name}**{power}", "(...)", exponent.span)


def _function_power(name: str, power: str, arguments: str, span: Span) -> GradcliError:
    hint = f"write {name}{arguments}**{power}"
    if power == "-1" and table.find(f"a{name}"):
        hint = f"write a{name}{arguments} for the inverse function, 1/{name}{arguments} for the reciprocal"
    return GradcliError("a power of a function is written behind its parentheses", span=span, hint=hint)


def bad_target(left: Tree, span: Span, text: str) -> GradcliError:
    """Something that cannot stand before ``=``."""
    before = shown(left.span, text)
    if isinstance(left, Index):
        return GradcliError(
            f"'{before}' cannot be assigned",
            span=left.span,
            hint="build a vector with y[0] = ..., y[1] = ..., and a matrix as [[a, b], [c, d]]",
        )
    if isinstance(left, Call):
        return GradcliError(
            "functions cannot be defined", span=left.span, hint="name a value: y = x**2; or compare with =="
        )
    return GradcliError(
        f"'{before}' cannot be assigned", span=left.span, hint="write name = expression; or compare with =="
    )


def pair(op: str, tree: Index, text: str) -> GradcliError:
    """``max(x, dim=1)[0]``, which torch and gradcli read differently."""
    call = shown(tree.of.span, text)
    if op == "slogdet":
        hint = f"drop the index, or write {call}.logabsdet"
    else:
        hint = f"drop the index for torch's values, or write ({call})[0] for the first of them"
    return GradcliError(
        f"torch's {op} gives a pair here, and gradcli's the values alone",
        span=Span(tree.of.span.end, tree.span.end),
        hint=hint,
    )
