"""The listing: one adjoint equation a statement, when whole formulas grow too long.

The adjoint of a node is written ḡname; each equation gives it in terms of the
adjoints of the nodes that read it, so the listing grows linearly with the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gradcli.closed.derivation import UPSTREAM, Derivation
from gradcli.closed.index import Ix, Var, var
from gradcli.closed.notation import matrix
from gradcli.closed.notation.indices import Writer
from gradcli.closed.notation.naming import MARK, Naming
from gradcli.closed.notation.writing import text
from gradcli.closed.scalar import Elt
from gradcli.closed.terms import Term, merge

if TYPE_CHECKING:
    from torch import Tensor

    from gradcli.closed.evaluate import Values


def adjoints(derivation: Derivation) -> list[tuple[int, list[Term]]]:
    """For each named node from the root to the leaves, its adjoint in terms of later nodes' adjoints."""
    sweep = derivation.sweep
    root = derivation.graph.resolve(derivation.graph.root)
    arrived: dict[int, list[Term]] = {root: [Term(Elt(UPSTREAM, tuple(map(var, sweep.index(root)))))]}
    out = []
    for id in sweep.order():
        terms = merge(arrived.pop(id, []))
        if not terms:
            continue
        at = tuple(map(var, sweep.index(id)))
        passed = UPSTREAM if id == root else _passed_on(terms, at) if id not in derivation.graph.names else None
        if passed is None or id in sweep.wrt:
            out.append((id, terms))
        own = Term(Elt(passed or f"{MARK}{id}", at))
        for edge in sweep.edges(id):
            arrived.setdefault(edge.source, []).extend(sweep.push([own], id, edge))
    return out


def _passed_on(terms: list[Term], at: tuple[Ix, ...]) -> str | None:
    """The one adjoint that this one equals, element by element, so that it needs no line of its own."""
    if len(terms) != 1 or terms[0].bound or terms[0].conditions:
        return None
    coefficient = terms[0].coefficient
    same = isinstance(coefficient, Elt) and isinstance(coefficient.of, str) and coefficient.at == at
    return str(coefficient.of) if same and isinstance(coefficient, Elt) else None


def write_listing(derivation: Derivation, naming: Naming) -> tuple[str, ...]:
    """One line a node: matrix notation where there is one, index notation elsewhere."""
    lines = []
    equations = adjoints(derivation)
    for id, _ in equations:
        naming.word(id)  # what has an adjoint of its own is called the same everywhere
    for id, terms in equations:
        at = derivation.sweep.index(id)
        node = matrix.adjoint_tree(terms, at, naming)
        name = f"{MARK}{naming.word(id)}"
        if node is not None:
            lines.append(f"{name} = {text(node)}")
        else:
            letters = naming.letters((), at)
            place = f"[{','.join(letters[v] for v in at)}]" if at else ""
            lines.append(f"{name}{place} = {Writer(naming, letters)(terms)}")
    return tuple(lines)


def adjoint_values(derivation: Derivation, values: Values, g: Tensor, wanted: Sequence[int]) -> dict[int, Tensor]:
    """The adjoints of ``wanted`` nodes at the point, by evaluating the listing line by line."""
    import torch

    from gradcli.closed.evaluate import Values, evaluate

    known: dict[int | str, Tensor] = {UPSTREAM: g.to(values.like.dtype)}

    def of(name: int | str) -> Tensor:
        return known[name] if isinstance(name, str) else values.of(name)

    inner = Values(of, values.like)
    found: dict[int, Tensor] = {}
    for id, terms in adjoints(derivation):
        axes: tuple[Var, ...] = derivation.sweep.index(id)
        value = evaluate(terms, axes, inner)
        known[f"{MARK}{id}"] = value
        if id in wanted:
            found[id] = value
    for id in wanted:
        if id not in found:
            shape = derivation.graph.nodes[id].shape
            found[id] = torch.zeros(shape, dtype=values.like.dtype, device=values.like.device)
    return found
