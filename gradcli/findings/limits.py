"""Removable singularities: the limit of a formula that is 0/0 at the point, and of its slope.

Difference quotients at two tiny distances on either side, with ``DIGITS`` digits, keep far more digits
than they lose.  A limit is claimed only when both distances and both sides agree.  The cost is bounded,
which that of a symbolic limit is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from gradcli.findings.paths import Places
from gradcli.findings.point import Point
from gradcli.findings.trace import Trace, Untraceable
from gradcli.findings.wording import number, place

DIGITS = 100
#: powers of ten of the two distances
NEAR, NEARER = -15, -25
#: how far apart the values at the two distances may be, relative to 1 + their size
SETTLED = 1e-9
#: most nodes above the 0/0 that are tried: x*log(x) has its limit one node above the pole
CLIMB = 4


@dataclass(frozen=True, slots=True)
class Removable:
    """What a formula tends to: ``code`` is overflow where digits alone were wanting."""

    code: str
    words: str


def removable(point: Point, node: int, at: tuple[int, ...], covers: Places) -> Removable | None:
    """What the value and the slope tend to; None where there is no limit or none is found."""
    if len(covers) != 1:
        return None
    ((leaf, mask),) = covers.items()
    moving = [tuple(index) for index in mask.nonzero().tolist()]
    if not moving:
        return None
    index = moving[0]
    leaf_id = point.program.leaf_id(leaf)
    assert leaf_id is not None
    import mpmath  # type: ignore[import-untyped]

    with mpmath.workdps(DIGITS):
        trace = Trace(mpmath.mp, point.forward, leaf_id, flat_of(index, point.forward.shapes[leaf_id]))
        x = point.forward.element(leaf_id, trace.flat)
        for upper in _upwards(point, node):
            flat = flat_of(at, point.forward.shapes[upper]) if point.forward.shapes[upper] else 0
            formula = partial(trace, upper, flat)
            found = _limit(mpmath.mp, formula, x)
            if found is not None:
                exact = _exact(mpmath.mp, formula, x)
                return _words(point.program.echoes[upper], place(leaf, index), x, exact, *found)
    return None


def flat_of(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    """The place in the flattened tensor."""
    flat = 0
    for i, size in zip(index, shape, strict=True):
        flat = flat * size + i
    return flat


def _upwards(point: Point, node: int) -> list[int]:
    """The node, and those that it alone leads to while they keep its shape."""
    chain = [node]
    for other in point.feeding:
        same = point.forward.shapes[other.id] == point.forward.shapes[node]
        if chain[-1] in other.args and same and len(chain) <= CLIMB:
            chain.append(other.id)
    return chain


@dataclass(frozen=True, slots=True)
class _Side:
    """A formula just beside the point: its values at both distances, each with its slope from the limit."""

    limit: Any
    slope: Any | None


def _limit(mp: Any, formula: Callable[[Any], Any], x: float) -> tuple[float, float | None, str] | None:
    """(value, slope or None, which side) of the limit at x."""
    found = {word: side for word, sign in (("above", 1), ("below", -1)) if (side := _side(mp, formula, x, sign))}
    if not found:
        return None
    if len(found) == 1:
        ((word, side),) = found.items()
        return _plain(side.limit), None if side.slope is None else _plain(side.slope), f" from {word}"
    above, below = found["above"], found["below"]
    if not _settled(above.limit, below.limit):
        return None
    slopes = (above.slope, below.slope)
    smooth = None not in slopes and _settled(*slopes)
    return _plain(above.limit), _plain(above.slope) if smooth else None, ""


def _side(mp: Any, formula: Callable[[Any], Any], x: float, sign: int) -> _Side | None:
    def at(power: int, times: int) -> Any:
        value = formula(mp.mpf(x) + sign * times * mp.mpf(10) ** power)
        if not isinstance(value, mp.mpf) or not mp.isfinite(value):
            raise ValueError
        return value

    try:
        pairs = [(at(power, 1), at(power, 2)) for power in (NEAR, NEARER)]
    except (Untraceable, ArithmeticError, ValueError, TypeError):  # TypeError: complex numbers have no order
        return None
    (far, _), (near, twice) = pairs
    if not _settled(far, near):
        return None
    # L = 2 f(h) − f(2h) and (f(2h) − f(h))/h, each to first order in h.
    slopes = [sign * (two - one) / mp.mpf(10) ** power for (one, two), power in zip(pairs, (NEAR, NEARER), strict=True)]
    return _Side(2 * near - twice, slopes[1] if _settled(*slopes) else None)


def _settled(one: Any, other: Any) -> bool:
    return bool(abs(one - other) <= SETTLED * (1 + abs(other)))


def _plain(value: Any) -> float:
    """To the digits that are sure."""
    return 0.0 if abs(value) < SETTLED else float(f"{float(value):.12g}")


def _exact(mp: Any, formula: Callable[[Any], Any], x: float) -> bool:
    """Whether the formula has a value at x itself, so that only digits were wanting."""
    try:
        value = formula(mp.mpf(x))
    except (Untraceable, ArithmeticError, ValueError, TypeError):  # TypeError: complex numbers have no order
        return False
    return isinstance(value, mp.mpf) and bool(mp.isfinite(value))


def _words(echo: str, name: str, x: float, exact: bool, value: float, slope: float | None, side: str) -> Removable:
    if exact:
        slope_is = "" if slope is None else f", with slope {number(slope)}"
        return Removable("overflow", f"With enough digits {echo} is {number(value)} there{slope_is}.")
    ends = "its slope has no limit" if slope is None else f"the limit of the slope is {number(slope)}"
    words = f"{echo} has a limit at {name} = {number(x)}{side}: it tends to {number(value)}, and {ends}."
    return Removable("removable", words)
