"""The signs of matrix notation: 𝟏, I, L, K and unit vectors, with sizes, and bold where names are the same."""

from __future__ import annotations

from dataclasses import replace

from gradcli.closed.notation.nodes import Node, Sign, Symbol, mapped, symbols

ONES = Sign(1, "𝟏", r"\mathbf{1}")
IDENTITY = Sign(2, "I", "I")
LOWER = Sign(2, "L", "L")
COMMUTATION = Sign(2, "K", "K")
ONE = Symbol(0, "1", "1")
ZERO = Symbol(0, "0", "0")

_BOLD = {"I": ("𝐈", r"\mathbf{I}"), "L": ("𝐋", r"\mathbf{L}"), "K": ("𝐊", r"\mathbf{K}"), "e": ("𝐞", r"\mathbf{e}")}


def sized(symbol: Sign, size: int) -> Sign:
    """𝟏 or I with its size, where nothing beside it tells."""
    digits = str(size).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    return Sign(symbol.rank, f"{symbol.text}{digits}", f"{symbol.tex}_{{{size}}}")


def unit(place: str, tex: str) -> Sign:
    """The unit vector that is 1 at ``place``: e0, or e[argmax(x)]."""
    return Sign(1, f"e{place}" if place.isdigit() else f"e[{place}]", f"e_{{{tex}}}")


def number(text: str, tex: str = "") -> Symbol:
    return Symbol(0, text, tex or text)


def whole(node: Node) -> int | None:
    """The whole number that a node is."""
    return int(node.text) if isinstance(node, Symbol) and not node.rank and node.text.isdecimal() else None


def is_unit(node: Node) -> bool:
    return isinstance(node, Sign) and node.text.startswith("e")


def tells_its_size(node: Node) -> bool:
    """Whether the size of a matrix can be seen from itself: no unit vectors, no 𝟏, and not I or L alone."""
    parts = [one for one in symbols(node) if not one.text[0].isdigit() or isinstance(one, Sign)]
    open_ = [one for one in parts if isinstance(one, Sign) and not one.text[-1].isdigit()]
    untold = any(is_unit(one) or one == ONES for one in parts)
    return not untold and len(open_) < max(len(parts), 1)


def distinct(node: Node, names: frozenset[str]) -> Node:
    """The tree with signs in bold where a leaf or statement is called the same."""

    def change(one: Node) -> Node | None:
        if not isinstance(one, Sign) or one.text[0] not in _BOLD:
            return None
        text, tex = _BOLD[one.text[0]]
        if one.text[0] not in names and one.text not in names:
            return one
        return replace(one, text=text + one.text[1:], tex=tex + one.tex[1:])

    return mapped(node, change)
