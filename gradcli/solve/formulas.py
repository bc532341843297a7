"""Closed forms of one problem, derived and written once for each program, shapes, root and view."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from gradcli.closed import NoClosedForm, derive
from gradcli.errors import GradcliError
from gradcli.language.program import Program
from gradcli.notes import Note
from gradcli.numeric.backward import jacobian as numbers_of
from gradcli.numeric.forward import Forward
from gradcli.result import Alias, ClosedForm, Jacobian
from gradcli.solve.records import array

if TYPE_CHECKING:
    from gradcli.closed.forms import LeafForms
    from gradcli.problem import JacobianView

#: Jacobians with more entries are shown as a formula unless a matrix is asked for
SMALL = 36
#: most entries that are written out as text when a matrix is asked for
TABLE = 1_000
#: derivations that are kept
KEPT = 256

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Formulas:
    """Closed forms by leaf; empty where an operation has none or nothing was asked for.

    ``forms`` evaluate; ``jacobians`` and ``gradients`` are written.
    """

    forms: dict[str, LeafForms] = field(default_factory=dict)
    jacobians: dict[str, Jacobian] = field(default_factory=dict)
    gradients: dict[str, ClosedForm] = field(default_factory=dict)
    legend: tuple[Alias, ...] = ()
    listing: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


def closed_forms(forward: Forward, root: int, view: JacobianView) -> Formulas:
    """Closed forms of ``root`` by every differentiable leaf, with the numbers that ``view`` asks for.

    Raises:
        GradcliError: a matrix or its numbers were asked for and there are too many entries.
    """
    entries = {name: prod(forward.shapes[root]) * forward.leaves[name].numel() for name in forward.differentiable}
    for name, count in entries.items():
        if view == "matrix" and count > TABLE:
            raise GradcliError(
                f"the Jacobian by {name} has {count:,} entries, and the limit for a matrix is {TABLE:,}",
                hint="--jacobian formula shows it in closed form at any size",
            )
    tables = tuple(view == "matrix" or (view == "auto" and count <= SMALL) for count in entries.values())
    shapes = tuple(forward.shapes[node.id] for node in forward.program.nodes)
    found = derived(forward.program, shapes, root, forward.differentiable, None if view == "none" else tables)
    shown = {name for name, table in zip(entries, tables, strict=True) if table or view == "values"}
    jacobians = {
        name: replace(record, values=array(numbers_of(forward, root, name))) if name in shown else record
        for name, record in found.jacobians.items()
    }
    return replace(found, jacobians=jacobians)


@lru_cache(maxsize=KEPT)
def derived(
    program: Program,
    shapes: tuple[Shape, ...],
    root: int,
    leaves: tuple[str, ...],
    tables: tuple[bool, ...] | None,
) -> Formulas:
    """``tables``: for each leaf whether its entries are written out; None writes nothing at all."""
    try:
        derived = derive(program, shapes, root, leaves)
    except NoClosedForm as missing:
        words = f"{missing.op} has no closed form here, so the gradients are torch's alone."
        return Formulas(notes=(Note("no-closed-form", words),))
    forms = dict(derived.leaves)
    if tables is None:
        return Formulas(forms)
    jacobians = {name: forms[name].jacobian_record(table) for name, table in zip(leaves, tables, strict=True)}
    gradients = {name: forms[name].gradient_record() for name in leaves}
    notes: tuple[Note, ...] = ()
    if derived.grown:
        words = "The closed form is too long to read; it is given as one adjoint equation a statement."
        notes = (Note("growth", words),)
    return Formulas(
        forms,
        {name: record for name, record in jacobians.items() if record is not None},
        {name: record for name, record in gradients.items() if record is not None},
        derived.legend,
        derived.listing,
        notes,
    )
