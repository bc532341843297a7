"""Numbers as people read them: significant digits, no trailing zeros."""

from __future__ import annotations

import math

#: significant digits beyond which a dtype only shows rounding noise
DIGITS = {"float32": 9, "float16": 5, "bfloat16": 4, "float64": 17}


def number(value: float, precision: int) -> str:
    """``value`` with ``precision`` significant digits, shorter when it is exact; never ``-0``.

    >>> number(0.1, 6), number(1.25e-05, 6), number(-0.0, 6), number(0.1, 17)
    ('0.1', '1.25e-05', '0', '0.1')
    """
    if precision > 15:
        text = repr(float(value)).removesuffix(".0")
        if text not in ("-0", "0") and len(text.split("e")[0].strip("-0.").replace(".", "")) <= precision:
            return text
    text = f"{value:.{precision}g}"
    return "0" if text == "-0" else text


def digits(dtype: str, wanted: int) -> int:
    """``wanted`` digits, but no more than ``dtype`` carries."""
    return min(wanted, DIGITS.get(dtype, 17))


def bound(largest: float, noise: float) -> str:
    """A power of ten above ``largest``, but not so low that it would tell rounding noise apart.

    >>> bound(3e-11, 1e-8), bound(2e-5, 1e-8)
    ('1e-8', '1e-4')
    """
    if not math.isfinite(largest):
        return str(largest)
    return f"1e{math.ceil(math.log10(max(largest, noise)) - 1e-9)}"


def difference(value: float) -> str:
    """A small relative difference: two significant digits."""
    return f"{value:.2g}"
