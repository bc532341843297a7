"""A table without rules: padded columns under one header, cells of one or more lines."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.render.cells import width
from gradcli.render.style import paint

GAP = "   "


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[list[str]]],
    roles: Sequence[str],
    *,
    room: int,
    colour: bool,
) -> list[str] | None:
    """The lines of a table, or None when it is wider than ``room``.

    ``rows`` hold a list of lines for each cell; ``roles`` name the colour of each column.
    """
    widths = [max([width(head), *(width(line) for row in rows for line in row[k])]) for k, head in enumerate(header)]
    if sum(widths) + len(GAP) * (len(widths) - 1) > room:
        return None
    lines = [_line(header, ["heading"] * len(header), widths, colour)]
    for row in rows:
        for k in range(max(map(len, row))):
            lines.append(_line([cell[k] if k < len(cell) else "" for cell in row], roles, widths, colour))
    return lines


def _line(texts: Sequence[str], roles: Sequence[str], widths: Sequence[int], colour: bool) -> str:
    """One line: padded first and coloured after, because colour codes take no cells."""
    last = max((k for k, text in enumerate(texts) if text), default=0)
    parts = zip(texts[: last + 1], roles, widths, strict=False)
    return GAP.join(
        paint(text, role, colour) + ("" if k == last else " " * (cells - width(text)))
        for k, (text, role, cells) in enumerate(parts)
    )
