"""Formulas in gradcli's language, evaluated at a point of a program."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from gradcli.closed.notation.naming import upstream_letter
from gradcli.errors import GradcliError, Span
from gradcli.language import parse
from gradcli.language.program import Program
from gradcli.language.suggest import nearest
from gradcli.numeric.forward import Forward, evaluate


def upstream_name(program: Program) -> str:
    """What formulas call the upstream gradient: g, or another letter where the program has a g of its own."""
    return upstream_letter({*program.leaves, *(statement.name for statement in program.statements)})


def names_at(forward: Forward, upstream: Tensor) -> dict[str, Tensor]:
    """What a formula may speak of: leaves, statements and the upstream gradient, all without a graph."""
    program = forward.program
    known = {name: leaf.detach() for name, leaf in forward.leaves.items()}
    known |= {statement.name: forward.tensor(statement.node).detach() for statement in program.statements}
    known[upstream_name(program)] = upstream.detach()
    return known


def read_formula(text: str, known: Mapping[str, object], title: str) -> Program:
    """A formula as a program.

    Args:
        text: one expression, or statements of which the last one counts.
        known: the names that it may speak of.
        title: the words that name the text in errors.

    Raises:
        GradcliError: it does not parse, or speaks of a name that there is not; with its place.
    """
    formula = parse(text, title=title, defined=frozenset(known))
    for node in formula.nodes:
        if node.op == "leaf" and node.attr("name") not in known:
            name = str(node.attr("name"))
            hint = nearest(name, known) or f"it may speak of {', '.join(known)}"
            words = f"the formula speaks of '{name}', which is no leaf, no statement and not the upstream gradient"
            raise GradcliError(words, span=node.span, hint=hint, source=formula.source)
    return formula


def value_of(formula: Program, known: Mapping[str, Tensor], device: str) -> Tensor:
    """The formula's value at a point.

    Raises:
        GradcliError: shapes do not fit, or torch refuses an operation; with its place.
    """
    found = evaluate(formula, known, device=device, wrt=()).tensor(formula.root.node).detach()
    return found if found.is_floating_point() else found.to(torch.float64)


def whole(formula: Program) -> Span:
    """The span of the whole text."""
    return Span(0, len(formula.source.text))
