"""Values in files: opening them, choosing the format by the name, and every way that can fail."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from pathlib import Path
from typing import IO, Any

from gradcli.errors import GradcliError
from gradcli.values.formats import FORMATS, decode, from_json
from gradcli.values.tensors import Content

_NAME = re.compile(r"(?P<path>.*\.(?:npy|npz|pt|pth|csv|json))(?::(?P<key>.*))?", re.IGNORECASE | re.DOTALL)
_KINDS = "@x.npy, @x.npz:key, @x.pt, @x.csv, @x.json, or @- for JSON on standard input"
_PIPE = "pipe JSON in: echo '[1, 2]' | gradcli …"
_REASONS = {
    errno.ENOENT: "there is no file {}",
    errno.ENOTDIR: "there is no file {}",
    errno.EACCES: "{} may not be read: permission denied",
    errno.EPERM: "{} may not be read: permission denied",
    errno.ELOOP: "{} is a symbolic link that leads back to itself",
    errno.ENAMETOOLONG: "the file name {} is too long",
}


def read_file(name: str, *, base_dir: Path | str | None = None, stdin: IO[Any] | None = None) -> Content:
    """The content of ``FILE`` or ``FILE:KEY``, or of standard input for ``-``.

    Raises:
        GradcliError: it cannot be found, opened or read, or does not hold one tensor of numbers.
    """
    if name == "-":
        return from_json(_read_stdin(stdin), "standard input", None)
    if not name:
        raise GradcliError("there is no file name after @", hint=_KINDS)
    path, key = _split(name, base_dir)
    shown = name if key is None else name.rpartition(":")[0]
    _check(path, shown)
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise GradcliError(f"{shown} has no format that can be read here", hint=_KINDS)
    try:
        return FORMATS[suffix](path, shown, key)
    except OSError as error:
        raise _unreadable(error, shown, path) from error


def _split(name: str, base_dir: Path | str | None) -> tuple[Path, str | None]:
    base = Path(base_dir or ".")
    found = _NAME.fullmatch(name)
    if found is None or os.path.lexists(base / name):
        return base / Path(name).expanduser(), None
    return base / Path(found["path"]).expanduser(), found["key"]


def _check(path: Path, shown: str) -> None:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        raise _unreadable(error, shown, path) from error
    if stat.S_ISDIR(mode):
        hint = f"name a file in it: @{shown.rstrip('/')}/x.npy"
        raise GradcliError(f"{shown} is a folder, not a file", hint=hint)
    if not stat.S_ISREG(mode):
        raise GradcliError(f"{shown} is no regular file", hint="pipe JSON into @-")


def _unreadable(error: Exception, shown: str, path: Path) -> GradcliError:
    missing = isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENOTDIR)
    hint = f"relative names start in {path.parent.absolute()}" if missing else None
    return GradcliError(why_unreadable(error, shown), hint=hint if isinstance(error, OSError) else _KINDS)


def why_unreadable(error: Exception, shown: str) -> str:
    """Why a file cannot be opened or read, in words.

    Args:
        error: what opening it raised.
        shown: its name as the user gave it.
    """
    if not isinstance(error, OSError):
        return f"{shown!r} is no file name"
    reason = _REASONS.get(error.errno or 0)
    return reason.format(shown) if reason else f"{shown} cannot be read: {(error.strerror or str(error)).lower()}"


def _read_stdin(stream: IO[Any] | None) -> str:
    stream = sys.stdin if stream is None else stream
    try:
        data = getattr(stream, "buffer", stream).read()
    except (OSError, ValueError) as error:
        raise GradcliError("standard input cannot be read", hint=_PIPE) from error
    text = data if isinstance(data, str) else decode(data, "standard input")
    if not text.strip():
        raise GradcliError("standard input is empty", hint=f"{_PIPE}; only one value can be @-")
    return text
