"""The reverse sweep: from δ(q, root) or from the upstream gradient g to terms for every leaf.

Named nodes are visited from the root to the leaves.  At each, the terms that have
arrived are merged, multiplied by the node's local derivatives, tied to the next
node's index by an equation, and the equation is solved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from gradcli.closed.elementwise import derivative
from gradcli.closed.factoring import factor
from gradcli.closed.graph import Graph
from gradcli.closed.index import Ix, Var, equals, simplify, var
from gradcli.closed.refold import refold
from gradcli.closed.rewriting import substitute
from gradcli.closed.rules import RULES, Local, Site
from gradcli.closed.scalar import ONE, ZERO, Elt, Expr, mul
from gradcli.closed.solving import eliminate, settle
from gradcli.closed.terms import Names, Term, merge

#: expression nodes of all coefficients together above which a closed form is given as a listing
CAP = 1000


class Growth(Exception):
    """The closed form passed :data:`CAP`."""


class NoClosedForm(Exception):
    """An operation on the way has no rule; ``op`` names it."""

    def __init__(self, op: str) -> None:
        super().__init__(op)
        self.op = op


@dataclass(frozen=True, slots=True)
class Edge:
    """∂node[n]/∂source[at]: one term in n, with the indices at which ``source`` is read.

    ``aligned``: the source is read at the node's own index and nowhere else.
    """

    source: int
    at: tuple[Ix, ...]
    term: Term
    aligned: bool = False


@dataclass
class Sweep:
    """Local derivatives of a graph's named nodes, worked out once and used by every sweep."""

    graph: Graph
    wrt: frozenset[int]
    names: Names = field(default_factory=Names)
    _index: dict[int, tuple[Var, ...]] = field(default_factory=dict)
    _edges: dict[int, list[Edge]] = field(default_factory=dict)
    _reaches: dict[int, bool] = field(default_factory=dict)

    def index(self, id: int) -> tuple[Var, ...]:
        """The variables that stand for the index of node ``id`` in its adjoint terms."""
        if id not in self._index:
            self._index[id] = tuple(self.names.fresh(size) for size in self.graph.nodes[id].shape)
        return self._index[id]

    def reaches(self, id: int) -> bool:
        """Whether node ``id`` depends on a leaf asked for."""
        id = self.graph.resolve(id)
        if not self._reaches:
            for known in self.graph.order():
                node = self.graph.nodes[known]
                inner = any(self._reaches.get(self.graph.resolve(arg), False) for arg in node.args)
                self._reaches[known] = known in self.wrt or (inner and node.op != "detach")
        return self._reaches.get(id, False)

    def edges(self, id: int) -> list[Edge]:
        """Local derivatives of node ``id`` with respect to the named nodes it reads."""
        if id not in self._edges:
            self._edges[id] = self._local(id)
        return self._edges[id]

    def _local(self, id: int) -> list[Edge]:
        graph, node = self.graph, self.graph.nodes[id]
        n = tuple(map(var, self.index(id)))
        body = graph.body(id, n)
        if body != Elt(id, n):
            own = Elt(id, n) if graph.speaks_of(id) else None
            return list(self._through(body, Term(ONE), own, self.index(id)))
        rule = RULES.get(node.op)
        if rule is None:
            if any(self.reaches(arg) for arg in node.args) and graph.is_smooth(id):
                raise NoClosedForm(node.op)
            return []
        edges: list[Edge] = []
        for local in rule(Site(graph, node, n, self.names)):
            edges += self._past(local, self.index(id))
        return edges

    def _past(self, local: Local, n: tuple[Var, ...]) -> Iterable[Edge]:
        """A local rule followed through the inlined form of its operand."""
        if not self.reaches(local.operand):
            return
        body = self.graph.element(local.operand, tuple(map(var, local.p)))
        term = Term(local.term.coefficient, (*local.term.bound, *local.p), local.term.conditions)
        yield from self._through(body, term, None, n)

    def _through(self, body: Expr, term: Term, own: Elt | None, n: tuple[Var, ...]) -> Iterable[Edge]:
        """∂body/∂atom for each atom, times ``term``; ``own`` replaces the body where it recurs."""
        for atom in body.atoms:
            if not isinstance(atom.of, int) or not self.reaches(atom.of):
                continue
            slope = derivative(body, atom)
            if own is not None:
                slope = substitute(slope, _renamer(body, own))
            if slope == ZERO:
                continue
            slope = factor(slope)
            whole = Term(mul(term.coefficient, slope), term.bound, term.conditions)
            r = tuple(self.names.fresh(size) for size in self.graph.nodes[atom.of].shape)
            tied = tuple(equals(var(v), ix) for v, ix in zip(r, atom.at, strict=True))
            local = eliminate(Term(whole.coefficient, whole.bound, (*whole.conditions, *tied)), self.names)
            if local is not None:
                yield Edge(atom.of, tuple(map(var, r)), local, self._aligned(local, r, n))

    def _aligned(self, local: Term, r: tuple[Var, ...], n: tuple[Var, ...]) -> bool:
        if local.bound or [v.size for v in r] != [v.size for v in n]:
            return False
        at = {v: var(w) for v, w in zip(r, n, strict=True)}
        return len(local.conditions) == sum(v.size > 1 for v in r) and all(
            c.equation and simplify(c.subs(at)) is True for c in local.conditions
        )

    # -- sweeping ----------------------------------------------------------------

    def order(self) -> list[int]:
        """Named nodes that reach a leaf, the root first, each before what it reads."""
        root = self.graph.resolve(self.graph.root)
        return [
            id for id in reversed(self.graph.order()) if self.reaches(id) and (id == root or self.graph.is_named(id))
        ]

    def start(self, at: Sequence[Var], upstream: str | None) -> Term:
        """The term at the root: g there, or δ(output index, root index)."""
        own = tuple(map(var, self.index(self.graph.resolve(self.graph.root))))
        if upstream is not None:
            return Term(Elt(upstream, own))
        return Term(ONE, (), tuple(equals(var(v), ix) for v, ix in zip(at, own, strict=True)))

    def push(self, terms: Iterable[Term], id: int, edge: Edge) -> list[Term]:
        """Terms of node ``id`` carried along one edge, in the index of the edge's source."""
        if edge.aligned:
            # sharing the index spares a long coefficient from being rebuilt at every step
            self._index.setdefault(edge.source, self.index(id))
        target = self.index(edge.source)
        shared = target == self.index(id)
        out = []
        for term in terms:
            if edge.aligned and shared:
                joined = Term(mul(term.coefficient, edge.term.coefficient), term.bound, term.conditions)
            else:
                joined = self._tied(term, id, edge, target)
            solved = eliminate(joined, self.names)
            if solved is not None:
                out.append(refold(solved, self.graph))
        return out

    def _tied(self, term: Term, id: int, edge: Edge, target: tuple[Var, ...]) -> Term:
        """Term times edge, the node's own index bound and the source's tied to where it is read."""
        local = self.names.rename(edge.term)
        own = self.index(id)
        bound = (*term.bound, *local.bound, *own, *_variables(edge.at))
        joined = Term(mul(term.coefficient, local.coefficient), bound, (*term.conditions, *local.conditions))
        if set(own) & set(target):
            joined = self.names.rename(joined)
            at = tuple(ix.subs({v: var(w) for v, w in zip(bound, joined.bound, strict=True)}) for ix in edge.at)
        else:
            at = edge.at
        tied = tuple(equals(var(v), ix) for v, ix in zip(target, at, strict=True))
        return Term(joined.coefficient, joined.bound, (*joined.conditions, *tied))

    def run(self, at: Sequence[Var], upstream: str | None) -> dict[int, list[Term]]:
        """Merged terms of every node asked for, over its own index variables.

        Raises:
            Growth: coefficients passed the cap.
            NoClosedForm: an operation on the way has no rule.
        """
        arrived: dict[int, list[Term]] = {self.graph.resolve(self.graph.root): [self.start(at, upstream)]}
        done: dict[int, list[Term]] = {}
        for id in self.order():
            terms = merge(arrived.pop(id, []))
            if sum(term.size for term in terms) > CAP or _pending(arrived) > 2 * CAP:
                raise Growth
            if not terms:
                continue
            if id in self.wrt:
                done[id] = [settle(term) for term in terms]
            for edge in self.edges(id):
                arrived.setdefault(edge.source, []).extend(self.push(terms, id, edge))
        return done


def _renamer(body: Expr, name: Elt) -> Callable[[Expr], Expr | None]:
    return lambda node: name if node == body else None


def _pending(arrived: dict[int, list[Term]]) -> int:
    return sum(term.size for terms in arrived.values() for term in terms)


def _variables(at: Iterable[Ix]) -> tuple[Var, ...]:
    return tuple(v for ix in at for v in ix.variables())
