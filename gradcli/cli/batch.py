"""``gradcli batch``: the problems of files, run in order and held against what is expected of them."""

from __future__ import annotations

import os
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
    _check_apart(given)
    settings = _settings(given)
    if given["update"]:
        _check_regular(given["files"])
    readings = [open_file(name, settings, terminal.stdin) for name in given["files"]]
    if given["update"]:
        _check_updatable(readings)
    wanted = _wanted(given["only"])
    if given["list_only"]:
        return _list(readings, wanted, given, terminal)
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


def _check_apart(given: dict[str, Any]) -> None:
    """Refuse to write over a file that is read, or one thing over another."""
    taken = {os.path.realpath(name): "which is read" for name in given["files"]}
    for flag, name in (("-o", given["output"]), ("--junit", given["junit"])):
        if name is None or (os.path.exists(name) and not os.path.isfile(name)):
            continue  # a device or a pipe holds nothing that could be lost
        place = os.path.realpath(name)
        if place in taken:
            raise GradcliError(f"{flag} would overwrite {name}, {taken[place]}", hint="name another file")
        taken[place] = "which -o writes"


def _check_regular(names: Sequence[str]) -> None:
    for name in names:
        if name == "-" or (os.path.exists(name) and not os.path.isfile(name)):
            raise _no_update("standard input" if name == "-" else name)


def _check_updatable(readings: Sequence[Reading]) -> None:
    for reading in readings:
        if reading.source is None:
            raise _no_update(reading.title)


def _no_update(title: str) -> GradcliError:
    hint = "keep what is expected in YAML or JSON files"
    return GradcliError(f"--update cannot write into {title}, which is a stream", hint=hint)


def _list(
    readings: Sequence[Reading], wanted: Callable[[Entry], bool], given: dict[str, Any], terminal: Terminal
) -> int:
    """A line a problem; lines at fault are told on stderr.  The exit code."""
    from gradcli.batch.building import text_of
    from gradcli.cli.shown import look
    from gradcli.render import errors

    show, found, code = look(given, terminal).show, False, 0
    for title, task in ((reading.title, task) for reading in readings for block in reading.blocks for task in block):
        if isinstance(task, GradcliError):
            code = task.exit_code
            terminal.write(errors.render(task, terminal.look(terminal.stderr, given["color"])), terminal.stderr)
        elif wanted(task):
            found = True
            place = f"{title}:{task.where.line}" if task.where else title
            name, program = (" ".join(text.split()) for text in (task.name or "-", text_of(task.data["program"])))
            terminal.write(f"{place}  {show(name)}  {show(program)}\n")
    if given["only"] and not found:
        raise _nothing_chosen(given["only"])
    return code


def _nothing_chosen(patterns: Sequence[str]) -> GradcliError:
    words = f"no problem has a name like {' or '.join(map(repr, patterns))}"
    return GradcliError(words, hint="--list shows the names")


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
    if given["only"] and not session.tally.total:
        raise _nothing_chosen(given["only"])
    return session.finish()
