"""Values given as expressions: ``pi/2``, ``rand(3, seed=1)``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradcli.notes import Note

if TYPE_CHECKING:
    from torch import Tensor

    from gradcli.language.program import Program

_RANDOM = ("rand", "randn")


@dataclass(frozen=True, eq=False)
class Expression:
    """A program without leaves."""

    program: Program

    @property
    def shape(self) -> None:
        return None

    def load(self, device: str) -> Tensor:
        from gradcli.numeric.devices import default_dtype
        from gradcli.numeric.forward import evaluate

        dtype = str(default_dtype(device)).removeprefix("torch.")
        forward = evaluate(self.program, {}, dtype=dtype, device=device)
        return forward.tensor(self.program.root.node)


def generator_notes(program: Program) -> tuple[Note, ...]:
    """One note for each generator in ``program`` whose values are random or uninitialised."""
    notes = []
    for node in program.nodes:
        text = program.echoes[node.id]
        if node.op == "empty":
            pinned = " Pinned memory changes nothing in that." if node.attr("pin_memory") else ""
            message = f"{text} takes whatever the memory held, so its values mean nothing.{pinned}"
            notes.append(Note("uninitialised", f"{message} Give numbers, or zeros(1), instead."))
        elif node.op in _RANDOM:
            seed = node.attr("seed")
            notes.append(Note("random", f"{text} draws with seed {seed}: the same numbers in every run."))
    return tuple(notes)
