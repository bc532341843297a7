"""How notes write numbers and places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

    from gradcli.findings.paths import Places
    from gradcli.numeric.forward import Forward

#: most places that one note names
PLACES = 3


def number(value: float) -> str:
    """Six digits; 0 for -0."""
    return f"{value + 0.0:.6g}"


def digits(value: float) -> str:
    """Twelve digits, where the difference lies far behind the point."""
    return f"{value + 0.0:.12g}"


def numbers(tensor: Tensor) -> str:
    """A short tensor: ``[1, 0.5]``."""

    def text(nested: Any) -> str:
        return f"[{', '.join(map(text, nested))}]" if isinstance(nested, list) else number(nested)

    return text(tensor.detach().tolist())


def place(name: str, index: tuple[int, ...]) -> str:
    """``x[0,1]``; the name alone for a single number."""
    return f"{name}[{','.join(map(str, index))}]" if index else name


def joined(parts: list[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


@dataclass(frozen=True, slots=True)
class Listing:
    """The first places of a set of leaf elements.

    Attributes:
        first: (leaf, index) of the first ``PLACES``, leaf by leaf.
        count: how many there are in all.
        text: ``x[1] = 0, x[4] = 0 and 3 more``.
    """

    first: tuple[tuple[str, tuple[int, ...]], ...]
    count: int
    text: str

    @classmethod
    def of(cls, forward: Forward, places: Places) -> Listing:
        """The places that are true in the masks, with the leaves' values there."""
        first = [(name, tuple(index)) for name, mask in places.items() for index in mask.nonzero()[:PLACES].tolist()][
            :PLACES
        ]
        count = sum(int(mask.sum()) for mask in places.values())
        parts = [
            f"{place(name, index)} = {number(float(forward.leaves[name].detach()[index]))}" for name, index in first
        ]
        text = f"{', '.join(parts)} and {count - len(parts)} more" if count > len(parts) else joined(parts or [""])
        return cls(tuple(first), count, text)
