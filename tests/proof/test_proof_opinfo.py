"""Every sample input that torch ships for its own tests, of every operation in the table, through the closed form.

The other side is torch's operation itself, called as torch's tests call it: values and gradients must be those of
the program that says the same.  What cannot be said is counted, with the reason.
"""

from collections import Counter
from dataclasses import dataclass, field

import pytest
import torch
from conftest import REPORT
from opinfo import RANDOM, Inexpressible, Sample, row_name, samples
from threeways import CLOSED, point, worst

from gradcli.closed import NoClosedForm, gradient_at
from gradcli.errors import GradcliError

#: at least so many of torch's operations, of our rows and of samples are compared, as counted with torch 2.13
OPERATIONS, ROWS, SAMPLES = 246, 210, 2_542
#: operations whose own gradient is coarse, with how coarse: hardsigmoid has its 1/6 in single precision
COARSE = {"nn.functional.hardsigmoid": 1e-7}


@dataclass
class Count:
    compared: Counter[str] = field(default_factory=Counter)
    gradients: int = 0
    rows: set[str] = field(default_factory=set)
    skipped: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        said, left = sum(self.compared.values()), sum(self.skipped.values())
        return [
            f"{said:,} samples of {len(self.compared)} operations of torch ({len(self.rows)} rows) agree: values, "
            f"and {self.gradients:,} gradients to within {CLOSED:g}",
            f"{left:,} samples were left out:",
            *(f"  {count:5} {reason}" for reason, count in self.skipped.most_common()),
        ]


def _reason(error: GradcliError) -> str:
    text = error.message
    if "no argument called" in text or "takes at most" in text or "takes 1 argument" in text:
        return "an option that gradcli's function does not have"
    if "written out" in text:
        return "an argument of a kind that gradcli's function does not take"
    if "needs a condition" in text:
        return "numbers as truth values"
    return text


def _gaps(sample: Sample, at, exact: bool) -> dict[str, float]:
    """Leaf → how far the closed form is from the gradient of torch's own operation."""
    leaves = {name: leaf for name, leaf in sample.leaves.items() if name in at.names}
    if not leaves or not sample.value.requires_grad:
        return {}
    loss = (sample.value * at.upstream).sum()
    found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True, create_graph=exact)
    gaps = {}
    for (name, leaf), gradient in zip(leaves.items(), found, strict=True):
        theirs = torch.zeros_like(leaf) if gradient is None else gradient.detach()
        ours = gradient_at(at.forms.leaves[name], at.forward, at.upstream)
        theirs = theirs if ours.positions is None else theirs.flatten()[ours.positions]
        gaps[name] = worst(ours.values, theirs)
    return gaps


def _compare(info, sample: Sample, count: Count, row: str) -> None:
    refusal = None
    for text in sample.texts:
        try:
            at = point(text, sample.inputs, wrt=set(sample.leaves))
            break
        except GradcliError as error:
            refusal = refusal or error
        except NoClosedForm as error:
            count.skipped[f"no closed form of {error.op} with these options"] += 1
            return
    else:
        count.skipped[_reason(refusal)] += 1
        return
    where = f"{text} on {[tuple(value.shape) for value in sample.inputs.values()]}"
    ours, theirs = at.forward.tensor(at.root).detach(), sample.value.detach()
    if ours.shape != theirs.shape or worst(ours, theirs) > CLOSED:
        count.wrong.append(f"{where}: torch has another value")
        return
    # torch's det is right for a singular matrix only where a graph of its gradient is asked for
    gaps = _gaps(sample, at, exact=info.name == "linalg.det")
    if any(gap > COARSE.get(info.name, CLOSED) for gap in gaps.values()):
        count.wrong.append(f"{where}: {gaps}")
    count.compared[f"{info.name} {info.variant_test_name}"] += 1
    count.gradients += len(gaps)
    count.rows.add(row)


@pytest.mark.filterwarnings("ignore")
def test_every_sample_of_torch():
    pytest.importorskip("expecttest")
    from torch.testing._internal.common_methods_invocations import op_db

    count = Count()
    for info in op_db:
        row = row_name(info)
        if row is None:
            continue
        for sample in samples(info):
            if info.name in RANDOM:
                count.skipped["random, or whatever the memory held"] += 1
            elif isinstance(sample, Inexpressible):
                count.skipped[str(sample)] += 1
            else:
                _compare(info, sample, count, row)
    REPORT["torch's own samples"] = count.lines()
    assert not count.wrong, "\n".join(count.wrong)
    assert len(count.compared) >= OPERATIONS
    assert len(count.rows) >= ROWS
    assert sum(count.compared.values()) >= SAMPLES
