"""Sketches: what tells at a glance whether problems can be run together."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from math import inf
from typing import Any, NamedTuple

#: keys that a problem of a sketch may have beside its program, inputs and upstream gradient
_REST = frozenset(("name", "jacobian", "check", "device", "dtype", "expect", "claims", "tolerance"))
_NUMBERS = frozenset((int, float))

Flat = list[Any] | float


class Sketch(NamedTuple):
    """A problem whose inputs, and upstream gradient if it has one, are numbers or vectors of one length.

    ``key`` is the same for problems that can be run together.  ``length`` is None for single numbers.
    """

    key: tuple[Any, ...]
    program: str
    length: int | None
    inputs: Mapping[str, Flat]
    grad: Flat | None


def flat(values: Iterable[Flat | None]) -> array[float]:
    """Numbers and vectors, one after the other."""
    found = array("d")
    for value in values:
        if type(value) is list:
            found.extend(value)
        else:
            found.append(value)  # type: ignore[arg-type]
    return found


def sketch(data: Mapping[str, Any]) -> Sketch | None:
    """The sketch of a problem, its keys in canonical spelling; None where it has to be run by itself.

    An infinity is none: it may be a number too large for float64.
    """
    program, inputs, grad = data.get("program"), data.get("inputs"), data.get("grad")
    if type(program) is not str or not program.strip() or type(inputs) is not dict or not inputs:
        return None
    length: Any = ...
    for value in inputs.values() if grad is None else (*inputs.values(), grad):
        if type(value) is list:
            found = len(value)
            if not found or not _NUMBERS.issuperset(map(type, value)) or inf in value or -inf in value:
                return None
        elif type(value) in _NUMBERS and value not in (inf, -inf):
            found = None
        else:
            return None
        if length is not found and length != found:
            if length is not ...:
                return None
            length = found
    jacobian = check = None
    if len(data) > 3 + ("name" in data) or "grad" not in data:
        rest = data.keys() - {"program", "inputs", "grad"}
        if not rest <= _REST or data.get("device", "cpu") != "cpu" or data.get("dtype") not in (None, "float64"):
            return None
        jacobian, check = data.get("jacobian"), data.get("check")
    if type(next(iter(inputs))) is not str:
        return None
    return Sketch((program, *inputs, length, grad is None, jacobian, check), program, length, inputs, grad)
