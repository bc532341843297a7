"""The formulas that are printed for calls of every row, read back and evaluated."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from calls_of_rows import calls

from gradcli.closed import NoClosedForm
from gradcli.errors import GradcliError
from gradcli.ops.row import Row
from gradcli.ops.table import rows

sys.path.append(str(Path(__file__).parent.parent))
from printed_formulas import check

#: calls of one row that are read back
MOST = 10
#: 0/0 where what they reduce has one element
ONE_ELEMENT = ("var", "std")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("row", [row for row in rows() if row.name != "empty"], ids=lambda row: row.name)
def test_row(row: Row) -> None:
    read = 0
    of_row = list(calls(row))
    for call in of_row[:: max(1, len(of_row) // (4 * MOST))]:
        inputs = call.inputs()
        if row.name in ONE_ELEMENT and any(value.shape == () or 1 in value.shape for value in inputs.values()):
            continue
        if any(value.numel() == 0 or not value.isfinite().all() for value in inputs.values()):
            continue
        try:
            check(call.text, inputs)
        except (GradcliError, NoClosedForm):
            continue  # torch refuses this combination, or it has no closed form
        read += 1
        if read == MOST:
            break
    assert read
