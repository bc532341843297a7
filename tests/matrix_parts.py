"""Pieces of matrix notation: their sizes, which may follow from what stands beside them, and their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import torch
from index_reader import LIKE
from notation_reader import Unreadable, number
from torch import Tensor

from gradcli.numeric import operations
from gradcli.ops.row import Kind
from gradcli.ops.table import find


class Dim:
    """A size that may not be known yet."""

    def __init__(self, size: int | None = None) -> None:
        self.known, self.same = size, self

    def root(self) -> Dim:
        return self if self.same is self else self.same.root()

    @property
    def size(self) -> int | None:
        return self.root().known

    def join(self, other: Dim) -> None:
        """Make both sizes equal."""
        a, b = self.root(), other.root()
        if a is b:
            return
        if a.known is not None and b.known is not None:
            assert a.known == b.known, f"sizes {a.known} and {b.known} do not fit"
        b.known = a.known if b.known is None else b.known
        a.same = b


@dataclass
class Part:
    """A piece of a formula: rows and columns (None for a scalar), and how to get its value once sizes are known.

    ``raw`` is the tensor in its own shape where the piece is a name or a call of the language.
    """

    dims: tuple[Dim, Dim] | None
    value: Callable[[], Tensor]
    raw: Callable[[], Tensor] | None = None
    rank: int = 2


def finished(part: Part, shape: tuple[int, ...]) -> Tensor:
    """The value of a piece in the shape that is wanted; a shape of one element means a scalar."""
    if part.dims is None:
        assert prod(shape) == 1 or part.rank > 2, f"a scalar where {shape} was expected"
        return part.value().reshape(shape)
    if prod(shape) == 1:
        part.dims[0].join(Dim(1))
        part.dims[1].join(Dim(1))
        return part.value().reshape(shape)
    rows, columns = shape if len(shape) == 2 else (*shape, 1)
    part.dims[0].join(Dim(rows))
    part.dims[1].join(Dim(columns))
    return part.value().reshape(shape)


def named_tensor(raw: Tensor) -> Part:
    """A tensor by name: scalars, columns, matrices; any other only works element by element."""
    raw = raw if raw.dtype.is_floating_point else raw.to(torch.float64)
    if raw.dim() == 0:
        return Part(None, lambda: raw, lambda: raw, 0)
    if raw.dim() > 2:
        return Part(None, lambda: raw, lambda: raw, raw.dim())
    matrix = raw if raw.dim() == 2 else raw.reshape(-1, 1)
    return Part((Dim(matrix.shape[0]), Dim(matrix.shape[1])), lambda: matrix, lambda: raw)


def product_dim(parts: Sequence[Dim]) -> Dim:
    sizes = [part.size for part in parts]
    return Dim(None if None in sizes else prod(size or 0 for size in sizes))


def complete(total: Dim, parts: Sequence[Dim]) -> None:
    """The one size that is not told, from the whole and the others."""
    unknown = [part for part in parts if part.size is None]
    if len(unknown) == 1 and total.size is not None:
        unknown[0].join(Dim(total.size // prod(part.size or 1 for part in parts)))


def compact(value: Tensor) -> Tensor:
    return value.clone(memory_format=torch.contiguous_format)


# -- operations on parts -------------------------------------------------------------


def every(values: Sequence[Tensor]) -> Tensor:
    total = values[0]
    for value in values[1:]:
        total = total * value
    return total


def some(values: Sequence[Tensor]) -> Tensor:
    total = values[0]
    for value in values[1:]:
        total = torch.maximum(total, value)
    return total


def elementwise(parts: Sequence[Part], value: Callable[[Sequence[Tensor]], Tensor]) -> Part:
    """Tensors of one shape, and scalars."""
    large = [part for part in parts if part.rank > 2]
    if large:
        return Part(None, lambda: value([p.value() for p in parts]), None, large[0].rank)
    sized = [part.dims for part in parts if part.dims is not None]
    # an inner product beside vectors is a number
    sized = [dims for dims in sized if not is_single(dims)] or sized
    for dims in sized[1:]:
        sized[0][0].join(dims[0])
        sized[0][1].join(dims[1])
    return Part(sized[0] if sized else None, lambda: value([p.value() for p in parts]), None, 2 if sized else 0)


def is_single(dims: tuple[Dim, Dim]) -> bool:
    return dims[0].size == 1 and dims[1].size == 1


def times(one: Part, other: Part) -> Part:
    """A matrix product, or a multiple by a scalar."""
    if one.dims is None or other.dims is None:
        return elementwise([one, other], lambda values: values[0] * values[1])
    a, b = one.dims, other.dims
    if (is_single(a) and b[0].size != 1) or (is_single(b) and a[1].size != 1):
        dims = b if is_single(a) and b[0].size != 1 else a
        return Part(dims, lambda: one.value() * other.value())
    a[1].join(b[0])
    return Part((a[0], b[1]), lambda: one.value() @ other.value())


def turned(part: Part, op: str) -> Part:
    assert part.dims is not None
    rows, columns = part.dims
    if op == "ᵀ":
        return Part((columns, rows), lambda: part.value().T)
    inverse = torch.linalg.inv
    return Part((rows, columns), lambda: inverse(part.value()) if op == "⁻¹" else inverse(part.value()).T)


def diag(part: Part) -> Part:
    """The matrix with a vector on its diagonal, or the diagonal of a matrix."""
    assert part.dims is not None, "diag of a scalar"
    if part.dims[1].size == 1:
        return Part((part.dims[0], part.dims[0]), lambda: torch.diag(part.value()[:, 0]))
    part.dims[0].join(part.dims[1])
    return Part((part.dims[0], Dim(1)), lambda: part.value().diagonal().reshape(-1, 1))


def vec(part: Part) -> Part:
    """The rows of a matrix one after the other."""
    if part.dims is None:
        value = part.value().reshape(-1, 1)
        return Part((Dim(value.shape[0]), Dim(1)), lambda: value)
    assert part.dims[0].size and part.dims[1].size, "sizes inside vec are not told"
    return Part((Dim(part.dims[0].size * part.dims[1].size), Dim(1)), lambda: part.value().reshape(-1, 1))


def trace(part: Part) -> Part:
    assert part.dims is not None
    part.dims[0].join(part.dims[1])
    return Part(None, lambda: part.value().trace(), None, 0)


def one_hot(part: Part) -> Part:
    assert part.dims is not None
    classes = Dim()

    def value() -> Tensor:
        assert classes.size is not None, "nothing tells how many classes there are"
        return torch.eye(classes.size, dtype=torch.float64)[part.value()[:, 0].long()]

    return Part((part.dims[0], classes), value)


def language(name: str, positional: Sequence[Part], keywords: Mapping[str, object], text: str) -> Part:
    """An operation of the table: element by element where it works so, on whole tensors otherwise."""
    row = find(name)
    if row is None:
        raise Unreadable(f"{text}: no operation {name}")
    operands: list[tuple[str, Part]] = []
    statics = {p.name: p.default for p in row.statics}
    for k, (param, part) in enumerate(zip(row.params, positional, strict=False)):
        if param.is_operand:
            operands.append((param.name, part))
        else:
            if param.kind == "shape":
                statics[param.name] = tuple(int(p.value()) for p in positional[k:])
                break
            number_ = float(part.value())
            statics[param.name] = int(number_) if number_ == int(number_) else number_
    for key, given in keywords.items():
        param = row.params[int(key[1:])] if key[0] == "#" else next(p for p in row.params if p.name == key)
        if param.is_operand:
            assert isinstance(given, (Part, int, float))
            part = given if isinstance(given, Part) else Part(None, lambda g=given: number(str(g)), None, 0)
            operands.append((param.name, part))
        else:
            statics[param.name] = given

    def applied(values: Sequence[Tensor]) -> Tensor:
        kinds = {p.name: p.kind for p in row.params}
        pairs = [
            (key, v.bool() if kinds[key] == "mask" else v.long() if kinds[key] == "index" else v)
            for (key, _), v in zip(operands, values, strict=True)
        ]
        found = operations.apply(name, pairs, statics, LIKE)
        return found if found.dtype.is_floating_point else found.to(torch.float64)

    if row.kind is Kind.ELEMENTWISE:
        return elementwise([part for _, part in operands], applied)
    return named_tensor(applied([raw_of(part) for _, part in operands]))


def raw_of(part: Part) -> Tensor:
    """A piece as torch has it: columns that are no matrices are vectors."""
    if part.raw is not None:
        return part.raw()
    value = part.value()
    return value.reshape(-1) if value.dim() == 2 and value.shape[1] == 1 else value
