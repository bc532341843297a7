"""Pieces of LaTeX: names, numbers, tensors and plain words, for amsmath and for MathJax alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradcli.closed.notation.lettering import name, value, words
from gradcli.render.numbers import number

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Array

__all__ = ["name", "tensor", "value", "words"]


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
