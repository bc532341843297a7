"""Syntax trees: what was written, before names and functions have a meaning."""

from __future__ import annotations

from dataclasses import dataclass

from gradcli.errors import Span


@dataclass(frozen=True, slots=True)
class Tree:
    """Base of all trees; ``span`` is the text that it covers."""

    span: Span


@dataclass(frozen=True, slots=True)
class Number(Tree):
    text: str

    @property
    def value(self) -> int | float:
        return int(self.text) if self.text.lstrip("-").isdigit() else float(self.text)


@dataclass(frozen=True, slots=True)
class Name(Tree):
    name: str


@dataclass(frozen=True, slots=True)
class Word(Tree):
    """True, False, None; Ellipsis for ``...``."""

    value: object


@dataclass(frozen=True, slots=True)
class Text(Tree):
    value: str


@dataclass(frozen=True, slots=True)
class Group(Tree):
    """An expression in parentheses."""

    inner: Tree


@dataclass(frozen=True, slots=True)
class Sequence(Tree):
    """A list, or a tuple."""

    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Minus(Tree):
    operand: Tree


@dataclass(frozen=True, slots=True)
class Binary(Tree):
    sign: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Compare(Tree):
    """``a < b <= c``: ``signs`` stand between ``sides``."""

    signs: tuple[str, ...]
    sides: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Argument(Tree):
    """One argument of a call; ``keyword`` is None for a positional one."""

    keyword: str | None
    value: Tree


@dataclass(frozen=True, slots=True)
class Call(Tree):
    function: Tree
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Attribute(Tree):
    """``of.name``; ``name_span`` is the place of the name."""

    of: Tree
    name: str
    name_span: Span


@dataclass(frozen=True, slots=True)
class Slice(Tree):
    start: Tree | None
    stop: Tree | None
    step: Tree | None


@dataclass(frozen=True, slots=True)
class Index(Tree):
    of: Tree
    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Line(Tree):
    """One statement: ``target`` is None for a bare expression, ``element`` k for ``target[k] = …``."""

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
