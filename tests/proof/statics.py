"""Values of static parameters for every row, at operand shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from shapes_of_rows import EQUATIONS

from gradcli.language.program import Attr
from gradcli.ops.row import Param, Row

Shape = tuple[int, ...]
Values = Sequence[Attr]


def _places(rank: int) -> list[int]:
    """Each axis, counted from either end."""
    return list(range(-rank, rank)) if rank else [0, -1]


def _dims(shape: Shape) -> Values:
    """Axes to fold: all, each one, several."""
    rank = len(shape)
    several = [(0, -1), tuple(range(rank))] if rank > 1 else []
    three = [(0, 2), (-1, 1)] if rank > 2 else []
    return [None, *dict.fromkeys([0, -1, *range(1, rank)]), *several, *three] if rank else [None, 0, -1]


def _pairs(rank: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(rank) for b in range(rank) if a != b] or [(0, -1)]


def _reshapes(shape: Shape) -> Values:
    n = prod(shape)
    found: list[Attr] = [(-1,), shape] if n else [shape, (n,), (0, 3)]
    for k in range(1, n + 1):
        if n % k == 0:
            found += [(k, n // k), (n // k, 1, k)]
    if n == 12:
        found += [(2, 3, 2), (3, 2, 2), (2, -1, 3)]
    return found


def _expansions(shape: Shape) -> Values:
    wide = tuple(3 if n == 1 else -1 for n in shape)
    return [wide, (2, *wide), (2, 1, *shape), tuple(shape)]


def _permutations(shape: Shape) -> Values:
    rank = len(shape)
    turns = [tuple(range(rank)), tuple(reversed(range(rank))), tuple((k + 1) % rank for k in range(rank))]
    return [*turns, tuple((k + 2) % rank - rank for k in range(rank))] if rank else [()]


def _flips(shape: Shape) -> Values:
    rank = len(shape)
    return [*((d,) for d in _places(rank)), tuple(range(rank)), (0, -1)] if rank > 1 else [(0,), (-1,)]


def _pads(shape: Shape) -> Values:
    found: list[Attr] = [(1, 2), (0, 1), (2, 0)]
    return [*found, (1, 0, 2, 1), (0, 0, 1, 0)] if len(shape) > 1 else found


_FLAG = [False, True]
_REDUCTIONS = ["mean", "sum", "none"]
Rule = Callable[[Sequence[Shape]], Values]

#: by row and parameter, or by parameter alone
_VALUES: dict[str, Rule] = {
    "keepdim": lambda s: _FLAG,
    "unbiased": lambda s: _FLAG,
    "descending": lambda s: _FLAG,
    "largest": lambda s: _FLAG,
    "log_target": lambda s: _FLAG,
    "training": lambda s: [False],
    "reduction": lambda s: _REDUCTIONS,
    "correction": lambda s: [None, 0, 1],
    "var.correction": lambda s: [None, 0, 0.5, *([2] if s[0] == (3,) else [])],
    "matrix_norm.p": lambda s: [None, 1, -1, float("inf"), float("-inf")],
    "linalg_norm.p": lambda s: [None, 1, -1, float("inf"), float("-inf"), 3],
    "linalg_norm.dim": lambda s: [None, -1, 0, (-1, 0), *([(0, 1)] if len(s[0]) > 2 else [])],
    "p": lambda s: [2, 1, 3, 1.5, 0, float("inf"), float("-inf"), 0.5, -1, 1.2345678],
    "normalize.p": lambda s: [2, 1, 3],
    "pairwise_distance.p": lambda s: [2, 1, 3],
    "cdist.p": lambda s: [2, 1, 3],
    "dropout.p": lambda s: [0.0, 0.5],
    "polygamma.n": lambda s: [1, 2, 0, 3],
    "diff.n": lambda s: [1, 2, 0],
    "matrix_power.n": lambda s: [0, 1, 2, 3, -1, -2, 5],
    "negative_slope": lambda s: [0.01, 0.5, 0, -0.3],
    "alpha": lambda s: [1.0, 0.3, 2],
    "beta": lambda s: [1.0, 0.4, 2],
    "addmm.beta": lambda s: [1, 0.5, 0],
    "addmv.beta": lambda s: [1, 0.5, 0],
    "baddbmm.beta": lambda s: [1, 0.5, 0],
    "delta": lambda s: [1.0, 0.4, 2],
    "approximate": lambda s: ["none", "tanh"],
    "min_val": lambda s: [-1.0, -0.5, 0],
    "max_val": lambda s: [1.0, 0.5, 2],
    "shape": lambda s: [(3,), (2, 3), ()],
    "reshape.shape": lambda s: _reshapes(s[0]),
    "expand.shape": lambda s: _expansions(s[0]),
    "full.value": lambda s: [0.5, -2],
    "pad.value": lambda s: [0.0, 1.5],
    "start_dim": lambda s: [0, *range(1, len(s[0]))],
    "end_dim": lambda s: [-1, *range(len(s[0]) - 1)],
    "dim0": lambda s: [-2, *range(len(s[0]))] if len(s[0]) > 1 else _places(len(s[0])),
    "dim1": lambda s: [-1, *range(len(s[0]))] if len(s[0]) > 1 else _places(len(s[0])),
    "diagonal.dim1": lambda s: range(len(s[0])),
    "diagonal.dim2": lambda s: range(-len(s[0]), 0),
    "dims": lambda s: _permutations(s[0]),
    "flip.dims": lambda s: _flips(s[0]),
    "roll.dims": lambda s: [None, *_places(len(s[0])), (0, -1)],
    "roll.shifts": lambda s: [1, -1, 2, 5, (1, 2)],
    "source": lambda s: [*_places(len(s[0])), (0, 1)],
    "destination": lambda s: [*_places(len(s[0])), (1, 0)],
    "repeats": lambda s: [(2,) * max(len(s[0]), 1), (2, *(1,) * len(s[0])), (3, *(2,) * len(s[0])), (1,) * 4],
    "repeat_interleave.repeats": lambda s: [2, 1, 3],
    "offset": lambda s: [0, 1, -1, 2],
    "diagonal": lambda s: [0, 1, -1, 2],
    "position": lambda s: [0, 1, -1],
    "start": lambda s: [0, 1, -2],
    "length": lambda s: [1, 2, 0],
    "num_classes": lambda s: [3, 1],
    "k": lambda s: [1, 2, 3],
    "pad.pad": lambda s: _pads(s[0]),
    "tensordot.dims": lambda s: [1, 2, 0, ((0,), (1,)), ((1, 0), (0, 1)), ((-1,), (0,))],
    "equation": lambda s: [equation for equation, given in EQUATIONS.items() if list(given) == list(s)],
    "normalized_shape": lambda s: [s[1]] if len(s) > 1 else [s[0][-1:], s[0][-2:]],
    "eps": lambda s: [1e-5, 0.1],
    "rms_norm.eps": lambda s: [None, 0.1],
    "normalize.eps": lambda s: [1e-12, 2.0],
    "cosine_similarity.eps": lambda s: [1e-8, 1e-3],
    "stride": lambda s: [1, 2, 3],
    "avg_pool1d.stride": lambda s: [None, 1, 3],
    "padding": lambda s: [0, 1],
    "dilation": lambda s: [1, 2],
    "kernel_size": lambda s: [2, 3],
    "eye.n": lambda s: [3],
    "eye.m": lambda s: [None, 2, 4],
    "arange.start": lambda s: [3, 0.5],
    "arange.end": lambda s: [None, 4],
    "arange.step": lambda s: [1, 0.5],
    "linspace.start": lambda s: [-1, 0],
    "linspace.end": lambda s: [2],
    "linspace.steps": lambda s: [3, 1],
    "seed": lambda s: [0, 3],
    "pin_memory": lambda s: [False],
}


def _dim(row: Row, param: Param, given: Sequence[Shape]) -> Values:
    rank = len(given[0])
    if param.kind == "ints":
        return _dims(given[0])
    places = _places(rank + (row.name in ("stack", "unsqueeze")))
    return [None, *places] if param.default is None else places


def statics(row: Row, given: Sequence[Shape]) -> dict[str, Values]:
    """Parameter → values worth trying at these operand shapes; KeyError for one that this file does not know."""
    found = {}
    for param in row.statics:
        rule = _VALUES.get(f"{row.name}.{param.name}") or _VALUES.get(param.name)
        found[param.name] = list(rule(given)) if rule else _dim(row, {"dim": param}[param.name], given)
    return found
