"""YAML read into trees: events of PyYAML's parser, composed here so that every part keeps its place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from gradcli.batch.nodes import DEPTH, Node, check_duplicates
from gradcli.batch.scalars import resolve
from gradcli.batch.yaml_faults import reword
from gradcli.errors import GradcliError, Source, Span

#: values that aliases may stand for when they are written out
ALIASED = 100_000

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT_TAGS = ("!", "tag:yaml.org,2002:str")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")
_QUOTE = "put the expression in quotes"


def read_yaml(source: Source) -> list[Node]:
    """The documents of a YAML text; empty ones are left out.

    Raises:
        GradcliError: the text is no YAML, a key is given twice, an alias stands for nothing or for too
            much, a tag asks for an object, or lists are nested too deep; with the place.
    """
    composer = _Composer(source)
    try:
        for event in yaml.parse(source.text, Loader=_LOADER):
            composer.take(event)
    except yaml.YAMLError as error:
        raise reword(error, source) from None
    return composer.documents


@dataclass
class _Open:
    """A list or a mapping whose end has not come yet."""

    node: Node
    key: Node | None = None
    depth: int = 0


@dataclass
class _Composer:
    source: Source
    documents: list[Node] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, Node] = field(default_factory=dict)
    aliased: int = 0

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._put(self._anchored(event, self._scalar(event)))
        elif isinstance(event, yaml.AliasEvent):
            self._put(self._alias(event))
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.anchors = {}

    def _scalar(self, event: Any) -> Node:
        style = event.style or ""
        if event.tag is not None and event.tag not in _TEXT_TAGS:
            raise self._fault(event, f"the tag {event.tag} is not taken here", _QUOTE)
        plain = not style and event.tag is None
        data = resolve(event.value) if plain else event.value
        return Node(self._start(event), event.end_mark.index, data, style=style)

    def _start(self, event: Any) -> int:
        """Where a value itself begins, behind its anchor and tag."""
        start: int = event.start_mark.index
        found = _PROPERTIES.match(self.source.text, start) if event.anchor or event.tag else None
        return found.end() if found else start

    def _alias(self, event: Any) -> Node:
        node = self.anchors.get(event.anchor)
        if node is None:
            raise self._fault(event, f"'*{event.anchor}' is an alias in YAML, and there is no such anchor", _QUOTE)
        if any(one.node is node for one in self.stack):
            raise self._fault(event, f"'*{event.anchor}' stands inside what it stands for", None)
        self.aliased += node.size
        if self.aliased > ALIASED:
            words = f"the aliases stand for more than {ALIASED:,} values"
            raise self._fault(event, words, "keep large tensors in files: @x.npy")
        return node

    def _open(self, event: Any) -> None:
        if event.tag is not None and event.tag != "!":
            raise self._fault(event, f"the tag {event.tag} is not taken here", _QUOTE)
        if len(self.stack) == DEPTH:
            raise self._fault(event, f"lists are nested more than {DEPTH} deep", None)
        node = Node(self._start(event), event.end_mark.index)
        if isinstance(event, yaml.SequenceStartEvent):
            node.items = []
        else:
            node.pairs = []
        self._anchored(event, node)
        self.stack.append(_Open(node))

    def _anchored(self, event: Any, node: Node) -> Node:
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def _close(self, event: Any) -> None:
        node = self.stack.pop().node
        node.end = event.end_mark.index
        if node.pairs is not None:
            check_duplicates(node.pairs, self.source)
            node.pairs = self._merged(node.pairs)
        self._put(node)

    def _put(self, node: Node) -> None:
        if not self.stack:
            if not (node.is_scalar and node.data is None):
                self.documents.append(node)
            return
        top = self.stack[-1]
        top.node.size += node.size
        if top.node.items is not None:
            top.node.items.append(node)
        elif top.key is None:
            top.key = node
        else:
            assert top.node.pairs is not None
            top.node.pairs.append((top.key, node))
            top.key = None

    def _merged(self, pairs: list[tuple[Node, Node]]) -> list[tuple[Node, Node]]:
        """``<<: *base`` replaced by the pairs of base whose keys are not there already."""
        if not any(_is_merge(key) for key, _ in pairs):
            return pairs
        own = [pair for pair in pairs if not _is_merge(pair[0])]
        for value in (value for key, value in pairs if _is_merge(key)):
            for base in [value] if value.items is None else value.items:
                if base.pairs is None:
                    hint = "merge a mapping: <<: *base"
                    raise GradcliError("what << merges is no mapping", span=value.span, hint=hint, source=self.source)
                known = {key.data for key, _ in own}
                own += [pair for pair in base.pairs if pair[0].data not in known]
        return own

    def _fault(self, event: Any, words: str, hint: str | None) -> GradcliError:
        span = Span(event.start_mark.index, max(event.end_mark.index, event.start_mark.index + 1))
        return GradcliError(words, span=span, hint=hint, source=self.source)


def _is_merge(key: Node) -> bool:
    return key.data == "<<" and not key.style
