"""Shapes that closed forms tell without torch are those that torch gives, for every row, internal ones too."""

import pytest
from calls_of_rows import calls

from gradcli.closed.shapes import shape_of
from gradcli.errors import GradcliError
from gradcli.language import parse
from gradcli.numeric.forward import evaluate
from gradcli.ops.row import Kind
from gradcli.ops.table import all_rows

#: composite rows are replaced before their shape is asked for; ties needs the extreme of its own operand
ROWS = [row for row in all_rows() if row.operands and row.kind is not Kind.COMPOSITE and row.name != "ties"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_shape(row):
    checked = 0
    for call in calls(row):
        if row.name == "cumprod_others" and call.operands[0][1] == ():
            continue  # the product of no others is 1, and no table is made of it
        program = parse(call.text, internal=True)
        try:
            forward = evaluate(program, call.inputs())
        except GradcliError:
            continue
        for node in program.nodes:
            if node.op not in ("leaf", "number", "constant"):
                told = shape_of(node.op, [forward.shapes[a] for a in node.args], node.roles, dict(node.attrs))
                assert told == forward.shapes[node.id], f"{program.echoes[node.id]} in {call}"
        checked += 1
    assert checked


INDEXING = ("x[1:, ::2]", "x[-1]", "x[:, None, 1:]", "x[..., 0]", "x[None]", "x[::2, 1]", "x[1, ..., None]", "x[2:2]")


@pytest.mark.parametrize("text", INDEXING)
def test_shape_of_an_index(text):
    import torch

    program = parse(text)
    forward = evaluate(program, {"x": torch.zeros(3, 4, dtype=torch.float64)})
    node = program.nodes[program.root.node]
    assert shape_of("index", [(3, 4)], node.roles, dict(node.attrs)) == forward.shapes[node.id]
