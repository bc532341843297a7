"""Problems run together where they are alike, and one by one where not; the outcomes are the same.

Alike means one program on leaves of one shape with one set of settings.  Such problems are derived once and
evaluated in one stack, as long as their program is plain: every number is then, to the last bit, what it
would be alone.  Where only torch's numbers are asked for, different programs share a backward pass too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import torch

from gradcli.batch.bare import Bare
from gradcli.batch.building import build
from gradcli.batch.entries import Entry
from gradcli.batch.modelling import modelled
from gradcli.batch.plans import Model, Plan, Plans
from gradcli.batch.running import Manner, Outcome, finish, run, written
from gradcli.batch.sketches import Sketch, sketch
from gradcli.batch.stacks import ELEMENTS, Stack
from gradcli.batch.templates import Gap, Template, quote
from gradcli.errors import GradcliError
from gradcli.solve import solve

#: alike problems that are worth a stack
FEWEST = 8
#: programs that share a backward pass: more of them leave a processor's cache
PROGRAMS = 128
#: notes that are the same for every problem of a plan
_SHARED_NOTES = frozenset(("default-upstream",))
#: what a problem has that needs its whole result
_HELD = frozenset(("expect", "claims"))

_PLANS = Plans()


@dataclass(slots=True)
class _Group:
    """Problems that are run together: their places among the entries, their plans and sketches."""

    places: list[int] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    sketches: list[Sketch] = field(default_factory=list)

    def keep(self, which: Sequence[int]) -> None:
        """Let go of all problems but some."""
        self.places = [self.places[k] for k in which]
        self.plans = [self.plans[k] for k in which]
        self.sketches = [self.sketches[k] for k in which]

    def add(self, other: _Group) -> None:
        self.places += other.places
        self.plans += other.plans
        self.sketches += other.sketches


def run_together(entries: Sequence[Entry], manner: Manner) -> Iterator[Outcome]:
    """The outcomes of ``entries``, in order."""
    found: dict[int, Outcome] = {}
    stacked, bare = _groups(entries)
    for groups, how in ((stacked, _stacked), (bare, _bare)):
        for group in groups:
            began = perf_counter()
            with one_thread():
                outcomes = _outcomes(entries, group, how(group), manner)
            each = (perf_counter() - began) / max(len(outcomes), 1)
            for outcome in outcomes.values():
                outcome.seconds += each
            found |= outcomes
    for at, entry in enumerate(entries):
        yield found.pop(at) if at in found else run(entry, manner)


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep torch to this thread: sharing out thousands of elements takes longer than they do."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _stacked(group: _Group) -> Stack:
    """The stack of a group, less the problems that have numbers which are not finite.

    Such a number would change how its neighbours are summed, and with that their last bits.
    """
    while True:
        stack = Stack(group.plans[0], group.sketches)
        sound = stack.sound()
        if len(sound) in (0, stack.count):
            return stack
        group.keep(sound)


def _bare(group: _Group) -> Bare:
    return Bare(group.plans, group.sketches)


def _groups(entries: Sequence[Entry]) -> tuple[list[_Group], list[_Group]]:
    """Groups of one program each, which are stacked, and groups of one kind, of which only numbers are asked."""
    alike: dict[tuple[Any, ...], _Group | None] = {}
    for at, entry in enumerate(entries):
        drawn = entry.sketch or sketch(entry.data)
        if drawn is None:
            continue
        if drawn.key not in alike:
            plan = _PLANS.get(drawn, entry)
            alike[drawn.key] = None if plan is None else _Group(plans=[plan])
        group = alike[drawn.key]
        if group is not None:
            group.places.append(at)
            group.sketches.append(drawn)
    stacked: list[_Group] = []
    kinds: dict[tuple[Any, ...], _Group] = {}
    for group in alike.values():
        if group is None:
            continue
        plan = group.plans[0]
        group.plans *= len(group.places)
        if len(group.places) >= FEWEST:
            stacked += _split(group, 1 << (ELEMENTS // plan.length).bit_length() - 1)
        elif plan.bare:
            kinds.setdefault(plan.kind, _Group()).add(group)
    bare = [part for group in kinds.values() for part in _split(group, PROGRAMS)]
    return stacked, [group for group in bare if len(group.places) > 1]


def _split(group: _Group, size: int) -> Iterator[_Group]:
    for begin in range(0, len(group.places), size):
        part = slice(begin, begin + size)
        yield _Group(group.places[part], group.plans[part], group.sketches[part])


def _outcomes(entries: Sequence[Entry], group: _Group, numbers: Stack | Bare, manner: Manner) -> dict[int, Outcome]:
    """The outcomes of the usual problems of a group, by place; none where a model cannot tell them."""
    usual = numbers.usual()
    model = _model(entries, group, numbers, usual)
    if model is None:
        return {}
    found: dict[int, Outcome] = {}
    quick = manner.form in ("json", None)
    told = [k for k in usual if quick and _HELD.isdisjoint(entries[group.places[k]].data)]
    if told:
        lines = _lines(entries, group, numbers, told, model, manner) if manner.form else [b""] * len(told)
        largest = numbers.largest()
        notes = tuple(dict.fromkeys(note.code for note in model.result.notes))
        for k, line in zip(told, lines, strict=True):
            difference = None if largest is None else largest[k]
            found[group.places[k]] = Outcome("passed", line, difference=difference, notes=notes)
    for k in usual:
        if group.places[k] not in found:
            found[group.places[k]] = _finished(entries[group.places[k]], numbers, k, model, manner)
    return found


def _lines(
    entries: Sequence[Entry], group: _Group, numbers: Stack | Bare, kept: list[int], model: Model, manner: Manner
) -> list[bytes]:
    """The JSON lines of some problems."""
    write = quote(manner.look)
    template = model.template if manner.look.unicode else Template.of(model.result, manner.look)
    gaps = numbers.gaps(kept)
    gaps["name",] = Gap(b"%b", [[write(entries[group.places[k]].name) for k in kept]])
    programs = [numbers.program(k) for k in kept] if isinstance(numbers, Bare) else [numbers.plan.program]
    gaps["program",] = _texts([write(program.text) for program in programs])
    for at, (key, _) in enumerate(group.plans[0].statements):
        gaps[(*key, "text")] = _texts([write(program.body(program.statements[at])) for program in programs])
    return template.fill(gaps, len(kept))


def _texts(texts: list[bytes]) -> Gap:
    """A gap for texts of their own, or for one that all share."""
    return Gap(b"%b", [texts]) if len(texts) > 1 else Gap(texts[0].replace(b"%", b"%%"))


def _finished(entry: Entry, numbers: Stack | Bare, k: int, model: Model, manner: Manner) -> Outcome:
    """The outcome of a problem whose result is wanted whole."""
    try:
        result = modelled(model.result, numbers.program(k), entry.name, numbers.arrays(k))
        return finish(entry, build(entry), result, manner)
    except GradcliError as error:
        return Outcome("refused", error=error)


def _model(entries: Sequence[Entry], group: _Group, numbers: Stack | Bare, usual: list[int]) -> Model | None:
    """The model of a kind of results, made of the first problem and held against what was worked out of it."""
    kind = group.plans[0].kind
    if kind in _PLANS.models or not usual:
        return _PLANS.models.get(kind)
    first = usual[:1]
    result = solve(build(entries[group.places[first[0]]]))
    model: Model | None = None
    if {note.code for note in result.notes} <= _SHARED_NOTES:
        manner = Manner()
        candidate = Model(result, Template.of(result, manner.look))
        if _lines(entries, group, numbers, first, candidate, manner) == [written(result, manner, [])]:
            model = candidate
    _PLANS.models[kind] = model
    return model
