"""A bar on stderr that shows how far a batch has come, when it takes longer than a second."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TextIO

#: seconds before the bar is shown at all, and between two drawings
PATIENCE = 1.0
PAUSE = 0.1
_CELLS = 30


@dataclass(slots=True)
class Bar:
    """``total`` is None where it is not known; nothing is drawn unless ``shown``."""

    stream: TextIO
    total: int | None
    shown: bool
    unicode: bool = True
    _began: float = field(default_factory=monotonic)
    _last: float = 0.0
    _drawn: int = 0

    def show(self, count: int, now: float) -> None:
        """Draw the bar for ``count`` problems done, if it is time; ``now`` is ``monotonic()``."""
        if not self.shown or now - self._began < PATIENCE or now - self._last < PAUSE:
            return
        self._last = now
        text = self._text(count, now - self._began)
        self.stream.write("\r" + text + " " * max(0, self._drawn - len(text)))
        self.stream.flush()
        self._drawn = len(text)

    def clear(self) -> None:
        """Take the bar away, so that a line can be written where it was."""
        if self._drawn:
            self.stream.write("\r" + " " * self._drawn + "\r")
            self.stream.flush()
            self._drawn = 0

    def _text(self, count: int, seconds: float) -> str:
        rate = f"{count / seconds:,.0f} a second"
        if not self.total:
            return f"{count:,} problems, {rate}"
        full, empty = ("━", "─") if self.unicode else ("#", "-")
        cells = min(_CELLS, _CELLS * count // self.total)
        return f"{full * cells}{empty * (_CELLS - cells)} {count:,} of {self.total:,}, {rate}"
