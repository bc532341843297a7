"""File formats: what one file holds, read without running any code."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gradcli.errors import GradcliError
from gradcli.values import arrays, nested
from gradcli.values.keys import no_key, pick
from gradcli.values.tables import from_csv
from gradcli.values.tensors import Array, Content, Numbers

if TYPE_CHECKING:
    from torch import Tensor

#: bytes of one text file; a tensor of the most elements is better kept as .npy
TEXT_BYTES = 256 * 1024**2


def decode(data: bytes, name: str) -> str:
    """The text of ``data``, which must be UTF-8.

    Raises:
        GradcliError: it is not, or is longer than ``TEXT_BYTES``.
    """
    if len(data) > TEXT_BYTES:
        raise GradcliError(f"{name} is larger than {TEXT_BYTES // 1024**2} MiB", hint="save it as .npy")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "a binary file needs its own ending: .npy, .npz or .pt"
        raise GradcliError(f"{name} is not text in UTF-8", hint=hint) from error


def _fault(name: str) -> arrays.Fault:
    return lambda message, hint: GradcliError(f"{name} {message}", hint=hint)


def read_npy(path: Path, name: str, key: str | None) -> Content:
    no_key(key, name)
    with path.open("rb") as stream:
        return Array(arrays.read_npy(stream, _fault(name)))


def read_npz(path: Path, name: str, key: str | None) -> Content:
    with path.open("rb") as raw:
        try:
            archive = zipfile.ZipFile(raw)
            entries = {entry.removesuffix(".npy"): entry for entry in archive.namelist()}
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise GradcliError(f"{name} is no .npz archive", hint="write it with numpy.savez") from error
        chosen = pick(entries, key, name)
        what = _fault(f"{name}:{chosen}")
        try:
            stream = archive.open(entries[chosen])
        except (RuntimeError, zipfile.BadZipFile) as error:  # encrypted, or of an unknown compression
            raise what("cannot be unpacked", "write it with numpy.savez") from error
        with stream:
            return Array(arrays.read_npy(stream, what))


@dataclass(frozen=True, eq=False)
class TorchFile:
    """A file that only torch can read; it is opened when the tensor is wanted."""

    path: Path
    name: str
    key: str | None

    @property
    def shape(self) -> None:
        return None

    def load(self, device: str) -> Tensor:
        import torch

        from gradcli.values.objects import check_tensor

        try:
            held = torch.load(self.path, map_location="cpu", weights_only=True)
        except Exception as error:  # unpickling, zip, torch's own: each damaged file fails in its own way
            raise GradcliError(
                f"{self.name} holds no tensors that can be read without running code from the file",
                hint="write it with torch.save(tensor, …) or torch.save(model.state_dict(), …)",
            ) from error
        name = self.name
        if isinstance(held, list | tuple):
            held = {str(index): item for index, item in enumerate(held)}
        if isinstance(held, Mapping):
            tensors = {str(k): v for k, v in held.items() if isinstance(v, torch.Tensor)}
            chosen = pick(tensors, self.key, name)
            held, name = tensors[chosen], f"{name}:{chosen}"
        else:
            no_key(self.key, name)
        if not isinstance(held, torch.Tensor):
            kind = type(held).__name__
            raise GradcliError(f"{name} holds an object of type {kind} and no tensor", hint="save a tensor")
        check_tensor(held, lambda message, hint, _: GradcliError(f"{name}: {message}", hint=hint))
        return held.detach().clone()


def read_torch(path: Path, name: str, key: str | None) -> Content:
    with path.open("rb"):
        return TorchFile(path, name, key)


def _read_text(path: Path, name: str) -> str:
    with path.open("rb") as stream:
        return decode(stream.read(TEXT_BYTES + 1), name)


def read_csv(path: Path, name: str, key: str | None) -> Content:
    return from_csv(_read_text(path, name), name, key)


def read_json(path: Path, name: str, key: str | None) -> Content:
    return from_json(_read_text(path, name), name, key)


def from_json(text: str, name: str, key: str | None) -> Numbers:
    """The numbers in a JSON text: a number, nested lists, or an object of these with ``key``.

    Raises:
        GradcliError: it is no JSON, or holds anything else; with line and column, or the place.
    """
    try:
        held = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise GradcliError(f"{name}, {place}: not JSON: {error.msg[0].lower()}{error.msg[1:]}") from error
    except (RecursionError, ValueError) as error:  # nested too deep, or thousands of digits
        raise GradcliError(f"{name} is nested too deep or holds too long a number") from error
    if isinstance(held, dict):
        chosen = pick(held, key, name)
        held, name = held[chosen], f"{name}:{chosen}"
    else:
        no_key(key, name)
    return nested.numbers(
        held, lambda message, hint, path: GradcliError(f"{name}{nested.place(path)}: {message}", hint=hint)
    )


#: ending → reader of (path, name as given, key)
FORMATS: dict[str, Callable[[Path, str, str | None], Content]] = {
    ".npy": read_npy,
    ".npz": read_npz,
    ".pt": read_torch,
    ".pth": read_torch,
    ".csv": read_csv,
    ".json": read_json,
}
