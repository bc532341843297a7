"""Each local rule, slope, view map and meaning broken on purpose: a break that the proof does not notice fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import torch
from conftest import REPORT
from quick_proof import cases, noticed
from threeways import CLOSED, worst

from gradcli.closed import graph as graph_module
from gradcli.closed.elementwise import slope
from gradcli.closed.evaluate import Values, evaluate
from gradcli.closed.graph import _FOLDED
from gradcli.closed.index import Condition, Var, simplify, var
from gradcli.closed.rules import RULES, Local, Rule, Site
from gradcli.closed.scalar import ONE, Elt, Fn, Num, mul
from gradcli.closed.terms import Term
from gradcli.closed.views import MAPS, View, ViewMap
from gradcli.numeric.making import Like
from gradcli.ops.row import Kind, Row
from gradcli.ops.table import all_rows

_counts: Counter[str] = Counter()


# -- local rules -------------------------------------------------------------

Break = Callable[[int, Local], Iterator[Local]]


def _scaled(which: int, by: int) -> Break:
    def change(at: int, local: Local) -> Iterator[Local]:
        coefficient = mul(Num(by), local.term.coefficient)
        yield replace(local, term=replace(local.term, coefficient=coefficient)) if at == which else local

    return change


def _dropped(which: int) -> Break:
    def change(at: int, local: Local) -> Iterator[Local]:
        if at != which:
            yield local

    return change


def _conditions(which: int, place: int, change: Callable[[Condition], list[Condition]]) -> Break:
    def changed(at: int, local: Local) -> Iterator[Local]:
        kept = list(local.term.conditions)
        if at == which and place < len(kept):
            kept[place : place + 1] = change(kept[place])
        yield replace(local, term=Term(local.term.coefficient, local.term.bound, tuple(kept)))

    return changed


def _broken(rule: Rule, change: Break) -> Rule:
    def broken(site: Site) -> Iterator[Local]:
        for at, local in enumerate(rule(site)):
            yield from change(at, local)

    return broken


def _turned(rule: Rule) -> Rule:
    def turned(site: Site) -> Iterator[Local]:
        n = site.n
        return rule(replace(site, n=(*n[:-2], n[-1], n[-2])) if len(n) > 1 else site)

    return turned


@cache
def _yielded(name: str) -> dict[tuple[int, int], bool]:
    """(term, condition) of a rule over all its calls → whether it ever restricts anything; condition -1 is the term."""
    found: dict[tuple[int, int], bool] = {}
    rule = RULES[name]

    def watched(site: Site) -> Iterator[Local]:
        for at, local in enumerate(rule(site)):
            found[at, -1] = True
            for place, condition in enumerate(local.term.conditions):
                found[at, place] = found.get((at, place), False) or simplify(condition) is not True
            yield local

    RULES[name] = watched
    try:
        for case in cases(name):
            assert case.holds()
    finally:
        RULES[name] = rule
    return found


def _rule_breaks(name: str) -> Iterator[tuple[str, Rule]]:
    rule = RULES[name]
    for (at, place), restricts in _yielded(name).items():
        if place < 0:
            yield f"term {at} doubled", _broken(rule, _scaled(at, 2))
            yield f"term {at} negated", _broken(rule, _scaled(at, -1))
            yield f"term {at} dropped", _broken(rule, _dropped(at))
        elif restricts:
            yield f"condition {place} of term {at} dropped", _broken(rule, _conditions(at, place, lambda c: []))
            moved = _conditions(at, place, lambda c: [Condition(c.ix + 1, c.equation)])
            yield f"condition {place} of term {at} moved", _broken(rule, moved)
    if any(len(case.forward.shapes[case.root]) > 1 for case in cases(name)):
        yield "output indices exchanged", _turned(rule)


@pytest.mark.parametrize("name", sorted(RULES))
def test_broken_rules_arenoticed(name, monkeypatch):
    unnoticed = []
    for what, rule in _rule_breaks(name):
        monkeypatch.setitem(RULES, name, rule)
        _counts["rules"] += 1
        if not noticed(name):
            unnoticed.append(what)
        monkeypatch.undo()
    assert not unnoticed


# -- slopes ------------------------------------------------------------------

SLOPED = [row for row in all_rows() if row.kind is Kind.ELEMENTWISE and row.slopes]


def _slope_holds(row: Row, operand: str) -> bool:
    """Whether the text of a slope, evaluated by itself, is autograd's derivative of the row."""
    names = [p.name for p in row.operands]
    axis = Var("i", 3)
    for case in cases(row.name):
        program, values = case.forward.program, case.forward.values
        node = program.nodes[program.root.node]
        shapes = {case.forward.shapes[arg] for arg in node.args}
        if shapes != {(3,)} or len(node.args) < len(names):
            continue
        table = {f"x{k}": torch.as_tensor(values[arg]).double().detach() for k, arg in enumerate(node.args)}
        atoms = tuple(Elt(name, (var(axis),)) for name in table)
        found = slope(Fn(row.name, atoms, node.attrs), names.index(operand))
        at = Values(lambda name, table=table: table[name], Like(torch.float64, torch.device("cpu")))
        ours = evaluate([Term(found)], (axis,), at) * case.upstream
        leaf = str(program.nodes[node.args[names.index(operand)]].attr("name"))
        if worst(ours, case.gradients[leaf]) > CLOSED:
            return False
    return True


