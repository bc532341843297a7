"""Matrix notation as a small tree of scalars, vectors and matrices (rank 0, 1 and 2).

Vectors are columns; the transpose of one is a row.  A number added to a vector or a
matrix is added to each element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

SUM, KRON, PRODUCT, HADAMARD, POWER, ATOM = range(6)


@dataclass(frozen=True)
class Node:
    """Base of the tree; tensors of higher rank occur only where everything works element by element."""

    rank: int


@dataclass(frozen=True)
class Symbol(Node):
    """A name, a number or an element; ``level`` is the precedence of its text, ``square`` what its square is."""

    text: str
    tex: str
    level: int = ATOM
    square: Symbol | None = None


@dataclass(frozen=True)
class Sign(Symbol):
    """A sign of the notation itself: 𝟏, I, L, K or a unit vector."""


@dataclass(frozen=True)
class Sum(Node):
    """Signed terms: True means minus."""

    terms: tuple[tuple[bool, Node], ...]


@dataclass(frozen=True)
class Product(Node):
    """Juxtaposed factors: scalars first, then matrices and vectors."""

    factors: tuple[Node, ...]


@dataclass(frozen=True)
class Hadamard(Node):
    """Element by element: ``above`` multiplied, ``below`` divided by."""

    above: tuple[Node, ...]
    below: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Over(Node):
    """A whole product divided by a scalar."""

    inner: Node
    below: Node


@dataclass(frozen=True)
class Kron(Node):
    factors: tuple[Node, ...]


@dataclass(frozen=True)
class Transpose(Node):
    inner: Node


@dataclass(frozen=True)
class Inverse(Node):
    """The inverse of a matrix."""

    inner: Node


@dataclass(frozen=True)
class Power(Node):
    """Element by element; ``exponent`` is a positive number's text."""

    inner: Node
    exponent: str


@dataclass(frozen=True)
class Call(Node):
    """A function: ``diag``, ``vec``, ``tr``, ``sum``, or one of the language."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Truth(Node):
    """1 where a condition holds, else 0: a comparison of the language, or ``and``, ``or``, ``not`` of such."""

    op: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Blocks(Node):
    """A matrix for each value of a shared index: ``delta`` says which blocks are not 0."""

    delta: str
    delta_tex: str
    inner: Node


ONES = Sign(1, "𝟏", r"\mathbf{1}")
IDENTITY = Sign(2, "I", "I")
LOWER = Sign(2, "L", "L")
COMMUTATION = Sign(2, "K", "K")
ONE = Symbol(0, "1", "1")
ZERO = Symbol(0, "0", "0")


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


def transposed(node: Node) -> Node:
    """nodeᵀ: inside products, and inside sums where that takes fewer signs."""
    if node.rank == 0 or node == IDENTITY or (isinstance(node, Call) and node.name == "diag" and node.rank == 2):
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
    inside: Node | None = None
    if isinstance(node, Sum) and node.rank == 2 and all(term.rank == 2 for _, term in node.terms):
        inside = Sum(2, tuple((negative, transposed(term)) for negative, term in node.terms))
    elif isinstance(node, Hadamard) and node.rank == 2 and all(f.rank == 2 for f in (*node.above, *node.below)):
        inside = Hadamard(2, tuple(map(transposed, node.above)), tuple(map(transposed, node.below)))
    return inside if inside is not None and turns(inside) < turns(outside) else outside


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
