"""Text measured in terminal cells: width, padding, wrapping."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """Cells that ``text`` takes: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def pad(text: str, cells: int) -> str:
    """``text`` with blanks on the right up to ``cells``."""
    return text + " " * (cells - width(text))


def centre(text: str, cells: int) -> str:
    """``text`` in the middle of ``cells``."""
    room = cells - width(text)
    return " " * (room // 2) + text + " " * (room - room // 2)


def wrap(text: str, cells: int, *, first: str = "", rest: str = "") -> list[str]:
    """Lines of at most ``cells``, broken at blanks, or anywhere when a word is longer than a line.

    ``first`` and ``rest`` go before the first line and the others; each newline of
    ``text`` starts a line.
    """
    lines: list[str] = []
    prefix = first
    for paragraph in text.split("\n"):
        line = prefix
        empty = True
        for word in paragraph.split(" "):
            if not empty and width(line) + 1 + width(word) > cells:
                lines.append(line.rstrip())
                line, empty = rest, True
            line += word if empty else " " + word
            empty = False
            while width(line) > max(cells, width(rest) + 4):
                cut = _fits(line, max(cells, width(rest) + 4))
                lines.append(line[:cut])
                line = rest + line[cut:]
        lines.append(line)
        prefix = rest
    return lines


def _fits(text: str, cells: int) -> int:
    """How many characters of ``text`` fit in ``cells``."""
    used = 0
    for count, sign in enumerate(text):
        used += width(sign)
        if used > cells:
            return count
    return len(text)
