"""One entry run to its outcome, which is all that is printed of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal

from gradcli.batch.building import build, text_of
from gradcli.batch.entries import Entry
from gradcli.batch.expecting import Actual, Checked, Failure, check, refused
from gradcli.batch.nodes import Path
from gradcli.batch.placing import title
from gradcli.errors import GradcliError
from gradcli.problem import Problem
from gradcli.render.look import Look
from gradcli.result import Result

Status = Literal["passed", "failed", "refused"]


@dataclass(frozen=True, slots=True)
class Manner:
    """How outcomes are to be written: the format of whole results, None for none; how they look."""

    form: str | None = "json"
    look: Look = field(default_factory=Look)


@dataclass(slots=True)
class Outcome:
    """What came of one problem.

    Attributes:
        status: passed; failed, when an expectation, a claim or the agreement does; refused, when it
            cannot be solved.
        text: the whole result in the format asked for, in UTF-8; empty for none.
        failures: what is not as expected.
        error: why it was refused, or the error that was expected.
        difference: the largest relative difference: from what was expected, where ``expected``, else of
            the three ways; None where nothing was compared.
        agrees: whether the three ways do, no note being needed.
        notes: codes of the notes.
        unused: names of inputs that the program does not use.
        actual: what ``--update`` writes, by path.
        seconds: how long it took.
    """

    status: Status
    text: bytes = b""
    failures: list[Failure] = field(default_factory=list)
    error: GradcliError | None = None
    difference: float | None = None
    expected: bool = False
    agrees: bool = True
    notes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    actual: dict[Path, Actual] = field(default_factory=dict)
    seconds: float = 0.0


def run(entry: Entry, manner: Manner) -> Outcome:
    """Solve one problem and hold it against what is expected; nothing but an interrupt is raised."""
    began = perf_counter()
    outcome = _run(entry, manner)
    outcome.seconds = perf_counter() - began
    return outcome


def _run(entry: Entry, manner: Manner) -> Outcome:
    from gradcli.solve import solve

    expect = entry.data.get("expect") or {}
    try:
        problem = build(entry)
        result = solve(problem)
    except GradcliError as error:
        if "error" not in expect:
            return Outcome("refused", error=error)
        failures = refused(expect, error)
        actual = {("expect", "error"): Actual(error.message)} if failures else {}
        return Outcome("failed" if failures else "passed", failures=failures, error=error, actual=actual)
    try:
        return finish(entry, problem, result, manner)
    except GradcliError as error:
        return Outcome("refused", error=error)


def finish(entry: Entry, problem: Problem, result: Result, manner: Manner) -> Outcome:
    """The outcome of a problem that has a result.

    Raises:
        GradcliError: an expectation or a claim cannot be read.
    """
    expect = entry.data.get("expect") or {}
    checked = check(expect, entry.data.get("tolerance"), problem, result, entry.folder) if expect else Checked()
    failures = [*checked.failures, *_claims(entry.data.get("claims") or {}, problem)]
    if result.agrees is False:
        failures.append(Failure(("program",), "the derivatives disagree, and nothing explains it"))
    return Outcome(
        "failed" if failures else "passed",
        written(result, manner, failures),
        failures,
        difference=_largest(result) if checked.largest is None else checked.largest,
        expected=checked.largest is not None,
        agrees=all(leaf.agreement.within for leaf in result.leaves if leaf.agreement.compared),
        notes=tuple(dict.fromkeys(note.code for note in result.notes)),
        unused=tuple(note.name for note in result.notes if note.code == "unused-input" and note.name),
        actual=checked.actual,
    )


def written(result: Result, manner: Manner, failures: list[Failure]) -> bytes:
    """The whole result in the format asked for; in JSON with what is not as expected."""
    if manner.form is None:
        return b""
    if manner.form == "json" and failures:
        from gradcli.render.json import dumps, record

        text = dumps({**record(result), "failures": [one.record() for one in failures]}, manner.look)
    else:
        from gradcli.render import render

        text = render(result, manner.form, manner.look)
    return encoded(text)


def encoded(text: str) -> bytes:
    """The text in UTF-8; halves of characters, which it has no way to write, become escapes."""
    return text.encode("utf-8", "backslashreplace")


def _largest(result: Result) -> float | None:
    """The largest difference between the three ways."""
    compared = [
        value
        for leaf in result.leaves
        for value in (leaf.agreement.closed_form, leaf.agreement.finite_difference)
        if value is not None
    ]
    return max(compared) if compared else None


def _claims(given: dict[str, Any], problem: Problem) -> list[Failure]:
    """``leaf: formula``, or the same under gradient and jacobian."""
    if not given:
        return []
    from gradcli.claims.deciding import Claim, Kind, decide
    from gradcli.claims.telling import details, headline
    from gradcli.language import fold_name

    claims: list[Claim] = []
    paths: list[Path] = []
    for key, value in given.items():
        kind: Kind = "jacobian" if isinstance(value, dict) and key == "jacobian" else "gradient"
        for leaf, formula in (value if isinstance(value, dict) else {key: value}).items():
            paths.append(("claims", key, leaf) if isinstance(value, dict) else ("claims", key))
            claims.append(Claim(fold_name(leaf), text_of(formula), kind, title(paths[-1])))
    verdicts = decide(problem, claims)
    return [
        Failure(path, headline(verdict), tuple(details(verdict)))
        for path, verdict in zip(paths, verdicts, strict=True)
        if not verdict.right
    ]
