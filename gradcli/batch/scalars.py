"""Plain scalars by the core schema of YAML 1.2.

``1e-4`` and ``-.5`` are numbers, ``010`` is ten, and ``on``, ``no``, ``1:30`` and dates are text.
Source: https://yaml.org/spec/1.2.2/#103-core-schema
"""

from __future__ import annotations

import math
import re

_WORDS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **{sign + word: math.inf for sign in ("", "+") for word in (".inf", ".Inf", ".INF")},
    **{"-" + word: -math.inf for word in (".inf", ".Inf", ".INF")},
}
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WHOLE = re.compile(r"[-+]?[0-9]+")
_BASES = {"0o": 8, "0x": 16}
#: digits beyond which a whole number is taken as a decimal
_DIGITS = 300


def resolve(text: str) -> object:
    """What an unquoted scalar means: None, a truth value, a number, or the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    if not _NUMBER.fullmatch(text):
        return _other_base(text)
    if _WHOLE.fullmatch(text) and len(text) <= _DIGITS:
        return int(text)
    value = float(text)
    return text if math.isinf(value) else value  # too large: whoever reads it as a value will say so


def _other_base(text: str) -> object:
    base = _BASES.get(text[:2])
    if base is None or len(text) > _DIGITS:
        return text
    digits = text[2:]
    valid = re.fullmatch("[0-7]+" if base == 8 else "[0-9a-fA-F]+", digits)
    return int(digits, base) if valid else text
