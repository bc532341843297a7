"""The table of operations: look-up by name, synonym or sign.

Everything else about operations (whitelist, suggestions, help, tests, docs) derives from it.
"""

from __future__ import annotations

from gradcli.ops import (
    activations,
    arithmetic,
    elementary,
    generators,
    matrices,
    networks,
    reductions,
    shapes,
)
from gradcli.ops.row import Row

_ALL: tuple[Row, ...] = (
    *arithmetic.ROWS,
    *elementary.ROWS,
    *activations.ROWS,
    *reductions.ROWS,
    *shapes.ROWS,
    *matrices.ROWS,
    *networks.ROWS,
    *generators.ROWS,
)
_BY_NAME: dict[str, Row] = {name: row for row in _ALL for name in (row.name, *row.synonyms)}

#: sign → row name; unary minus is ``neg``
OPERATORS: dict[str, str] = {row.operator: row.name for row in _ALL if row.operator and row.name != "neg"}


def find(name: str) -> Row | None:
    """The row called ``name`` or having it as a synonym, internal ones included; None when there is none."""
    return _BY_NAME.get(name)


def rows() -> tuple[Row, ...]:
    """The operations that users may call, in the order of help."""
    return tuple(row for row in _ALL if not row.internal)


def all_rows() -> tuple[Row, ...]:
    """Every row, internal ones included."""
    return _ALL


def names() -> tuple[str, ...]:
    """Names and synonyms that users may write, sorted."""
    return tuple(sorted(name for name, row in _BY_NAME.items() if not row.internal))
