"""``gradcli batch``: the problems of files, run in order and held against what is expected of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from gradcli.cli import options
from gradcli.cli.terminal import Terminal
from gradcli.errors import INTERRUPTED, GradcliError

if TYPE_CHECKING:
    from gradcli.batch.entries import Entry
    from gradcli.batch.files import Reading
    from gradcli.batch.running import Manner

EPILOG = """\b
Examples:
  gradcli batch problems.yaml
  gradcli batch sheet*.yaml --only 'chain*' --fail-fast --junit report.xml
  gradcli batch problems.jsonl -f json --jobs 4 > results.jsonl

\b
A YAML file holds problems; values are as -i takes them, and expect is optional:
  - name: docs example
    program: 3*a + 2*b*b + log(c)
    inputs: {a: [1, 2, 3], b: [3, 4, 5], c: [6, 7, 8]}
    grad: [0.1, 1, 1e-4]
    expect: {gradient: {a: [0.3, 3, 3e-4], b: 4*b*g}}
Exit codes: 0 all is as expected, 1 an expectation or a claim failed, 2 bad
input, 130 interrupted.
"""


@click.command("batch", cls=options.Command, epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@options.selection
@options.overrides
@options.reports
@options.display_of_many
@click.pass_obj
def command(terminal: Terminal, /, **given: Any) -> int:
    """Run the problems of YAML, JSON or JSON Lines files; - is standard input.

    A problem that fails does not stop the rest.  -f json prints one result object a line, -v whole results.
    """
    from gradcli.batch.files import open_file
    from gradcli.cli.saving import check_target

    check_target(given["output"], "-o")
    check_target(given["junit"], "--junit")
    settings = _settings(given)
    readings = [open_file(name, settings, terminal.stdin) for name in given["files"]]
    if given["update"]:
        _check_updatable(readings)
    wanted = _wanted(given["only"])
    if given["list_only"]:
        _list(readings, wanted, terminal)
        return 0
    return _run(readings, wanted, given, terminal)


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """The keys that the command line sets for every problem."""
    keys = ("device", "dtype", "jacobian", "check", "tolerance", "expand")
    return {key: given[key] for key in keys if given[key] is not None}


def _wanted(patterns: Sequence[str]) -> Callable[[Entry], bool]:
    """Which problems ``--only`` lets through: by name, as the shell matches, or as a part of it."""
    from fnmatch import fnmatchcase

    lowered = [pattern.lower() for pattern in patterns]

    def wanted(entry: Entry) -> bool:
        name = (entry.name or "").lower()
        return any(one in name or fnmatchcase(name, one) for one in lowered)

    return wanted if lowered else lambda entry: True


def _check_updatable(readings: Sequence[Reading]) -> None:
    for reading in readings:
        if reading.source is None or reading.title == "standard input":
            hint = "keep what is expected in YAML or JSON files"
            raise GradcliError(f"--update cannot write into {reading.title}, which is a stream", hint=hint)


def _list(readings: Sequence[Reading], wanted: Callable[[Entry], bool], terminal: Terminal) -> None:
    from gradcli.batch.building import text_of

    for reading in readings:
        for block in reading.blocks:
            for task in block:
                if isinstance(task, GradcliError):
                    raise task
                if wanted(task):
                    program = " ".join(text_of(task.data["program"]).split())
                    place = f"{reading.title}:{task.where.line}" if task.where else reading.title
                    terminal.write(f"{place}  {task.name or '-'}  {program}\n")


def _manner(given: dict[str, Any], terminal: Terminal) -> Manner:
    """How whole results are written, if they are."""
    from gradcli.batch.running import Manner
    from gradcli.cli.shown import look

    form = given["form"]
    return Manner(None if form == "text" and not given["verbose"] else form, look(given, terminal))


def _run(
    readings: Sequence[Reading], wanted: Callable[[Entry], bool], given: dict[str, Any], terminal: Terminal
) -> int:
    with terminal.loading():
        from gradcli.batch import grouping  # noqa: F401 - loads torch
        from gradcli.batch.queue import run_all
        from gradcli.cli.batch_session import Session

    session = Session.of(readings, wanted, given, terminal)
    awaited = [session.between(reading) for reading in readings]
    try:
        with session.interrupts.watched():
            for done in run_all(awaited, _manner(given, terminal), wanted, given["jobs"]):
                session.take(done)
                if given["fail_fast"] and done.outcome.status != "passed":
                    session.stopped = True
                    break
    except KeyboardInterrupt:
        session.finish(interrupted=True)
        return INTERRUPTED
    return session.finish()
