"""How a tensor is read: which vector or matrix its element at some indices is an element of."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from gradcli.closed.index import Ix, Mod, Var, var
from gradcli.closed.notation import tree
from gradcli.closed.notation.indexing import IndexTex, IndexText
from gradcli.closed.notation.nodes import Call, Node, Part, Symbol
from gradcli.closed.notation.sources import NoMatrix, source
from gradcli.closed.scalar import Elt
from gradcli.closed.views import Shape, flat

if TYPE_CHECKING:
    from gradcli.closed.notation.lifting import Lifter


def read(lifter: Lifter, expr: Elt, row: Var | None, column: Var | None) -> Node:
    """The vector over ``row``, or the matrix over ``row`` and ``column``, of an element.

    Raises:
        NoMatrix: its indices are no stretch of an axis, turn of it or row-major order of both.
    """
    shape, name = lifter.naming.shape(expr.of), source(expr.of, lifter)
    column_vector = _thin(name, expr, shape, row)
    if column_vector is not None:
        return column_vector
    moved = [_moved(ix, size) for ix, size in zip(expr.at, shape, strict=True)]
    if any(turn for turn, _ in moved):
        for axis, (turn, _) in enumerate(moved):
            if turn:
                places = turn[1:] if turn[0] == "roll" and len(shape) == 1 else (*turn[1:], axis)
                name = Call(name.rank, str(turn[0]), (name, *map(_number, places)))
        expr = Elt(expr.of, tuple(ix for _, ix in moved))
    try:
        return _sliced(lifter, name, expr.at, shape, row, column)
    except NoMatrix:
        folded = None if lifter.params or row is None else _reshaped(name, expr.at, shape, row, column)
        if folded is None:
            raise
        return folded


def _number(value: int | str) -> Symbol:
    return Symbol(0, str(value), str(value))


def _thin(name: Node, expr: Elt, shape: Shape, row: Var | None) -> Node | None:
    """A matrix of one column is a column, one of one row is the transpose of one."""
    if len(shape) != 2 or row is None or sorted(shape)[0] != 1 or shape == (1, 1):
        return None
    long = 0 if shape[1] == 1 else 1
    if expr.at[long] != var(row) or row.size != shape[long]:
        return None
    column = replace(name, rank=1)
    return column if long == 0 else tree.transposed(column)


def _moved(ix: Ix, size: int) -> tuple[tuple[str | int, ...], Ix]:
    """An axis that is read backwards or round about, and the index that reads it after that turn."""
    if len(ix.parts) != 1:
        return (), ix
    atom, step = ix.parts[0]
    if isinstance(atom, Var) and step == -1 and ix.const == size - 1 and atom.size == size:
        return ("flip",), var(atom)
    if isinstance(atom, Mod) and step == 1 and ix.const == 0 and atom.by == size and len(atom.inner.parts) == 1:
        v, one = atom.inner.parts[0]
        if isinstance(v, Var) and one == 1 and v.size == size:
            shift = -atom.inner.const % size
            return ("roll", shift if 2 * shift <= size else shift - size), var(v)
    return (), ix


def _sliced(lifter: Lifter, name: Node, at: tuple[Ix, ...], shape: Shape, row: Var | None, column: Var | None) -> Node:
    """``name[spots]``: constant indices and stretches of axes."""
    spots, texs, order = [], [], []
    for ix, size in zip(at, shape, strict=True):
        spot, shown, axis = _spot(lifter, ix, size)
        spots.append(spot)
        texs.append(shown)
        if axis is not None:
            order.append(axis)
    if any(axis not in (row, column) for axis in order) or not order:
        raise NoMatrix
    node: Node = replace(name, rank=len(order))
    if any(spot != ":" for spot in spots):
        node = Part(len(order), name, tuple(spots), tuple(texs))
    if len(order) == 1 or order == [row, column]:
        return node
    if order == [column, row]:
        return tree.transposed(node)
    if len(order) == 2 and order[0] == order[1]:
        return Call(1, "diag", (node,))
    raise NoMatrix


def _spot(lifter: Lifter, ix: Ix, size: int) -> tuple[str, str, Var | None]:
    """The text of one index, its LaTeX, and the axis that it runs along."""
    free = [v for v in ix.variables() if v not in lifter.params]
    if not free:
        shown, texed = (writer(lifter.naming, lifter.letters).ix(ix) for writer in (IndexText, IndexTex))
        return shown, texed, None
    if len(ix.parts) != 1 or not isinstance(ix.parts[0][0], Var) or ix.parts[0][1] < 1:
        raise NoMatrix
    axis, step = ix.parts[0]
    assert isinstance(axis, Var)
    last = ix.const + step * (axis.size - 1)
    if ix.const < 0 or last >= size:
        raise NoMatrix
    if ix.const == 0 and step == 1 and axis.size == size:
        return ":", ":", axis
    spot = f"{ix.const or ''}:{last + 1 if last + step < size else ''}" + (f":{step}" if step > 1 else "")
    return spot, spot.replace(":", "{:}"), axis


def _reshaped(name: Node, at: tuple[Ix, ...], shape: Shape, row: Var, column: Var | None) -> Node | None:
    """A tensor read in row-major order as a vector or a matrix of other sizes; None for any other reading."""
    place, whole = flat(at, shape), replace(name, rank=min(len(shape), 2))
    if column is None:
        if place != var(row) or row.size != prod(shape):
            return None
        return Call(1, "vec", (whole,)) if len(shape) > 1 else whole
    if row.size * column.size != prod(shape):
        return None
    sizes = (row.size, column.size)
    if place == var(row) * column.size + var(column):
        return Call(2, "reshape", (whole, *map(_number, sizes)))
    if place == var(column) * row.size + var(row):
        return tree.transposed(Call(2, "reshape", (whole, *map(_number, reversed(sizes)))))
    return None
