"""What a problem file holds, as a tree whose every part knows where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gradcli.errors import GradcliError, GradcliErrors, Source, Span

#: keys and list positions that lead from the top of a document to a part of it
Path = tuple[Any, ...]

#: lists and mappings inside one another
DEPTH = 80


@dataclass(eq=False, slots=True)
class Node:
    """A scalar, a list or a mapping.

    Attributes:
        start, end: half-open range of characters in the file's text.
        data: of a scalar its value: text, number, truth value or None.
        items: of a list its parts; None for anything else.
        pairs: of a mapping its keys and values; None for anything else.
        style: of a scalar ``'``, ``"``, ``|`` or ``>``; empty for a plain one and for the rest.
        size: how many scalars, lists and mappings it holds, itself included, aliases written out.
    """

    start: int
    end: int
    data: Any = None
    items: list[Node] | None = None
    pairs: list[tuple[Node, Node]] | None = None
    style: str = ""
    size: int = 1
    _plain: Any = field(default=None, repr=False)

    @property
    def is_scalar(self) -> bool:
        return self.items is None and self.pairs is None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def plain(self) -> Any:
        """The value as Python's own lists, dictionaries and scalars, each made once."""
        if self.is_scalar:
            return self.data
        if self._plain is None:
            if self.items is not None:
                self._plain = [item.plain() for item in self.items]
            else:
                self._plain = {key.plain(): value.plain() for key, value in self.pairs or ()}
        return self._plain

    def find(self, path: Sequence[Any], *, key: bool = False) -> Node:
        """The part at ``path``, or its key; the last part on the way where it is missing."""
        node: Node = self
        for step in path:
            found: Node | None = None
            if node.pairs is not None:
                for name, value in node.pairs:
                    if name.is_scalar and name.data == step and type(name.data) is type(step):
                        found = name if key and step is path[-1] else value
            elif node.items is not None and isinstance(step, int) and step < len(node.items):
                found = node.items[step]
            if found is None:
                return node
            node = found
        return node


def check_duplicates(pairs: Sequence[tuple[Node, Node]], source: Source) -> None:
    """Refuse a mapping that has a key twice.

    Raises:
        GradcliError: naming both lines of every such key.
    """
    seen: dict[Any, Node] = {}
    faults = []
    for key, _ in pairs:
        if not key.is_scalar:
            what = "a list or a mapping stands where a key should"
            raise GradcliError(what, span=key.span, hint="put the key in quotes", source=source)
        first = seen.setdefault((type(key.data), key.data), key)
        if first is key:
            continue
        lines = [source.line_at(one.start) for one in (first, key)]
        where = f", on lines {lines[0]} and {lines[1]}" if lines[0] != lines[1] else f" on line {lines[0]}"
        words = f"{source.text[key.start : key.end]} is given twice{where}"
        faults.append(GradcliError(words, span=key.span, hint="keep one of them", source=source))
    if faults:
        raise faults[0] if len(faults) == 1 else GradcliErrors(faults)
