"""Unsafe spellings: expressions that overflow or cancel where a library function would not.

The table is written in gradcli's own language, so a new pair is one line.  A pattern matches
whatever stands for its names, sums and products in either order, and any ``dim`` and ``keepdim``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import permutations
from typing import TYPE_CHECKING

from gradcli.language import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gradcli.language.program import Attr, Node, Program

#: (unsafe, safe): the safe side is one call of the names of the unsafe side
PAIRS: tuple[tuple[str, str], ...] = (
    ("exp(x)/sum(exp(x))", "softmax(x{dim})"),
    ("log(softmax(x))", "log_softmax(x{dim})"),
    ("log(sum(exp(x)))", "logsumexp(x{dim}{keepdim})"),
    ("log(exp(x) + exp(other))", "logaddexp(x, other)"),
    ("log(exp(x) + 1)", "softplus(x)"),
    ("log1p(exp(x))", "softplus(x)"),
    ("log(sigmoid(x))", "logsigmoid(x)"),
    ("1/(exp(-x) + 1)", "sigmoid(x)"),
    ("exp(x)/(exp(x) + 1)", "sigmoid(x)"),
    ("(exp(x) - exp(-x))/(exp(x) + exp(-x))", "tanh(x)"),
    ("log(x + 1)", "log1p(x)"),
    ("exp(x) - 1", "expm1(x)"),
    ("sqrt(x*x + other*other)", "hypot(x, other)"),
    ("sqrt(x**2 + other**2)", "hypot(x, other)"),
    ("sqrt(sum(x*x))", "norm(x{norm_dim})"),
    ("sqrt(sum(x**2))", "norm(x{norm_dim})"),
    ("x*log(x)", "xlogy(x, x)"),
    ("x*log(other)", "xlogy(x, other)"),
)
#: unsafe sides that lose no digits: where they are finite, so is the safe side, and they are equal
_NO_DIGITS = frozenset(("x*log(x)", "x*log(other)"))
_COMMUTE = frozenset({"add", "mul"})
_FREE = frozenset({"dim", "keepdim"})
Binding = dict[str, int]


@dataclass(frozen=True, slots=True)
class Spelling:
    """A safe spelling for node ``node`` of a program: its ``text``, and the ``program`` that uses it."""

    node: int
    text: str
    program: Program


def safe_spellings(program: Program, shapes: Mapping[int, tuple[int, ...]]) -> tuple[Spelling, ...]:
    """Every node of ``program`` that has a safer spelling, the outermost first."""
    found: dict[int, Spelling] = {}
    for node, safe, binding, free in _instances(program):
        call = _call(safe, free, len(shapes[binding["x"]]))
        if call is not None and node not in found:
            found[node] = _spelling(program, node, call, binding)
    return tuple(found.values())


@lru_cache(maxsize=256)
def _instances(program: Program) -> tuple[tuple[int, str, Binding, dict[str, Attr]], ...]:
    """(node, safe side, binding, free attributes) of every instance of an unsafe side."""
    ops = {node.op for node in program.nodes}
    pairs = [(_pattern(unsafe), safe) for unsafe, safe in PAIRS if _words(unsafe) <= ops]
    return tuple(
        (node.id, safe, *found)
        for node in reversed(program.nodes)
        for pattern, safe in pairs
        if _may_match(pattern, program, node)
        for found in _matches(pattern, pattern.root.node, program, node.id, {}, {})
    )


def may_cancel(program: Program) -> bool:
    """Whether a node begins like an unsafe side that may lose digits; where none does, no value cancels."""
    begins = _begins()
    return any(node.op in begins and _begins_like(begins[node.op], program, node) for node in program.nodes)


def _may_match(pattern: Program, program: Program, node: Node) -> bool:
    """Whether a node and its operands have the operations that the pattern begins with."""
    want = pattern.nodes[pattern.root.node]
    return want.op == node.op and _begins_like([_operands(pattern)], program, node)


def _begins_like(wanted: list[frozenset[str]], program: Program, node: Node) -> bool:
    ops = {program.nodes[arg].op for arg in node.args}
    return any(one <= ops for one in wanted)


@cache
def _begins() -> dict[str, list[frozenset[str]]]:
    """The operation at the root of each pattern that may lose digits → the operations of its operands."""
    found: dict[str, list[frozenset[str]]] = {}
    for unsafe in (unsafe for unsafe, _ in PAIRS if unsafe not in _NO_DIGITS):
        pattern = _pattern(unsafe)
        found.setdefault(pattern.nodes[pattern.root.node].op, []).append(_operands(pattern))
    return found


def _operands(pattern: Program) -> frozenset[str]:
    args = pattern.nodes[pattern.root.node].args
    return frozenset(pattern.nodes[arg].op for arg in args if pattern.nodes[arg].op != "leaf")


def _spelling(program: Program, at: int, call: str, binding: Binding) -> Spelling:
    template, node = parse(call), program.nodes[at]
    made = template.nodes[template.root.node]
    operands = {i: binding[str(template.nodes[i].attr("name"))] for i in made.args}
    new = replace(made, id=at, args=tuple(operands[i] for i in made.args), span=node.span)
    text = _echo(call, {name: program.echoes[i] for name, i in binding.items()})
    return Spelling(at, text, replace(program, nodes=(*program.nodes[:at], new, *program.nodes[at + 1 :])))


@cache
def _words(unsafe: str) -> frozenset[str]:
    """The operations that a pattern has, read off its text without parsing it."""
    signs = {"/": "div", " + ": "add", " - ": "sub", "**": "pow"}
    return frozenset(re.findall(r"(\w+)\(", unsafe)) | {op for sign, op in signs.items() if sign in unsafe}


@cache
def _pattern(unsafe: str) -> Program:
    return parse(unsafe)


def _matches(
    pattern: Program, at: int, program: Program, node_id: int, binding: Binding, free: dict[str, Attr]
) -> Iterator[tuple[Binding, dict[str, Attr]]]:
    """The ways in which node ``node_id`` is an instance of the pattern's node ``at``."""
    want, node = pattern.nodes[at], program.nodes[node_id]
    if want.op == "leaf":
        name = str(want.attr("name"))
        if binding.get(name, node_id) == node_id:
            yield {**binding, name: node_id}, free
        return
    if want.op != node.op or len(want.args) != len(node.args):
        return
    if want.op == "number":
        if want.attr("value") == node.attr("value"):
            yield binding, free
        return
    kept = {key: value for key, value in node.attrs if key not in _FREE}
    if kept != {key: value for key, value in want.attrs if key not in _FREE}:
        return
    free = free | {key: value for key, value in node.attrs if key in _FREE}
    orders = permutations(node.args) if node.op in _COMMUTE else (node.args,)
    for order in orders:
        states = [(binding, free)]
        for wanted, operand in zip(want.args, order, strict=True):
            states = [found for state in states for found in _matches(pattern, wanted, program, operand, *state)]
        yield from states


def _call(template: str, free: dict[str, Attr], rank: int) -> str | None:
    """The safe call with its dim; None where it would mean something else."""
    dim, keepdim = free.get("dim"), bool(free.get("keepdim", False))
    whole = dim is None
    if template == "softmax(x{dim})" and not (rank == 1 if whole else keepdim):
        return None
    texts = {
        "{dim}": "" if whole else f", {dim}",
        "{keepdim}": ", keepdim=True" if keepdim else "",
        "{norm_dim}": "" if whole else f", dim={dim}, keepdim={keepdim}",
    }
    for sign, text in texts.items():
        template = template.replace(sign, text)
    return template


def _echo(call: str, names: dict[str, str]) -> str:
    """``call`` with each name replaced by the text that it stands for."""
    return re.sub(r"\b(x|other)\b", lambda found: names[found.group()], call)
