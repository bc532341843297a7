"""Cancelling for print: x·(1/x) is 1 where only a slope divided by x.

Terms keep such factors apart, since a pole must not vanish from what is evaluated.  In
print they may go where the user's program does not itself divide by that factor: the
slope 1/x of log(x) brings a division, but no pole that log(x) has not already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradcli.closed.graph import Graph
from gradcli.closed.index import Var, var
from gradcli.closed.scalar import ONE, Expr, Mul, Num, build, mul, substitute
from gradcli.closed.terms import Term

#: operations that divide, and by which operands
_DIVIDE = {"div": "other", "floordiv": "other", "remainder": "other", "fmod": "other", "pow": "x", "reciprocal": "x"}


def divisors(graph: Graph) -> frozenset[int | str]:
    """Leaves and named nodes that the program itself divides by."""
    found: set[int | str] = set()
    for node in graph.nodes[: len(graph.program.nodes)]:
        role = _DIVIDE.get(node.op)
        if role is not None and not _plain_power(graph, node.id):
            below = graph.nodes[graph.resolve(node.arg(role))]
            at = tuple(var(Var(f"d{k}", size)) for k, size in enumerate(below.shape))
            found.update(atom.of for atom in graph.element(below.id, at).atoms)
    return frozenset(found)


def _plain_power(graph: Graph, id: int) -> bool:
    node = graph.nodes[id]
    if node.op != "pow":
        return False
    exponent = graph.nodes[node.arg("exponent")]
    value = exponent.attrs.get("value")
    return isinstance(value, (int, float)) and value >= 0


def cancelled(terms: Sequence[Term], kept: frozenset[int | str]) -> list[Term]:
    """The terms with x·(1/x) as 1, for every x that does not speak of ``kept``."""

    def simpler(node: Expr) -> Expr | None:
        if not isinstance(node, Mul):
            return None
        signs: dict[str, set[bool]] = {}
        for base, exponent in node.factors:
            signs.setdefault(base.key, set()).add(exponent.value > 0)
        both = {key for key, found in signs.items() if len(found) == 2}
        if not both:
            return None
        powers: dict[str, tuple[Expr, Num]] = {}
        rest: list[Expr] = []
        for base, exponent in node.factors:
            if base.key not in both or any(atom.of in kept for atom in base.atoms):
                rest.append(build(ONE, ((base, exponent),)))
                continue
            known = powers.get(base.key)
            value = exponent.value + (known[1].value if known else 0)
            powers[base.key] = base, Num(value, exponent.decimal)
        left = [build(ONE, (power,)) for power in powers.values() if power[1].value]
        return mul(node.coefficient, *map(_inside, rest), *left) if powers else None

    def _inside(node: Expr) -> Expr:
        return substitute(node, simpler)

    return [replace(term, coefficient=_inside(term.coefficient)) for term in terms]
