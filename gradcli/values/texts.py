"""Values given as text: lists of numbers, expressions, and ``@`` files."""

from __future__ import annotations

import json
import re
from math import isinf
from pathlib import Path
from typing import IO, Any

from gradcli.errors import GradcliError, Source, Span
from gradcli.language import limits, parse_value
from gradcli.values.expressions import Expression, generator_notes
from gradcli.values.files import read_file
from gradcli.values.nested import Path as Place
from gradcli.values.nested import numbers
from gradcli.values.tensors import Numbers, Value

_WORDS = {"inf": "Infinity", "nan": "NaN", "true": "true", "false": "false", "True": "true", "False": "false"}
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
#: signs of plain lists; anything else is an expression
_LIST = re.compile(r"[\w.,+\-\[\]\s]*")
_TOKEN = re.compile(r"[\[\],]|[^\[\],\s]+")


def read_value(text: str, *, title: str, base_dir: Path | str | None = None, stdin: IO[Any] | None = None) -> Value:
    """The value that ``text`` means.

    Args:
        text: an expression without names (``1,2,3``, ``pi/2``, ``rand(3, seed=0)``), or ``@FILE``.
        title: the words that name the text in errors, such as '-i a'.
        base_dir: where relative file names start; None means the current folder.
        stdin: what ``@-`` reads; None means standard input.

    Raises:
        GradcliError: the text or the file is at fault; with its place.
    """
    source = Source(text, title)
    try:
        if text.lstrip().startswith("@"):
            content = read_file(text.strip()[1:].strip(), base_dir=base_dir, stdin=stdin)
            return Value(title, content, text)
        if not text.strip():
            raise GradcliError("the value is empty", hint="give a number, a list 1,2,3 or an @file")
        limits.check_length(text, limits.VALUE_LENGTH)
        literal = _literal(text)
        if literal is not None:
            return Value(title, literal, text)
    except GradcliError as error:
        span = error.span or Span(0, len(text))
        raise GradcliError(error.message, span=span, hint=error.hint, source=source) from error
    program = parse_value(text, title=title)
    return Value(title, Expression(program), text, generator_notes(program))


def _literal(text: str) -> Numbers | None:
    """A plain number or list, read at once however long; None for anything else, mistakes included."""
    if not _LIST.fullmatch(text) or not _WORDS.keys() >= set(_WORD.findall(text)):
        return None
    try:
        parsed = json.loads("[" + _WORD.sub(lambda word: _WORDS[word.group()], text) + "]", parse_float=_finite)
    except (ValueError, RecursionError):
        return None
    only = len(parsed) == 1

    def fault(message: str, hint: str | None, path: Place) -> GradcliError:
        return GradcliError(message, span=_locate(text, (0, *path) if only else path), hint=hint)

    return numbers(parsed[0] if only else parsed, fault)


def _finite(text: str) -> float:
    value = float(text)
    if isinf(value):
        raise ValueError(f"{text} is too large")  # the language says so with its place
    return value


def _locate(text: str, path: Place) -> Span:
    """Where the element at ``path`` of the list without its outermost brackets stands in ``text``."""
    at: list[int] = [0]
    start: int | None = 0 if not path else None
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if start is None and tuple(at) == path and sign not in ",]":
            start = token.start()
        if sign == "[":
            at.append(0)
        elif sign == "]":
            at.pop()
        elif sign == ",":
            at[-1] += 1
        if start is not None and tuple(at) == path and sign != ",":
            return Span(start, token.end())
    return Span(start or 0, len(text))
