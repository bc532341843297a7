"""torch's own sample inputs as programs: ``torch.testing``'s OpInfo database, rewritten in gradcli's language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from gradcli.language.echo import attr_text
from gradcli.ops.table import find

#: operators with their operands exchanged
_REFLECTED = {
    "__radd__": "+", "__rmul__": "*", "__rsub__": "-", "__rdiv__": "/", "__rpow__": "**", "__rmod__": "%",
    "__rmatmul__": "@",
}  # fmt: skip
#: keywords with values that say what holds here anyway
_IDLE: dict[str, tuple[Any, ...]] = {
    "dtype": (torch.float64, None), "device": ("cpu", None), "layout": (None, torch.strided), "pin_memory": (False,),
    "requires_grad": (True, False), "stable": (True, False, None), "upper": (False,), "ceil_mode": (False,),
    "groups": (1,), "is_causal": (False,), "rounding_mode": (None,), "hermitian": (False,), "weight": (None,),
    "ignore_index": (-100,), "alpha": (1,), "beta": (1,), "threshold": (20,), "log_input": (True,), "full": (False,),
    "sorted": (True,), "count_include_pad": (True,), "output_size": (None,), "attn_mask": (None,), "dropout_p": (0.0,),
}  # fmt: skip
#: operations whose database calls take the operands in another order than torch's function
_ORDER = {"einsum": (1, 0), "where": (1, 0, 2)}
#: operations whose further positional arguments choose a method, not a meaning
_METHOD = {"cdist": 3}
#: operations that give something else each time
RANDOM = {"randn", "empty", "nn.functional.dropout"}
_FAMILIES = ("nn.functional.", "linalg.", "special.")


class Inexpressible(Exception):
    """A sample that no program can say; the text is the reason."""


@dataclass
class Sample:
    """One sample of one operation: ways to write it, its operands, and what torch itself makes of them."""

    texts: list[str]
    inputs: dict[str, Tensor]
    leaves: dict[str, Tensor]
    value: Tensor


def row_name(info: Any) -> str | None:
    """The name of the row that an operation of the database is, or None."""
    name = str(info.name)
    if not {torch.float64, torch.int64} & set(info.dtypes):
        return None  # complex numbers only
    if name == "__getitem__" or name in _REFLECTED:
        return name
    for family in _FAMILIES:
        name = name.removeprefix(family)
    row = find(name)
    return None if row is None or row.internal or "." in name else row.name


def samples(info: Any) -> Iterator[Sample | Inexpressible]:
    """Every sample of an operation, in float64 where it takes that."""
    torch.manual_seed(0)
    floating = torch.float64 in info.dtypes
    dtype = torch.float64 if floating else torch.int64
    # sample_inputs itself would look through the whole stack for the name of the test each time
    for one in info.sample_inputs_func(info, "cpu", dtype, floating and info.supports_autograd):
        try:
            yield _sample(info, one)
        except Inexpressible as why:
            yield why


def _sample(info: Any, one: Any) -> Sample:
    tensors: dict[int, str] = {}
    inputs: dict[str, Tensor] = {}
    leaves: dict[str, Tensor] = {}

    def fresh(value: Any) -> Any:
        if isinstance(value, Tensor):
            if value.is_complex() or value.is_sparse:
                raise Inexpressible("a complex or sparse tensor")
            name = f"x{len(inputs) + 1}"
            plain = value.detach().clone()
            inputs[name] = plain.clone()
            if value.requires_grad:
                leaves[name] = plain.requires_grad_()
            tensors[id(plain)] = name
            return plain
        if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
            return type(value)(fresh(item) for item in value)
        return value

    first, args = fresh(one.input), fresh(tuple(one.args))
    kwargs = {key: fresh(value) for key, value in one.kwargs.items()}
    name, given = str(info.name), _plain(info, (first, *args))
    words = [_word(given[k], tensors) for k in _ORDER.get(name, range(len(given)))]
    said = {key: _word(*_plain(info, (value,)), tensors) for key, value in kwargs.items() if not _is_idle(key, value)}
    texts = _texts(name, words, said, args)
    return Sample(texts, inputs, leaves, _value(info, info.op(first, *args, **kwargs)))


def _plain(info: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Positional arguments as gradcli's functions have them."""
    given = given[: _METHOD.get(info.name, len(given))]
    if info.variant_test_name == "constant":
        given = tuple(value for value in given if not isinstance(value, str))
    if info.name.endswith("1d"):
        given = tuple(v[0] if isinstance(v, tuple) and len(v) == 1 else v for v in given)
    return given


def _is_idle(key: str, value: Any) -> bool:
    return not isinstance(value, Tensor) and value in _IDLE.get(key, ())


def _word(value: Any, tensors: dict[int, str]) -> str:
    if isinstance(value, Tensor):
        return tensors[id(value)]
    if isinstance(value, (list, tuple)) and any(isinstance(item, Tensor) for item in value):
        return f"[{', '.join(_word(item, tensors) for item in value)}]"
    if isinstance(value, torch.Size):
        value = tuple(value)
    if isinstance(value, list):
        value = tuple(value)
    if isinstance(value, (torch.dtype, complex, torch.device, torch.layout, torch.memory_format)):
        raise Inexpressible(f"an argument of type {type(value).__name__}")
    if value is None or isinstance(value, (bool, int, float, str, tuple, slice)) or value is ...:
        return "" if isinstance(value, slice) or value is ... else attr_text(value)
    raise Inexpressible(f"an argument of type {type(value).__name__}")


def _texts(name: str, words: Sequence[str], keywords: dict[str, str], args: Sequence[Any]) -> list[str]:
    """The ways in which a program may say it, the fullest spelling first."""
    if name == "__getitem__":
        return [f"{words[0]}[{_subscript(args[0])}]"]
    if name in _REFLECTED:
        return [f"{words[1]} {_REFLECTED[name]} {words[0]}"]
    if name in ("T", "mT"):
        return [f"{words[0]}.{name}"]
    named = [f"{key}={word}" for key, word in keywords.items()]
    inside = ", ".join([*words, *named])
    method = f"{words[0]}.{name.split('.')[-1]}({', '.join([*words[1:], *named])})"
    return [f"torch.{name}({inside})", f"{name.split('.')[-1]}({inside})", method]


def _subscript(index: Any) -> str:
    parts = index if isinstance(index, tuple) else (index,)
    return ", ".join(map(_place, parts))


def _place(part: Any) -> str:
    if isinstance(part, slice):
        start, stop, step = ("" if value is None else str(value) for value in (part.start, part.stop, part.step))
        return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"
    if part is ...:
        return "..."
    if part is None or (isinstance(part, int) and not isinstance(part, bool)):
        return str(part)
    raise Inexpressible("an index that is a tensor, a list or a mask")


def _value(info: Any, result: Any) -> Tensor:
    """The part of torch's result that the row gives: the values, not their places."""
    if isinstance(result, tuple):
        return result[1] if info.name == "linalg.slogdet" else result[0]
    if not isinstance(result, Tensor):
        raise Inexpressible(f"a result of type {type(result).__name__}")
    return result
