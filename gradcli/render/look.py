"""Look: how a reader wants to see a result.  Every renderer takes one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gradcli.render.signs import show
from gradcli.render.style import PAINTED, paint

if TYPE_CHECKING:
    from gradcli.problem import JacobianView


@dataclass(frozen=True, slots=True)
class Look:
    """Display settings; none of them changes a number that is computed.

    ``width``: cells a line may take.  ``precision``: significant digits.
    ``full``: long tensors whole.  ``quiet``: gradients only.
    ``usage_notes``: whether notes on how the tool was used are part of the text (the
    command line sends them to stderr instead).
    """

    width: int = 80
    colour: bool = False
    unicode: bool = True
    precision: int = 6
    full: bool = False
    quiet: bool = False
    verbose: bool = False
    jacobian: JacobianView = "auto"
    usage_notes: bool = True

    def show(self, text: str) -> str:
        """``text`` as this reader's terminal can show it."""
        return show(text, self.unicode)

    def lines(self, lines: Iterable[str]) -> str:
        """Finished lines as one text, shown (their colours kept) and without blanks at their ends."""
        return "".join(self._shown(line).rstrip() + "\n" for line in lines)

    def _shown(self, line: str) -> str:
        if not self.colour:
            return self.show(line)
        return "".join(part if at % 2 else self.show(part) for at, part in enumerate(PAINTED.split(line)))

    def paint(self, text: str, role: str) -> str:
        """``text`` in the colour of ``role``, where there is colour."""
        return paint(text, role, self.colour)

    def plain(self) -> Look:
        """The same digits for a format that has its own colours and lines."""
        return replace(self, colour=False, width=1_000_000, verbose=False)
