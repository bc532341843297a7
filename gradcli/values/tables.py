"""Tables of numbers as text: comma-separated values."""

from __future__ import annotations

import csv
import io
from typing import Any

from gradcli.errors import GradcliError
from gradcli.values import nested
from gradcli.values.keys import pick
from gradcli.values.tensors import Numbers


def from_csv(text: str, name: str, key: str | None) -> Numbers:
    """Rows of numbers, separated by comma, semicolon or tab; a first row without numbers names the columns.

    One row or one column is a vector, one cell a number.  ``key`` takes the column of that name.
    """
    first = text.lstrip().partition("\n")[0]
    separator = next((sign for sign in ";\t" if sign in first), ",")
    try:
        lines = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
        rows = [(lines.line_num, row) for row in lines if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise GradcliError(f"{name} is no CSV: {error}") from error
    header = rows.pop(0)[1] if rows and all(_cell(cell) is None for cell in rows[0][1]) else None
    if not rows:
        raise GradcliError(f"{name} holds no numbers")
    column: int | None = None
    if header is not None and key is not None:
        names = [cell.strip() for cell in header]
        column = names.index(pick(names, key, name))
    elif key is not None:
        raise GradcliError(f"{name} has no row that names its columns", hint=f"leave the key out: @{name}")
    table = _table(rows, name)
    if column is not None:
        table = [[row[column]] for row in table]
    vector = table[0] if len(table) == 1 else [row[0] for row in table] if len(table[0]) == 1 else None
    held: Any = table if vector is None else vector if len(vector) > 1 else vector[0]
    return nested.numbers(
        held, lambda message, hint, path: GradcliError(f"{name}{nested.place(path)}: {message}", hint=hint)
    )


def _cell(text: str) -> float | bool | None:
    word = text.strip().lower()
    if word in ("true", "false"):
        return word == "true"
    try:
        return float(word) if "_" not in word else None
    except ValueError:
        return None


def _table(rows: list[tuple[int, list[str]]], name: str) -> list[list[float | bool]]:
    table: list[list[float | bool]] = []
    width = len(rows[0][1])
    for line, row in rows:
        if len(row) != width:
            raise GradcliError(
                f"{name}, line {line}: {len(row)} cells, and the first row of numbers has {width}",
                hint="give all rows the same length",
            )
        values = []
        for at, cell in enumerate(row, 1):
            value = _cell(cell)
            if value is None:
                what = f"{cell.strip()[:20]!r} is no number" if cell.strip() else "the cell is empty"
                hint = "write nan for what is unknown"
                raise GradcliError(f"{name}, line {line}, cell {at}: {what}", hint=hint)
            values.append(value)
        table.append(values)
    return table
