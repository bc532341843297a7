"""Terminal: the streams and the environment a command runs in, given to it rather than taken."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO, cast

from gradcli.errors import INTERRUPTED, GradcliError

if TYPE_CHECKING:
    from gradcli.render.look import Look

#: columns that text is laid out for: no narrower, however narrow the terminal
NARROWEST = 40


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where a command reads and writes."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environ: Mapping[str, str]
    #: whether these are the streams of the whole process, and it may be ended
    is_process: bool = False

    @classmethod
    def of_process(cls) -> Terminal:
        """The streams and the environment of this process; a stream that is closed is empty."""
        stdin, stdout, stderr = _open(sys.stdin, "r"), _open(sys.stdout, "w"), _open(sys.stderr, "w")
        return cls(stdin, stdout, stderr, os.environ, is_process=True)

    def look(self, stream: TextIO | None = None, color: str = "auto") -> Look:
        """How text on ``stream`` (stdout) may look: its width, colour and signs."""
        from gradcli.render.look import Look

        stream = stream or self.stdout
        return Look(width=self.width(stream), colour=self.colour(stream, color), unicode=self.unicode(stream))

    def width(self, stream: TextIO) -> int:
        """COLUMNS where it is set, else the terminal's width, else 80."""
        columns = self.environ.get("COLUMNS", "")
        if columns.isdecimal() and int(columns) > 0:
            return max(NARROWEST, int(columns))
        try:
            found = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError, AttributeError):
            return 80
        return max(NARROWEST, found or 80)

    def colour(self, stream: TextIO, color: str) -> bool:
        """Whether to colour: ``always``, ``never``, or on a terminal that has not been told otherwise."""
        if color != "auto":
            return color == "always"
        dull = self.environ.get("NO_COLOR") or self.environ.get("TERM") == "dumb"
        return not dull and is_terminal(stream)

    def unicode(self, stream: TextIO) -> bool:
        """Whether the signs of mathematics can be written to ``stream``.

        Python writes UTF-8 even in the C locale; somebody who asked for that locale
        by name wants ASCII all the same.
        """
        try:
            "∂δᵀ∘⎡✓".encode(getattr(stream, "encoding", None) or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return False
        if self.environ.get("PYTHONIOENCODING") or self.environ.get("PYTHONUTF8"):
            return True
        # In the C locale Python itself sets LC_CTYPE to C.UTF-8, which therefore says nothing.
        chosen = self.environ.get("LC_ALL") or self.environ.get("LC_CTYPE", "").replace("C.UTF-8", "")
        return (chosen or self.environ.get("LANG")) not in ("C", "POSIX")

    def write(self, text: str, stream: TextIO | None = None) -> None:
        """Write ``text`` whole; signs that slipped past ``unicode`` are escaped rather than fatal.

        What stderr does not take is lost: there is no other place to say so, and results do not depend on it.

        Raises:
            BrokenPipeError: nobody reads any more.
            GradcliError: there is no room, or another fault of the stream.
        """
        stream = stream or self.stdout
        encoding = getattr(stream, "encoding", None) or "utf-8"
        with suppress(OSError) if stream is self.stderr else _writing():
            try:
                stream.write(text)
            except UnicodeEncodeError:
                stream.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def write_utf8(self, text: bytes) -> None:
        """Write text that is UTF-8 already to stdout; raises as ``write`` does."""
        buffer = getattr(self.stdout, "buffer", None)
        if buffer is None or (getattr(self.stdout, "encoding", None) or "").lower() not in ("utf-8", "utf8"):
            self.write(text.decode())
            return
        with _writing():
            self.stdout.flush()
            rest = memoryview(text)
            while rest:  # where Python runs unbuffered, a signal cuts a write short
                rest = rest[buffer.write(rest) or 0 :]

    def flush(self) -> None:
        """Bring out what was written; raises as ``write`` does."""
        with _writing():
            self.stdout.flush()

    @contextmanager
    def loading(self) -> Iterator[None]:
        """While modules load, an interrupt ends the process at once.

        A module that is interrupted half loaded may swallow the interrupt, or fail in words of its own.
        """
        if not self.is_process or threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, _leave)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _open(stream: TextIO | None, mode: str) -> TextIO:
    """The stream; one that holds nothing for None, which Python has where it was closed from the start."""
    return cast("TextIO", open(os.devnull, mode)) if stream is None else stream


def _leave(number: int, frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise GradcliError(f"the output cannot be written: {error.strerror or error}") from error


def is_terminal(stream: TextIO) -> bool:
    return bool(getattr(stream, "isatty", lambda: False)())
