"""``--update``: the numbers that were found, written where others were expected, and nothing else touched."""

from __future__ import annotations

import codecs
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gradcli.batch.entries import Where
from gradcli.batch.expecting import Actual
from gradcli.batch.json_text import read_json
from gradcli.batch.nodes import Node, Path
from gradcli.batch.queue import Done
from gradcli.errors import GradcliError, Source

#: significant digits that are written
_DIGITS = 12
#: relative difference between a number and what is written of it
_WRITTEN = 1e-11


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


@dataclass(slots=True)
class Update:
    """The expectations of one file that are to be changed."""

    source: Source
    is_json: bool
    wanted: list[tuple[Where, Path, Actual]] = field(default_factory=list)
    #: problems in which nothing else is wrong
    mended: int = 0

    def add(self, done: Done) -> None:
        """Take in what a problem's failing expectations should be."""
        if done.entry is None or done.entry.where is None:
            return
        actual = done.outcome.actual
        self.wanted += [(done.entry.where, path, value) for path, value in actual.items()]
        self.mended += bool(actual) and all(failure.path in actual for failure in done.outcome.failures)

    def data(self, current: bytes) -> bytes:
        """The file with the actual numbers.

        Args:
            current: what the file holds now.

        Raises:
            GradcliError: one of them cannot be put in without disturbing the rest, with its place; or the file
                has changed since it was read.
        """
        if current.decode("utf-8-sig", "replace") != self.source.text:
            raise GradcliError(f"nothing was updated: {self.source.title} has changed meanwhile", hint="run it again")
        mark = codecs.BOM_UTF8 if current.startswith(codecs.BOM_UTF8) else b""
        return mark + self._text().encode()

    def _text(self) -> str:
        edits: dict[int, _Edit] = {}
        for where, path, actual in self.wanted:
            for edit in self._edits(where, path, where.node(path), actual.value, actual.tolerance):
                known = edits.setdefault(edit.start, edit)
                if known != edit:
                    raise self._fault(where, path, "an alias stands for two that differ now")
        text = self.source.text
        for edit in sorted(edits.values(), key=lambda edit: -edit.start):
            text = text[: edit.start] + edit.text + text[edit.end :]
        self._verify(text)
        return text

    def _edits(self, where: Where, path: Path, node: Node, actual: Any, tolerance: float) -> Iterator[_Edit]:
        """Elements one by one where the shape is the same; else the whole, if it stands on one line."""
        if node.items is not None and isinstance(actual, list) and len(node.items) == len(actual):
            for item, value in zip(node.items, actual, strict=True):
                yield from self._edits(where, path, item, value, tolerance)
            return
        if node.is_scalar and _close(node.data, actual, tolerance):
            return
        raw = self.source.text[node.start : node.end]
        if "\n" in raw.rstrip("\n") or (node.items is not None and not raw.startswith("[")):
            raise self._fault(where, path, "its shape has changed, and it stands on several lines")
        end = node.start + len(raw.rstrip())
        yield _Edit(node.start, end, self._written(actual))

    def _written(self, actual: Any) -> str:
        if isinstance(actual, list):
            return f"[{', '.join(map(self._written, actual))}]"
        if isinstance(actual, str):
            return '"' + actual.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if math.isfinite(actual):
            return f"{actual + 0.0:.{_DIGITS}g}"
        if self.is_json:
            return f'"{actual}"'
        return {math.inf: ".inf", -math.inf: "-.inf"}.get(actual, ".nan")

    def _verify(self, text: str) -> None:
        """Read the new text, and find there what was meant and nothing else.

        Raises:
            GradcliError: something else has changed, or the numbers are not there.
        """
        before, after = self._read(self.source), self._read(Source(text, self.source.title))
        meant = {(where.document, *where.path, *path): (where, path, actual) for where, path, actual in self.wanted}
        changed = _changes(before, after, (), meant)
        if changed is not None:
            where, path, _ = next((one for key, one in meant.items() if key == changed), self.wanted[0])
            raise self._fault(where, path, "another problem shares its place")

    def _read(self, source: Source) -> list[Any]:
        if self.is_json:
            return [read_json(source)]
        from gradcli.batch.yaml_text import read_yaml

        return [document.plain() for document in read_yaml(source)]

    def _fault(self, where: Where, path: Path, why: str) -> GradcliError:
        return GradcliError(
            f"nothing was updated: {'.'.join(map(str, path))} cannot be, because {why}",
            span=where.span(path),
            source=self.source,
            hint="change it by hand, then --update the rest",
        )


def _changes(before: Any, after: Any, path: Path, meant: Mapping[Path, tuple[Where, Path, Actual]]) -> Path | None:
    """The first place where ``after`` is neither as meant nor as before."""
    if path in meant:
        actual = meant[path][2]
        return None if _close(after, actual.value, max(actual.tolerance, _WRITTEN)) else path
    pairs: list[tuple[Any, Any, Any]]
    if isinstance(before, dict) and isinstance(after, dict) and list(before) == list(after):
        pairs = [(key, before[key], after[key]) for key in before]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = [(at, *both) for at, both in enumerate(zip(before, after, strict=True))]
    else:
        alike = before == after or (before != before and after != after)
        return None if alike else path
    found = (_changes(one, other, (*path, key), meant) for key, one, other in pairs)
    return next((place for place in found if place is not None), None)


def _close(written: Any, actual: Any, tolerance: float) -> bool:
    """Whether an element needs no change."""
    if isinstance(actual, list):
        alike = isinstance(written, list) and len(written) == len(actual)
        return alike and all(_close(one, other, tolerance) for one, other in zip(written, actual, strict=True))
    if isinstance(actual, str) or isinstance(written, bool) or not isinstance(written, (int, float)):
        return str(written) == str(actual)
    return math.isclose(written, actual, rel_tol=tolerance) or (math.isnan(written) and math.isnan(actual))
