"""Problem files: opening them, telling YAML, JSON and JSON Lines apart, and reading them block by block."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from gradcli.batch.entries import Entry, Where, entries
from gradcli.batch.json_text import read_json, read_plainest
from gradcli.batch.sketches import sketch
from gradcli.errors import GradcliError, Source
from gradcli.values.files import why_unreadable

#: bytes of a YAML or JSON file, which is held in memory whole, and of one line of JSON Lines
WHOLE = 16 * 1024**2
#: bytes that are read of a stream at once: lines that come slowly are run as they come
BLOCK = 512 * 1024

_LINES = (".jsonl", ".ndjson", ".jsonlines")
_STDIN = "standard input"

#: a problem, or why there is none
Task = Entry | GradcliError


@dataclass(frozen=True, slots=True)
class Reading:
    """An opened file: its name, and its problems block by block, in order."""

    title: str
    blocks: Iterator[list[Task]]
    #: the problems of a file that is held whole, and its text; None for a stream
    whole: list[Entry] | None = None
    source: Source | None = None


def open_file(name: str, settings: Mapping[str, Any], stdin: IO[Any]) -> Reading:
    """Open ``name``, or standard input for ``-``; YAML and JSON are read and checked at once.

    Args:
        settings: keys that win over what the file says.

    Raises:
        GradcliError: it cannot be read, is no YAML or JSON, or breaks the schema; every fault is told.
    """
    if name == "-":
        return _from_stream(getattr(stdin, "buffer", stdin), settings)
    path = Path(name)
    try:
        size = os.stat(path).st_size if path.is_file() else 0
        if path.is_dir():
            raise GradcliError(f"{name} is a folder, not a file", hint=f"name a file in it: {Path(name) / 'x.yaml'}")
        stream = path.open("rb")
    except (OSError, ValueError) as error:
        raise GradcliError(why_unreadable(error, name)) from None
    folder = str(path.parent)
    if path.suffix.lower() in _LINES:
        return Reading(name, _lines(stream, b"", name, folder, settings))
    if size > WHOLE:
        kind = "JSON" if path.suffix.lower() == ".json" else "YAML"
        words = f"{name} has {_megabytes(size)}, and the limit for {kind} is {_megabytes(WHOLE)}"
        raise GradcliError(words, hint="JSON Lines (.jsonl) may have any size; keep tensors in files: @x.npy")
    with stream:
        text = _decode(_read(stream, name), name)
    return _whole(text, name, folder, settings)


def _from_stream(stream: IO[bytes], settings: Mapping[str, Any]) -> Reading:
    """JSON Lines where the first line is a whole JSON object; else one YAML or JSON text."""
    first = b""
    while not first.strip():
        line = _line(stream)
        if not line:
            raise GradcliError("standard input is empty", hint="gradcli batch problems.yaml reads a file")
        first += line
    if first.lstrip().startswith(b"{"):
        with suppress(GradcliError):
            read_json(Source(_decode(first, _STDIN), _STDIN))
            return Reading(_STDIN, _lines(stream, first, _STDIN, ".", settings))
    text = _decode(first + _read(stream, _STDIN), _STDIN)
    return _whole(text, _STDIN, ".", settings)


def _line(stream: IO[bytes]) -> bytes:
    line = stream.readline(WHOLE + 1)
    return line.encode() if isinstance(line, str) else line


def _read(stream: IO[bytes], title: str) -> bytes:
    try:
        data = stream.read(WHOLE + 1)
    except OSError as error:
        raise GradcliError(why_unreadable(error, title)) from None
    if len(data) > WHOLE:
        words = f"{title} has more than {_megabytes(WHOLE)}, the limit for YAML and JSON"
        raise GradcliError(words, hint="JSON Lines (.jsonl) may have any size")
    return data.encode() if isinstance(data, str) else data


def _whole(text: str, title: str, folder: str, settings: Mapping[str, Any]) -> Reading:
    source = Source(text, title)
    if not text.strip():
        raise GradcliError(f"{title} is empty", hint="write - program: 3*a + log(c)")
    if title.lower().endswith(".json") or (title == _STDIN and _is_json(source)):
        found = entries(read_json(source), Where(source), folder, settings)
    else:
        from gradcli.batch.yaml_text import read_yaml

        found = []
        for number, document in enumerate(read_yaml(source)):
            where = Where(source, root=document, document=number)
            found += entries(document.plain(), where, folder, settings)
        if not found:
            raise GradcliError(f"{title} holds no problems", hint="write - program: 3*a + log(c)")
    return Reading(title, iter([list[Task](found)]), found, source)


def _is_json(source: Source) -> bool:
    try:
        read_json(source)
    except GradcliError:
        return False
    return True


def _lines(
    stream: IO[bytes], rest: bytes, title: str, folder: str, settings: Mapping[str, Any]
) -> Iterator[list[Task]]:
    """The problems of JSON Lines, as many at once as have come."""
    number = 1
    read = getattr(stream, "read1", stream.read)
    with nullcontext() if title == _STDIN else stream:
        while True:
            block = read(BLOCK)
            whole, ended, rest = (rest + block).rpartition(b"\n") if block else (rest, b"\n", b"")
            tasks: list[Task] = []
            for line in _split(whole) if ended else ():
                tasks += _problems(line, number, title, folder, settings)
                number += 1
            if tasks:
                yield tasks
            if not block:
                return
            if len(rest) > WHOLE:
                raise GradcliError(f"{title}:{number}: the line is longer than {_megabytes(WHOLE)}")


def _split(data: bytes) -> Sequence[str | bytes]:
    """Lines as text, or as bytes where one of them is no UTF-8."""
    try:
        return data.decode().split("\n")
    except UnicodeDecodeError:
        return data.split(b"\n")


def _problems(line: str | bytes, number: int, title: str, folder: str, settings: Mapping[str, Any]) -> list[Task]:
    """The problem of one line, or several; a line that is at fault gives its error."""
    try:
        text = line if isinstance(line, str) else _decode(line, f"{title}:{number}")
        data = read_plainest(text)
        if data is not None and (found := sketch(whole := {**data, **settings})) is not None:
            return [Entry(whole, folder, Where(Source(text, title, number)), found)]
        text = text.strip("\ufeff\r")
        if not text.strip():
            return []
        source = Source(text, title, number)
        return list(entries(read_json(source), Where(source), folder, settings))
    except GradcliError as error:
        return [error]


def _decode(data: bytes, title: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise GradcliError(f"{title} is no text in UTF-8", hint="save it as UTF-8") from None
    if "\0" in text:
        raise GradcliError(f"{title} is a binary file, not text", hint="tensors go into inputs: {a: '@x.npy'}")
    return text


def _megabytes(size: int) -> str:
    return f"{size / 1024**2:.0f} MiB"
