"""The program: an immutable, hash-consed list of nodes in evaluation order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from gradcli.errors import Source, Span

#: A static attribute: a plain Python value that never depends on a tensor.
#: Slices are ("slice", start, stop, step); Ellipsis is "...".
Attr = Union[None, bool, int, float, str, tuple["Attr", ...]]  # noqa: UP007 (it speaks of itself)


@dataclass(frozen=True, slots=True)
class Node:
    """One operation of a program.

    ``op`` is the name of a row of the table, or one of the four primitives
    ``leaf`` (attr ``name``), ``number`` (attrs ``value``: int or float, ``text``: as
    the user wrote it), ``constant`` (attr ``name``: pi, e, inf or nan) and
    ``index`` (one operand; attr ``index``: a tuple of int, ("slice", a, b, c), "..." or None).
    ``args`` are the ids of the tensor operands and ``roles`` the parameter each one fills
    (a list of tensors repeats its role).  ``attrs`` binds every static parameter of
    the row's signature, defaults included, in the order of the signature.
    """

    id: int
    op: str
    args: tuple[int, ...]
    roles: tuple[str, ...]
    attrs: tuple[tuple[str, Attr], ...]
    span: Span = field(compare=False)

    def attr(self, name: str) -> Attr:
        """The value of the static attribute ``name``; KeyError when the row has none."""
        for key, value in self.attrs:
            if key == name:
                return value
        raise KeyError(name)

    def operand(self, role: str) -> int | None:
        """The id of the operand that fills ``role``, or None when it was left out."""
        return self.args[self.roles.index(role)] if role in self.roles else None


@dataclass(frozen=True, slots=True)
class Statement:
    """``name = …``: ``name`` is unique in the program (a reassigned ``x`` becomes ``x2``)."""

    name: str
    node: int
    span: Span
    #: False for a bare expression, which the parser names y
    given: bool = True


@dataclass(frozen=True, slots=True)
class Program:
    """What the parser gives: nodes in evaluation order, statements, root, leaves."""

    source: Source
    nodes: tuple[Node, ...]
    statements: tuple[Statement, ...]
    leaves: tuple[str, ...]
    #: parallel to ``nodes``: the canonical source text of each node, in terms of
    #: leaves and statement names
    echoes: tuple[str, ...]

    @property
    def root(self) -> Statement:
        """The last statement."""
        return self.statements[-1]

    @property
    def text(self) -> str:
        """Canonical echo of the whole program: statements joined by '; '."""
        return "; ".join(f"{s.name} = {self.body(s)}" for s in self.statements)

    def body(self, statement: Statement) -> str:
        """Canonical text of the right-hand side of ``statement``."""
        return self.echoes[statement.node]

    def feeding(self, root: int) -> frozenset[int]:
        """The ids of the nodes that ``root`` is computed from, itself included."""
        needed = {root}
        for node in reversed(self.nodes[: root + 1]):
            if node.id in needed:
                needed.update(node.args)
        return frozenset(needed)

    def leaf_id(self, name: str) -> int | None:
        """The id of the leaf node ``name``, or None when the program does not use it."""
        for node in self.nodes:
            if node.op == "leaf" and node.attr("name") == name:
                return node.id
        return None
