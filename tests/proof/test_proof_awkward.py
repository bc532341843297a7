"""Points where a plain rule would go wrong, and elementwise functions on a grid of round and infinite values.

Where torch and the closed form differ, which these tests list one by one, the result must say why.
"""

import itertools
import json
import re
from pathlib import Path

import pytest
import torch
from calls_of_rows import call_text
from statics import statics
from threeways import CLOSED, QUOTIENT, apart, from_closed_form, from_quotients, point, reproduction

from gradcli import differentiate
from gradcli.closed import gradient_at
from gradcli.ops.row import Kind
from gradcli.ops.table import rows

inf = float("inf")


def _read():
    for line in (Path(__file__).parent / "awkward.txt").read_text().splitlines():
        if line and line[0] not in "#[":
            text, *points = (part.strip() for part in line.split(" | "))
            mark, text = (text[0], text[2:]) if text[0] in "~!-" else ("", text)
            for given in points:
                yield pytest.param(mark, text, _inputs(given), id=f"{text} at {given}")


def _inputs(given):
    values = re.findall(r"(\w)=(\S+)", given)
    numbers = {name: json.loads(value.replace("inf", "Infinity")) for name, value in values}
    return {name: torch.tensor(value, dtype=torch.float64) for name, value in numbers.items()}


def _explained(text, inputs):
    """Whether every leaf agrees or has a note that explains why not."""
    result = differentiate(text, dict(inputs))
    return all(leaf.agreement.within or leaf.agreement.explained for leaf in result.leaves)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("mark", "text", "inputs"), list(_read()))
def test_awkward_point(mark, text, inputs):
    at = point(text, inputs)
    if mark == "-":
        with pytest.raises(RuntimeError):
            from_closed_form(at)
        return
    gaps = from_closed_form(at)
    assert all(gap <= CLOSED for gap in gaps.values()) == (not mark), f"{gaps}\n{reproduction(text, inputs)}"
    if mark == "~":
        assert _explained(text, inputs)
    if mark == "!":
        assert all(gap > QUOTIENT for gap in from_quotients(at).values())
        for leaf in differentiate(text, dict(inputs)).leaves:
            assert leaf.agreement.closed_value == pytest.approx(leaf.agreement.quotient, rel=1e-7)


GRID = [-inf, -6.0, -3.0, -2.5, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 6.0, inf]
#: for three operands
COARSE = [-1.0, 0.0, 0.5, 1.0, 2.0]
#: (row, operand) → at how many points of the grid torch and the closed form differ.  Powers at infinity: torch's
#: own value is 0*inf.  xlogy, xlog1py, atan2, logit: torch stops at the edge of the domain.
#: softsign: torch's own inf/inf.
DIFFER = {
    ("pow", "exponent"): 20, ("xlogy", "x"): 8, ("xlog1py", "x"): 6, ("atan2", "x"): 1, ("atan2", "other"): 1,
    ("logit", "x"): 11, ("softsign", "x"): 2,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("row", [r for r in rows() if r.kind is Kind.ELEMENTWISE], ids=lambda row: row.name)
def test_elementwise_on_the_grid(row):
    names = [p.name for p in row.operands]
    choices = [[0.0, 1.0] if p.kind == "mask" else GRID if len(names) < 3 else COARSE for p in row.operands]
    places = list(itertools.product(*choices))
    inputs = dict(zip("abc", map(torch.tensor, zip(*places, strict=True)), strict=False))
    inputs = {name: value.double() for name, value in inputs.items()}
    values = statics(row, [(len(places),)] * len(names))
    for chosen in itertools.product(*values.values()):
        attrs = dict(zip(values, chosen, strict=True))
        text = call_text(row, list(zip(names, "abc", strict=False)), attrs)
        at = point(text, inputs)
        for name, gradient in at.autograd().items():
            ours = gradient_at(at.forms.leaves[name], at.forward, at.upstream).values
            gaps = [apart(*pair) for pair in zip(ours.split(1), gradient.split(1), strict=True)]
            outside = [place for place, gap in zip(places, gaps, strict=True) if float(gap) > CLOSED]
            operand = names["abc".index(name)]
            assert len(outside) == DIFFER.get((row.name, operand), 0), f"{text} by {name}: {outside}"
            for place in outside:
                one = {leaf: torch.tensor(x, dtype=torch.float64) for leaf, x in zip("abc", place, strict=False)}
                assert _explained(text, one), reproduction(text, one)
