"""The outcomes of a batch as JUnit XML, which CI systems read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from gradcli.batch.queue import Done
from gradcli.batch.reporting import label, located, where
from gradcli.render import errors
from gradcli.render.look import Look

#: characters that XML 1.0 cannot hold, not even escaped
_UNFIT = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(slots=True)
class Junit:
    """One suite a file, one case a problem; only what the report needs is kept of each."""

    suites: dict[str, list[tuple[str, str, float]]] = field(default_factory=dict)

    def add(self, done: Done) -> None:
        """Take one problem in."""
        outcome = done.outcome
        body = ""
        if outcome.status == "refused" and outcome.error is not None:
            error = located(done, outcome.error)
            body = _element("error", error.message, errors.render(error, Look(width=100)))
        elif outcome.failures:
            lines = [line for one in outcome.failures for line in (f"{where(done, one)}: {one.message}", *one.details)]
            body = _element("failure", outcome.failures[0].message, "\n".join(lines))
        self.suites.setdefault(done.title, []).append(
            (label(done.title, done.entry, outcome.error), body, outcome.seconds)
        )

    def text(self) -> str:
        """The whole document."""
        suites = [_suite(title, cases) for title, cases in self.suites.items()]
        return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n{"".join(suites)}</testsuites>\n'


def _suite(title: str, cases: list[tuple[str, str, float]]) -> str:
    failed = sum(body.startswith("<failure") for _, body, _ in cases)
    refused = sum(body.startswith("<error") for _, body, _ in cases)
    total = sum(seconds for *_, seconds in cases)
    lines = [
        f'  <testsuite name={_quoted(title)} tests="{len(cases)}" failures="{failed}" errors="{refused}"'
        f' time="{total:.3f}">\n'
    ]
    for name, body, seconds in cases:
        head = f'    <testcase classname={_quoted(title)} name={_quoted(name)} time="{seconds:.3f}"'
        lines.append(f"{head}>{body}</testcase>\n" if body else f"{head}/>\n")
    return "".join((*lines, "  </testsuite>\n"))


def _element(kind: str, message: str, body: str) -> str:
    return f"<{kind} message={_quoted(message)}>{escape(_UNFIT.sub('�', body))}</{kind}>"


def _quoted(text: str) -> str:
    return quoteattr(_UNFIT.sub("�", text))
