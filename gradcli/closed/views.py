"""Views as maps on indices: element n of the view is element ``map(n)`` of its operand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from gradcli.closed.index import Ix

Shape = tuple[int, ...]
At = tuple[Ix, ...]


@dataclass(frozen=True, slots=True)
class View:
    """One view at hand: the operand's ``shape``, the output's shape ``out`` and indices ``at``.

    ``shapes`` has the shape of every operand by parameter name; ``look(name, at, size)`` is the
    index found at ``at`` in the integer operand ``name``.
    """

    attrs: dict[str, Any]
    shape: Shape
    out: Shape
    at: At
    shapes: dict[str, Shape]
    look: Callable[[str, At, int], Ix]


def axis(dim: int, rank: int) -> int:
    """A dimension counted from 0."""
    return dim % rank if rank else 0


def axes(dims: Any, rank: int) -> tuple[int, ...]:
    """Dimensions counted from 0; None means all."""
    if dims is None or not rank:
        return tuple(range(rank))
    return tuple(axis(d, rank) for d in (dims if isinstance(dims, tuple) else (dims,)))


def flat(at: Sequence[Ix], shape: Shape) -> Ix:
    """The place in row-major order."""
    place = Ix(0)
    for ix, size in zip(at, shape, strict=True):
        place = place * size + ix
    return place


def unflat(place: Ix, shape: Shape) -> At:
    """The inverse of :func:`flat`."""
    out: list[Ix] = []
    for size in reversed(shape):
        out.append(place.mod(max(size, 1)) if len(out) + 1 < len(shape) else place)
        place = place.div(max(size, 1))
    return tuple(reversed(out))


def broadcast(at: At, shape: Shape) -> At:
    """Indices into an operand of ``shape`` that is broadcast against ``at``: size-1 axes get 0."""
    kept = at[len(at) - len(shape) :]
    return tuple(Ix(0) if size == 1 else ix for ix, size in zip(kept, shape, strict=True))


def broadcast_shapes(shapes: Sequence[Shape]) -> Shape:
    """The shape that operands of these shapes broadcast to."""
    rank = max((len(s) for s in shapes), default=0)
    padded = [(1,) * (rank - len(s)) + s for s in shapes]
    return tuple(next((n for n in sizes if n != 1), 1) for sizes in zip(*padded, strict=True))


def slices(index: Sequence[Any], shape: Shape, at: At) -> At:
    """The map of ``x[index]`` for ints, slices, ``...`` and None."""
    rest = list(at)
    taken = sum(1 for item in index if item is not None and item != "...")
    out: list[Ix] = []
    for item in index:
        if item is None:
            rest.pop(0)
        elif item == "...":
            for _ in range(len(shape) - taken):
                out.append(rest.pop(0))
        elif isinstance(item, tuple):
            start, _, step = slice(*item[1:]).indices(shape[len(out)])
            out.append(rest.pop(0) * step + start)
        else:
            out.append(Ix(item % shape[len(out)]))
    return (*out, *rest)


def _reshape(v: View) -> At:
    return unflat(flat(v.at, v.out), v.shape)


def _squeeze(v: View) -> At:
    dropped = {d for d in axes(v.attrs.get("dim"), len(v.shape)) if v.shape[d] == 1}
    rest = list(v.at)
    return tuple(Ix(0) if d in dropped else rest.pop(0) for d in range(len(v.shape)))


def _unsqueeze(v: View) -> At:
    d = axis(v.attrs["dim"], len(v.out))
    return v.at[:d] + v.at[d + 1 :]


def _expand(v: View) -> At:
    return broadcast(v.at, v.shape)


def _permuted(order: Sequence[int], at: At) -> At:
    """Output axis k is input axis order[k]."""
    return tuple(at[list(order).index(d)] for d in range(len(at)))


def _transpose(v: View) -> At:
    order = list(range(len(v.shape)))
    if order:
        one, two = axis(v.attrs["dim0"], len(order)), axis(v.attrs["dim1"], len(order))
        order[one], order[two] = order[two], order[one]
    return _permuted(order, v.at)


def _reverse(v: View) -> At:
    return v.at[::-1]


def _mT(v: View) -> At:
    return (*v.at[:-2], v.at[-1], v.at[-2])


def _permute(v: View) -> At:
    return _permuted(axes(v.attrs["dims"], len(v.shape)), v.at)


def _movedim(v: View) -> At:
    source, destination = axes(v.attrs["source"], len(v.shape)), axes(v.attrs["destination"], len(v.shape))
    order: list[int | None] = [None] * len(v.shape)
    for s, d in zip(source, destination, strict=True):
        order[d] = s
    rest = iter(d for d in range(len(v.shape)) if d not in source)
    return _permuted([next(rest) if d is None else d for d in order], v.at)


def _flip(v: View) -> At:
    dims = axes(v.attrs["dims"], len(v.shape))
    return tuple(Ix(v.shape[d] - 1) - ix if d in dims else ix for d, ix in enumerate(v.at))


def _roll(v: View) -> At:
    shifts = v.attrs["shifts"] if isinstance(v.attrs["shifts"], tuple) else (v.attrs["shifts"],)
    if 0 in v.shape:
        return v.at
    if v.attrs.get("dims") is None:
        return unflat((flat(v.at, v.shape) - shifts[0]).mod(prod(v.shape)), v.shape)
    moved = list(v.at)
    for d, shift in zip(axes(v.attrs["dims"], len(v.shape)), shifts, strict=True):
        moved[d] = (moved[d] - shift).mod(v.shape[d])
    return tuple(moved)


def _repeat(v: View) -> At:
    kept = v.at[len(v.at) - len(v.shape) :]
    return tuple(ix.mod(size) if size else Ix(0) for ix, size in zip(kept, v.shape, strict=True))


def _repeat_interleave(v: View) -> At:
    if v.attrs.get("dim") is None:
        return unflat(v.at[0].div(max(v.attrs["repeats"], 1)), v.shape)
    d = axis(v.attrs["dim"], len(v.shape))
    return (*v.at[:d], v.at[d].div(max(v.attrs["repeats"], 1)), *v.at[d + 1 :])


def _diagonal(v: View) -> At:
    one, two = axis(v.attrs["dim1"], len(v.shape)), axis(v.attrs["dim2"], len(v.shape))
    offset, place, rest = v.attrs["offset"], v.at[-1], list(v.at[:-1])
    return tuple(
        place + max(-offset, 0) if d == one else place + max(offset, 0) if d == two else rest.pop(0)
        for d in range(len(v.shape))
    )


def _select(v: View) -> At:
    d = axis(v.attrs["dim"], len(v.shape))
    return (*v.at[:d], Ix(v.attrs["position"] % v.shape[d]), *v.at[d:])


def _narrow(v: View) -> At:
    d = axis(v.attrs["dim"], len(v.shape))
    return (*v.at[:d], v.at[d] + v.attrs["start"] % max(v.shape[d], 1), *v.at[d + 1 :])


def _index_select(v: View) -> At:
    d = axis(v.attrs["dim"], len(v.shape))
    if not v.shape:
        return ()
    return (*v.at[:d], v.look("index", (v.at[d],), v.shape[d]), *v.at[d + 1 :])


def _gather(v: View) -> At:
    d = axis(v.attrs["dim"], len(v.shape))
    if not v.shape or 0 in v.shapes["index"]:
        return (Ix(0),) * len(v.shape)
    return (*v.at[:d], v.look("index", v.at, v.shape[d]), *v.at[d + 1 :])


def _embedding(v: View) -> At:
    return (v.look("index", v.at[:-1], v.shape[0]), v.at[-1])


def _take(v: View) -> At:
    return unflat(v.look("index", v.at, prod(v.shape)), v.shape)


def _same(v: View) -> At:
    return v.at


def _index(v: View) -> At:
    return slices(v.attrs["index"], v.shape, v.at)


def _take_along_dim(v: View) -> At:
    places = v.shapes["index"]
    if v.attrs.get("dim") is None:
        return unflat(v.look("index", unflat(v.at[0], places), prod(v.shape)), v.shape)
    d = axis(v.attrs["dim"], len(v.shape))
    place = v.look("index", broadcast(v.at, places), v.shape[d])
    return broadcast((*v.at[:d], place, *v.at[d + 1 :]), v.shape)


ViewMap = Callable[[View], At]

MAPS: dict[str, ViewMap] = {
    "index": _index, "reshape": _reshape, "flatten": _reshape, "squeeze": _squeeze, "unsqueeze": _unsqueeze,
    "expand": _expand, "transpose": _transpose, "t": _reverse, "mT": _mT, "permute": _permute,
    "movedim": _movedim, "flip": _flip, "roll": _roll, "repeat": _repeat,
    "repeat_interleave": _repeat_interleave, "diagonal": _diagonal, "select": _select, "narrow": _narrow,
    "clone": _same, "index_select": _index_select, "gather": _gather, "embedding": _embedding, "take": _take,
    "take_along_dim": _take_along_dim,
}  # fmt: skip


def view_map(op: str) -> ViewMap | None:
    """The index map of a view operation, or None."""
    return MAPS.get(op)
