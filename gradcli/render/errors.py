"""Errors drawn: the message, the line it speaks of with a caret under the place, and what would work."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError, GradcliErrors
from gradcli.render.cells import width, wrap
from gradcli.render.signs import clean

if TYPE_CHECKING:
    from gradcli.errors import Source, Span
    from gradcli.render.look import Look


def faults(error: GradcliError) -> list[GradcliError]:
    """The single faults that ``error`` stands for."""
    return error.errors if isinstance(error, GradcliErrors) else [error]


def render(error: GradcliError, look: Look) -> str:
    """The text for stderr, ending in a newline; faults are separated by blank lines."""
    return "\n".join("".join(line.rstrip() + "\n" for line in _lines(one, look)) for one in faults(error))


def render_json(error: GradcliError, look: Look, **more: Any) -> str:
    """One error object on a line of its own; ``errors`` lists every fault when there are several.

    ``more`` are further keys: the ``name`` of a problem of a batch and its ``failures``.
    """
    record: dict[str, Any] = {"schema": 1, "kind": "error", **more, **_record(error)}
    several = faults(error)
    if len(several) > 1:
        record["errors"] = [_record(one) for one in several]
    return json.dumps(record, ensure_ascii=not look.unicode) + "\n"


def _record(error: GradcliError) -> dict[str, Any]:
    return {
        "message": clean(error.message),
        "line": error.line,
        "column": error.column,
        "hint": None if error.hint is None else clean(error.hint),
        "source": None if error.source is None else clean(error.source.title),
    }


def _lines(error: GradcliError, look: Look) -> list[str]:
    lines = wrap(look.show(error.message), look.width, first="error: ", rest="       ")
    lines[0] = look.paint("error:", "bad") + lines[0].removeprefix("error:")
    if error.source is not None and error.span is not None and error.source.text.strip():
        lines += _excerpt(error, error.source, error.span, look)
    if error.hint:
        hint = wrap(look.show(error.hint), look.width, first="  hint: ", rest="        ")
        lines += [look.paint("  hint:", "good") + hint[0].removeprefix("  hint:"), *hint[1:]]
    return lines


def _excerpt(error: GradcliError, source: Source, span: Span, look: Look) -> list[str]:
    """The faulty line, cut to the width around the place, and carets under it."""
    assert error.line is not None and error.column is not None
    room = max(look.width - 4, 20)
    begin, end = span.start - (error.column - 1), source.text.find("\n", span.start)
    line_end = len(source.text) if end < 0 else end
    end = max(span.start + 1, min(span.end, line_end))
    # of a long line no more than can be shown, whatever signs it has
    begin, line_end = max(begin, span.start - 4 * room), min(line_end, end + 4 * room)
    parts = source.text[begin : span.start], source.text[span.start : end], source.text[end:line_end]
    before, marked, after = map(look.show, parts)
    if width(before + marked + after) > room:
        marked = _keep(marked, room // 2, look)
        before = _keep(before[::-1], (room - width(marked)) * 2 // 3, look)[::-1]
        after = _keep(after, room - width(before + marked), look)
    carets = "^" * max(1, width(marked))
    remark = f"  {look.show(_where(error, source))}"
    under = ["  " + " " * width(before) + look.paint(carets, "bad"), look.paint(remark, "dim")]
    fits = width(before + carets + remark) + 2 <= look.width
    return ["  " + before + marked + after, *(["".join(under)] if fits else under)]


def _where(error: GradcliError, source: Source) -> str:
    """``column 7``, ``line 2, column 7``, ``column 1 of -i a`` or ``problems.yaml:2:7``."""
    if not source.title.startswith("-") and any(sign in source.title for sign in "./\\"):
        return f"{source.title}:{error.line}:{error.column}"
    line = f"line {error.line}, " if "\n" in source.text.strip() else ""
    title = "" if source.title == "program" else f" of {source.title}"
    return f"{line}column {error.column}{title}"


def _keep(text: str, cells: int, look: Look) -> str:
    """The beginning of ``text`` that fits in ``cells``, with a mark where the rest was."""
    mark = look.show("…")
    if width(text) <= cells:
        return text
    kept = ""
    for sign in text:
        if width(kept + sign + mark) > cells:
            break
        kept += sign
    return kept + mark
