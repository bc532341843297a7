"""The Jacobian as a matrix, in symbols and in numbers: ``∂y/∂x = ⎡ … ⎤ = ⎡ … ⎤``, while it is small."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradcli.render.cells import centre, width, wrap
from gradcli.render.numbers import number
from gradcli.render.tensors import inline

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Array, Leaf, Result

#: unless asked for, a matrix is shown up to this size
ROWS, COLUMNS = 6, 8

#: these structures read better as a formula than as a matrix
PLAIN = ("diagonal", "zero", "selection")

#: a formula with unit vectors is a matrix written out
UNIT_VECTOR = re.compile(r"\be\d")


@dataclass(frozen=True, slots=True)
class _Part:
    """∂root/∂leaf of one leaf: a row for each element of the root, a column for each of the leaf.

    ``telling``: the matrix says more than the formula.
    """

    name: str
    numbers: Array
    entries: list[list[str]]
    gradient: Array
    root_shape: tuple[int, ...]
    leaf_shape: tuple[int, ...]
    telling: bool


class Equation(NamedTuple):
    """The lines, and whether they show the entries of all leaves as formulas."""

    lines: list[str]
    in_symbols: bool = False


def equation(result: Result, look: Look) -> Equation:
    """The equation, or no lines when the Jacobian is large or its formula says it better."""
    parts = [part for part in map(_part, result.leaves) if part is not None]
    if not parts or not _wanted(parts, look):
        return Equation([])
    asked = look.jacobian in ("matrix", "values")
    whole = _together(result, parts, look)
    if whole.lines or not asked:
        return whole
    lines: list[str] = []
    for part in parts:
        lines += [*([""] if lines else []), *(_together(result, [part], look).lines or _entries(result, part, look))]
    return Equation(lines)


def said_once(result: Result) -> Result:
    """``result`` without the formulas that only write out the matrix: sums of unit vectors."""
    leaves = tuple(
        replace(leaf, jacobian=None) if leaf.jacobian and UNIT_VECTOR.search(leaf.jacobian.form.shown) else leaf
        for leaf in result.leaves
    )
    return replace(result, leaves=leaves)


def _together(result: Result, parts: list[_Part], look: Look) -> Equation:
    """One equation for all ``parts``, or no lines when it is too wide."""
    numbers = _numeric(parts, look)
    symbols = None if look.jacobian == "values" else _symbolic(parts, look)
    names = ", ".join(part.name for part in parts)
    left = look.show(f"∂{result.passes[-1].of}/∂" + (f"({names})" if len(parts) > 1 else names)) + " = "
    below = " " * (width(left) - 2) + "= "
    product = _product(result, parts, look)
    # From the most telling layout to the narrowest: each is a list of rows of blocks.
    plain = [[[[left], numbers, product]], [[[left], numbers]]]
    layouts = [] if look.jacobian == "matrix" and symbols is not None else plain
    if symbols is not None:
        layouts = [
            [[[left], symbols, [" = "], numbers, product]],
            [[[left], symbols], [[below], numbers, product]],
            [[[left], symbols], [[below], numbers]],
            *layouts,
        ]
    for layout in layouts:
        rows = [_beside(blocks, look) for blocks in layout]
        if None not in rows:
            in_symbols = any(block is symbols for block in layout[0])
            return Equation([line for row in rows for line in row or ()], in_symbols)
    return Equation([])


def _entries(result: Result, part: _Part, look: Look) -> list[str]:
    """One line an entry that is not 0, for a matrix that is asked for and too wide."""
    of = result.passes[-1].of
    lines = []
    for (row, column), value in np.ndenumerate(part.numbers):
        symbol = part.entries[row][column] if part.entries and look.jacobian == "matrix" else ""
        if symbol == "0" or (not symbol and value == 0):
            continue
        left = f"∂{of}{_at(row, part.root_shape)}/∂{part.name}{_at(column, part.leaf_shape)} = "
        body = f"{symbol} = " if symbol else ""
        body += number(float(value), look.precision)
        lines += wrap(look.show(left + body), look.width, first="    ", rest=" " * 8)
    rest = "    all other entries are 0" if len(lines) < part.numbers.size else ""
    return [*lines, *([look.paint(rest, "dim")] if rest else [])]


def _at(place: int, shape: tuple[int, ...]) -> str:
    """``[1, 2]`` for a place in row-major order; nothing for a scalar."""
    return str([int(k) for k in np.unravel_index(place, shape)]) if shape else ""


def _part(leaf: Leaf) -> _Part | None:
    """The matrix of one leaf, or None where its numbers are not known."""
    found, tensor = leaf.jacobian, leaf.tensor
    if found is None or found.values is None or tensor.gradient is None or found.values.size == 0:
        return None
    columns = tensor.value.size
    entries = _flat(found.table)
    return _Part(
        tensor.name,
        found.values.reshape(-1, columns),
        [entries[k : k + columns] for k in range(0, len(entries), columns)],
        tensor.gradient.ravel(),
        found.values.shape[: found.values.ndim - tensor.value.ndim],
        tensor.value.shape,
        found.structure not in PLAIN,
    )


def _wanted(parts: list[_Part], look: Look) -> bool:
    rows, columns = len(parts[0].numbers), sum(part.numbers.shape[1] for part in parts)
    if look.jacobian in ("matrix", "values"):
        return True
    flat = all(len(part.root_shape) <= 1 and len(part.leaf_shape) <= 1 for part in parts)
    small = flat and 1 < rows <= ROWS and columns <= COLUMNS
    return look.jacobian == "auto" and small and any(part.telling for part in parts)


def _numeric(parts: list[_Part], look: Look) -> list[str]:
    """The numbers of all leaves side by side."""
    matrix = np.hstack([part.numbers for part in parts])
    texts = [[number(value, look.precision) for value in row] for row in matrix.tolist()]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return _bracketed([" ".join(t.rjust(w) for t, w in zip(row, widths, strict=True)) for row in texts], look)


def _symbolic(parts: list[_Part], look: Look) -> list[str] | None:
    """The entries of all leaves side by side, or None when a leaf has none."""
    if any(len(part.entries) != len(part.numbers) for part in parts):
        return None
    rows = [[entry for part in parts for entry in part.entries[k]] for k in range(len(parts[0].entries))]
    texts = [[look.show(re.sub(r"(?<!\*)\*(?!\*)", "·", entry)) for entry in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(*texts, strict=True)]
    lines = ["  ".join(centre(t, w) for t, w in zip(row, widths, strict=True)) for row in texts]
    return _bracketed(lines, look)


def _flat(table: Any) -> list[str]:
    """The entries of nested lists, in order."""
    if table is None:
        return []
    return [table] if isinstance(table, str) else [entry for part in table for entry in _flat(part)]


def _bracketed(rows: list[str], look: Look) -> list[str]:
    if len(rows) == 1:
        return [f"[{rows[0]}]"]
    middle = len(rows) - 2
    left, right = "⎡" + "⎢" * middle + "⎣", "⎤" + "⎥" * middle + "⎦"
    return [look.show(a) + row + look.show(b) for a, row, b in zip(left, rows, right, strict=True)]


def _product(result: Result, parts: list[_Part], look: Look) -> list[str]:
    """``g·J = gradient``, when there is one pass and its g is not simply 1."""
    if len(result.passes) != 1 or result.passes[0].source == "implicit-one":
        return [""]
    return [look.show(f"      {result.g}·J = ") + inline(np.concatenate([part.gradient for part in parts]), look)]


def _beside(blocks: list[list[str]], look: Look) -> list[str] | None:
    """Blocks next to each other, short ones at mid height; None when they are wider than the width."""
    height = max(map(len, blocks))
    lines = [""] * height
    for block in blocks:
        top, cells = (height - len(block)) // 2, max(map(width, block))
        for k in range(height):
            text = block[k - top] if 0 <= k - top < len(block) else ""
            lines[k] += text + " " * (cells - width(text))
    room = look.width - max(width(line.rstrip()) for line in lines)
    return [" " * min(4, room) + line for line in lines] if room >= 0 else None
