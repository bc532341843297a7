"""What a batch prints and writes while it runs, and at its end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from gradcli.batch.junit import Junit
from gradcli.batch.progress import Bar
from gradcli.batch.reporting import Report, Tally, label, remarks
from gradcli.batch.updating import Update
from gradcli.cli.terminal import Terminal, is_terminal
from gradcli.render.cells import width

if TYPE_CHECKING:
    from gradcli.batch.entries import Entry
    from gradcli.batch.files import Reading, Task
    from gradcli.batch.queue import Done

#: seconds between two times that what is printed is brought out
PAUSE = 0.1


@dataclass(slots=True)
class Session:
    """One run of ``gradcli batch``."""

    terminal: Terminal
    report: Report
    bar: Bar
    junit: Junit | None
    junit_file: str | None
    output: str | None
    updates: dict[str, Update]
    quiet: bool = False
    tally: Tally = field(default_factory=Tally)
    texts: list[bytes] = field(default_factory=list)
    kept: list[bytes] = field(default_factory=list)
    interrupts: Interrupts = field(default_factory=lambda: Interrupts())
    stopped: bool = False
    flushed: float = 0.0

    @classmethod
    def of(
        cls,
        readings: Sequence[Reading],
        wanted: Callable[[Entry], bool],
        given: dict[str, Any],
        terminal: Terminal,
    ) -> Session:
        """A session for what the options ask."""
        from gradcli.cli.shown import look

        streams = any(reading.whole is None for reading in readings)
        known = [(reading.title, entry) for reading in readings for entry in reading.whole or () if wanted(entry)]
        bar = Bar(
            terminal.stderr,
            None if streams else len(known),
            shown=is_terminal(terminal.stderr),
            unicode=terminal.unicode(terminal.stderr),
        )
        sources = [reading.source for reading in readings if given["update"] and reading.source is not None]
        return cls(
            terminal,
            Report(
                look(given, terminal),
                json=given["form"] == "json",
                latex=given["form"] == "latex",
                brief=given["quiet"],
                widest=max((width(label(*one)) for one in known), default=0),
            ),
            bar,
            Junit() if given["junit"] else None,
            given["junit"],
            given["output"],
            {source.title: Update(source, source.title.lower().endswith(".json")) for source in sources},
            quiet=given["quiet"],
        )

    def take(self, done: Done) -> None:
        """Print one problem, and remember of it what is written at the end."""
        asides = remarks(done) if done.outcome.unused else ()
        text = self.report.text(done)
        self.tally.add(done)
        self.texts.append(text)
        if self.junit is not None:
            self.junit.add(done)
        if done.title in self.updates:
            self.updates[done.title].add(done)
        now = monotonic()
        if asides or now - self.flushed > PAUSE:
            self.flush(asides)
            self.bar.show(self.tally.total, now)

    def flush(self, asides: Sequence[str] = ()) -> None:
        """Bring out what has been printed so far; where it goes to a file it waits for the end."""
        self.flushed = monotonic()
        if not self.texts and not asides:
            return
        with self.interrupts:
            texts = b""
            if self.output is not None:
                self.kept += self.texts
            else:
                texts = b"".join(self.texts)
            self.texts = []
            if asides or is_terminal(self.terminal.stdout):
                self.bar.clear()
            self.terminal.write_utf8(texts)
            self.terminal.flush()
            for aside in asides:
                self.terminal.write(f"{aside}\n", self.terminal.stderr)

    def between(self, reading: Reading) -> Reading:
        """The same reading, with what has been printed brought out before more of it is awaited."""

        def blocks() -> Iterator[list[Task]]:
            for block in reading.blocks:
                yield block
                self.flush()

        return replace(reading, blocks=blocks())

    def finish(self, *, interrupted: bool = False) -> int:
        """Write the files and the summary; the exit code.

        Raises:
            GradcliError: a file cannot be written, or an expectation not be updated.
        """
        from gradcli.cli.saving import write_bytes, write_text

        self.flush()
        self.bar.clear()
        if self.output is not None:
            write_bytes(self.output, b"".join(self.kept))
        if self.junit is not None and self.junit_file is not None:
            write_text(self.junit_file, self.junit.text())
        words = f"interrupted after {self.tally}" if interrupted else str(self.tally)
        if self.stopped:
            words += "; stopped at the first failure"
        if not self.quiet or interrupted:
            self.terminal.write(f"{words}\n", self.terminal.stderr)
        return self.tally.exit_code if interrupted else self._updated()

    def _updated(self) -> int:
        """Write what was updated, every file or none; the exit code with that mended."""
        from gradcli.cli.saving import write_all

        wanted = {title: update for title, update in self.updates.items() if update.wanted}
        before = {title: Path(title).read_bytes() for title in wanted}
        write_all({title: update.data(before[title]) for title, update in wanted.items()}, before)
        for title in wanted:
            count = len(self.updates[title].wanted)
            words = f"updated {count} expectation{'' if count == 1 else 's'} in {title}\n"
            self.terminal.write(words, self.terminal.stderr)
        mended = sum(update.mended for update in self.updates.values())
        self.tally.failed -= mended
        return self.tally.exit_code


class Interrupts:
    """Lets an interrupt wait while a problem is written, so that its lines are whole."""

    def __init__(self) -> None:
        self._writing = self._waiting = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Take interrupts over for a while, where this is the thread that gets them."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, self._interrupted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupted(self, number: int, frame: object) -> None:
        if not self._writing:
            raise KeyboardInterrupt
        self._waiting = True

    def __enter__(self) -> None:
        self._writing = True

    def __exit__(self, *exception: object) -> None:
        self._writing = False
        if self._waiting:
            self._waiting = False
            raise KeyboardInterrupt
