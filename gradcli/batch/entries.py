"""Entries: one problem of a file with its defaults, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gradcli.batch.checks import Fault, Faults, canonical
from gradcli.batch.json_text import read_tree
from gradcli.batch.nodes import Node, Path
from gradcli.batch.schema import document
from gradcli.batch.sketches import Sketch
from gradcli.errors import GradcliError, GradcliErrors, Source, Span


@dataclass(slots=True)
class Where:
    """Where a problem stands.

    Attributes:
        source: the text of the file, or of the line of a stream.
        path: the problem's place in its document.
        root: the document's tree; None until a line's is wanted.
        document: which of the file's documents it is.
        whole: the place of the whole document, whose tree is this one's; None for that place itself.
    """

    source: Source
    path: Path = ()
    root: Node | None = None
    document: int = 0
    whole: Where | None = None

    def tree(self) -> Node:
        if self.whole is not None:
            return self.whole.tree()
        if self.root is None:
            self.root = read_tree(self.source)
        return self.root

    def node(self, path: Path = (), *, key: bool = False) -> Node:
        """The part of the problem at ``path``; of the file's defaults where the problem has none."""
        root = self.tree()
        own = root.find(self.path)
        if path and path[0] not in _keys(own):
            shared = root.find(("defaults",))
            path, own = (_spelling(shared, path), shared) if path[0] in _keys(shared) else ((), own)
        return own.find(_spelling(own, path), key=key)

    def span(self, path: Path = (), *, key: bool = False) -> Span:
        node = self.node(path, key=key)
        return Span(node.start, max(node.end, node.start + 1))

    @property
    def line(self) -> int:
        return self.source.line_at(self.tree().find(self.path).start)


def _keys(node: Node) -> set[str]:
    return {canonical(str(key.data)) for key, _ in node.pairs or ()}


def _spelling(node: Node, path: Path) -> Path:
    """``path`` with its first key as the file spells it."""
    for key, _ in node.pairs or ():
        if path and canonical(str(key.data)) == path[0]:
            return (key.data, *path[1:])
    return path


@dataclass(slots=True)
class Entry:
    """One problem: its keys in canonical spelling, defaults filled in.

    Attributes:
        data: what the file says, checked against the schema.
        folder: where relative names of tensor files start.
        where: its place; not sent to other processes.
        sketch: what tells whether it can be run together with others, where that is known already.
    """

    data: dict[str, Any]
    folder: str = "."
    where: Where | None = field(default=None, repr=False)
    sketch: Sketch | None = None

    @property
    def name(self) -> str | None:
        """The name that the file gives it."""
        given = self.data.get("name")
        return None if given is None else str(given)

    def detached(self) -> Entry:
        """The same without its place, to be sent to another process."""
        return Entry(self.data, self.folder, None, self.sketch)


def entries(data: Any, where: Where, folder: str, settings: Mapping[str, Any]) -> list[Entry]:
    """The problems of one document.

    Args:
        data: its plain data.
        where: the whole document's place.
        folder: where relative file names start.
        settings: keys that win over what the file says.

    Raises:
        GradcliError: the document is at fault; every fault is told.
    """
    faults = Faults()
    document(data, faults)
    if faults.found:
        raise _placed(faults.found, where)
    listed = data if isinstance(data, list) else data.get("problems")
    shared = {} if isinstance(data, list) else _canonical(data.get("defaults") or {})
    if listed is None:
        return [Entry({**_canonical(data), **settings}, folder, where)]
    prefix: Path = () if isinstance(data, list) else ("problems",)
    return [
        Entry(_merged(shared, _canonical(one), settings), folder, replace(where, path=(*prefix, at), whole=where))
        for at, one in enumerate(listed)
    ]


def _canonical(data: Mapping[str, Any]) -> dict[str, Any]:
    return {canonical(key): value for key, value in data.items()}


def _merged(shared: dict[str, Any], own: dict[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """A problem's own keys win over defaults; an upstream gradient of its own replaces a shared loss."""
    base = dict(shared)
    if own.keys() & {"grad", "loss"}:
        base = {key: value for key, value in base.items() if key not in ("grad", "loss")}
    return {**base, **own, **settings}


def _placed(faults: list[Fault], where: Where) -> GradcliError:
    """The faults in the order of the file, as one error."""
    root = where.tree()
    errors = []
    for fault in faults:
        node = root.find(fault.path, key=fault.key)
        end = node.end if node.is_scalar else node.start + 1
        span = Span(node.start, max(end, node.start + 1))
        errors.append(GradcliError(fault.message, span=span, hint=fault.hint, source=where.source))
    errors.sort(key=lambda error: error.span.start if error.span else 0)
    return errors[0] if len(errors) == 1 else GradcliErrors(errors)
