"""How far the bound letters of index notation run: over an axis that is read at just this letter."""

from __future__ import annotations

from collections.abc import Mapping

from notation_reader import Reader, spoken
from torch import Tensor


class Ranges(Reader):
    """A reader that looks ahead for the sizes of axes."""

    names: Mapping[str, Tensor]

    def size_of(self, letter: str, start: int) -> int:
        """The size of the axis that a bound letter reads by itself."""
        for k in range(start, len(self.tokens) - 1):
            if self.tokens[k].text != letter or self.tokens[k - 1].text not in "[,":
                continue
            if self.tokens[k + 1].text not in "],":
                continue
            opening, axis = self.opening(k)
            if opening is not None:
                return self.whole_before(opening).shape[axis]
        raise self.wrong(f"nothing tells the range of {letter}")

    def opening(self, k: int) -> tuple[int | None, int]:
        """The bracket that token ``k`` stands in, when a name stands before it, and its place there."""
        depth, axis = 0, 0
        for m in range(k - 1, 0, -1):
            text = self.tokens[m].text
            depth += (text in (")", "]")) - (text in ("(", "["))
            axis += text == "," and depth == 0
            if depth < 0:
                named = self.tokens[m - 1].kind == "name" or self.tokens[m - 1].text in (")",)
                return (m if text == "[" and named and not self.tokens[m].spaced else None), axis
        return None, axis

    def whole_before(self, bracket: int) -> Tensor:
        """The tensor named just before a bracket."""
        first = bracket - 1
        if self.tokens[first].text == ")":
            depth = 0
            for m in range(first, -1, -1):
                depth += (self.tokens[m].text == ")") - (self.tokens[m].text == "(")
                if depth == 0:
                    first = m - (self.tokens[m - 1].kind == "name" and not self.tokens[m].spaced)
                    break
        here, self.k = self.k, first
        text = self.slice_to(bracket - 1)
        self.k = here
        return self.names[text] if text in self.names else spoken(text, self.names)
