"""Colour by role.  The sixteen standard colours only, so that a theme decides their shade."""

from __future__ import annotations

import re

CODES: dict[str, str] = {
    "heading": "2",
    "name": "1",
    "answer": "1",
    "formula": "36",
    "dim": "2",
    "good": "32",
    "bad": "1;31",
    "warn": "35",
    "plain": "",
}


#: what ``paint`` puts around texts
PAINTED = re.compile("(" + "|".join(re.escape(f"\x1b[{code}m") for code in {*CODES.values(), "0"} - {""}) + ")")


def paint(text: str, role: str, colour: bool) -> str:
    """``text`` in the colour of ``role``; unchanged when ``colour`` is off or there is nothing to colour."""
    code = CODES[role]
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code and text.strip() else text
