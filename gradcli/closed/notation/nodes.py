"""Nodes of matrix notation: scalars, vectors and matrices (rank 0, 1 and 2).

Vectors are columns; the transpose of one is a row.  A number added to a vector or a
matrix is added to each element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

SUM, KRON, PRODUCT, HADAMARD, POWER, ATOM = range(6)


@dataclass(frozen=True)
class Node:
    """Base of the tree; tensors of higher rank occur only where everything works element by element."""

    rank: int


@dataclass(frozen=True)
class Symbol(Node):
    """A name, a number or an element; ``level`` is the precedence of its text."""

    text: str
    tex: str
    level: int = ATOM


@dataclass(frozen=True)
class Sign(Symbol):
    """A sign of the notation itself: 𝟏, I, L, K or a unit vector."""


@dataclass(frozen=True)
class Upstream(Symbol):
    """The upstream gradient, which stands last among factors of its kind."""


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
class Part(Node):
    """A slice of a tensor: ``spots`` are indices and stretches of axes, one an axis."""

    inner: Node
    spots: tuple[str, ...]
    spots_tex: tuple[str, ...]


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


def symbols(node: Node) -> list[Symbol]:
    """Names, numbers and signs of the tree, from left to right."""
    found: list[Symbol] = []

    def look(one: Node) -> None:
        if isinstance(one, Symbol):
            found.append(one)

    mapped(node, look)
    return found


def turns(node: Node) -> int:
    """How many transposes the tree has."""
    count = 0

    def look(one: Node) -> None:
        nonlocal count
        count += isinstance(one, Transpose)

    mapped(node, look)
    return count


def weight(node: Node) -> int:
    """How many names and signs the tree has, numbers left out."""
    count = 0

    def look(one: Node) -> None:
        nonlocal count
        count += isinstance(one, Sign) or (isinstance(one, Symbol) and not one.text.isdigit())

    mapped(node, look)
    return count
