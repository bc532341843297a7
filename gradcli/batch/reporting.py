"""What is printed of a batch: one line a problem, what is wrong with those that are not as expected, a summary."""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.batch.building import text_of
from gradcli.batch.entries import Entry
from gradcli.batch.expecting import Failure
from gradcli.batch.placing import placed
from gradcli.batch.queue import Done
from gradcli.batch.running import Outcome, encoded
from gradcli.errors import BAD_INPUT, FAILED, GradcliError, Span
from gradcli.render import errors
from gradcli.render.cells import pad, width, wrap
from gradcli.render.look import Look
from gradcli.render.numbers import bound, difference

#: cells of a name, at most, before the difference
_NAME = 56
#: differences from what is expected that are no more than rounding
_ROUNDING = 1e-12


@dataclass(slots=True)
class Tally:
    """How many problems passed, failed and were refused."""

    passed: int = 0
    failed: int = 0
    refused: int = 0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.refused

    def add(self, done: Done) -> None:
        """Count one problem."""
        status = done.outcome.status
        if status == "passed":
            self.passed += 1
        elif status == "failed":
            self.failed += 1
        else:
            self.refused += 1

    @property
    def exit_code(self) -> int:
        return BAD_INPUT if self.refused else FAILED if self.failed else 0

    def __str__(self) -> str:
        counts = [(self.passed, "passed"), (self.failed, "failed"), (self.refused, "refused")]
        parts = ", ".join(f"{count} {word}" for count, word in counts if count) or "none run"
        return f"{self.total} problem{'' if self.total == 1 else 's'}: {parts}"


@dataclass(slots=True)
class Report:
    """The texts of a batch for one reader.

    Attributes:
        json: results are told as objects, so that only errors are left to be told here.
        latex: lines are comments between formulas.
        brief: a passing problem gets nothing.
        widest: cells of the widest name so far.
    """

    look: Look
    json: bool = False
    latex: bool = False
    brief: bool = False
    widest: int = 0

    def text(self, done: Done) -> bytes:
        """What stdout gets of a problem, in UTF-8."""
        outcome = done.outcome
        whole = outcome.text
        if self.json:
            if self.brief and outcome.status == "passed":
                return b""
            return whole if whole or outcome.error is None else encoded(self._error_object(done))
        lines = [] if self.brief and outcome.status == "passed" else [self._line(done)]
        lines += self._details(done) if outcome.status != "passed" else []
        mark = "% " if self.latex else ""
        return encoded("".join(f"{mark}{line.rstrip()}\n" for line in lines)) + whole

    def _line(self, done: Done) -> str:
        good = done.outcome.status == "passed"
        sign = self.look.paint(self.look.show("✓" if good else "✗"), "good" if good else "bad")
        name = self.look.show(label(done.title, done.entry, done.outcome.error))
        self.widest = max(self.widest, width(name))
        remark = self.look.paint(_remark(done.outcome), "dim")
        return f"{sign} {pad(name, self.widest)}  {remark}"

    def _details(self, done: Done) -> list[str]:
        lines: list[str] = []
        if done.outcome.status == "refused" and done.outcome.error is not None:
            shown = errors.render(located(done, done.outcome.error), self.look)
            lines += [f"  {line}" for line in shown.splitlines()]
        for failure in done.outcome.failures:
            first = self.look.show(f"  {where(done, failure)}: ")
            lines += wrap(self.look.show(failure.message), self.look.width, first=first, rest="    ")
            for detail in map(self.look.show, failure.details):
                indent = "    " + " " * (len(detail) - len(detail.lstrip()))
                lines += wrap(detail.lstrip(), self.look.width, first=indent, rest=indent + "  ")
        return lines

    def _error_object(self, done: Done) -> str:
        error = done.outcome.error
        assert error is not None
        name = done.entry.name if done.entry is not None else None
        more = {"failures": [one.record() for one in done.outcome.failures]} if done.outcome.failures else {}
        return errors.render_json(located(done, error), self.look, name=name, **more)


def _remark(outcome: Outcome) -> str:
    """What there is to say behind a name: the largest difference, or that it was refused."""
    if outcome.error is not None:
        told = {"passed": "refused, as expected", "failed": "refused with another error"}
        return told.get(outcome.status, "refused")
    if outcome.difference is None:
        return ""
    if not outcome.expected:
        if not outcome.agrees:
            return "the derivatives differ, which a note explains" if outcome.status == "passed" else ""
        return f"agree within {bound(outcome.difference, 1e-8)}"
    return difference(outcome.difference) if outcome.difference > _ROUNDING else "0"


def label(title: str, entry: Entry | None, error: GradcliError | None = None) -> str:
    """The problem's name, else its place and program, cut to a width that leaves room for the rest."""
    if entry is None:
        text = f"{title}:{error.line}" if error is not None and error.line else title
    elif entry.name is not None:
        text = entry.name
    else:
        place = title if entry.where is None else f"{title}:{entry.where.line}"
        text = f"{place}  {' '.join(text_of(entry.data['program']).split())}"
    return text if width(text) <= _NAME else text[: _NAME - 1] + "…"


def located(done: Done, error: GradcliError) -> GradcliError:
    """The error with its place in the file."""
    if done.entry is None or done.entry.where is None:
        return error
    return placed(error, done.entry.where)


def where(done: Done, failure: Failure) -> str:
    """``problems.yaml:9:21``: the place of a failure."""
    entry = done.entry
    if entry is None or entry.where is None:
        return done.title
    error = GradcliError("", span=entry.where.span((*failure.path, *failure.index)), source=entry.where.source)
    return f"{done.title}:{error.line}:{error.column}"


def remarks(done: Done) -> list[str]:
    """Things to mend that make no problem fail: a comment that cuts a program short."""
    entry = done.entry
    if entry is None or entry.where is None or not done.outcome.unused:
        return []
    at = _comment(entry)
    if at is None:
        return []
    error = GradcliError("", span=at, source=entry.where.source)
    unused = " and ".join(done.outcome.unused)
    return [
        f"{done.title}:{error.line}:{error.column}: the program ends where a comment begins, and {unused} goes"
        " unused: put the expression in quotes if # is part of it"
    ]


def _comment(entry: Entry) -> Span | None:
    """Where a comment follows a program that is not in quotes."""
    assert entry.where is not None
    node, text = entry.where.node(("program",)), entry.where.source.text
    rest = text[node.end :].partition("\n")[0]
    if node.style or not rest.lstrip().startswith("#"):
        return None
    begin = node.end + rest.index("#")
    return Span(begin, begin + 1)
