"""Devices and dtypes: what torch has here, and refusals that name it."""

from __future__ import annotations

import platform
from dataclasses import dataclass

import torch

from gradcli.errors import GradcliError

#: name → dtype, with torch's own synonyms; complex and whole numbers have no gradient here
DTYPES: dict[str, torch.dtype] = {
    "float64": torch.float64,
    "double": torch.float64,
    "float32": torch.float32,
    "float": torch.float32,
    "float16": torch.float16,
    "half": torch.float16,
    "bfloat16": torch.bfloat16,
}
FLOATS = ("float16", "bfloat16", "float32", "float64")
#: devices that have no float64
_NO_FLOAT64 = ("mps",)
#: backends that may be built into torch, in the order of the listing
_BACKENDS = ("cuda", "xpu", "mps", "hpu", "npu", "mtia")


@dataclass(frozen=True, slots=True)
class Device:
    """One device: ``name`` as ``--device`` takes it; ``memory`` in bytes, None where unknown."""

    name: str
    description: str
    memory: int | None
    dtypes: tuple[str, ...]
    threads: int | None = None


def present() -> tuple[Device, ...]:
    """The devices of this machine that torch can compute on, the CPU first."""
    threads = torch.get_num_threads()
    found = [Device("cpu", platform.processor() or platform.machine(), None, FLOATS, threads)]
    for kind in _BACKENDS:
        for index in range(_count(kind)):
            found.append(_describe(kind, index))
    return tuple(found)


def _count(kind: str) -> int:
    if kind == "mps":
        return int(torch.backends.mps.is_available())
    module = getattr(torch, kind, None)
    try:
        return int(module.device_count()) if module is not None and module.is_available() else 0
    except (RuntimeError, AssertionError, AttributeError):
        return 0


def _describe(kind: str, index: int) -> Device:
    dtypes = tuple(name for name in FLOATS if name != "float64" or kind not in _NO_FLOAT64)
    if kind == "mps":
        return Device("mps", "Apple GPU", None, dtypes)
    try:
        facts = getattr(torch, kind).get_device_properties(index)
    except (RuntimeError, AssertionError, AttributeError):
        return Device(f"{kind}:{index}", kind, None, dtypes)
    memory = getattr(facts, "total_memory", None)
    return Device(f"{kind}:{index}", str(getattr(facts, "name", kind)), memory, dtypes)


def resolve_device(text: str) -> torch.device:
    """The device that ``text`` names, tried out with one small tensor.

    Raises:
        GradcliError: torch does not know the name, or the device is absent; with the list of those present.
    """
    try:
        device = torch.device(text)
        if device.type == "meta":
            raise RuntimeError("it holds no values")
        torch.ones(1, device=device).add(1).cpu()
    except Exception as error:  # each backend complains in its own way, some with ImportError
        names = ", ".join(found.name for found in present())
        known = isinstance(error, RuntimeError) and "Expected one of" in str(error)
        what = f"torch knows no device {text!r}" if known else f"there is no device {text!r} here"
        raise GradcliError(what, hint=f"devices present: {names}") from error
    return device


def resolve_dtype(name: str) -> torch.dtype:
    """The floating dtype called ``name``, with or without the prefix ``torch.``.

    Raises:
        GradcliError: it is unknown, complex or made of whole numbers.
    """
    short = name.removeprefix("torch.")
    if short in DTYPES:
        return DTYPES[short]
    hint = f"one of {', '.join(FLOATS)}"
    if short.startswith(("complex", "cfloat", "cdouble")):
        raise GradcliError(f"complex numbers are not supported, so dtype {name} is refused", hint=hint)
    if isinstance(getattr(torch, short, None), torch.dtype):
        raise GradcliError(f"dtype {name} has no gradient", hint=hint)
    raise GradcliError(f"there is no dtype {name!r}", hint=hint)


def check_dtype(device: torch.device, dtype: torch.dtype) -> None:
    """Refuse float64 on a device that has none.

    Raises:
        GradcliError: as said.
    """
    if dtype == torch.float64 and device.type in _NO_FLOAT64:
        raise GradcliError(f"{device.type} has no float64", hint="add --dtype float32")


def default_dtype(device: str) -> torch.dtype:
    """The dtype of literals on ``device``: float64, or float32 where there is no float64."""
    return torch.float32 if device.partition(":")[0] in _NO_FLOAT64 else torch.float64
