"""Syntax trees: what was written, before names and functions have a meaning.

``span`` is the text that a tree covers.
"""

from __future__ import annotations

from typing import NamedTuple, Union

from gradcli.errors import Span

Tree = Union[
    "Number", "Name", "Word", "Text", "Group", "Sequence", "Minus", "Binary", "Compare", "Call", "Attribute",
    "Slice", "Index", "Argument",
]  # fmt: skip


class Number(NamedTuple):
    span: Span
    text: str

    @property
    def value(self) -> int | float:
        return int(self.text) if self.text.lstrip("-").isdigit() else float(self.text)


class Name(NamedTuple):
    span: Span
    name: str


class Word(NamedTuple):
    """True, False, None; Ellipsis for ``...``."""

    span: Span
    value: object


class Text(NamedTuple):
    span: Span
    value: str


class Group(NamedTuple):
    """An expression in parentheses."""

    span: Span
    inner: Tree


class Sequence(NamedTuple):
    """A list, or a tuple."""

    span: Span
    items: tuple[Tree, ...]


class Minus(NamedTuple):
    span: Span
    operand: Tree


class Binary(NamedTuple):
    span: Span
    sign: str
    left: Tree
    right: Tree


class Compare(NamedTuple):
    """``a < b <= c``: ``signs`` stand between ``sides``."""

    span: Span
    signs: tuple[str, ...]
    sides: tuple[Tree, ...]


class Argument(NamedTuple):
    """One argument of a call; ``keyword`` is None for a positional one."""

    span: Span
    keyword: str | None
    value: Tree


class Call(NamedTuple):
    span: Span
    function: Tree
    arguments: tuple[Argument, ...]


class Attribute(NamedTuple):
    """``of.name``; ``name_span`` is the place of the name."""

    span: Span
    of: Tree
    name: str
    name_span: Span


class Slice(NamedTuple):
    span: Span
    start: Tree | None
    stop: Tree | None
    step: Tree | None


class Index(NamedTuple):
    span: Span
    of: Tree
    items: tuple[Tree, ...]


class Line(NamedTuple):
    """One statement: ``target`` is None for a bare expression, ``element`` k for ``target[k] = …``."""

    span: Span
    target: str | None
    element: int | None
    value: Tree


def ungroup(tree: Tree) -> Tree:
    """``tree`` without the parentheses round it."""
    while isinstance(tree, Group):
        tree = tree.inner
    return tree


def spine(tree: Binary) -> tuple[Tree, list[Binary]]:
    """The first operand of a chain ``a + b - c`` and its steps, innermost first.

    Chains lean left and may be thousands long, so they are walked, not recursed into.
    """
    steps: list[Binary] = []
    first: Tree = tree
    while isinstance(first, Binary):
        steps.append(first)
        first = first.left
    return first, steps[::-1]


def children(tree: Tree) -> list[Tree]:
    """The trees directly inside ``tree``."""
    if isinstance(tree, Group):
        return [tree.inner]
    if isinstance(tree, Minus):
        return [tree.operand]
    if isinstance(tree, Binary):
        return [tree.left, tree.right]
    if isinstance(tree, Compare):
        return list(tree.sides)
    if isinstance(tree, Sequence):
        return list(tree.items)
    if isinstance(tree, Call):
        return [tree.function, *(argument.value for argument in tree.arguments)]
    if isinstance(tree, Attribute):
        return [tree.of]
    if isinstance(tree, Index):
        return [tree.of, *tree.items]
    if isinstance(tree, Slice):
        return [part for part in (tree.start, tree.stop, tree.step) if part is not None]
    return []
