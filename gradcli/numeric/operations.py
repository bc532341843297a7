"""One operation on tensors: how a row of the table is found in torch, and called.

The convention: everything up to the last operand goes by position, in the order of the row's
signature (None for an operand left out); the parameters after it go by keyword.  The callables of
``calls`` that make tensors are also given ``like``, a dtype and a device.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any, TypeAlias

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.language.program import Attr
from gradcli.numeric import calls, sizes
from gradcli.numeric.making import Like
from gradcli.ops.row import Kind, Param, Row
from gradcli.ops.table import find

#: a node's value while it is evaluated: number nodes stay Python numbers, so that torch promotes as it would
Operand: TypeAlias = Tensor | float | int

#: keywords that torch spells otherwise
_KEYWORDS = {
    ("torch.linalg.vector_norm", "p"): "ord",
    ("torch.linalg.norm", "p"): "ord",
    ("torch.select", "position"): "index",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """A row with its torch callable.

    ``kinds``: operand → its kind.  ``takes_numbers``: it accepts Python numbers beside tensors.
    ``makes``: it takes ``like``.  ``real``: its tensor operands are made floating (a mask counts
    as 1 and 0).
    """

    row: Row
    kinds: dict[str, str]
    call: Callable[..., Any]
    positional: tuple[Param, ...]
    keywords: tuple[tuple[str, str], ...]
    takes_numbers: bool
    makes: bool
    real: bool


@cache
def operation(name: str) -> Operation:
    """The operation of the row called ``name``; KeyError when the table has none."""
    row = find(name)
    if row is None:
        raise KeyError(name)
    call = resolve(row.torch)
    last = max((i for i, param in enumerate(row.params) if param.is_operand), default=-1)
    return Operation(
        row=row,
        kinds={param.name: param.kind for param in row.operands},
        call=call,
        positional=row.params[: last + 1],
        keywords=tuple((p.name, _KEYWORDS.get((row.torch, p.name), p.name)) for p in row.params[last + 1 :]),
        takes_numbers=row.torch.startswith("operator.") or call is torch.pow,
        makes=row.torch.startswith("calls.") and _takes_like(call),
        real=row.kind in (Kind.ELEMENTWISE, Kind.OPAQUE, Kind.COMPOSITE),
    )


def resolve(dotted: str) -> Callable[..., Any]:
    """The callable that a row names: ``torch.…``, ``operator.…`` or ``calls.NAME``."""
    root, *names = dotted.split(".")
    found: Any = {"torch": torch, "operator": operator, "calls": calls}[root]
    for name in names:
        found = getattr(found, name)
    return found  # type: ignore[no-any-return]


def _takes_like(call: Callable[..., Any]) -> bool:
    try:
        return "like" in signature(call).parameters
    except ValueError:  # a builtin of torch
        return False


def apply(
    name: str,
    operands: Iterable[tuple[str, Operand]],
    attrs: Mapping[str, Attr] | Iterable[tuple[str, Attr]],
    like: Like,
) -> Tensor:
    """The value of one operation.

    Args:
        name: a row of the table.
        operands: (role, value) pairs in order; a list of tensors repeats its role.
        attrs: every static parameter of the row.
        like: dtype and device for numbers without a tensor beside them and for new tensors.

    Raises:
        GradcliError: an operand is of the wrong kind, or the result would be too large.
        Exception: whatever torch raises.
    """
    op = operation(name)
    static = dict(attrs)
    pairs = list(operands)
    keep_numbers = op.takes_numbers and any(isinstance(value, Tensor) for _, value in pairs)
    given: dict[str, Any] = {}
    shapes = []
    for role, value in pairs:
        kind = op.kinds[role]
        ready = value if keep_numbers and not isinstance(value, Tensor) else _ready(op, role, kind, value, like)
        if isinstance(ready, Tensor):
            shapes.append(ready.shape)
        if kind == "tensors":
            given.setdefault(role, []).append(ready)
        else:
            given[role] = ready
    sizes.check(sizes.predict(name, shapes, static))
    positional = [given.get(p.name) if p.is_operand else static[p.name] for p in op.positional]
    keywords: dict[str, Any] = {keyword: static[name] for name, keyword in op.keywords}
    if op.makes:
        keywords["like"] = like
    result = op.call(*positional, **keywords)
    if any(result is operand for operand in positional):
        return result.view_as(result)  # a node of its own, so that what reaches it is told apart
    return result


def _ready(op: Operation, role: str, kind: str, value: Operand, like: Like) -> Tensor:
    """``value`` as a tensor of what the parameter's kind asks for."""
    if not isinstance(value, Tensor):
        value = torch.tensor(value, dtype=like.dtype, device=like.device)
    if kind == "index":
        return as_index(value, op.row.name, role)
    if kind == "mask":
        return as_mask(value, op.row.name, role)
    return value if value.is_floating_point() or not op.real else value.to(like.dtype)


def as_index(value: Tensor, name: str, role: str) -> Tensor:
    """``value`` as int64.

    Raises:
        GradcliError: an element is no whole number.
    """
    if value.dtype == torch.int64:
        return value
    value = value.detach()
    if value.is_floating_point() and not bool((value == value.round()).all() & value.isfinite().all()):
        raise GradcliError(f"{name} needs whole numbers for {role}", hint="places count from 0: 0, 1, 2")
    return value.to(torch.int64)


def as_mask(value: Tensor, name: str, role: str) -> Tensor:
    """``value`` as a mask of true and false.

    Raises:
        GradcliError: an element is neither 1 nor 0.
    """
    if value.dtype == torch.bool:
        return value
    value = value.detach()
    if not bool(((value == 0) | (value == 1)).all()):
        raise GradcliError(
            f"{name} needs a condition for {role}, and got numbers other than 0 and 1",
            hint="write a comparison, such as x > 0",
        )
    return value != 0
