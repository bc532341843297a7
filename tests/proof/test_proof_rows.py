"""Every row of the table three ways: autograd, the evaluated closed form, difference quotients."""

from collections import Counter

import pytest
import torch
from calls_of_rows import calls
from threeways import CLOSED, QUOTIENT, from_closed_form, from_quotients, point, reproduction

from gradcli.errors import GradcliError
from gradcli.ops.row import Kind
from gradcli.ops.table import all_rows

#: internal rows that are only ever evaluated
VALUES_ONLY = {row.name for row in all_rows() if row.internal and row.kind is Kind.CONSTANT} | {"gelu_slope_tanh"}
PROVED = [row for row in all_rows() if row.name not in VALUES_ONLY]
#: rows at whose sample points quotients are no derivative: detach on purpose, empty by what memory held
NO_QUOTIENT = {"detach", "empty"}


def test_rows_left_out_have_no_slope_or_rule():
    from gradcli.closed.rules import RULES

    assert not VALUES_ONLY & set(RULES)
    assert all(not row.slopes for row in all_rows() if row.name in VALUES_ONLY)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("row", PROVED, ids=lambda row: row.name)
def test_row(row):
    accepted: Counter[tuple[str, object]] = Counter()
    tried: set[tuple[str, object]] = set()
    shapes_seen = set()
    for call in calls(row):
        tried.update(call.attrs)
        inputs = call.inputs()
        try:
            at = point(call.text, inputs, internal=row.internal)
        except GradcliError:
            continue  # torch refuses this combination
        gaps = from_closed_form(at)
        assert all(gap <= CLOSED for gap in gaps.values()), f"{gaps}\n{reproduction(call.text, inputs)}"
        if call.operands not in shapes_seen and row.name not in NO_QUOTIENT:
            gaps = from_quotients(at)
            assert all(gap <= QUOTIENT for gap in gaps.values()), f"{gaps}\n{reproduction(call.text, inputs)}"
        shapes_seen.add(call.operands)
        accepted.update(call.attrs)
    assert shapes_seen
    assert tried == set(accepted), f"never accepted: {tried - set(accepted)}"


SELECTING = [row for row in PROVED if {"index", "mask"} & {p.kind for p in row.params}]


@pytest.mark.parametrize("row", SELECTING, ids=lambda row: row.name)
def test_indices_and_masks_of_any_dtype_mean_the_same(row):
    kinds = {p.name: p.kind for p in row.params}
    call = next(iter(calls(row)))
    inputs = call.inputs()
    at = point(call.text, inputs)
    for leaf, (role, _) in zip(call.leaves, call.operands, strict=True):
        if kinds[role] == "index":
            inputs[leaf] = inputs[leaf].to(torch.int64)
        if kinds[role] == "mask":
            inputs[leaf] = inputs[leaf].to(torch.float64)
    other = point(call.text, inputs)
    assert all(gap <= CLOSED for gap in from_closed_form(other).values())
    assert other.names == at.names
    for name, gradient in at.autograd().items():
        torch.testing.assert_close(other.autograd()[name], gradient, rtol=0, atol=0)
