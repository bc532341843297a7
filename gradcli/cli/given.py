"""From options to a problem: texts are read and held against the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradcli.ask import build_problem, split_name
from gradcli.errors import GradcliError, Source, Span
from gradcli.problem import Upstream

if TYPE_CHECKING:
    from gradcli.cli.terminal import Terminal
    from gradcli.problem import Problem
    from gradcli.values.tensors import Value


def program_text(options: Mapping[str, Any], terminal: Terminal) -> tuple[str, str]:
    """The program and the words that name it in errors.

    Raises:
        GradcliError: there is none, or there are several, or its file cannot be read.
    """
    ways = [options["program"], options["expression"], options["program_file"]]
    given = [one for one in ways if one is not None]
    if len(given) != 1:
        what = "there is no program" if not given else "the program is given more than once"
        raise GradcliError(what, hint="give one of PROGRAM, -e PROGRAM and --program FILE")
    if options["program_file"] is None:
        return str(given[0]), "program"
    name = options["program_file"]
    try:
        if name == "-":
            return terminal.stdin.read(), "program"
        return Path(name).read_text(encoding="utf-8"), name
    except OSError as error:
        raise GradcliError(f"the program {name} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise GradcliError(f"the program {name} is not UTF-8 text", hint="save it as UTF-8") from error
    except ValueError as error:
        raise GradcliError(f"the program {name!a} cannot be read: {error}") from error


def problem(options: Mapping[str, Any], terminal: Terminal) -> Problem:
    """The problem that the options of ``cli/options.py`` ask.

    Raises:
        GradcliError: a text, a name or a combination is at fault.
    """
    _check_stdin(options)
    text, title = program_text(options, terminal)
    wrt = [name for names in options["wrt"] for name in names.split(",")]
    return build_problem(
        text,
        inputs(options["inputs"], terminal),
        passes=passes(options["grads"], terminal),
        loss=options["loss"],
        of=options["of"],
        wrt=wrt or None,
        zero_grad=options["zero_grad"],
        expand=options["expand"],
        device=options["device"],
        dtype=options["dtype"],
        jacobian=options["jacobian"],
        check=options["check"],
        title=title,
    )


def inputs(texts: Sequence[str], terminal: Terminal) -> dict[str, Value]:
    """``-i NAME=VALUE`` texts, read; names folded, each given once."""
    from gradcli.language import fold_name
    from gradcli.values import read_value

    values: dict[str, Value] = {}
    for text in texts:
        source = Source(text, "-i")
        given, sign, value = text.partition("=")
        if not sign or not given.strip():
            raise GradcliError("an input is NAME=VALUE", span=Span(0, len(text)), source=source, hint="-i a=1,2,3")
        name = fold_name(given)
        if name in values:
            hint = f"for a vector write -i {name}=1,2,3"
            raise GradcliError(f"'{name}' is given twice", span=Span(0, len(given)), source=source, hint=hint)
        values[name] = read_value(value, title=f"-i {name}", stdin=terminal.stdin)
    return values


def passes(texts: Sequence[str], terminal: Terminal) -> list[Upstream]:
    """``-g [NAME=]VALUE`` texts, one backward pass each."""
    from gradcli.values import read_value

    found = []
    for text in texts:
        name, value = split_name(text)
        title = "--grad" if name is None else f"--grad {name}"
        found.append(Upstream(name, read_value(value, title=title, stdin=terminal.stdin)))
    return found


def _check_stdin(options: Mapping[str, Any]) -> None:
    """Standard input can be read once."""
    readers = ["--program -"] if options["program_file"] == "-" else []
    for flag, texts in (("-i", options["inputs"]), ("-g", options["grads"])):
        readers += [f"{flag} {text}" for text in texts if text.rpartition("=")[2].replace(" ", "") == "@-"]
    if len(readers) > 1:
        raise GradcliError(f"{' and '.join(readers)} would both read standard input", hint="put one of them in a file")
