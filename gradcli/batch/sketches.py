"""Sketches: what tells at a glance whether problems can be run together."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple

#: keys that a problem of a sketch may have beside its program, inputs and upstream gradient
_REST = frozenset(("name", "jacobian", "check", "device", "dtype", "expect", "claims", "tolerance"))
_NUMBERS = frozenset((int, float))


class Sketch(NamedTuple):
    """A problem whose inputs, and upstream gradient if it has one, are numbers or vectors of one length.

    Attributes:
        key: the same for problems that can be run together.
        names: of the inputs, in the problem's order.
        length: None for single numbers.
        graded: whether an upstream gradient is given.
        numbers: each input's and then the upstream gradient's.
    """

    key: tuple[Any, ...]
    program: str
    names: tuple[str, ...]
    length: int | None
    graded: bool
    numbers: array[float]


def sketch(data: Mapping[str, Any]) -> Sketch | None:
    """The sketch of a problem, its keys in canonical spelling; None where it has to be run by itself."""
    program, inputs, grad = data.get("program"), data.get("inputs"), data.get("grad")
    if type(program) is not str or not program.strip() or type(inputs) is not dict or not inputs:
        return None
    vectors = list(inputs.values()) if grad is None else [*inputs.values(), grad]
    length = None
    flat = vectors
    if type(vectors[0]) is list:
        length = len(vectors[0])
        if not length or set(map(type, vectors)) != {list} or set(map(len, vectors)) != {length}:
            return None
        flat = list(chain.from_iterable(vectors))
    if not _NUMBERS.issuperset(map(type, flat)):
        return None
    try:
        numbers = array("d", flat)
    except OverflowError:  # a whole number beyond float64
        return None
    jacobian = check = None
    if len(data) > 3 + ("name" in data) or "grad" not in data:
        rest = data.keys() - {"program", "inputs", "grad"}
        if not rest <= _REST or data.get("device", "cpu") != "cpu" or data.get("dtype") not in (None, "float64"):
            return None
        jacobian, check = data.get("jacobian"), data.get("check")
    names = tuple(inputs)
    if not all(type(name) is str for name in names):
        return None
    graded = grad is not None
    return Sketch((program, names, length, graded, jacobian, check), program, names, length, graded, numbers)
