"""Nested lists of numbers: their shape, and what is wrong with them and where."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from math import prod
from numbers import Complex, Real
from typing import Any

from gradcli.errors import GradcliError
from gradcli.language.limits import ELEMENTS
from gradcli.values.tensors import Numbers, Shape

#: lists inside lists; torch itself has at most 64 axes
AXES = 64
Path = tuple[int, ...]
#: makes an error of (message, hint, path to the element at fault)
Fault = Callable[[str, str | None, Path], GradcliError]

_WORDS = {
    "inf": math.inf,
    "+inf": math.inf,
    "-inf": -math.inf,
    "infinity": math.inf,
    "+infinity": math.inf,
    "-infinity": -math.inf,
    "nan": math.nan,
}
_PLAIN = frozenset({int, float})


def numbers(value: Any, fault: Fault) -> Numbers:
    """``value``, a number or lists of numbers, as numbers in row-major order.

    Python numbers, numpy's, tensors, and the words inf and nan are taken; true and false make a mask.

    Raises:
        GradcliError: made by ``fault``, for lists of unequal length, anything that is no number, true and
            false among numbers, and too many elements.
    """
    shape = _shape(value, fault)
    if prod(shape) > ELEMENTS:
        raise fault(f"there are {prod(shape):,} elements, and the limit is {ELEMENTS:,}", None, ())
    filling = _Filling(shape, fault)
    filling.take(_plain(value), ())
    return filling.finish()


def place(path: Path) -> str:
    """A path as it is written after a name: ``[0][2]``."""
    return "".join(f"[{index}]" for index in path)


def _plain(value: Any) -> Any:
    """Lists and scalars of Python in place of numpy's and torch's."""
    return value.tolist() if hasattr(value, "tolist") else value


def _shape(value: Any, fault: Fault) -> Shape:
    """The shape along the first elements; whether the others agree is seen while filling."""
    shape: list[int] = []
    value = _plain(value)
    while isinstance(value, list | tuple | range):
        if len(shape) == AXES:
            raise fault(f"lists are nested more than {AXES} deep", None, ())
        shape.append(len(value))
        value = _plain(value[0]) if len(value) else None
    return tuple(shape)


@dataclass
class _Filling:
    shape: Shape
    fault: Fault
    data: array[float] = field(default_factory=lambda: array("d"))
    first_mask: Path | None = None
    first_number: Path | None = None

    def take(self, value: Any, path: Path) -> None:
        depth = len(path)
        is_list = isinstance(value, list | tuple | range)
        if depth == len(self.shape) and not is_list:
            self._scalar(value, path)
            return
        wanted = self.shape[depth] if depth < len(self.shape) else None
        if not is_list or wanted is None or len(value) != wanted:
            raise self._ragged(value if is_list else None, wanted, path)
        if depth + 1 == len(self.shape) and _PLAIN.issuperset(map(type, value)):
            self._row(value, path)
            return
        for index, item in enumerate(value):
            self.take(_plain(item), (*path, index))

    def _row(self, row: list[float], path: Path) -> None:
        try:
            self.data.extend(row)
        except OverflowError:
            for index, item in enumerate(row):
                self._scalar(item, (*path, index))
        if row and self.first_number is None:
            self.first_number = (*path, 0)

    def _scalar(self, value: Any, path: Path) -> None:
        if isinstance(value, bool):
            self.first_mask = path if self.first_mask is None else self.first_mask
        else:
            self.first_number = path if self.first_number is None else self.first_number
        if self.first_mask is not None and self.first_number is not None:
            raise self.fault(
                "true and false stand among numbers",
                "write 1 and 0 for numbers, or true and false throughout for a mask",
                path,
            )
        self.data.append(self._number(value, path))

    def _number(self, value: Any, path: Path) -> float:
        if isinstance(value, str) and value.strip().lower() in _WORDS:
            return _WORDS[value.strip().lower()]
        if isinstance(value, Real | Decimal):
            try:
                return float(value)
            except (OverflowError, ValueError):
                raise self.fault("the number is too large for float64", "write it as 1e300", path) from None
        hint = "give numbers, inf, nan, or true and false for a mask"
        if isinstance(value, str):
            shown = value if len(value) <= 20 else value[:19] + "…"
            raise self.fault(f"'{shown}' is text and no number", hint, path)
        if isinstance(value, Complex):
            raise self.fault("a complex number is given", "gradients here are of real numbers", path)
        kind = "nothing (null)" if value is None else f"a {type(value).__name__}"
        raise self.fault(f"{kind} stands where a number should", hint, path)

    def _ragged(self, value: Any, wanted: int | None, path: Path) -> GradcliError:
        hint = "give all rows the same length"
        here, first = place(path), place((0,) * len(path))
        if wanted is None:
            return self.fault(f"the lists do not match: {here} is a list and {first} is a number", hint, path)
        got = f"has length {len(value)}" if value is not None else "is a number"
        return self.fault(f"the lists do not match: {here} {got} and {first} has length {wanted}", hint, path)

    def finish(self) -> Numbers:
        if self.first_mask is None:
            return Numbers(self.shape, self.data)
        return Numbers(self.shape, array("b", map(int, self.data)), mask=True)