@pytest.mark.parametrize("row", SLOPED, ids=lambda row: row.name)
def test_broken_slopes_arenoticed(row, monkeypatch):
    unnoticed = []
    for operand, text in row.slopes.items():
        assert _slope_holds(row, operand)
        changes = [f"2*({text})", f"-({text})", f"({text}) + 1"] if text != "0" else ["1"]
        for changed in changes:
            monkeypatch.setitem(row.slopes, operand, changed)
            _counts["slopes"] += 1
            if not (noticed(row.name) or not _slope_holds(row, operand)):
                unnoticed.append(changed)
            monkeypatch.undo()
    assert not unnoticed


# -- views -------------------------------------------------------------------


def _moved(move: ViewMap, axis: int, how: str) -> ViewMap:
    def moved(view: View) -> Any:
        at = list(move(view))
        if axis >= len(at):
            return tuple(at)
        size = view.shape[axis]
        if how == "shifted" and size > 1:
            at[axis] = (at[axis] + 1).mod(size)
        if how == "reversed" and size > 1:
            at[axis] = -at[axis] + (size - 1)
        if how == "exchanged" and axis + 1 < len(at):
            at[axis], at[axis + 1] = at[axis + 1].mod(size), at[axis].mod(view.shape[axis + 1])
        return tuple(at)

    return moved


@pytest.mark.parametrize("name", sorted(MAPS))
def test_broken_views_arenoticed(name, monkeypatch):
    shapes = [case.forward.leaves[leaf].shape for case in cases(name) for leaf in case.gradients]
    unnoticed, move = [], MAPS[name]
    for axis in range(max(map(len, shapes))):
        own = [shape[axis:] for shape in shapes if shape[axis:] and shape[axis] > 1]
        changes = ["shifted", "reversed"] if own else []
        changes += ["exchanged"] if any(len(rest) > 1 for rest in own) else []
        for how in changes:
            monkeypatch.setitem(MAPS, name, _moved(move, axis, how))
            _counts["views"] += 1
            if not noticed(name):
                unnoticed.append(f"axis {axis} {how}")
            monkeypatch.undo()
    assert not unnoticed


# -- what operations mean ----------------------------------------------------


@pytest.mark.parametrize("name", [row.name for row in all_rows() if row.kind is Kind.COMPOSITE])
def test_broken_meanings_arenoticed(name, monkeypatch):
    def broken(row: Row, *rest: Any) -> str | None:
        text = expansion(row, *rest)
        return f"2*({text})" if row.name == name and text is not None else text

    expansion = graph_module.expansion
    _counts["meanings"] += 1
    monkeypatch.setattr(graph_module, "expansion", broken)
    assert noticed(name)


@pytest.mark.parametrize("name", sorted(_FOLDED))
def test_broken_generators_arenoticed(name, monkeypatch):
    right = _FOLDED[name]
    _counts["generators"] += 1
    monkeypatch.setitem(_FOLDED, name, lambda node, at: right(node, at) + ONE)
    assert noticed(name)


def test_count():
    """What was broken, for the summary."""
    REPORT["breaks on purpose"] = [f"{count} {what} broken, all noticed" for what, count in _counts.items()]
