"""Did you mean: names near to one that is not known."""

from __future__ import annotations

import re
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """'did you mean sin or sinh?', or None when nothing is near.

    A class such as ``LayerNorm`` or ``ReLU`` is near to the function of the same name, and ``lgo`` to ``log``.
    """
    import difflib

    choices = list(known)
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    swapped = [c for c in choices if sorted(c) == sorted(name.lower())]
    exact = [*(c for c in (snake, name.lower()) if c in choices), *swapped]
    # One wrong letter in three is a ratio of 2/3.
    close = difflib.get_close_matches(name.lower(), choices, n=3, cutoff=0.66)
    found = exact[:1] or [c for c in close if abs(len(c) - len(name)) <= max(1, len(name) // 3)]
    if not found or len(name) < 2:
        return None
    return f"did you mean {' or '.join(found)}?"
