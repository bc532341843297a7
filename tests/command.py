"""Run a command line in this process, with streams and environment of its own."""

from __future__ import annotations

import io
from dataclasses import dataclass

from gradcli.cli import main
from gradcli.cli.terminal import Terminal


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


class Stream(io.TextIOWrapper):
    """A text stream over memory that may pretend to be a terminal."""

    def __init__(self, text: str = "", encoding: str = "utf-8", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(text.encode(encoding)), encoding=encoding, newline="")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined]


def run(
    *args: str, stdin: str = "", env: dict[str, str] | None = None, encoding: str = "utf-8", tty: bool = False
) -> Ran:
    """``gradcli ARGS``."""
    out, err = Stream(encoding=encoding, terminal=tty), Stream(encoding=encoding, terminal=tty)
    code = main(args, Terminal(Stream(stdin), out, err, env or {}))
    return Ran(code, out.text(), err.text())
