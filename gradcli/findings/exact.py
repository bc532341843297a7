"""The slope of L by one leaf element to any number of digits, where the program can be traced."""

from __future__ import annotations

from typing import Any

from gradcli.findings.limits import DIGITS, SETTLED, flat_of
from gradcli.findings.point import Point
from gradcli.findings.trace import Trace, Untraceable

#: powers of ten of the two steps: short enough to pass between a pole and its nearest double
STEPS = (-25, -35)
#: most elements of a root that is traced
ROOT = 64


def exact_slope(point: Point, leaf: str, index: tuple[int, ...]) -> float | None:
    """∂L/∂leaf[index] by central quotients with ``DIGITS`` digits; None where the program has no trace."""
    leaf_id = point.program.leaf_id(leaf)
    weights = point.upstream.reshape(-1).tolist()
    if leaf_id is None or len(weights) > ROOT:
        return None
    import mpmath  # type: ignore[import-untyped]

    with mpmath.workdps(DIGITS):
        mp = mpmath.mp
        trace = Trace(mp, point.forward, leaf_id, flat_of(index, point.forward.shapes[leaf_id]))
        x = mp.mpf(point.forward.element(leaf_id, trace.flat))

        def loss(at: Any) -> Any:
            return mp.fsum(mp.mpf(g) * trace(point.root, k, at) for k, g in enumerate(weights) if g)

        try:
            steps = [mp.mpf(10) ** power for power in STEPS]
            far, near = ((loss(x + h) - loss(x - h)) / (2 * h) for h in steps)
        except (Untraceable, ArithmeticError, ValueError, TypeError):
            return None
        if not isinstance(near, mp.mpf) or not abs(far - near) <= SETTLED * abs(near):
            return None
        return float(near)
