"""Values given as Python objects: numbers, lists, numpy arrays and torch tensors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from gradcli.errors import GradcliError
from gradcli.language.limits import ELEMENTS
from gradcli.values import arrays, nested
from gradcli.values.tensors import Array, Content, Torch, Value
from gradcli.values.texts import read_value


def from_python(obj: Any, title: str, *, base_dir: Path | str | None = None) -> Value:
    """The value that a Python object means.

    Args:
        obj: a number, nested lists or tuples of numbers, a numpy array or anything that becomes one, a torch
            tensor (detached and copied), a text as on the command line, or a Value.
        title: the words that name it in errors.
        base_dir: where a text's relative file names start.

    Raises:
        GradcliError: it is none of these, is ragged, or holds something that is no number; with the place.
    """
    if isinstance(obj, Value):
        return obj
    if isinstance(obj, str):
        return read_value(obj, title=title, base_dir=base_dir)

    def fault(message: str, hint: str | None, path: nested.Path) -> GradcliError:
        return GradcliError(f"{title}{nested.place(path)}: {message}", hint=hint)

    return Value(title, _content(obj, fault))


def _content(obj: Any, fault: nested.Fault) -> Content:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(obj, torch.Tensor):
        check_tensor(obj, fault)
        return Torch(obj.detach().clone())
    if hasattr(obj, "__array__") and not isinstance(obj, bool | int | float):
        return Array(arrays.checked(obj, lambda message, hint: fault(message, hint, ())))
    return nested.numbers(obj, fault)


def check_tensor(tensor: Any, fault: nested.Fault) -> None:
    """Refuse a torch tensor whose elements cannot be read one by one, or that has too many.

    Raises:
        GradcliError: made by ``fault``.
    """
    import torch

    if tensor.layout != torch.strided:
        raise fault("the tensor is sparse", "make it dense: x.to_dense()", ())
    if tensor.is_quantized:
        raise fault("the tensor is quantized", "make it floating: x.dequantize()", ())
    if tensor.device.type == "meta":
        raise fault("the tensor is on the meta device and holds no values", "load it on the CPU", ())
    if tensor.numel() > ELEMENTS:
        raise fault(f"there are {tensor.numel():,} elements, and the limit is {ELEMENTS:,}", None, ())
