"""What kind of matrix a Jacobian is, read off its conditions."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.closed.index import Condition, Ix, Var, equals, simplify, var
from gradcli.closed.scalar import Num
from gradcli.closed.terms import Term
from gradcli.result import Structure


def is_diagonal(terms: Sequence[Term], out: Sequence[Var], at: Sequence[Var]) -> bool:
    """Whether every term is δ(i, j) on all axes and nothing else."""
    if not terms or [v.size for v in out] != [v.size for v in at] or not out:
        return False
    deltas = {str(d) for d in _deltas(out, at)}
    return all(not t.bound and {str(c) for c in t.conditions} == deltas for t in terms)


def _deltas(out: Sequence[Var], at: Sequence[Var]) -> list[Condition]:
    pairs = (simplify(equals(var(a), var(b))) for a, b in zip(out, at, strict=True))
    return [d for d in pairs if isinstance(d, Condition)]


def structure(terms: Sequence[Term], out: Sequence[Var], at: Sequence[Var]) -> Structure:
    """zero, diagonal, selection (each output takes leaf elements as they are), blocks, dense or terms."""
    if not terms:
        return "zero"
    if is_diagonal(terms, out, at):
        return "diagonal"
    equations = [[c for c in t.conditions if c.equation] for t in terms]
    if len(terms) == 1 and isinstance(terms[0].coefficient, Num) and not terms[0].bound and equations[0]:
        covered = {v for c in equations[0] for v in c.ix.variables()}
        if terms[0].coefficient.value == 1 and all(v in covered or v.size == 1 for v in at):
            return "selection"
    if all(not t.conditions for t in terms):
        return "dense"
    shared = set(map(str, equations[0])).intersection(*(set(map(str, e)) for e in equations[1:]))
    return "blocks" if shared else "terms"


def on_diagonal(ix: Sequence[Ix], out: Sequence[Var]) -> bool:
    """Whether an element is read at just the output's own index."""
    return list(ix) == [var(v) for v in out]
