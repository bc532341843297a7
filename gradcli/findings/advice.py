"""What would have stayed finite at the point: another spelling of the program, or a wider dtype.

Nothing is advised that was not tried out at the point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.findings.point import Point
from gradcli.findings.spellings import safe_spellings
from gradcli.findings.wording import joined, numbers
from gradcli.language.program import Program
from gradcli.numeric.backward import gradients
from gradcli.numeric.forward import evaluate

#: gradients of at most this many elements are quoted
QUOTED = 6


def advice(point: Point) -> str:
    """A sentence on what stays finite at the point; empty where nothing that is known does."""
    found: list[tuple[str, Point]] = []
    for spelling in safe_spellings(point.program, point.forward.shapes):
        tried = again(point, spelling.program)
        if tried is not None and is_finite(tried):
            found.append((spelling.text, tried))
            break
    if point.coarsest != torch.float64:
        tried = again(point, point.program, dtype="float64")
        if tried is not None and is_finite(tried):
            found.append(("the same in float64", tried))
    if not found:
        return ""
    names = joined([name for name, _ in found], "or")
    names = names[0].upper() + names[1:] if names.startswith("the ") else names
    return f" {names} stays finite there{_quoted(found[0][1])}."


def again(point: Point, program: Program, dtype: str | None = None) -> Point | None:
    """The point with another program of the same nodes, or in another dtype; None where that fails."""
    forward = point.forward
    try:
        moved = evaluate(
            program, forward.leaves, dtype=dtype, device=str(forward.like.device), wrt=forward.differentiable
        )
        root = moved.tensor(point.root)
        found = gradients(moved, root, point.upstream, [moved.leaves[name] for name in moved.differentiable])
    except GradcliError:
        return None
    return replace(point, forward=moved, gradients=dict(zip(moved.differentiable, found, strict=True)))


def is_finite(point: Point) -> bool:
    """Whether the root and every gradient are finite."""
    tensors: Iterator[Tensor] = iter((point.forward.tensor(point.root), *point.gradients.values()))
    return all(bool(tensor.isfinite().all()) for tensor in tensors)


def _quoted(point: Point) -> str:
    short = {name: slope for name, slope in point.gradients.items() if slope.numel() <= QUOTED}
    texts = [f"{name}: {numbers(slope)}" for name, slope in short.items()]
    return f" (gradient of {', '.join(texts)})" if texts else ""
