"""Conditions on NaN: every comparison with one is false, its opposite too, so formulas cannot tell the branch."""

from __future__ import annotations

import torch
from torch import Tensor

from gradcli.findings.operands import named
from gradcli.findings.point import Finding, Point
from gradcli.findings.wording import place
from gradcli.language.program import Node
from gradcli.notes import Note

_COMPARISONS = frozenset({"gt", "ge", "lt", "le", "eq", "ne"})
_CHOICES = frozenset({"where", "masked_fill"})


def conditions(point: Point) -> list[Finding]:
    """Choices that a NaN decides."""
    found = []
    for node in point.feeding:
        if node.op not in _COMPARISONS:
            continue
        mask = _compares_nan(point, node)
        if not bool(mask.any()):
            continue
        arg = next(arg for arg in node.args if bool(point.forward.tensor(arg).isnan().any()))
        at = tuple(point.forward.tensor(arg).isnan().nonzero()[0].tolist())
        words = (
            f"{point.program.echoes[node.id]} is false where {place(named(point.program, arg), at)} is nan, and its"
            " opposite would be false too; the branch that is taken there means little."
        )
        for chooser in point.feeding:
            if chooser.op in _CHOICES and node in point.feeding_of(chooser.args[chooser.op != "where"]):
                shape = point.forward.shapes[chooser.id]
                fits = torch.broadcast_shapes(mask.shape, shape) == torch.Size(shape)
                decided = mask.expand(shape) if fits else torch.ones(shape, dtype=torch.bool, device=mask.device)
                note = Note("domain", words, None, at, explains=True)
                found.append(Finding(note, point.moved_by(chooser.id, decided)))
    return found


def _compares_nan(point: Point, node: Node) -> Tensor:
    masks = [point.forward.tensor(arg).detach().isnan() for arg in node.args]
    return torch.broadcast_tensors(*masks)[0] | torch.broadcast_tensors(*masks)[1]
