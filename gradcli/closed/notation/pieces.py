"""Sums of pieces, each a number times scalars times a vector or matrix, with what they share taken out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gradcli.closed.notation import signs, tree
from gradcli.closed.notation.nodes import Kron, Node, Product
from gradcli.closed.notation.products import less, scaled, shared_powers, signed
from gradcli.closed.notation.showing import divided, shared_number
from gradcli.closed.scalar import ONE, Num


@dataclass(frozen=True)
class Piece:
    """number · Π scalar**exponent · core."""

    number: Num
    scalars: tuple[tuple[Node, Num], ...]
    core: Node | None

    @property
    def factors(self) -> tuple[Node, ...]:
        """The core as a product of matrices."""
        if self.core is None:
            return ()
        return self.core.factors if isinstance(self.core, Product) else (self.core,)

    def written(self) -> tuple[bool, Node]:
        return scaled(self.number, self.scalars, self.core)


def total(pieces: Sequence[Piece], around: Callable[[Node], Node] = lambda inner: inner) -> Node:
    """The sum of pieces as it is read best; ``around`` puts more about it before scalars multiply it."""
    if not pieces:
        return signs.ZERO
    shared, rest = _shared(_gathered(_gathered_krons(_merged(pieces))))
    if len(rest) == 1 and rest[0].core is not None:
        shared, rest = replace(rest[0], core=None), [Piece(ONE, (), rest[0].core)]
    inner = tree.added([piece.written() for piece in rest])
    if len(rest) == 1 and rest[0].core is None:
        return around(inner)
    return signed(*scaled(shared.number, shared.scalars, around(inner)))


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Like pieces as one."""
    out: list[Piece] = []
    for piece in pieces:
        same = next((p for p in out if p.core == piece.core and p.scalars == piece.scalars), None)
        if same is None:
            out.append(piece)
            continue
        value = same.number.value + piece.number.value
        number = Num(value, same.number.decimal or piece.number.decimal)
        out = [replace(p, number=number) if p is same else p for p in out if p is not same or value]
    return out


# -- scalars -----------------------------------------------------------------------


def _shared(pieces: list[Piece]) -> tuple[Piece, list[Piece]]:
    """What all pieces share as number and scalars, and what is left of each."""
    if len(pieces) < 2:
        return Piece(ONE, (), None), pieces
    number = shared_number([piece.number for piece in pieces])
    common = shared_powers([piece.scalars for piece in pieces])
    rest = [Piece(divided(p.number, number), tuple(less(p.scalars, common)), p.core) for p in pieces]
    return Piece(number, tuple(common), None), rest


# -- matrices ----------------------------------------------------------------------


def _gathered(pieces: list[Piece]) -> list[Piece]:
    """Pieces that end, or begin, with the same matrix put together: A x + B x is (A + B) x."""
    for end in (-1, 0):
        k = 0
        while k < len(pieces):
            same = [p for p in pieces[k:] if _meets(pieces[k], p, end)]
            # some of several terms only where little is put in parentheses
            if len(same) > 1 and (len(same) == len(pieces) or all(len(p.factors) == 2 for p in same)):
                pieces = [*pieces[:k], _joined(same, end), *(p for p in pieces[k:] if all(p is not s for s in same))]
            k += 1
    return pieces


def _gathered_krons(pieces: list[Piece]) -> list[Piece]:
    """Kronecker products that differ in one factor put together: A ⊗ x + B ⊗ x is (A + B) ⊗ x."""
    k = 0
    while k < len(pieces):
        one = pieces[k].core
        for other in pieces[k + 1 :]:
            spot = _difference(one, other.core)
            if spot is None:
                continue
            assert isinstance(one, Kron) and isinstance(other.core, Kron)
            both = [replace(pieces[k], core=one.factors[spot]), replace(other, core=other.core.factors[spot])]
            shared, rest = _shared(both)
            one = Kron(2, (*one.factors[:spot], total(rest), *one.factors[spot + 1 :]))
            pieces = [*pieces[:k], replace(shared, core=one), *(p for p in pieces[k + 1 :] if p is not other)]
        k += 1
    return pieces


def _difference(one: Node | None, other: Node | None) -> int | None:
    """The one place where two Kronecker products differ."""
    if not isinstance(one, Kron) or not isinstance(other, Kron) or len(one.factors) != len(other.factors):
        return None
    places = [k for k, (a, b) in enumerate(zip(one.factors, other.factors, strict=True)) if a != b]
    return places[0] if len(places) == 1 else None


def _meets(one: Piece, other: Piece, end: int) -> bool:
    a, b = one.factors, other.factors
    # two 𝟏 may be of different sizes
    return len(a) > 1 and len(b) > 1 and a[end] == b[end] and a[end] not in (signs.ONES, tree.transposed(signs.ONES))


def _joined(pieces: Sequence[Piece], end: int) -> Piece:
    factor = pieces[0].factors[end]
    shared, rest = _shared([Piece(p.number, p.scalars, _product(_rest(p.factors, end))) for p in pieces])
    inner = tree.compact(total(rest))
    core = tree.flattened([factor, inner] if end == 0 else [inner, factor])
    assert pieces[0].core is not None
    return Piece(shared.number, shared.scalars, Product(pieces[0].core.rank, core))


def _rest(factors: Sequence[Node], end: int) -> tuple[Node, ...]:
    return tuple(factors[1:] if end == 0 else factors[:-1])


def _product(factors: tuple[Node, ...]) -> Node:
    return factors[0] if len(factors) == 1 else Product(_rank(factors), factors)


def _rank(factors: Sequence[Node]) -> int:
    """A product of matrices, or of a column and a row, is a matrix; with one vector it is a vector."""
    return 2 - sum(f.rank == 1 for f in factors) % 2
