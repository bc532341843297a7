"""Local rules of operations that join, cut or slide: 1 where the indices match, 0 elsewhere."""

from __future__ import annotations

from fractions import Fraction

from gradcli.closed.rules.site import ONE, Iterator, Ix, Local, Site, Term, at_least, equals, rule
from gradcli.closed.scalar import Num


@rule("stack")
def _stack(site: Site) -> Iterator[Local]:
    """n = k on the new axis."""
    d = site.attr("dim") % len(site.n)
    rest = site.n[:d] + site.n[d + 1 :]
    for k, arg in enumerate(site.node.args):
        p, at = site.fresh(arg)
        yield Local(arg, p, Term(ONE, (), (equals(site.n[d], Ix(k)), *site.same(rest, at))))


@rule("cat")
def _cat(site: Site) -> Iterator[Local]:
    """n = p + where the operand starts."""
    d, start = site.attr("dim") % len(site.n), 0
    for arg in site.node.args:
        if site.shape(arg) == (0,):
            continue  # torch lets an empty vector stand for nothing
        p, at = site.fresh(arg)
        yield Local(arg, p, Term(ONE, (), (equals(site.n[d], at[d] + start), *site.same(site.n, at, but=d))))
        start += site.shape(arg)[d]


@rule("pad")
def _pad(site: Site) -> Iterator[Local]:
    """n = p + the border in front."""
    p, at = site.fresh(site.x)
    border, rank = site.attr("pad"), len(at)
    fronts = [border[2 * (rank - 1 - d)] if 2 * (rank - 1 - d) < len(border) else 0 for d in range(rank)]
    moved = tuple(ix + front for ix, front in zip(at, fronts, strict=True))
    yield Local(site.x, p, Term(ONE, (), site.same(site.n, moved)))


@rule("diag")
def _diag(site: Site) -> Iterator[Local]:
    """A vector: n1 = p + …, n2 = p + …; a matrix: the other way round."""
    p, at = site.fresh(site.x)
    offset = site.attr("diagonal")
    down, right = max(-offset, 0), max(offset, 0)
    inner, outer = (at[0], site.n) if len(at) == 1 else (site.n[0], at)
    yield Local(site.x, p, Term(ONE, (), (equals(outer[0], inner + down), equals(outer[1], inner + right))))


@rule("diag_embed")
def _diag_embed(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    offset = site.attr("offset")
    one, two = at[-1] + max(-offset, 0), at[-1] + max(offset, 0)
    conditions = (*site.same(site.n[:-2], at[:-1]), equals(site.n[-2], one), equals(site.n[-1], two))
    yield Local(site.x, p, Term(ONE, (), conditions))


@rule("tril", "triu")
def _triangle(site: Site) -> Iterator[Local]:
    """n = p in the triangle."""
    p, at = site.fresh(site.x)
    row, column = site.n[-2] + site.attr("diagonal"), site.n[-1]
    inside = at_least(row, column) if site.node.op == "tril" else at_least(column, row)
    yield Local(site.x, p, Term(ONE, (), (*site.same(site.n, at), inside)))


@rule("conv1d")
def _conv1d(site: Site) -> Iterator[Local]:
    """out[b, o, t] = Σ_ck weight[o, c, k]·x[b, c, stride·t + dilation·k - padding] + bias[o]."""
    x, weight = site.node.args[:2]
    stride, padding, dilation = site.attr("stride"), site.attr("padding"), site.attr("dilation")
    *batch, o, t = site.n
    p, at = site.fresh(x)
    v, k = site.bound(site.shape(weight)[2])
    where = (*site.same(batch, at[:-2]), equals(at[-1] + padding, t * stride + k * dilation))
    yield Local(x, p, Term(site.elt(weight, (o, at[-2], k)), (v,), where))
    p, at = site.fresh(weight)
    place = t * stride + at[2] * dilation - padding
    inside = (at_least(place, 0), at_least(Ix(site.shape(x)[-1] - 1), place))
    where = (equals(o, at[0]), *inside)
    yield Local(weight, p, Term(site.elt(x, (*batch, at[1], place)), (), where))
    if len(site.node.args) > 2:
        bias = site.node.args[2]
        p, at = site.fresh(bias)
        yield Local(bias, p, Term(ONE, (), (equals(o, at[0]),)))


@rule("avg_pool1d")
def _avg_pool1d(site: Site) -> Iterator[Local]:
    """Mean over a window of kernel_size, the padding counted in."""
    p, at = site.fresh(site.x)
    size = site.attr("kernel_size")
    v, k = site.bound(size)
    stride = site.attr("stride") or size
    where = (*site.same(site.n[:-1], at[:-1]), equals(at[-1] + site.attr("padding"), site.n[-1] * stride + k))
    yield Local(site.x, p, Term(Num(Fraction(1, size)), (v,), where))
