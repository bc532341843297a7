"""How many elements an operation is going to make, known before torch allocates them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from gradcli.errors import GradcliError
from gradcli.language.limits import ELEMENTS

Shape = tuple[int, ...]


def check(count: int) -> None:
    """Refuse a tensor of ``count`` elements when that passes ``ELEMENTS``.

    Raises:
        GradcliError: as said.
    """
    if count > ELEMENTS:
        raise GradcliError(
            f"the tensor would have {count:,} elements; the limit is {ELEMENTS:,}",
            hint="use smaller tensors: the closed form is the same for any size",
        )


def broadcast(*shapes: Shape) -> Shape | None:
    """The common shape of ``shapes`` by torch's rule; None when they do not broadcast."""
    result: list[int] = []
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        sizes = {shape[-axis] for shape in shapes if len(shape) >= axis} - {1}
        if len(sizes) > 1:
            return None
        result.append(sizes.pop() if sizes else 1)
    return tuple(reversed(result))


def predict(op: str, shapes: list[Shape], attrs: Mapping[str, Any]) -> int:
    """An upper bound on the elements of ``op``'s result; 0 where the operands are at fault.

    Exact for operations that can make more elements than they get; any other operation
    is taken to broadcast its operands.
    """
    rule = _RULES.get(op)
    try:
        if rule is not None:
            return rule(shapes, attrs)
        if prod(map(prod, shapes)) <= ELEMENTS:  # the product bounds every broadcast
            return 0
        return prod(broadcast(*shapes) or ())
    except (LookupError, TypeError, ValueError, ZeroDivisionError):
        return 0  # torch will say what is wrong with the operands


def _ints(value: Any) -> Shape:
    return (value,) if isinstance(value, int) else tuple(value)


def _matmul(shapes: list[Shape], attrs: Mapping[str, Any]) -> int:
    left, right = shapes[-2:]
    batch = broadcast(left[:-2], right[:-2]) or ()
    return prod(batch) * prod(left[-2:-1]) * (right[-1] if len(right) > 1 else 1)


def _einsum(shapes: list[Shape], attrs: Mapping[str, Any]) -> int:
    terms, arrow, output = re.sub(r"\s", "", attrs["equation"]).partition("->")
    sizes: dict[str, int] = {}
    rest: list[Shape] = []
    for term, shape in zip(terms.split(","), shapes, strict=True):
        before, dots, after = term.partition("...")
        middle = len(shape) - len(after) if dots else len(before)
        sizes.update(zip(before + after, shape[: len(before)] + shape[middle:], strict=True))
        rest.append(shape[len(before) : middle])
    if not arrow:
        output = "".join(letter for letter in sizes if terms.count(letter) == 1)
    return prod(sizes[letter] for letter in output.replace(".", "")) * prod(broadcast(*rest) or ())


def _tensordot(shapes: list[Shape], attrs: Mapping[str, Any]) -> int:
    left, right = shapes
    dims = attrs["dims"]
    axes = range(-dims, 0) if isinstance(dims, int) else _ints(dims[0])
    shared = prod(left[axis] for axis in axes)
    return prod(left) * prod(right) // (shared * shared)


def _expand(shapes: list[Shape], attrs: Mapping[str, Any]) -> int:
    old, new = shapes[0], _ints(attrs["shape"])
    padded = (1,) * (len(new) - len(old)) + old
    return prod(had if size == -1 else size for had, size in zip(padded, new, strict=True))


def _pad(shapes: list[Shape], attrs: Mapping[str, Any]) -> int:
    sizes, pads = list(shapes[0]), _ints(attrs["pad"])
    for axis in range(len(pads) // 2):
        sizes[-1 - axis] += pads[2 * axis] + pads[2 * axis + 1]
    return prod(sizes)


def _diagonal(offset: str) -> Callable[[list[Shape], Mapping[str, Any]], int]:
    def size(shapes: list[Shape], attrs: Mapping[str, Any]) -> int:
        *batch, last = shapes[0]
        side: int = last + abs(attrs[offset])
        return prod(batch) * side * side

    return size


def _diag(shapes: list[Shape], attrs: Mapping[str, Any]) -> int:
    return _diagonal("diagonal")(shapes, attrs) if len(shapes[0]) == 1 else 0


#: operations whose result may have more elements than a broadcast of their operands
_RULES: dict[str, Callable[[list[Shape], Mapping[str, Any]], int]] = {
    "matmul": _matmul,
    "mm": _matmul,
    "bmm": _matmul,
    "mv": _matmul,
    "addmm": _matmul,
    "addmv": _matmul,
    "baddbmm": _matmul,
    "linear": lambda s, a: prod(s[0][:-1]) * s[1][0],
    "inner": lambda s, a: prod(s[0][:-1]) * prod(s[1][:-1]),
    "outer": lambda s, a: prod(s[0]) * prod(s[1]),
    "kron": lambda s, a: prod(s[0]) * prod(s[1]),
    "cdist": lambda s, a: prod(broadcast(s[0][:-2], s[1][:-2]) or ()) * s[0][-2] * s[1][-2] * s[0][-1],
    "scaled_dot_product_attention": lambda s, a: prod(s[0][:-1]) * s[1][-2],
    "tensordot": _tensordot,
    "einsum": _einsum,
    "expand": _expand,
    "repeat": lambda s, a: prod(s[0]) * prod(_ints(a["repeats"])),
    "repeat_interleave": lambda s, a: prod(s[0]) * a["repeats"],
    "pad": _pad,
    "diag": _diag,
    "diag_embed": _diagonal("offset"),
    "one_hot": lambda s, a: prod(s[0]) * a["num_classes"],
    "embedding": lambda s, a: prod(s[0]) * s[1][-1],
    "index_select": lambda s, a: prod(s[0]) // s[0][a["dim"]] * prod(s[1]),
    "gather": lambda s, a: prod(s[1]),
    "take": lambda s, a: prod(s[1]),
    "stack": lambda s, a: sum(map(prod, s)),
    "cat": lambda s, a: sum(map(prod, s)),
    "hstack": lambda s, a: sum(map(prod, s)),
    "vstack": lambda s, a: sum(map(prod, s)),
    "conv1d": lambda s, a: s[0][0] * s[1][0] * (s[0][-1] + 2 * a["padding"]),
    "cumprod_others": lambda s, a: prod(s[0]) * max(s[0]),
}
