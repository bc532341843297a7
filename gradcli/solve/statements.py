"""The statements of a program with the gradients that reached them, and the leaves that none reached."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from gradcli.notes import Note
from gradcli.numeric.backward import Pass, name_of
from gradcli.numeric.forward import Forward
from gradcli.result import Tensor as TensorRecord
from gradcli.solve.records import named


def reached(forward: Forward, passes: Sequence[Pass], root: int, zero_grad: bool) -> dict[str, TensorRecord]:
    """Statements that the root or a pass needs, with the gradient each holds after the last pass.

    It is what ``retain_grad`` would show; None where no leaf enters.
    """
    program = forward.program
    arrived: dict[str, Tensor] = {}
    for one in passes[-1:] if zero_grad else passes:
        for name, gradient in one.reaching.items():
            arrived[name] = arrived[name] + gradient if name in arrived else gradient
    needed = program.feeding(root).union(*(program.feeding(one.node) for one in passes))
    return {
        statement.name: named(
            statement.name, forward.tensor(statement.node), arrived.get(statement.name), program.body(statement)
        )
        for statement in program.statements
        if statement.node in needed
    }


def idle(forward: Forward, last: Pass) -> list[Note]:
    """A note on each leaf that the program uses and the last pass's start does not depend on."""
    root, name = forward.tensor(last.node), name_of(forward, last.node)
    needed = forward.program.feeding(last.node)
    return [
        Note("zero-gradient", f"{name} does not depend on {leaf}, so its gradient is 0.", leaf)
        for leaf in forward.differentiable
        if not root.requires_grad or forward.program.leaf_id(leaf) not in needed
    ]
