"""Shapes of the nodes that rules and expansions add, found without computing them.

The common operations are told here; any other is asked of torch on tensors without
memory, which is right but loads slow parts of torch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.closed.elementwise import is_elementwise
from gradcli.closed.rules.products import matmul_labels
from gradcli.closed.views import Shape, axes, axis, broadcast_shapes

Shapes = Sequence[Shape]
Attrs = dict[str, Any]


def _folded(shapes: Shapes, attrs: Attrs) -> Shape:
    dims, keep = axes(attrs.get("dim"), len(shapes[0])), attrs.get("keepdim", False)
    return tuple(1 if d in dims else n for d, n in enumerate(shapes[0]) if keep or d not in dims)


def _matmul(shapes: Shapes, attrs: Attrs) -> Shape:
    operands, output = matmul_labels(len(shapes[0]), len(shapes[1]))
    sizes: dict[str, int] = {}
    for labels, shape in zip(operands, shapes, strict=True):
        for label, n in zip(labels, shape, strict=True):
            sizes[label] = n if sizes.get(label, 1) == 1 else sizes[label]
    return tuple(sizes[label] for label in output)


def _index(shapes: Shapes, attrs: Attrs) -> Shape:
    index, shape, out, d = attrs["index"], shapes[0], [], 0
    taken = sum(1 for item in index if item is not None and item != "...")
    for item in index:
        if item is None:
            out.append(1)
        elif item == "...":
            out += shape[d : d + len(shape) - taken]
            d += len(shape) - taken
        else:
            if isinstance(item, tuple):
                out.append(len(range(*slice(*item[1:]).indices(shape[d]))))
            d += 1
    return (*out, *shape[d:])


def _squeeze(shapes: Shapes, attrs: Attrs) -> Shape:
    dims = axes(attrs.get("dim"), len(shapes[0]))
    return tuple(n for d, n in enumerate(shapes[0]) if not (d in dims and n == 1))


def _unsqueeze(shapes: Shapes, attrs: Attrs) -> Shape:
    d = axis(attrs["dim"], len(shapes[0]) + 1)
    return (*shapes[0][:d], 1, *shapes[0][d:])


def _turned(shapes: Shapes, attrs: Attrs) -> Shape:
    return (*shapes[0][:-2], *shapes[0][:-3:-1])


def _cumprod_others(shapes: Shapes, attrs: Attrs) -> Shape:
    d = axis(attrs["dim"], len(shapes[0]))
    return (*shapes[0][:d], *shapes[0][d + 1 :], shapes[0][d], shapes[0][d])


def _same(shapes: Shapes, attrs: Attrs) -> Shape:
    return shapes[0]


_KEEPING = (
    "softmax log_softmax inv cholesky cofactor matrix_power cumsum cumprod prod_others"
    " sort argsort roll argcummax argcummin abs"
).split()
_FOLDING = "sum mean prod var std norm amax amin argmax argmin argmedian argkthvalue logsumexp".split()
_TOLD: dict[str, Callable[[Shapes, Attrs], Shape]] = {
    **dict.fromkeys(_KEEPING, _same),
    **dict.fromkeys(_FOLDING, _folded),
    **dict.fromkeys(("det", "logdet", "slogdet"), lambda shapes, attrs: shapes[0][:-2]),
    "ties": lambda shapes, attrs: shapes[1],
    "gather": lambda shapes, attrs: shapes[1],
    "cumprod_others": _cumprod_others,
    "matmul": _matmul,
    "index": _index,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    "mT": _turned,
    "t": _turned,
    "number": lambda shapes, attrs: (),
    "constant": lambda shapes, attrs: (),
}


def shape_of(op: str, shapes: Shapes, roles: Sequence[str], attrs: Attrs) -> Shape:
    """The shape of the result of a row of the table, or of an index."""
    if op in _TOLD:
        return _TOLD[op](shapes, attrs)
    if is_elementwise(op):
        return broadcast_shapes(shapes)
    return _asked(op, shapes, roles, attrs)


def shape_told(op: str, shapes: Shapes, attrs: Attrs) -> Shape | None:
    """The shape of the result where that is known without torch."""
    return _TOLD[op](shapes, attrs) if op in _TOLD else None


def _asked(op: str, shapes: Shapes, roles: Sequence[str], attrs: Attrs) -> Shape:
    import torch

    from gradcli.numeric import operations
    from gradcli.numeric.making import Like

    kinds = {p.name: p.kind for p in operations.operation(op).row.params}
    dtypes = {"index": torch.int64, "mask": torch.bool}
    operands = [
        (role, torch.empty(shape, dtype=dtypes.get(kinds[role], torch.float64), device="meta"))
        for role, shape in zip(roles, shapes, strict=True)
    ]
    like = Like(torch.float64, torch.device("meta"))
    return tuple(operations.apply(op, operands, attrs, like).shape)
