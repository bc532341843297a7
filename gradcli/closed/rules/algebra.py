"""Local rules of linear algebra.

W is the inverse; n and p are the last two indices of output and operand, batch
axes in front are equal.  Sources: Petersen and Pedersen, The Matrix Cookbook,
sections 2.1 and 2.2; Murray, Differentiation of the Cholesky decomposition (2016).
"""

from __future__ import annotations

from fractions import Fraction

from gradcli.closed.rules.site import At, Expr, Iterator, Ix, Local, Site, Term, at_least, equals, rule
from gradcli.closed.scalar import Num, mul


def _inverse(site: Site, at: At) -> Expr:
    return site.named(site.make("inv", site.x), at)


@rule("inv")
def _inv(site: Site) -> Iterator[Local]:
    """-W[n1,p1]·W[p2,n2]."""
    p, at = site.fresh(site.x)
    b, (n1, n2), (p1, p2) = site.n[:-2], site.n[-2:], at[-2:]
    product = mul(Num(-1), site.out((*b, n1, p1)), site.out((*b, p2, n2)))
    yield Local(site.x, p, Term(product, (), site.same(b, at[:-2])))


@rule("det")
def _det(site: Site) -> Iterator[Local]:
    """The cofactor of element p, right for a singular matrix too."""
    p, at = site.fresh(site.x)
    cofactor = site.named(site.make("cofactor", site.x), at)
    yield Local(site.x, p, Term(cofactor, (), site.same(site.n, at[:-2])))


@rule("logdet", "slogdet")
def _logdet(site: Site) -> Iterator[Local]:
    """W[p2,p1]."""
    p, at = site.fresh(site.x)
    entry = _inverse(site, (*at[:-2], at[-1], at[-2]))
    yield Local(site.x, p, Term(entry, (), site.same(site.n, at[:-2])))


@rule("solve")
def _solve(site: Site) -> Iterator[Local]:
    """-W[n1,p1]·X[p2,n2] in A, and W[n1,p1] in B; a vector has no n2."""
    a, b = site.node.args
    rank = len(site.shape(a)) - 2
    vector = len(site.shape(b)) == 1 or (len(site.shape(b)) == rank + 1 and site.shape(b) == site.shape(a)[:-1])
    columns = site.n[len(site.n) - 1 :] if not vector else ()
    batch = site.n[: len(site.n) - 1 - len(columns)]
    row = site.n[len(batch)]
    p, at = site.fresh(a)
    out = site.out((*batch, at[-1], *columns))
    inner = batch[len(batch) - rank :]
    entry = _inverse(site, (*_narrowed(inner, site.shape(a)[:-2]), row, at[-2]))
    product = mul(Num(-1), entry, out)
    yield Local(a, p, Term(product, (), _batch(site, batch, at[:-2], site.shape(a)[:-2])))
    p, at = site.fresh(b)
    own = len(at) - 1 - len(columns)
    conditions = _batch(site, batch, at[:own], site.shape(b)[:own])
    conditions += tuple(equals(x, y) for x, y in zip(columns, at[own + 1 :], strict=True))
    entry = _inverse(site, (*_narrowed(inner, site.shape(a)[:-2]), row, at[own]))
    yield Local(b, p, Term(entry, (), conditions))


def _narrowed(batch: At, shape: tuple[int, ...]) -> At:
    return tuple(Ix(0) if size == 1 else ix for ix, size in zip(batch, shape, strict=True))


def _batch(site: Site, batch: At, at: At, shape: tuple[int, ...]) -> tuple:  # type: ignore[type-arg]
    kept = batch[len(batch) - len(at) :]
    return tuple(equals(a, b) for a, b, size in zip(kept, at, shape, strict=True) if size != 1)


@rule("cholesky")
def _cholesky(site: Site) -> Iterator[Local]:
    """dL = L Φ(V dA Vᵀ), V = inv(L), Φ the lower triangle with half its diagonal; dA counts as symmetric."""
    p, at = site.fresh(site.x)
    b, (n1, n2), (p1, p2) = site.n[:-2], site.n[-2:], at[-2:]
    inverse = site.make("inv", site.node.id)
    v, k = site.bound(site.shape(site.x)[-1])

    def term(coefficient: Fraction, left: Ix, right: Ix, condition: object) -> Local:
        factors = [site.out((*b, n1, k)), site.named(inverse, (*b, k, left)), site.named(inverse, (*b, n2, right))]
        where = (*site.same(b, at[:-2]), condition)
        return Local(site.x, p, Term(mul(Num(coefficient), *factors), (v,), where))  # type: ignore[arg-type]

    for left, right in ((p1, p2), (p2, p1)):
        yield term(Fraction(1, 2), left, right, at_least(k, n2 + 1))
        yield term(Fraction(1, 4), left, right, equals(k, n2))


@rule("matrix_power")
def _matrix_power(site: Site) -> Iterator[Local]:
    """Σ_r (A^r)[n1,p1]·(A^(m-1-r))[p2,n2]; a negative power is a power of the inverse."""
    m = int(site.attr("n"))
    base, sign = site.x, 1
    if m < 0:
        base, sign = site.make("inv", site.x), -1
    count = abs(m)
    for r in range(count):
        p, at = site.fresh(site.x)
        b, (n1, n2), (p1, p2) = site.n[:-2], site.n[-2:], at[-2:]
        # the inverse adds one factor of W on each side
        left, right = (r, count - 1 - r) if sign > 0 else (r + 1, count - r)
        factors, conditions = [], list(site.same(b, at[:-2]))
        for exponent, one, two in ((left, n1, p1), (right, p2, n2)):
            if exponent == 0:
                conditions.append(equals(one, two))
            elif exponent == 1:
                factors.append(site.elt(base, (*b, one, two)))
            else:
                power = site.make("matrix_power", base, n=exponent)
                factors.append(site.named(power, (*b, one, two)))
        yield Local(site.x, p, Term(mul(Num(sign), *factors), (), tuple(conditions)))
