"""Pieces of LaTeX: names, numbers, tensors and plain words, for amsmath and for MathJax alike."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import numpy as np

from gradcli.render.numbers import number

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Array

_LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon "
    "phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
GREEK = frozenset(_LETTERS.split())
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip


def words(text: str) -> str:
    r"""``text`` for the inside of ``\text{…}``."""
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def name(text: str) -> str:
    """A variable: ``x1`` has a subscript, ``alpha`` and ``α`` are Greek, longer ones are upright, y_ is y'.

    >>> name("x1"), name("alpha"), name("loss"), name("W_q")
    ('x_{1}', '\\\\alpha', '\\\\mathrm{loss}', 'W_{q}')
    """
    stem, *rest = [part for part in text.split("_") if part] or [""]
    found = re.fullmatch(r"(.*?[^\W\d])(\d+)", stem)
    if found and (len(found[1]) == 1 or found[1] in GREEK):
        stem, rest = found[1], [found[2], *rest]
    below = ",".join(map(_stem, rest))
    primes = "'" * (len(text) - len(text.rstrip("_")))
    return _stem(stem) + (f"_{{{below}}}" if below else "") + primes


def _stem(text: str) -> str:
    spelled = unicodedata.name(text, "") if len(text) == 1 else ""
    if spelled.startswith("GREEK"):
        word = spelled.rpartition(" ")[2]
        text = word.capitalize() if "CAPITAL" in spelled else word.lower()
        text = {"lamda": "lambda", "Lamda": "Lambda"}.get(text, text)
    if text in GREEK:
        return "\\" + text
    if not text.isascii():
        return rf"\text{{{text}}}"
    return text if len(text) == 1 or text.isdigit() else rf"\mathrm{{{text}}}"


def value(text: str) -> str:
    r"""A number as printed elsewhere: ``1.25e-05`` is ``1.25 \times 10^{-5}``."""
    if text in ("nan", "inf", "-inf"):
        return {"nan": r"\mathrm{NaN}", "inf": r"\infty", "-inf": r"-\infty"}[text]
    mantissa, mark, exponent = text.lower().partition("e")
    if not mark:
        return text
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa in ("1", "1.") else rf"{mantissa} \times {power}"


def tensor(array: Array, look: Look, edge: int = 3) -> str:
    """A scalar, a row for a vector, a matrix; long axes shortened unless ``look.full``."""
    array = np.asarray(array)
    if array.ndim == 0:
        return value(number(float(array), look.precision))
    rows = [array] if array.ndim == 1 else list(_ends(array, look, edge))
    lines = []
    for row in rows:
        if row is None:
            lines.append(r"\vdots")
        elif np.ndim(row) == 1:
            cells = (r"\cdots" if part is None else tensor(part, look) for part in _ends(row, look, edge))
            lines.append(" & ".join(cells))
        else:
            lines.append(tensor(row, look))
    return r"\begin{bmatrix} " + r" \\ ".join(lines if array.size else ()) + r" \end{bmatrix}"


def _ends(array: Array, look: Look, edge: int) -> list[Array | None]:
    """The parts along the first axis, None for those left out."""
    parts: list[Array | None] = []
    if look.full or len(array) <= 2 * edge + 1:
        parts.extend(array)
    else:
        parts = [*array[:edge], None, *array[-edge:]]
    return parts
