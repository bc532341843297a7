"""Shell text, run in this process: what a pipe would show of tutorials and of the README's blocks.

The lines that are understood are ``[echo TEXT |] gradcli ARGUMENTS [|| echo "exit code $?"]``; a command that fails
without its exit code being shown is an error of the text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from command import run

SHOW_CODE = ["||", "echo", "exit code $?"]


def output(command: str) -> str:
    """What ``command`` prints on either stream."""
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    stdin = ""
    if "|" in words:
        bar = words.index("|")
        assert words[0] == "echo", command
        stdin, words = " ".join(words[1:bar]) + "\n", words[bar + 1 :]
    tolerant = words[-3:] == SHOW_CODE
    program, *args = words[:-3] if tolerant else words
    assert program == "gradcli", command
    ran = run(*args, stdin=stdin)
    assert tolerant or ran.code == 0, f"{command}\n{ran.out}{ran.err}"
    return ran.out + ran.err + (f"exit code {ran.code}\n" if ran.code else "")


def commands(script: str) -> Iterator[tuple[str, str]]:
    """The script in pieces, each with the command that it ends, or with an empty one."""
    piece = command = ""
    for line in script.splitlines(keepends=True):
        piece += line
        if command or not re.match(r"\s*(#|$)", line):
            command += line
        if command and is_complete(command):
            yield piece, command
            piece = command = ""
    assert not command, f"unfinished: {command}"
    if piece:
        yield piece, ""


def is_complete(command: str) -> bool:
    """Whether a shell would run it rather than wait for another line."""
    try:
        shlex.split(command, comments=True)
    except ValueError:  # a quotation is still open
        return False
    return not command.endswith("\\\n")


def transcript(script: str) -> str:
    """What ``bash -v`` shows: the script, with the output of each command below it."""
    return "".join(piece + (output(command) if command else "") for piece, command in commands(script))


def steady(text: str) -> str:
    """``text`` without what differs from run to run: how long things took."""
    return re.sub(r"\b\d+ ms\b", "… ms", text)
