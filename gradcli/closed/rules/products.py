"""Local rules of products: each is a sum of products in index notation.

∂out[n]/∂operand[p] is the product of the other operands, where the labels agree.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.closed.index import Ix, Var
from gradcli.closed.rules.site import ONE, Iterator, Local, Site, Term, equals, rule
from gradcli.closed.scalar import Expr, mul
from gradcli.closed.views import broadcast

Labels = tuple[str, ...]


def contraction(site: Site, operands: Sequence[Labels], output: Labels) -> Iterator[Local]:
    """The terms of Σ Π operand[labels] with respect to each operand in turn."""
    sizes: dict[str, int] = {}
    for arg, labels in zip(site.node.args, operands, strict=True):
        for label, size in zip(labels, site.shape(arg), strict=True):
            sizes[label] = max(size, sizes.get(label, 1)) if size != 0 else 0
    for k, (arg, labels) in enumerate(zip(site.node.args, operands, strict=True)):
        p, at = site.fresh(arg)
        place: dict[str, Ix] = dict(zip(output, site.n, strict=True))
        conditions, bound = [], []
        for label, ix, size in zip(labels, at, site.shape(arg), strict=True):
            if size == 1 and sizes[label] != 1:
                continue  # broadcast: every place of the output meets the one element
            if label in place:
                conditions.append(equals(place[label], ix))
            else:
                place[label] = ix
        factors: list[Expr] = []
        for m, (other, others) in enumerate(zip(site.node.args, operands, strict=True)):
            if m == k:
                continue
            for label in others:
                if label not in place:
                    v, place[label] = site.bound(sizes[label])
                    bound.append(v)
            spots = broadcast(tuple(place[label] for label in others), site.shape(other))
            factors.append(site.elt(other, spots))
        bound += _summed(site, labels, place, sizes)
        yield Local(arg, p, Term(mul(*factors), tuple(bound), tuple(conditions)))


def _summed(site: Site, labels: Labels, place: dict[str, Ix], sizes: dict[str, int]) -> list[Var]:
    """A summed label that only a broadcast operand has still counts its size."""
    out = []
    for label in labels:
        if label not in place:
            v, place[label] = site.bound(sizes[label])
            out.append(v)
    return out


def _batch(rank: int) -> Labels:
    """Labels of batch axes, aligned from the right."""
    return tuple(f"batch{k}" for k in range(rank, 0, -1))


def matmul_labels(left: int, right: int) -> tuple[list[Labels], Labels]:
    """Labels of ``left @ right`` by rank, as torch.matmul reads them."""
    one = (*_batch(max(left - 2, 0)), *(("row",) if left > 1 else ()), "inner")
    two = (*_batch(max(right - 2, 0)), "inner", *(("column",) if right > 1 else ()))
    both = _batch(max(left - 2, right - 2, 0))
    out = (*both, *(("row",) if left > 1 else ()), *(("column",) if right > 1 else ()))
    return [one, two], out


@rule("matmul", "dot", "mv", "mm", "bmm")
def _matmul(site: Site) -> Iterator[Local]:
    ranks = [len(site.shape(arg)) for arg in site.node.args]
    yield from contraction(site, *matmul_labels(ranks[0], ranks[1]))


@rule("outer")
def _outer(site: Site) -> Iterator[Local]:
    yield from contraction(site, [("row",), ("column",)], ("row", "column"))


@rule("inner")
def _inner(site: Site) -> Iterator[Local]:
    left, right = (len(site.shape(arg)) for arg in site.node.args)
    if not left or not right:
        one, two = tuple(f"a{k}" for k in range(left)), tuple(f"b{k}" for k in range(right))
        yield from contraction(site, [one, two], (*one, *two))
        return
    one, two = tuple(f"a{k}" for k in range(left - 1)), tuple(f"b{k}" for k in range(right - 1))
    yield from contraction(site, [(*one, "inner"), (*two, "inner")], (*one, *two))


@rule("tensordot")
def _tensordot(site: Site) -> Iterator[Local]:
    left, right = (len(site.shape(arg)) for arg in site.node.args)
    dims = site.attr("dims")
    if isinstance(dims, tuple):
        ones, twos = ([d % left for d in dims[0]], [d % right for d in dims[1]])
    else:
        ones, twos = list(range(left - dims, left)), list(range(dims))
    one = tuple(f"s{ones.index(k)}" if k in ones else f"a{k}" for k in range(left))
    two = tuple(f"s{twos.index(k)}" if k in twos else f"b{k}" for k in range(right))
    free = tuple(x for x in (*one, *two) if x[0] != "s")
    yield from contraction(site, [one, two], free)


@rule("einsum")
def _einsum(site: Site) -> Iterator[Local]:
    inputs, output = einsum_labels(site.attr("equation"), [len(site.shape(arg)) for arg in site.node.args])
    yield from contraction(site, inputs, output)


def einsum_labels(equation: str, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
    """The labels that an einsum equation gives its operands and its output."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs: list[Labels] = []
    extra = 0
    for term, rank in zip(left.split(","), ranks, strict=True):
        before, dots, after = term.partition("...")
        hidden = rank - len(before) - len(after) if dots else 0
        extra = max(extra, hidden)
        inputs.append((*before, *_batch(hidden), *after))
    if arrow:
        before, dots, after = right.partition("...")
        return inputs, (*before, *(_batch(extra) if dots else ()), *after)
    letters = [x for labels in inputs for x in labels if len(x) == 1]
    return inputs, (*_batch(extra), *sorted(x for x in set(letters) if letters.count(x) == 1))


@rule("trace")
def _trace(site: Site) -> Iterator[Local]:
    """δ(p1,p2); the matrix need not be square."""
    p, at = site.fresh(site.x)
    yield Local(site.x, p, Term(ONE, (), (equals(*at),)))


@rule("kron")
def _kron(site: Site) -> Iterator[Local]:
    """out[n] = a[n div R] * b[n mod R], R the shape of b."""
    a, b = site.node.args
    rank = max(len(site.shape(a)), len(site.shape(b)))
    sizes = (1,) * (rank - len(site.shape(b))) + site.shape(b)
    rows = tuple(ix.div(size) for ix, size in zip(site.n, sizes, strict=True))[rank - len(site.shape(a)) :]
    columns = tuple(ix.mod(size) for ix, size in zip(site.n, sizes, strict=True))[rank - len(site.shape(b)) :]
    p, at = site.fresh(a)
    yield Local(a, p, Term(site.elt(b, columns), (), site.same(at, rows)))
    p, at = site.fresh(b)
    yield Local(b, p, Term(site.elt(a, rows), (), site.same(at, columns)))
