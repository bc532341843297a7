"""JSON lines that differ in their numbers alone: written once with gaps, and filled for each problem."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from gradcli.render.json import dumps, record
from gradcli.render.look import Look
from gradcli.result import Result

#: keys and positions that lead to a value of the record
Key = tuple[Any, ...]

_GAP = re.compile(r'"\\u0001(\d+)\\u0001"')


@dataclass(frozen=True, slots=True)
class Gap:
    """What goes into one gap: a text with ``%b`` in it, and for each of these the texts of all problems."""

    pattern: bytes
    columns: Sequence[Sequence[bytes]] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """The text of a record, ``pieces`` with a gap between each two; ``keys`` says what goes into each."""

    pieces: tuple[bytes, ...]
    keys: tuple[Key, ...]

    @classmethod
    def of(cls, result: Result, look: Look) -> Template:
        """The record of ``result`` with gaps for its name, its texts and all its numbers."""
        whole = record(result)
        keys = _keys(whole)
        for number, key in enumerate(keys):
            holder: Any = whole
            for step in key[:-1]:
                holder = holder[step]
            holder[key[-1]] = f"\x01{number}\x01"
        pieces = _GAP.split(dumps(whole, look))
        order = tuple(keys[int(number)] for number in pieces[1::2])
        return cls(tuple(piece.replace("%", "%%").encode() for piece in pieces[::2]), order)

    def fill(self, gaps: Mapping[Key, Gap], count: int) -> list[bytes]:
        """The lines of ``count`` problems."""
        parts = [self.pieces[0]]
        columns: list[Sequence[bytes]] = []
        for key, piece in zip(self.keys, self.pieces[1:], strict=True):
            gap = gaps[key]
            parts += (gap.pattern, piece)
            columns += gap.columns
        text = b"".join(parts)
        return [text % row for row in zip(*columns, strict=True)] if columns else [text % ()] * count


class Writer:
    """Arrays of the same numbers for many problems as gaps; what is the same for all is written once."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, tuple[int, ...]], Gap] = {}

    def gap(self, numbers: NDArray[np.float64]) -> Gap:
        """The gap for finite numbers, whose first axis is the problem."""
        key = (numbers.tobytes(), numbers.shape)
        if key not in self._known:
            self._known[key] = _gap(numbers)
        return self._known[key]


def _gap(numbers: NDArray[np.float64]) -> Gap:
    flat = numbers.reshape(len(numbers), -1)
    bits = flat.view(np.int64)
    fixed = (bits == bits[0]).all(0)
    cells = [repr(value) if same else "%b" for value, same in zip(flat[0].tolist(), fixed.tolist(), strict=True)]
    texts, count = written(flat[:, ~fixed].T.ravel()), len(flat)
    columns = [texts[begin : begin + count] for begin in range(0, len(texts), count)]
    return Gap(_nested(cells, numbers.shape[1:]).encode(), columns)


def written(numbers: NDArray[np.float64]) -> list[bytes]:
    """Each number of a vector as ``repr`` writes it, which ``json`` does too; all have to be finite.

    orjson finds the same digits many times faster, and uses exponents elsewhere: it is asked where both agree.
    """
    if not len(numbers):
        return []
    texts = orjson.dumps(numbers, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].split(b",")
    sizes = np.abs(numbers)
    other = (sizes >= 1e16) | (sizes < 1e-4) & (sizes >= 1e-9)
    for at, number in zip(np.flatnonzero(other).tolist(), numbers[other].tolist(), strict=True):
        texts[at] = repr(number).encode()
    return texts


def _nested(cells: list[str], shape: tuple[int, ...]) -> str:
    """Cells as JSON writes nested lists of them."""
    if not shape:
        return cells[0]
    size = len(cells) // shape[0]
    return f"[{', '.join(_nested(cells[k * size : (k + 1) * size], shape[1:]) for k in range(shape[0]))}]"


def quote(look: Look) -> Callable[[str | None], bytes]:
    """What writes a text or null as JSON."""
    encode: Callable[[str], str] = encode_basestring if look.unicode else encode_basestring_ascii
    return lambda text: b"null" if text is None else encode(text).encode("utf-8", "backslashreplace")


def _keys(whole: dict[str, Any]) -> list[Key]:
    """Where the record of a problem that has one pass and nothing unusual has values of its own."""
    keys: list[Key] = [("name",), ("program",), ("root", "value"), ("root", "gradient"), ("passes", 0, "upstream")]
    for at, leaf in enumerate(whole["leaves"]):
        keys += [("leaves", at, "value"), ("leaves", at, "gradient")]
        if leaf["jacobian"] is not None and leaf["jacobian"]["values"] is not None:
            keys.append(("leaves", at, "jacobian", "values"))
        keys += [("leaves", at, "agreement", way) for way, value in leaf["agreement"].items() if value is not None]
    for at in range(len(whole["intermediates"])):
        keys += [("intermediates", at, key) for key in ("value", "gradient", "text")]
    return keys
