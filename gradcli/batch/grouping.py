"""Problems run together (for now one by one)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.batch.entries import Entry
from gradcli.batch.running import Manner, Outcome, run


def run_together(entries: Sequence[Entry], manner: Manner) -> Iterator[Outcome]:
    for entry in entries:
        yield run(entry, manner)
