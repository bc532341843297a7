"""Tensors as text: aligned rows, long axes shortened to their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.render.cells import width
from gradcli.render.numbers import number

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Array

#: tensors of up to this many elements are whole; of longer ones a long axis shows its ends
WHOLE = 24
#: cells that labels before a tensor take at most
MARGIN = 17


def inline(array: Array, look: Look) -> str:
    """One line: ``[[1, 2], [3, 4]]``, or ``3`` for a scalar."""
    return _joined(_texts(array, look, _edge(array)))


def block(array: Array, look: Look, edge: int | None = None) -> list[str]:
    """Lines with the columns of a matrix aligned; a vector or scalar takes one line."""
    texts = _texts(array, look, edge or _edge(array))
    if array.ndim < 2 or array.size == 0:
        return [_joined(texts)]
    rows = _rows(texts, array.ndim - 1)
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return _lines(texts, array.ndim, widths)


def cell(array: Array, look: Look) -> list[str]:
    """``block`` as narrow as a labelled line, with the shape said where elements are left out."""
    for edge in range(_edge(array), 0, -1):
        lines = block(array, look, edge)
        if shortened(array, look):
            lines[-1] += "  " + shape(array)
        if max(map(width, lines)) <= look.width - MARGIN:
            break
    return lines


def brief(array: Array, look: Look) -> str:
    """``inline``, with the shape said where elements are left out."""
    return inline(array, look) + (f"  {shape(array)}" if shortened(array, look) else "")


def shape(array: Array) -> str:
    """``(3,)`` as torch and numpy write it."""
    return str(tuple(int(n) for n in array.shape))


def shortened(array: Array, look: Look) -> bool:
    """Whether ``inline`` and ``block`` leave elements out."""
    return any(_gaps(array, look))


def _edge(array: Array) -> int:
    """Elements kept at each end of a shortened axis: fewer when there are many axes."""
    return 3 if array.ndim <= 2 else 1


def _gaps(array: Array, look: Look) -> list[bool]:
    """For each axis whether its middle is left out."""
    whole = look.full or array.size <= WHOLE
    return [not whole and n > 2 * _edge(array) + 1 for n in array.shape]


def _texts(array: Array, look: Look, edge: int) -> Any:
    """Nested lists of texts in the shape of ``array``, with a mark where elements are left out."""
    gaps = _gaps(array, look)
    ends = [[*range(edge), *range(n - edge, n)] if gap else range(n) for n, gap in zip(array.shape, gaps, strict=True)]
    kept = array[np.ix_(*ends)] if any(gaps) else array
    mark = look.show("…")

    def nested(values: Any, axis: int) -> Any:
        if axis == array.ndim:
            return number(values, look.precision)
        parts = [nested(value, axis + 1) for value in values]
        if gaps[axis]:
            parts.insert(edge, mark)
        return parts

    return nested(kept.tolist(), 0)


def _joined(texts: Any) -> str:
    return "[" + ", ".join(map(_joined, texts)) + "]" if isinstance(texts, list) else str(texts)


def _rows(texts: Any, depth: int) -> list[list[str]]:
    """The innermost lists, ``depth`` levels down."""
    if depth == 0:
        return [texts]
    return [row for part in texts if isinstance(part, list) for row in _rows(part, depth - 1)]


def _lines(texts: Any, depth: int, widths: list[int]) -> list[str]:
    if depth == 1:
        return ["[" + ", ".join(" " * (w - width(t)) + t for w, t in zip(widths, texts, strict=True)) + "]"]
    lines: list[str] = []
    for k, part in enumerate(texts):
        inner = _lines(part, depth - 1, widths) if isinstance(part, list) else [part]
        inner[-1] += "," if k < len(texts) - 1 else "]"
        lines += inner
    return ["[" + lines[0], *(" " + line for line in lines[1:])]
