"""Text → tokens.

Every token keeps its place in the original text, so carets are right whatever
signs were typed: ``^``, ``·``, ``×``, ``−``, ``≤`` become the signs they mean, ``²`` becomes one
token, and the text as a whole is never rewritten.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

from gradcli.errors import GradcliError, Span
from gradcli.language import limits, names
from gradcli.language.refusals import SIGNS

#: ``break`` ends a statement (``;`` or a newline outside brackets); ``end`` ends the text
Kind = Literal["number", "name", "text", "sign", "super", "break", "end"]


class Token(NamedTuple):
    """One word of the text; ``text`` is what it means (``**`` for ``^``), ``span`` where it stands."""

    kind: Kind
    text: str
    span: Span


_DIGITS = "[0-9]+(?:_[0-9]+)*"
_NUMBER = re.compile(rf"(?:{_DIGITS}(?:\.(?!\.\.)(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?")
_TEXT = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_SPELLINGS = {
    "^": "**", "·": "*", "\u0387": "*", "×": "*", "⋅": "*", "∙": "*", "∘": "*", "⊙": "*",
    "÷": "/", "−": "-", "–": "-", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...",
}  # fmt: skip
_KNOWN = [
    "**",
    "//",
    "<=",
    ">=",
    "==",
    "!=",
    "...",
    "+",
    "-",
    "*",
    "/",
    "%",
    "@",
    "<",
    ">",
    "=",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ".",
]
_SIGN = re.compile("|".join(re.escape(s) for s in sorted({*_KNOWN, *SIGNS}, key=len, reverse=True)))
#: names, numbers and signs of plain ASCII that mean themselves, which most texts are made of
_PLAIN = re.compile(
    r" *(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?![A-Za-z0-9_]|[^\x00-\x7f])"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?)(?![A-Za-z0-9_.]|[^\x00-\x7f])"
    r"|(?P<sign>\*\*|[-+*/](?![-+*/=>])|[()\[\],])(?![^\x00-\x7f]))"
)
_SPACE = re.compile(r"(?:[^\S\n]|[\u200b-\u200f\u2060\ufeff]|\\\r?\n|#[^\n]*)+")
_CLOSES = {")": "(", "]": "["}


def tokenize(text: str) -> list[Token]:
    """The tokens of ``text``, the last one of kind ``end``.

    Raises:
        GradcliError: a character that means nothing here, a bracket without a partner,
            a sign or number that is refused.
    """
    tokens: list[Token] = []
    opened: list[Token] = []
    at = 0
    while at < len(text):
        if plain := _PLAIN.match(text, at):
            kind: Kind = plain.lastgroup  # type: ignore[assignment]
            token = Token(kind, plain[kind], Span(*plain.span(kind)))
            if kind == "number":
                token = _number(token.text, token.span)
            elif kind == "sign":
                _match_brackets(token, opened)
            tokens.append(token)
            at = token.span.end
            continue
        char = text[at]
        if space := _SPACE.match(text, at):
            at = space.end()
            continue
        if char in ";\n":
            token = Token("break", char, Span(at, at + 1))
            if not opened:
                tokens.append(token)
            elif char == ";":
                raise GradcliError(
                    "a ';' inside brackets",
                    span=token.span,
                    hint="write the rows of a matrix as lists: [[1, 2], [3, 4]]",
                )
        else:
            token = _token(text, at)
            _match_brackets(token, opened)
            tokens.append(token)
        at = token.span.end
    if opened:
        raise GradcliError(f"'{opened[-1].text}' is never closed", span=opened[-1].span, hint="add the closing bracket")
    tokens.append(Token("end", "", Span(len(text), len(text) + 1)))
    return tokens


def _token(text: str, at: int) -> Token:
    char = text[at]
    if number := _NUMBER.match(text, at):
        return _number(number.group(), Span(at, number.end()))
    if (end := names.end_of_name(text, at)) > at:
        return Token("name", names.fold(text[at:end]), Span(at, end))
    if names.is_superscript(char):
        end = at + 1
        while end < len(text) and names.is_superscript(text[end]):
            end += 1
        raised = unicodedata.normalize("NFKC", text[at:end]).replace("−", "-")
        return Token("super", raised, Span(at, end))
    if char in _SPELLINGS:
        return Token("sign", _SPELLINGS[char], Span(at, at + 1))
    if char == "∞":
        return Token("name", "inf", Span(at, at + 1))
    if char in "'\"":
        return _text(text, at)
    sign = _SIGN.match(text, at)
    if sign is None:
        raise _stray(char, Span(at, at + 1))
    span = Span(at, sign.end())
    if sign.group() in SIGNS:
        message, hint = SIGNS[sign.group()]
        raise GradcliError(message, span=span, hint=hint)
    return Token("sign", sign.group(), span)


def _number(written: str, span: Span) -> Token:
    limits.check_digits(written, span)
    text = written.replace("_", "")
    if text.isdigit():
        text = text.lstrip("0") or "0"
    value = float(text)
    if value == float("inf"):
        raise GradcliError(
            f"{text} is too large for a float64", span=span, hint="float64 ends at 1.8e308; infinity is inf"
        )
    if value == 0 and any(c in "123456789" for c in re.split("[eE]", text)[0]):
        raise GradcliError(f"{text} is too small for a float64", span=span, hint="float64 begins at 5e-324; write 0")
    return Token("number", text, span)


def _text(text: str, at: int) -> Token:
    quoted = _TEXT.match(text, at)
    if quoted is None:
        raise GradcliError(
            "a quote that is never closed",
            span=Span(at, at + 1),
            hint="names and numbers are written without quotes; x' is transposed with x.T",
        )
    return Token("text", quoted.group()[1:-1], Span(at, quoted.end()))


def _match_brackets(token: Token, opened: list[Token]) -> None:
    if token.kind != "sign":
        return
    if token.text in "([":
        opened.append(token)
        limits.check_depth(len(opened), token.span)
    elif token.text in _CLOSES:
        if not opened:
            raise GradcliError(f"'{token.text}' closes nothing", span=token.span, hint="remove it, or open it earlier")
        if opened[-1].text != _CLOSES[token.text]:
            raise GradcliError(
                f"'{token.text}' cannot close '{opened[-1].text}'",
                span=token.span,
                hint=f"close '{opened[-1].text}' with '{')' if opened[-1].text == '(' else ']'}' first",
            )
        opened.pop()


def _stray(char: str, span: Span) -> GradcliError:
    shown = f"'{char}'" if char.isprintable() else f"the character U+{ord(char):04X}"
    plain = unicodedata.normalize("NFKC", char)
    if plain != char and plain.isprintable() and plain.isascii() and plain.strip():
        hint = f"write {plain}"
    elif char in "“”„‘’«»":
        hint = "names and numbers are written without quotes"
    else:
        hint = "an expression is made of names, numbers, + - * / ** @ ( ) [ ] and functions"
    return GradcliError(f"{shown} is not part of the language", span=span, hint=hint)
