"""The Jacobian as a matrix, in symbols and in numbers: ``∂y/∂x = ⎡ … ⎤ = ⎡ … ⎤``, while it is small."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.render.cells import centre, width
from gradcli.render.numbers import number
from gradcli.render.tensors import inline

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Jacobian, Leaf, Result

#: unless asked for, a matrix is shown up to this size
ROWS, COLUMNS = 6, 8

#: these structures read better as a formula than as a matrix
PLAIN = ("diagonal", "zero", "selection")


def equation(result: Result, look: Look) -> list[str]:
    """The lines of the equation, or none when the Jacobian is large or its formula says it better."""
    leaves = [leaf for leaf in result.leaves if leaf.jacobian and leaf.jacobian.values is not None]
    if not leaves or not _wanted(leaves, look):
        return []
    numbers = _numeric(leaves, look)
    symbols = None if look.jacobian == "values" else _symbolic(leaves, look)
    names = ", ".join(leaf.tensor.name for leaf in leaves)
    left = look.show(f"∂{result.passes[-1].of}/∂" + (f"({names})" if len(leaves) > 1 else names)) + " = "
    below = " " * (width(left) - 2) + "= "
    product = _product(result, leaves, look)
    # From the most telling layout to the narrowest: each is a list of rows of blocks.
    layouts = [[[[left], numbers, product]], [[[left], numbers]]]
    if symbols is not None:
        layouts = [
            [[[left], symbols, [" = "], numbers, product]],
            [[[left], symbols], [[below], numbers, product]],
            [[[left], symbols], [[below], numbers]],
            *layouts,
        ]
    for layout in layouts:
        parts = [_beside(blocks, look) for blocks in layout]
        if None not in parts:
            return [line for part in parts for line in part or ()]
    return []


def _wanted(leaves: list[Leaf], look: Look) -> bool:
    if look.jacobian in ("matrix", "values"):
        return True
    shapes = [_shape(leaf) for leaf in leaves]
    rows, columns = shapes[0][0], sum(cols for _, cols in shapes)
    flat = all(leaf.tensor.value.ndim <= 1 and _root_axes(leaf) <= 1 for leaf in leaves)
    telling = any(_jacobian(leaf).structure not in PLAIN for leaf in leaves)
    return look.jacobian == "auto" and telling and flat and 1 < rows <= ROWS and columns <= COLUMNS


def _jacobian(leaf: Leaf) -> Jacobian:
    assert leaf.jacobian is not None
    return leaf.jacobian


def _root_axes(leaf: Leaf) -> int:
    return np.ndim(_jacobian(leaf).values) - leaf.tensor.value.ndim  # type: ignore[arg-type]


def _shape(leaf: Leaf) -> tuple[int, int]:
    """Elements of the root, elements of the leaf."""
    return np.size(_jacobian(leaf).values) // leaf.tensor.value.size, leaf.tensor.value.size  # type: ignore[arg-type]


def _numeric(leaves: list[Leaf], look: Look) -> list[str]:
    """The numbers of all leaves side by side, one row an element of the root."""
    matrix = np.hstack([np.reshape(_jacobian(leaf).values, _shape(leaf)) for leaf in leaves])  # type: ignore[arg-type]
    texts = [[number(value, look.precision) for value in row] for row in matrix.tolist()]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return _bracketed([" ".join(t.rjust(w) for t, w in zip(row, widths, strict=True)) for row in texts], look)


def _symbolic(leaves: list[Leaf], look: Look) -> list[str] | None:
    """The entries as text, or None when a leaf has none."""
    parts: list[list[list[str]]] = []
    for leaf in leaves:
        entries = list(_flat(_jacobian(leaf).table))
        rows, columns = _shape(leaf)
        if len(entries) != rows * columns:
            return None
        parts.append([entries[k * columns : (k + 1) * columns] for k in range(rows)])
    texts = [
        [look.show(re.sub(r"(?<!\*)\*(?!\*)", "·", entry)) for part in row for entry in part]
        for row in zip(*parts, strict=True)
    ]
    widths = [max(map(width, column)) for column in zip(*texts, strict=True)]
    return _bracketed(
        ["  ".join(centre(t, w) for t, w in zip(row, widths, strict=True)) for row in texts], look
    )


def _flat(table: Any) -> list[str]:
    if table is None:
        return []
    return [table] if isinstance(table, str) else [entry for part in table for entry in _flat(part)]


def _bracketed(rows: list[str], look: Look) -> list[str]:
    if len(rows) == 1:
        return [f"[{rows[0]}]"]
    middle = len(rows) - 2
    left, right = "⎡" + "⎢" * middle + "⎣", "⎤" + "⎥" * middle + "⎦"
    return [look.show(a) + row + look.show(b) for a, row, b in zip(left, rows, right, strict=True)]


def _product(result: Result, leaves: list[Leaf], look: Look) -> list[str]:
    """``g·J = gradient``, when there is one pass and its g is not simply 1."""
    if len(result.passes) != 1 or result.passes[0].source == "implicit-one":
        return [""]
    gradients = [leaf.tensor.gradient for leaf in leaves]
    if any(gradient is None for gradient in gradients):
        return [""]
    whole = np.concatenate([np.ravel(gradient) for gradient in gradients])  # type: ignore[arg-type]
    return [look.show("      g·J = ") + inline(whole, look)]


def _beside(parts: list[list[str]], look: Look) -> list[str] | None:
    """Blocks next to each other, short ones at mid height; None when they are wider than the width."""
    height = max(map(len, parts))
    lines = [""] * height
    for part in parts:
        top, cells = (height - len(part)) // 2, max(map(width, part))
        for k in range(height):
            text = part[k - top] if 0 <= k - top < len(part) else ""
            lines[k] += text + " " * (cells - width(text))
    room = look.width - max(width(line.rstrip()) for line in lines)
    return [" " * min(4, room) + line for line in lines] if room >= 0 else None
