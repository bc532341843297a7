"""Plans: what problems with one sketch share, worked out once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from gradcli.batch.entries import Entry
from gradcli.batch.sketches import Sketch
from gradcli.batch.templates import Key, Template
from gradcli.errors import GradcliError
from gradcli.findings.spellings import may_cancel
from gradcli.language import parse
from gradcli.language.program import Program
from gradcli.numeric.differences import ELEMENT_BY_ELEMENT
from gradcli.numeric.plain import Plain, is_plain
from gradcli.result import Result

#: plans, and models of results, that are kept
KEPT = 256


@dataclass(frozen=True, slots=True)
class Model:
    """A result of ``solve``, and how such a result is written in JSON."""

    result: Result
    template: Template


@dataclass(frozen=True, slots=True)
class Plan:
    """A plain program with its settings.

    Attributes:
        plain: the program, ready to be evaluated.
        length: elements of every leaf; ``shape``: their shape.
        jacobian, check: as a problem has them.
        kind: the same for plans whose results differ in texts and numbers alone.
        statements: the key of each statement's record but the root's, and its node.
    """

    plain: Plain
    length: int
    shape: tuple[int, ...]
    jacobian: str
    check: bool | None
    kind: tuple[Any, ...]
    statements: tuple[tuple[Key, int], ...]

    @property
    def program(self) -> Program:
        return self.plain.program

    @property
    def root(self) -> int:
        return self.plain.program.root.node

    @property
    def bare(self) -> bool:
        """Whether nothing is worked out but torch's numbers."""
        return self.jacobian == "none" and not self.check


class Plans:
    """The plans of this process; the oldest are forgotten."""

    def __init__(self) -> None:
        self._plans: OrderedDict[tuple[Any, ...], Plan | None] = OrderedDict()
        #: kind → its model; None where ``solve`` says more than a model can
        self.models: OrderedDict[tuple[Any, ...], Model | None] = OrderedDict()

    def get(self, sketch: Sketch, entry: Entry) -> Plan | None:
        """The plan of a sketch; None where its problems have to be run one by one."""
        if sketch.key in self._plans:
            return self._plans[sketch.key]
        plan = self._plans[sketch.key] = _plan(sketch, entry)
        for kept in (self._plans, self.models):
            if len(kept) > KEPT:
                kept.popitem(last=False)
        return plan


def _plan(sketch: Sketch, entry: Entry) -> Plan | None:
    length = sketch.length or 1
    if length > ELEMENT_BY_ELEMENT:
        return None
    try:
        program = parse(sketch.program, defined=frozenset(sketch.names))
    except GradcliError:
        return None
    root = program.root.node
    if set(program.leaves) != set(sketch.names):
        return None
    shape = () if sketch.length is None else (length,)
    if may_cancel(program) or not is_plain(program, root, length):
        return None
    jacobian, check = entry.data.get("jacobian", "auto"), entry.data.get("check")
    names = tuple(statement.name for statement in program.statements)
    bare = jacobian == "none" and not check
    kind = (names, program.leaves, sketch.names, shape, sketch.graded) if bare else sketch.key
    others = (one.node for one in program.statements[:-1])
    statements = tuple((("intermediates", at), node) for at, node in enumerate(others))
    return Plan(Plain.of(program), length, shape, jacobian, check, kind, statements)
