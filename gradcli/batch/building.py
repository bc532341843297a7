"""From an entry to a problem: values read, names folded, all of them held against the program."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gradcli.ask import build_problem
from gradcli.batch.entries import Entry
from gradcli.batch.nodes import Path
from gradcli.batch.placing import at, title
from gradcli.errors import GradcliError, GradcliErrors
from gradcli.problem import Problem, Upstream
from gradcli.values import Value, read_value
from gradcli.values.nested import numbers

#: words that stand for numbers inside lists
_WORDS = frozenset(("inf", "+inf", "-inf", "nan", "infinity", "+infinity", "-infinity"))
#: 2024-01-31, which would be read as a difference
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?(?:[Tt ].*)?")


def build(entry: Entry) -> Problem:
    """The problem that an entry asks.

    Raises:
        GradcliError: a text, a value or a name is at fault; every faulty value is told.
    """
    data = entry.data
    faults: list[GradcliError] = []
    inputs: dict[str, Value] = {}
    for name, given in (data.get("inputs") or {}).items():
        try:
            inputs[name] = read(given, ("inputs", name), entry.folder)
        except GradcliError as fault:
            faults.append(fault)
    try:
        passes = tuple(_passes(data.get("grad"), entry.folder))
    except GradcliError as fault:
        faults.append(fault)
    if faults:
        raise faults[0] if len(faults) == 1 else GradcliErrors(faults)
    return build_problem(
        text_of(data["program"]),
        inputs,
        passes=passes,
        loss=_text(data.get("loss")),
        of=_text(data.get("of")),
        wrt=_names(data.get("wrt")),
        zero_grad=data.get("zero_grad", False),
        expand=data.get("expand", False),
        device=str(data.get("device", "cpu")),
        dtype=_text(data.get("dtype")),
        jacobian=data.get("jacobian", "auto"),
        check=data.get("check"),
        name=entry.name,
    )


def text_of(given: Any) -> str:
    """A text, or a number where text is meant, as text."""
    return given if isinstance(given, str) else str(given)


def _text(given: Any) -> str | None:
    return None if given is None else text_of(given)


def _names(given: Any) -> list[str] | None:
    if given is None:
        return None
    return [text_of(one) for one in given] if isinstance(given, list) else text_of(given).split(",")


def _passes(given: Any, folder: str) -> Iterator[Upstream]:
    """``value``, ``{statement: value}``, or a list of such mappings, one a pass; null is the default."""
    if isinstance(given, list) and given and isinstance(given[0], dict):
        for k, one in enumerate(given):
            yield from _starts(one, ("grad", k), folder)
    elif isinstance(given, dict):
        yield from _starts(given, ("grad",), folder)
    elif given is not None:
        yield Upstream(None, read(given, ("grad",), folder))


def _starts(given: dict[str, Any], path: Path, folder: str) -> Iterator[Upstream]:
    for of, value in given.items():
        yield Upstream(of, None if value is None else read(value, (*path, of), folder))


def read(given: Any, path: Path, folder: str) -> Value:
    """The value at ``path`` of a problem: a number, lists, or text as -i takes it.

    A list that holds expressions, ``[pi/2, 1]``, is read as the text that it is.

    Raises:
        GradcliError: it is no value; with its place.
    """
    if isinstance(given, list) and _speaks(given):
        given = _written(given)
    if isinstance(given, str):
        if given.replace(" ", "") == "@-":
            raise at(path, "a problem file cannot take values from standard input", "name a file: @x.json")
        if _DATE.fullmatch(given.strip()):
            words = f"{given.strip()} looks like a date, and should be a number"
            raise at(path, words, "write days or seconds; in a difference put blanks around the minus")
        return read_value(given, title=title(path), base_dir=folder)

    def fault(message: str, hint: str | None, place: tuple[int, ...]) -> GradcliError:
        return at((*path, *place), message, hint)

    return Value(title(path), numbers(given, fault))


def _speaks(given: list[Any]) -> bool:
    """Whether a list holds a text that is more than a word for a number."""
    return any(
        _speaks(one) if isinstance(one, list) else isinstance(one, str) and one.strip().lower() not in _WORDS
        for one in given
    )


def _written(given: Any) -> str:
    if isinstance(given, list):
        return f"[{', '.join(map(_written, given))}]"
    return str(given).strip() if isinstance(given, str) else repr(given)
