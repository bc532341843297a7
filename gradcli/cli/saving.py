"""Files written whole or not at all: a temporary one in the same folder, then a rename."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from gradcli.errors import GradcliError

if TYPE_CHECKING:
    from gradcli.result import Array, Result

SUFFIXES = (".npz", ".pt")


def check_target(name: str | None, flag: str, suffixes: tuple[str, ...] = ()) -> None:
    """Refuse, before anything is computed, a file that could not be written.

    Raises:
        GradcliError: its folder is missing, it is a folder, or its name has none of ``suffixes``.
    """
    if name is None:
        return
    path = Path(name)
    if suffixes and path.suffix not in suffixes:
        raise GradcliError(f"{flag} {name} has no format", hint=f"end its name in {' or '.join(suffixes)}")
    if path.is_dir():
        raise GradcliError(f"{flag} {name} is a folder", hint="name a file in it")
    if not path.parent.is_dir():
        raise GradcliError(f"{flag} {name}: there is no folder {path.parent}", hint=f"mkdir -p {path.parent}")


def write_text(name: str, text: str) -> None:
    """Write ``text`` as UTF-8.

    Raises:
        GradcliError: it cannot be written; an older file is then as it was.
    """
    write_bytes(name, text.encode())


def write_bytes(name: str, data: bytes) -> None:
    """Write ``data`` as it is; raises as ``write_text`` does."""
    _replace(name, lambda file: file.write(data))


def write_all(files: Mapping[str, bytes], before: Mapping[str, bytes]) -> None:
    """Write several files, every one or none.

    Args:
        before: what they hold, to be put back where a later one cannot be written.

    Raises:
        GradcliError: one of them cannot be written.
    """
    written: list[str] = []
    try:
        for name, data in files.items():
            write_bytes(name, data)
            written.append(name)
    except BaseException:
        for name in written:
            write_bytes(name, before[name])
        raise


def save(result: Result, name: str) -> None:
    """Save the root, the leaves and their gradients under ``y``, ``a``, ``y.grad`` and ``a.grad``.

    A ``.npz`` has numpy arrays, a ``.pt`` a dictionary of tensors; both keep the dtypes, except that numpy
    has no bfloat16, which becomes float32.

    Raises:
        GradcliError: it cannot be written; an older file is then as it was.
    """
    arrays: dict[str, tuple[Array, str]] = {}
    for tensor in (result.root, *result.intermediates, *(leaf.tensor for leaf in result.leaves)):
        arrays[tensor.name] = (tensor.value, tensor.dtype)
        if tensor.gradient is not None:
            arrays[f"{tensor.name}.grad"] = (tensor.gradient, tensor.dtype)
    if name.endswith(".npz"):
        import numpy as np

        whole: dict[str, Any] = {
            key: value.astype("float32" if dtype == "bfloat16" else dtype) for key, (value, dtype) in arrays.items()
        }
        _replace(name, lambda file: np.savez(file, **whole))
    else:
        import torch

        tensors = {key: torch.tensor(value, dtype=getattr(torch, dtype)) for key, (value, dtype) in arrays.items()}
        _replace(name, lambda file: torch.save(tensors, file))


def _replace(name: str, write: Callable[[IO[bytes]], Any]) -> None:
    """Write beside the target and rename onto it; pipes and devices are written in place."""
    try:
        mode = os.stat(name).st_mode if os.path.exists(name) else None
        if mode is not None and not stat.S_ISREG(mode):
            with open(name, "wb") as file:
                write(file)
            return
        target = Path(os.path.realpath(name))
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
            os.chmod(temporary, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise GradcliError(f"{name} cannot be written: {error.strerror or error}") from error


def _umask() -> int:
    """The process's umask; there is no way to read it without setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
