"""Static values written as the language writes them."""

from __future__ import annotations

import re


def literal(value: object) -> str:
    """A static value as the language writes it: 1e-5, not 1e-05; a negative number in parentheses."""
    text = re.sub(r"e([+-])0+", r"e\1", str(value)) if isinstance(value, float) else str(value)
    return f"({text})" if text.startswith("-") else text
