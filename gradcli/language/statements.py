"""Tokens → syntax trees of statements, and of the one expression that a value is."""

from __future__ import annotations

from gradcli.errors import Span
from gradcli.language import wording
from gradcli.language.grammar import Parser
from gradcli.language.syntax import Index, Line, Name, Number, Sequence, Tree


class StatementParser(Parser):
    """A parser of whole texts."""

    def lines(self) -> list[Line]:
        """All statements of a program.

        Raises:
            GradcliError: the first thing that does not fit.
        """
        lines: list[Line] = []
        while True:
            self.skip_breaks()
            if self.peek.kind == "end":
                return lines
            lines.append(self.line())

    def line(self) -> Line:
        """One statement, up to the ``;`` or newline that ends it."""
        left = self.expression()
        target: str | None = None
        element: int | None = None
        if self.sees("="):
            target, element = self.target(left)
            self.at += 1
            value = self.expression()
        else:
            value = left
        if self.peek.kind not in ("break", "end"):
            raise wording.unexpected(self.peek, value, self.text, statement=True)
        return Line(Span(left.span.start, value.span.end), target, element, value)

    def target(self, left: Tree) -> tuple[str, int | None]:
        """The name, and for ``y[k] = …`` the element, that a statement assigns."""
        if isinstance(left, Name):
            return left.name, None
        if isinstance(left, Index) and isinstance(left.of, Name):
            place = left.items[0] if len(left.items) == 1 else left
            if isinstance(place, Number) and isinstance(place.value, int):
                return left.of.name, place.value
        raise wording.bad_target(left, self.peek.span, self.text)

    def value(self) -> Tree:
        """One expression that is the whole text; ``1,2,3`` is a list."""
        self.skip_breaks()
        first = self.expression()
        value = first
        if self.sees(","):
            items = [first]
            while self.take(",") and self.peek.kind not in ("break", "end"):
                items.append(self.expression())
            value = Sequence(Span(first.span.start, items[-1].span.end), tuple(items))
        at = self.at
        self.skip_breaks()
        if self.peek.kind != "end":
            self.at = at
            raise wording.unexpected(self.peek, value, self.text)
        return value

    def skip_breaks(self) -> None:
        while self.peek.kind == "break":
            self.at += 1
