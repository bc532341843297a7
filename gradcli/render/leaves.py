"""The heart of the text: each leaf with its Jacobian, its gradient and the closed form of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.render.cells import pad, width, wrap
from gradcli.render.columns import table
from gradcli.render.tensors import cell

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Leaf, Result

#: labels that are shorter in a block than over a column
LABELS = {"gradient": "gradient", "closed_form": "closed form"}

#: a column: its header and its colour
Column = tuple[str, str]


def gradients(result: Result, look: Look) -> list[str]:
    """A table while it fits the width, else a block a leaf."""
    if not result.leaves:
        return ["There are no leaves, so there is nothing to differentiate by."]
    columns = _columns(result, look)
    rows = [_cells(leaf, columns, look) for leaf in result.leaves]
    header = [look.show(text) for text, _ in columns.values()]
    short = [LABELS.get(key, text) for key, text in zip(columns, header, strict=True)]
    roles = [role for _, role in columns.values()]
    for heads in (header, short):
        lines = table(heads, rows, roles, room=look.width, colour=look.colour)
        if lines is not None:
            return lines
    lines = []
    for leaf, row in zip(result.leaves, rows, strict=True):
        labels = [text.replace("leaf", leaf.tensor.name) for text in short]
        lines += _block(row, labels, roles, look)
    return lines


def _columns(result: Result, look: Look) -> dict[str, Column]:
    """The columns that have something to show, by key."""
    root = result.passes[-1].of
    columns = {"leaf": ("leaf", "name")}
    if look.verbose:
        columns["value"] = ("value", "plain")
    if any(leaf.jacobian for leaf in result.leaves):
        columns["jacobian"] = (f"∂{root}/∂leaf", "formula")
    columns["gradient"] = (_gradient_header(result), "answer")
    if any(leaf.closed_form for leaf in result.leaves):
        columns["closed_form"] = ("in closed form", "formula")
    return columns


def _gradient_header(result: Result) -> str:
    if len(result.passes) > 1:
        return "gradient after the last pass" if result.zero_grad else f"sum of {len(result.passes)} passes"
    only = result.passes[0]
    return "gradient" if only.source == "implicit-one" else f"gradient = {result.g}·∂{only.of}/∂leaf"


def _cells(leaf: Leaf, columns: dict[str, Column], look: Look) -> list[list[str]]:
    tensor = leaf.tensor
    cells = {
        "leaf": [tensor.name],
        "value": cell(tensor.value, look),
        "jacobian": jacobian(leaf),
        "gradient": [""] if tensor.gradient is None else cell(tensor.gradient, look),
        "closed_form": [leaf.closed_form.shown if leaf.closed_form else ""],
    }
    return [cells[key] for key in columns]


def jacobian(leaf: Leaf) -> list[str]:
    """The formula and, where it says more, the change of the root that a change of the leaf makes."""
    record = leaf.jacobian
    if record is None:
        return [""]
    tells = record.differential is not None and record.structure != "diagonal"
    return [record.form.shown, *([record.differential] if tells and record.differential else [])]


def _block(row: list[list[str]], labels: list[str], roles: list[str], look: Look) -> list[str]:
    """One leaf, a line or more for each of its columns."""
    lines = [look.paint(row[0][0], roles[0])]
    cells = max(map(width, labels))
    for lines_of_cell, label, role in zip(row[1:], labels[1:], roles[1:], strict=True):
        before = "  " + pad(label, cells) + "  "
        for text in filter(None, lines_of_cell):
            for line in wrap(text, look.width - width(before), rest="  "):
                lines.append(look.paint(before, "heading") + look.paint(line, role))
                before = " " * width(before)
    return lines
