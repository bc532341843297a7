"""Matrices that are singular, or nearly so, at the point."""

from __future__ import annotations

import torch
from torch import Tensor

from gradcli.findings.point import Finding, Point
from gradcli.findings.wording import number
from gradcli.notes import Note

_INVERTING = frozenset({"inv", "solve", "logdet", "slogdet", "pinv"})
#: conditions above this leave an inverse fewer than four digits in float64
WORST = 1e12
#: matrices with more rows are not looked at: a condition costs a singular value decomposition
ROWS = 512


def singular(point: Point) -> list[Finding]:
    """Determinants of singular matrices, and inverses of nearly singular ones."""
    found = []
    for node in point.feeding:
        if node.op not in _INVERTING and node.op != "det":
            continue
        matrix = point.forward.tensor(node.args[0]).detach().double().cpu()
        if matrix.shape[-1] > ROWS or matrix.shape[-1] != matrix.shape[-2] or not bool(matrix.isfinite().all()):
            continue
        values = torch.linalg.svdvals(matrix)
        name, text = point.program.echoes[node.args[0]], point.program.echoes[node.id]
        worst = _condition(values)
        if node.op == "det" and worst > 1 / torch.finfo(torch.float64).eps:
            words = (
                f"{name} is singular: {text} is 0, and its gradient is the matrix of cofactors. torch's"
                " backward() gives 0 for a matrix that is exactly singular; these are the numbers of its"
                " backward with create_graph=True."
            )
            found.append(Finding(Note("singular", words, _leaf(point, node.args[0]))))
        elif node.op in _INVERTING and worst > WORST and bool(point.forward.tensor(node.id).isfinite().all()):
            digits = max(0, round(16 - torch.log10(torch.tensor(worst)).item()))
            words = (
                f"{name} is nearly singular: its condition is {number(worst)}, so {text} and the gradient"
                f" hold about {digits} digits."
            )
            covers = point.moved_by(node.id, torch.ones_like(point.forward.tensor(node.id), dtype=torch.bool))
            found.append(Finding(Note("singular", words, _leaf(point, node.args[0]), explains=True), covers))
    return found


def _condition(values: Tensor) -> float:
    """Largest over smallest singular value, of the worst matrix of a batch."""
    if not values.numel():
        return 1.0
    small, large = values.amin(-1), values.amax(-1)
    return float(torch.where(small == 0, torch.inf, large / small).max())


def _leaf(point: Point, node: int) -> str | None:
    inner = point.program.nodes[node]
    return str(inner.attr("name")) if inner.op == "leaf" else None
