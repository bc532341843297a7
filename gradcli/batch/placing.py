"""Errors of a problem, moved to the place in its file."""

from __future__ import annotations

import re

from gradcli.batch.entries import Where
from gradcli.batch.nodes import Node, Path
from gradcli.errors import GradcliError, GradcliErrors, Source, Span

#: the words that name a text in errors → the key that holds it
_TITLES: dict[str, Path] = {
    "program": ("program",),
    "--loss": ("loss",),
    "--of": ("of",),
    "--wrt": ("wrt",),
    "--grad": ("grad",),
}
#: what an error without a place speaks of → the key to show
_SUBJECTS = (("upstream gradient", "grad"), ("the loss", "loss"), ("device", "device"), ("dtype", "dtype"))
_FLAG = re.compile(r"--(no-)?([a-z][a-z-]*)\b(?: (?=\w))?")
_INPUT = re.compile(r"add ((?:-i \w+=…\s*)+)|(?:give its value: )?-i (\w+)=(\S+)")


class Placed(GradcliError):
    """An error whose place is a path in its problem."""

    path: Path = ()


def at(path: Path, message: str, hint: str | None) -> Placed:
    """An error at ``path`` of a problem."""
    error = Placed(message, hint=hint)
    error.path = path
    return error


def title(path: Path) -> str:
    """The words that name the text at ``path``, such as ``inputs.a``."""
    return ".".join(map(str, path))


def placed(error: GradcliError, where: Where) -> GradcliError:
    """The same fault with its place in the file, and a hint in terms of keys rather than flags."""
    if isinstance(error, GradcliErrors):
        return GradcliErrors([placed(one, where) for one in error.errors])
    span, source = _span(error, where), where.source
    hint = None if error.hint is None else reworded(error.hint)
    return GradcliError(error.message, span=span, hint=hint, source=source, exit_code=error.exit_code)


def reworded(hint: str) -> str:
    """A hint for the command line as one for a problem file."""

    def given(found: re.Match[str]) -> str:
        if found[2]:
            return f"add {found[2]}: {found[3].rstrip('.')} to inputs"
        names = re.findall(r"-i (\w+)=", found[1])
        return f"add {', '.join(f'{name}: …' for name in names)} to inputs"

    def key(found: re.Match[str]) -> str:
        name = found[2].replace("-", "_")
        if name in ("expand", "zero_grad", "check"):
            return f"{name}: {'false' if found[1] else 'true'}"
        return f"{name}: " if found[0].endswith(" ") else name

    return _FLAG.sub(key, _INPUT.sub(given, hint)).replace("-g '", "grad: '")


def _span(error: GradcliError, where: Where) -> Span:
    if isinstance(error, Placed):
        return where.span(error.path)
    if error.source is None:
        key = next((key for words, key in _SUBJECTS if words in error.message), "program")
        return where.span((key,) if where.node((key,)) is not where.node() else ())
    path = _path(error.source, where)
    node = where.node(path)
    if path and error.source.text == f"{path[-1]}={node.data}":  # an assignment, of which the name is at fault
        return where.span(path, key=True)
    inside = None if error.span is None else _inside(node, where.source.text, error.span)
    return inside or node.span


def _path(source: Source, where: Where) -> Path:
    """The key that holds a text."""
    if source.title in _TITLES:
        return _TITLES[source.title]
    path: Path = tuple(source.title.split("."))
    return path if path[0] in ("inputs", "grad", "expect", "claims") else ("program",)


def _inside(node: Node, text: str, span: Span) -> Span | None:
    """A range of a scalar's value as a range of the file; None where escapes or folding hide it."""
    if not isinstance(node.data, str):
        return None
    raw = text[node.start : node.end]
    if node.style == "|":
        begin = _line_by_line(raw, node.data, span.start)
    else:
        found = raw.find(node.data)
        begin = None if found < 0 else found + span.start
    if begin is None:
        return None
    return Span(node.start + begin, node.start + begin + max(span.end - span.start, 1))


def _line_by_line(raw: str, data: str, offset: int) -> int | None:
    """Where a character of a block of text stands in the raw block."""
    line = data.count("\n", 0, offset)
    column = offset - (data.rfind("\n", 0, offset) + 1)
    wanted = data.split("\n")[line]
    lines = raw.splitlines(keepends=True)
    if line + 1 >= len(lines) or wanted not in lines[line + 1]:
        return None
    return sum(map(len, lines[: line + 1])) + lines[line + 1].index(wanted) + column
