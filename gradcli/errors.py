"""Errors as data: what is wrong, where, and what would work.

A :class:`GradcliError` carries facts; ``render/errors.py`` alone draws them
(source line, caret, hint).  Exit codes: 1 a check failed, 2 bad input,
130 interrupted.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130


class Span(NamedTuple):
    """Half-open range of character offsets into a source text."""

    start: int
    end: int


class Source(NamedTuple):
    """A text a user gave: the text itself and the words that name it ('program', '-i a', 'f.yaml').

    ``line`` is the 1-based line of the file at which a text that is part of one begins.
    """

    text: str
    title: str = "program"
    line: int = 1

    def line_at(self, offset: int) -> int:
        """The 1-based line of the file in which a character of ``text`` stands."""
        if len(self.text) < _LONG:
            return self.text.count("\n", 0, offset) + self.line
        return bisect_left(_breaks(self.text), offset) + self.line


#: characters of a text whose lines are looked up rather than counted
_LONG = 10_000


@lru_cache(maxsize=4)
def _breaks(text: str) -> list[int]:
    """Where the lines of a text end."""
    return [found.start() for found in re.finditer("\n", text)]


class GradcliError(Exception):
    """One fault, in words that say what would work.

    Args:
        message: one sentence, no trailing full stop.
        span: where in ``source`` the fault is; None when it has no place.
        hint: one line that would work, or None.
        source: the text that ``span`` points into; layers that know it fill it in.
        exit_code: 2 for bad input, 1 for a failed check.
    """

    def __init__(
        self,
        message: str,
        *,
        span: Span | None = None,
        hint: str | None = None,
        source: Source | None = None,
        exit_code: int = BAD_INPUT,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint
        self.source = source
        self.exit_code = exit_code

    @property
    def line(self) -> int | None:
        """1-based line of the fault, or None."""
        if self.span is None or self.source is None:
            return None
        return self.source.line_at(self.span.start)

    @property
    def column(self) -> int | None:
        """1-based column of the fault in characters, or None."""
        if self.span is None or self.source is None:
            return None
        return self.span.start - (self.source.text.rfind("\n", 0, self.span.start) + 1) + 1


class GradcliErrors(GradcliError):
    """Several faults of one input, reported together; ``errors`` holds each."""

    def __init__(self, errors: list[GradcliError]) -> None:
        first = errors[0]
        super().__init__(
            first.message,
            span=first.span,
            hint=first.hint,
            source=first.source,
            exit_code=max(error.exit_code for error in errors),
        )
        self.errors = errors
