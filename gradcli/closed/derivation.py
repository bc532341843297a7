"""Deriving: a program with shapes → Jacobians and gradients in closed form, as terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gradcli.closed.factoring import factor
from gradcli.closed.graph import Graph
from gradcli.closed.index import Ix, Var, var
from gradcli.closed.rewriting import reindex, substitute
from gradcli.closed.scalar import ONE, Elt, Expr
from gradcli.closed.shapes import shape_of
from gradcli.closed.sweep import Growth, Sweep
from gradcli.closed.terms import Term, merge
from gradcli.closed.views import Shape
from gradcli.language.program import Program

#: the name of the upstream gradient in formulas
UPSTREAM = "g"


@dataclass(frozen=True)
class LeafTerms:
    """Terms of one leaf: ``out`` are the root's index variables, ``at`` the leaf's own.

    ``jacobian`` and ``gradient`` are None when they grew past the cap.
    """

    leaf: str
    id: int
    out: tuple[Var, ...]
    at: tuple[Var, ...]
    jacobian: list[Term] | None
    gradient: list[Term] | None


@dataclass
class Derivation:
    """Everything derived from one program at given shapes; values play no part."""

    graph: Graph
    sweep: Sweep
    leaves: dict[str, LeafTerms] = field(default_factory=dict)
    grown: bool = False


def derive(program: Program, shapes: Sequence[Shape], root: int, wrt: Sequence[str]) -> Derivation:
    """Terms of ∂root/∂leaf and of gᵀ·∂root/∂leaf for each leaf of ``wrt``.

    Args:
        shapes: the shape of every node of the program, as torch gave it.
        root: the node that is differentiated.
        wrt: names of leaves; those that the program lacks are left out.

    Raises:
        NoClosedForm: an operation between root and leaf has no rule.
    """
    graph = Graph(program, shapes, shape_of, root)
    ids = {name: id for name in wrt if (id := program.leaf_id(name)) is not None}
    sweep = Sweep(graph, frozenset(ids.values()))
    derivation = Derivation(graph, sweep)
    out = tuple(Var(f"i{k + 1}", size) for k, size in enumerate(graph.nodes[graph.resolve(root)].shape))
    jacobian: dict[int, list[Term]] | None = None
    gradient = _attempt(sweep, out, UPSTREAM)
    if gradient is not None and all(v.size == 1 for v in out):
        jacobian = {id: list(map(_without_upstream, terms)) for id, terms in gradient.items()}
    elif gradient is not None:  # else the Jacobian, which has no fewer terms, would grow as well
        jacobian = _attempt(sweep, out, None)
    derivation.grown = jacobian is None or gradient is None
    for name, id in ids.items():
        derivation.leaves[name] = LeafTerms(
            name,
            id,
            out,
            sweep.index(id),
            None if jacobian is None else merge(_outward(term, out) for term in jacobian.get(id, [])),
            None if gradient is None else gradient.get(id, []),
        )
    return derivation


def _outward(term: Term, out: tuple[Var, ...]) -> Term:
    """The coefficient in terms of the output's index where a delta lets one choose: b[i]·δ(i,j)."""
    chosen: dict[Var, Ix] = {}
    for condition in term.conditions:
        parts = dict(condition.ix.parts)
        if condition.equation and len(parts) == 2 and condition.ix.const == 0 and set(parts.values()) == {1, -1}:
            inner, outer = sorted(parts, key=lambda v: v in out)
            same = isinstance(inner, Var) and isinstance(outer, Var) and inner.size == outer.size
            if same and outer in out and inner not in out:
                chosen[inner] = var(outer)  # type: ignore[index]
    return replace(term, coefficient=reindex(term.coefficient, chosen)) if chosen else term


def _without_upstream(term: Term) -> Term:
    """A term of a single number's gradient as one of its Jacobian: with 1 for the upstream gradient."""
    coefficient = substitute(term.coefficient, lambda node: ONE if _is_upstream(node) else None)
    return replace(term, coefficient=factor(coefficient))


def _is_upstream(node: Expr) -> bool:
    return isinstance(node, Elt) and node.of == UPSTREAM


def _attempt(sweep: Sweep, out: tuple[Var, ...], upstream: str | None) -> dict[int, list[Term]] | None:
    try:
        return sweep.run(out, upstream)
    except Growth:
        return None
