"""Local rules of sums, means, norms, the softmax family, extremes and scans.

n: index of the output, p: index of the operand.
"""

from __future__ import annotations

import math
from fractions import Fraction

from gradcli.closed.elementwise import apply
from gradcli.closed.rules.site import (
    ONE,
    At,
    Expr,
    Fn,
    Iterator,
    Local,
    Site,
    Term,
    at_least,
    equals,
    inverse_or_zero,
    look,
    rule,
)
from gradcli.closed.scalar import Num, mul, power


def _folded(site: Site, coefficient: Expr, p: tuple, at: At) -> Local:  # type: ignore[type-arg]
    return Local(site.x, p, Term(coefficient, (), site.same(site.n, site.reduced(at))))


@rule("sum")
def _sum(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    yield _folded(site, ONE, p, at)


@rule("mean")
def _mean(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    yield _folded(site, Num(Fraction(1, max(site.count(), 1))), p, at)


def _freedom(site: Site) -> Num:
    correction = site.attr("correction")
    if correction is None:
        correction = 1 if site.attr("unbiased") else 0
    return Num(Fraction(site.count()) - Fraction(correction))


def _centred(site: Site, at: At) -> Expr:
    mean = site.make("mean", site.x, dim=site.attr("dim"), keepdim=site.attr("keepdim"))
    return site.elt(site.x, at) - site.named(site.graph.resolve(mean), site.reduced(at))


@rule("var")
def _var(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    yield _folded(site, mul(Num(2), _centred(site, at), power(_freedom(site), Num(-1))), p, at)


@rule("std")
def _std(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    scale = mul(inverse_or_zero(site.out()), power(_freedom(site), Num(-1)))
    yield _folded(site, mul(_centred(site, at), scale), p, at)


@rule("norm")
def _norm(site: Site) -> Iterator[Local]:
    order = float(site.attr("p"))
    p, at = site.fresh(site.x)
    x = site.elt(site.x, at)
    sign, size = apply("sign", {"x": x}, ()), apply("abs", {"x": x}, ())
    if order == 2:
        slope = mul(x, inverse_or_zero(site.out()))
    elif order == 1:
        slope = sign
    elif order == 0:
        return
    elif math.isinf(order):
        ties = site.make("ties", site.make("abs", site.x), site.node.id, dim=site.attr("dim"))
        computed = apply("abs", {"x": site.named(site.x, at)}, ())
        share = Fn("eq", (computed, site.out(site.reduced(at))))
        slope = mul(sign, share, power(site.named(ties, site.reduced(at)), Num(-1)))
    else:
        above = Fraction(str(site.attr("p"))) - 1
        slope = mul(sign, _raised(size, above), _raised(site.out(), -above))
    yield _folded(site, slope, p, at)


def _raised(base: Expr, exponent: Fraction) -> Expr:
    """base**exponent, 0 where a negative power of 0 would be infinite: torch's convention."""
    number = Num(abs(exponent), exponent.denominator != 1)
    return power(base if exponent > 0 else inverse_or_zero(base), number)


@rule("prod")
def _prod(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    yield _folded(site, site.named(site.make("prod_others", site.x, dim=site.attr("dim")), at), p, at)


@rule("softmax")
def _softmax(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    yield Local(site.x, p, Term(site.out(), (), site.same(site.n, at)))
    p, at = site.fresh(site.x)
    product = mul(Num(-1), site.out(), site.out(at))
    yield Local(site.x, p, Term(product, (), site.same(site.n, at, but=site.axis())))


@rule("log_softmax")
def _log_softmax(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    yield Local(site.x, p, Term(ONE, (), site.same(site.n, at)))
    p, at = site.fresh(site.x)
    share = site.named(site.make("softmax", site.x, dim=site.attr("dim")), at)
    yield Local(site.x, p, Term(mul(Num(-1), share), (), site.same(site.n, at, but=site.axis())))


@rule("logsumexp")
def _logsumexp(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    dims = site.axes()
    if len(dims) == 1:
        last = dims[0] == len(site.shape(site.x)) - 1
        share = site.named(site.make("softmax", site.x, dim=-1 if last else dims[0]), at)
    else:
        share = apply("exp", {"x": site.elt(site.x, at) - site.out(site.reduced(at))}, ())
    yield _folded(site, share, p, at)


def _shared(site: Site) -> Iterator[Local]:
    """Equal ones share: [x[p] == y]/ties."""
    p, at = site.fresh(site.x)
    ties = site.make("ties", site.x, site.node.id, dim=site.attr("dim"))
    # compared as torch computed it: an operand simplified on paper may round to another number
    share = Fn("eq", (site.named(site.x, at), site.out(site.reduced(at))))
    yield _folded(site, mul(share, power(site.named(ties, site.reduced(at)), Num(-1))), p, at)


def _picked(site: Site, place: int) -> Iterator[Local]:
    """One takes it all: p = place[n] along dim."""
    p, at = site.fresh(site.x)
    d = site.axis()
    keep = site.node.attrs.get("keepdim", True) or not site.shape(site.x)
    rest = at if keep else at[:d] + at[d + 1 :]
    chosen = look(place, site.n, site.shape(site.x)[d] if at else 1)
    conditions = site.same(site.n, rest, but=d if keep else None)
    yield Local(site.x, p, Term(ONE, (), (*conditions, *([equals(at[d], chosen)] if at else []))))


@rule("amax", "amin")
def _extreme(site: Site) -> Iterator[Local]:
    yield from _shared(site)


@rule("max", "min", "median")
def _one_of(site: Site) -> Iterator[Local]:
    if site.attr("dim") is None:
        yield from _shared(site)
    else:
        place = {"max": "argmax", "min": "argmin", "median": "argmedian"}[site.node.op]
        yield from _picked(site, site.make(place, site.x, dim=site.attr("dim"), keepdim=site.attr("keepdim")))


@rule("kthvalue")
def _kthvalue(site: Site) -> Iterator[Local]:
    attrs = {name: site.attr(name) for name in ("k", "dim", "keepdim")}
    yield from _picked(site, site.make("argkthvalue", site.x, **attrs))


@rule("sort", "topk", "cummax", "cummin")
def _ordered(site: Site) -> Iterator[Local]:
    yield from _picked(site, site.make(f"arg{site.node.op}", site.x, **site.node.attrs))


def _earlier(site: Site, coefficient: Expr, p: tuple, at: At) -> Local:  # type: ignore[type-arg]
    d = site.axis()
    conditions = site.same(site.n, at, but=d)
    return Local(site.x, p, Term(coefficient, (), (*conditions, *([at_least(site.n[d], at[d])] if at else []))))


@rule("cumsum")
def _cumsum(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    yield _earlier(site, ONE, p, at)


#: above this length the products of the others are not tabulated, and a zero gives 0/0
_TABULATED = 512


@rule("cumprod")
def _cumprod(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    d = site.axis()
    if at and site.shape(site.x)[d] > _TABULATED:
        others = site.out() / site.elt(site.x, at)
    elif at:
        place = (*site.n[:d], *site.n[d + 1 :], site.n[d], at[d])
        others = site.named(site.make("cumprod_others", site.x, dim=site.attr("dim")), place)
    else:
        others = ONE
    yield _earlier(site, others, p, at)


@rule("logcumsumexp")
def _logcumsumexp(site: Site) -> Iterator[Local]:
    p, at = site.fresh(site.x)
    yield _earlier(site, apply("exp", {"x": site.elt(site.x, at) - site.out()}, ()), p, at)
