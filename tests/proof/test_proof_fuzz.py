"""Whole programs drawn from the table: closed forms of gradients and Jacobians against autograd.

``GRADCLI_FUZZ=50000 pytest tests/proof/test_proof_fuzz.py`` draws more; ``GRADCLI_FUZZ_FROM`` is the first seed.
Of every fifth program the listing is evaluated in place of whole formulas, and of every seventh only sampled
elements, as of large tensors.  A failing program is made smaller before it is shown, as a command that can be pasted.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import torch
from conftest import REPORT
from fuzz import Drawn, draw
from threeways import CLOSED, Point, from_closed_form, point, reproduction
from torch import Tensor

from gradcli.closed import NoClosedForm, points, sweep
from gradcli.closed.rules import RULES
from gradcli.errors import GradcliError

PROGRAMS = int(os.environ.get("GRADCLI_FUZZ", "5000"))
FIRST = int(os.environ.get("GRADCLI_FUZZ_FROM", "0"))
BATCHES = 20
#: values are up to 100 and cancel: differences below this are rounding
ROUNDING = 1e-11
_seen: Counter[str] = Counter()
_listings = 0


@contextmanager
def _limits(cap: int, block: int) -> Iterator[None]:
    """Formulas of more than ``cap`` nodes become a listing; gradients of more than ``block`` elements are sampled."""
    before = sweep.CAP, points.BLOCK
    sweep.CAP, points.BLOCK = cap, block
    try:
        yield
    finally:
        sweep.CAP, points.BLOCK = before


def fault(program: Drawn) -> str | None:
    """What is wrong with the closed forms of a program, or None."""
    global _listings
    try:
        at = point(program.text, program.inputs)
    except NoClosedForm as error:
        return f"no closed form of {error.op}"
    _seen.update({node.op for node in at.forward.program.nodes})
    _listings += at.forms.grown
    gaps = from_closed_form(at, ROUNDING)
    return None if all(gap <= CLOSED for gap in gaps.values()) else f"closed form: {gaps}"


def _fails(program: Drawn) -> bool:
    try:
        return fault(program) is not None
    except GradcliError:
        return False
    except Exception:
        return True


def smaller(program: Drawn, fails: Callable[[Drawn], bool] = _fails) -> Drawn:
    """The program with lines left out, from the end and by making them inputs, as long as it fails."""
    for count in range(1, len(program.lines)):
        shorter = Drawn(program.lines[:count], program.values, program.inputs)
        if fails(shorter):
            program = shorter
            break
    for name, _ in reversed(program.lines[:-1]):
        lines = [line for line in program.lines if line[0] != name]
        fewer = Drawn(lines, program.values, {**program.inputs, name: program.values[name]})
        if fails(fewer):
            program = fewer
    return program


def _shown(program: Drawn) -> str:
    used = {name for name in program.inputs if name in program.text}
    return reproduction(program.text, {name: program.inputs[name] for name in sorted(used)})


def _prove(seed: int) -> None:
    program = draw(seed)
    try:
        wrong = fault(program)
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    if wrong:
        pytest.fail(f"seed {seed}: {wrong}\n{_shown(smaller(program))}", pytrace=False)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_programs(batch):
    for seed in range(FIRST + batch, FIRST + PROGRAMS, BATCHES):
        with _limits(5 if seed % 5 == 0 else sweep.CAP, 1 if seed % 7 == 0 else points.BLOCK):
            _prove(seed)
    REPORT["programs drawn from the table"] = [
        f"{PROGRAMS:,} programs agree with autograd; {len(_seen)} operations, {_listings} through a listing"
    ]


def test_every_rule_was_drawn():
    """The programs reach every local rule; those of a few hundred programs do already."""
    if not _seen:
        pytest.skip("the programs were drawn elsewhere")
    assert not set(RULES) - set(_seen), "the fuzz does not reach these rules"


def test_a_failing_program_is_made_smaller():
    lines = [("t0", "x0 + 1"), ("t1", "exp(x0)"), ("t2", "t0*t1"), ("t3", "sum(t2)")]
    values = {name: torch.ones(2) for name, _ in lines}
    program = Drawn(lines, values, {"x0": torch.ones(2), "x1": torch.ones(2)})
    found = smaller(program, lambda one: "t0*t1" in one.text)
    assert found.lines == [("t2", "t0*t1")]
    assert _shown(found) == "gradcli eval 't2 = t0*t1' -i 't0=[1.0,1.0]' -i 't1=[1.0,1.0]'"


def test_a_wrong_form_is_noticed(monkeypatch):
    program = draw(7)
    at: Point = point(program.text, program.inputs)
    assert fault(program) is None
    off: dict[str, Tensor] = {name: 2 * gradient + 1 for name, gradient in at.autograd().items()}
    monkeypatch.setattr(Point, "autograd", lambda self: off)
    assert str(fault(program)).startswith("closed form: ")
