"""Trees of matrix notation put together: signs with sizes, transposes, sums and products as they read best."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

from gradcli.closed.notation.nodes import (
    ATOM,
    COMMUTATION,
    HADAMARD,
    IDENTITY,
    KRON,
    LOWER,
    ONE,
    ONES,
    POWER,
    PRODUCT,
    SUM,
    ZERO,
    Blocks,
    Call,
    Hadamard,
    Inverse,
    Kron,
    Node,
    Over,
    Part,
    Power,
    Product,
    Sign,
    Sum,
    Symbol,
    Transpose,
    Truth,
    Upstream,
)

__all__ = [
    "ATOM",
    "COMMUTATION",
    "HADAMARD",
    "IDENTITY",
    "KRON",
    "LOWER",
    "ONE",
    "ONES",
    "POWER",
    "PRODUCT",
    "SUM",
    "ZERO",
    "Blocks",
    "Call",
    "Hadamard",
    "Inverse",
    "Kron",
    "Node",
    "Over",
    "Part",
    "Power",
    "Product",
    "Sign",
    "Sum",
    "Symbol",
    "Transpose",
    "Truth",
    "Upstream",
    "added",
    "compact",
    "diagonal",
    "distinct",
    "flattened",
    "is_symmetric",
    "is_turned",
    "mapped",
    "number",
    "sized",
    "transposed",
    "turns",
    "unit",
    "weight",
]


def sized(symbol: Sign, size: int) -> Sign:
    """𝟏 or I with its size, where nothing beside it tells."""
    digits = str(size).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    return Sign(symbol.rank, f"{symbol.text}{digits}", f"{symbol.tex}_{{{size}}}")


def unit(place: str, tex: str) -> Sign:
    """The unit vector that is 1 at ``place``: e0, or e[argmax(x)]."""
    return Sign(1, f"e{place}" if place.isdigit() else f"e[{place}]", f"e_{{{tex}}}")


def number(text: str, tex: str = "") -> Symbol:
    return Symbol(0, text, tex or text)


# -- shapes of expressions -----------------------------------------------------------


def mapped(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """The tree with every node that ``change`` answers replaced by its answer."""
    new = change(node)
    if new is not None:
        return new

    def walk(value: Any) -> Any:
        if isinstance(value, Node):
            return mapped(value, change)
        return tuple(walk(item) for item in value) if isinstance(value, tuple) else value

    return replace(node, **{f.name: walk(getattr(node, f.name)) for f in fields(node)})


def turns(node: Node) -> int:
    """How many transposes the tree has."""
    count = 0

    def look(one: Node) -> None:
        nonlocal count
        count += isinstance(one, Transpose)

    mapped(node, look)
    return count


def added(terms: Sequence[tuple[bool, Node]]) -> Node:
    """The sum of signed terms: inner sums taken apart, positive ones and those that are not transposed first."""
    flat: list[tuple[bool, Node]] = []
    for negative, term in terms:
        inner = term.terms if isinstance(term, Sum) else ((False, term),)
        flat += [(negative != minus, part) for minus, part in inner]
    flat.sort(key=lambda term: (term[0], is_turned(term[1])))
    if len(flat) == 1 and not flat[0][0]:
        return flat[0][1]
    rank = max(term.rank for _, term in flat)
    if rank and all(isinstance(term, Transpose) for _, term in flat):
        return Transpose(rank, Sum(rank, tuple((negative, transposed(term)) for negative, term in flat)))
    return Sum(rank, tuple(flat))


def is_turned(node: Node) -> bool:
    """Whether a term is transposed as a whole, or has the upstream gradient transposed."""
    if isinstance(node, Transpose):
        return True
    factors = node.factors if isinstance(node, Product) else ()
    return any(isinstance(f, Transpose) and isinstance(f.inner, Upstream) for f in factors)


def weight(node: Node) -> int:
    """How many names and signs the tree has, numbers left out."""
    count = 0

    def look(one: Node) -> None:
        nonlocal count
        count += isinstance(one, Symbol) and not one.text.isdigit()

    mapped(node, look)
    return count


def transposed(node: Node) -> Node:
    """nodeᵀ: inside products, and inside sums where that takes fewer signs."""
    if node.rank == 0 or is_symmetric(node):
        return node
    if isinstance(node, Transpose):
        return node.inner
    if isinstance(node, Over):
        return Over(node.rank, transposed(node.inner), node.below)
    if isinstance(node, Product):
        scalars = tuple(f for f in node.factors if f.rank == 0)
        rest = tuple(transposed(f) for f in reversed(node.factors) if f.rank != 0)
        return Product(node.rank, (*scalars, *rest))
    outside = Transpose(node.rank, node)
    if isinstance(node, Sum) and len(node.terms) == 1 and node.rank:
        return Sum(node.rank, ((True, transposed(node.terms[0][1])),))
    inside: Node | None = None
    if isinstance(node, Sum) and node.rank == 2 and all(term.rank == 2 for _, term in node.terms):
        inside = added([(negative, transposed(term)) for negative, term in node.terms])
    elif isinstance(node, Hadamard) and node.rank == 2 and all(f.rank == 2 for f in (*node.above, *node.below)):
        inside = Hadamard(2, tuple(map(transposed, node.above)), tuple(map(transposed, node.below)))
    return inside if inside is not None and turns(inside) < turns(outside) else outside


def is_symmetric(node: Node) -> bool:
    """I, a diagonal matrix, or I turned round."""
    if isinstance(node, Call) and node.rank == 2:
        return node.name == "diag" or (node.name == "flip" and isinstance(node.arguments[0], Sign))
    return isinstance(node, Sign) and node.rank == 2 and re.fullmatch(r"I[₀-₉]*", node.text) is not None


def compact(node: Node) -> Node:
    """The transpose of a product where that takes fewer signs: (B v)ᵀ for vᵀ Bᵀ."""
    if not isinstance(node, Product) or turns(node) < 2:
        return node
    turned = Transpose(node.rank, transposed(node))
    return turned if turns(turned) < turns(node) else node


def diagonal(node: Node) -> Node:
    return Call(2, "diag", (node,))


def flattened(factors: Sequence[Node]) -> tuple[Node, ...]:
    """Factors of a product, scalars first, inner products of matrices taken apart."""
    out: list[Node] = []
    for node in factors:
        out += node.factors if isinstance(node, Product) and node.rank else [node]
    return (*(f for f in out if f.rank == 0), *(f for f in out if f.rank))


_BOLD = {"I": ("𝐈", r"\mathbf{I}"), "L": ("𝐋", r"\mathbf{L}"), "K": ("𝐊", r"\mathbf{K}"), "e": ("𝐞", r"\mathbf{e}")}


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
