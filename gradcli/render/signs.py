"""Signs of mathematics and what stands for them where only ASCII can be shown.

Also where control characters of user text are made visible, so that a program cannot
repaint the terminal of whoever reads an error about it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import fields, is_dataclass
from typing import Any

ASCII: dict[str, str] = {
    "δ": "delta", "Σ": "sum_", "∂": "d", "∇": "grad ", "ᵀ": "'", "∘": ".*", "⊗": "(x)", "⊙": ".*",
    "·": "*", "×": "x", "−": "-", "±": "+-", "≠": "!=", "≤": "<=", "≥": ">=", "≈": "~", "∈": " in ",
    "∞": "inf", "√": "sqrt", "𝟏": "1", "𝟎": "0", "‖": "||", "∧": " and ", "∨": " or ", "¬": "not ",
    "⁻": "^-", "⁰": "^0", "¹": "^1", "²": "^2", "³": "^3", "…": "...", "→": "->", "←": "<-", "⋮": ":",
    "✓": "ok:", "✗": "FAILED:", "–": "-", "—": "-", "‘": "'", "’": "'", "“": '"', "”": '"',
    "⎡": "[", "⎢": "[", "⎣": "[", "⎤": "]", "⎥": "]", "⎦": "]", "⌊": "floor(", "⌋": ")",
    "├": "|", "└": "`", "│": "|", "─": "-", "•": "*",
}  # fmt: skip

_BAR = "\N{COMBINING MACRON}"
_INVISIBLE = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def clean(text: str) -> str:
    """``text`` with control, direction and undecodable characters written as escapes (newlines stay)."""
    return _INVISIBLE.sub(lambda found: _escape(found.group()), text)


def show(text: str, unicode: bool) -> str:
    """``text`` fit to be written: cleaned, and in ASCII unless ``unicode``."""
    text = clean(text)
    if unicode or text.isascii():
        return text
    return "".join(map(_plain, text.replace("⁻¹", "^-1").replace("⁻ᵀ", "^-T")))


def _plain(sign: str) -> str:
    if sign.isascii():
        return sign
    if sign in ASCII:
        return ASCII[sign]
    if sign == _BAR:
        return "bar"
    name = unicodedata.name(sign, "")
    for prefix, change in (("GREEK SMALL LETTER ", str.lower), ("GREEK CAPITAL LETTER ", str.capitalize)):
        if name.startswith(prefix):
            return change(name.removeprefix(prefix).removeprefix("FINAL ").replace(" ", "_"))
    parts = unicodedata.normalize("NFKD", sign)
    return _escape(sign) if parts == sign else "".join(map(_plain, parts))


def _escape(sign: str) -> str:
    code = ord(sign)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def show_all(record: Any, unicode: bool) -> Any:
    """A copy of ``record`` (a dataclass, tuple, list or dict) whose texts went through :func:`show`."""
    if isinstance(record, str):
        return show(record, unicode)
    if isinstance(record, (tuple, list)):
        return type(record)(show_all(part, unicode) for part in record)
    if isinstance(record, dict):
        return {show_all(key, unicode): show_all(value, unicode) for key, value in record.items()}
    if is_dataclass(record) and not isinstance(record, type):
        return type(record)(*(show_all(getattr(record, part.name), unicode) for part in fields(record)))
    return record
