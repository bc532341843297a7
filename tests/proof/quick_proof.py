"""A proof quick enough to be run for every break: the closed forms of a row's calls against autograd's gradients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import torch
from calls_of_rows import calls
from threeways import CLOSED, worst
from torch import Tensor

from gradcli.closed import derive, gradient_at
from gradcli.errors import GradcliError
from gradcli.language import parse
from gradcli.numeric.backward import gradients
from gradcli.numeric.forward import Forward
from gradcli.numeric.forward import evaluate as forward_of
from gradcli.ops.row import Row
from gradcli.ops.table import find

#: most calls that are tried before a break counts as unnoticed
CALLS = 80


@dataclass(frozen=True)
class Case:
    """A program at a point with autograd's gradients."""

    forward: Forward
    root: int
    upstream: Tensor
    gradients: dict[str, Tensor]

    def holds(self) -> bool:
        """Whether the closed form, derived anew, is autograd's gradient."""
        program = self.forward.program
        shapes = [self.forward.shapes[node.id] for node in program.nodes]
        forms = derive(program, shapes, self.root, list(self.gradients))
        return all(
            worst(gradient_at(forms.leaves[name], self.forward, self.upstream).values, theirs) <= CLOSED
            for name, theirs in self.gradients.items()
        )


def _case(text: str, inputs: dict[str, Tensor], internal: bool = False) -> Case:
    program = parse(text, internal=internal)
    forward = forward_of(program, inputs)
    root = forward.tensor(program.root.node)
    draw = torch.Generator().manual_seed(1)
    upstream = torch.rand(root.shape, generator=draw, dtype=torch.float64) + 0.5
    names = forward.differentiable
    found = gradients(forward, root, upstream, [forward.leaves[name] for name in names])
    return Case(forward, program.root.node, upstream, dict(zip(names, found, strict=True)))


_INDEXING = ("a[1:, ::2]", "a[-1]", "a[:, None, 1:]", "a[..., 0]", "a[None]", "a[::2, 1]")


@cache
def cases(name: str) -> tuple[Case, ...]:
    """Calls of a row, those with the most elements first."""
    if name == "index":
        a = torch.arange(12.0, dtype=torch.float64).reshape(3, 4)
        return tuple(_case(text, {"a": a}) for text in _INDEXING)
    row, found = row_of(name), []
    for call in sorted(calls(row), key=lambda c: -sum(n for _, shape in c.operands for n in shape)):
        try:
            found.append(_case(call.text, call.inputs(), row.internal))
        except GradcliError:
            continue
        if len(found) == CALLS:
            break
    return tuple(found)


def row_of(name: str) -> Row:
    row = find(name)
    assert row is not None
    return row


def noticed(name: str) -> bool:
    """Whether some call of the row shows the break; a break that makes deriving stumble is noticed too."""
    for case in cases(name):
        try:
            if not case.holds():
                return True
        except Exception:
            return True
    return False
