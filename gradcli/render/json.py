"""A result as one JSON object: the contract that other programs read.

Numbers are at full precision whatever the display settings; NaN and infinities
are the strings ``"nan"``, ``"inf"`` and ``"-inf"``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gradcli.notes import Note
    from gradcli.render.look import Look
    from gradcli.result import Array, ClosedForm, Jacobian, Leaf, Pass, Result, Tensor

SCHEMA = 1


def render(result: Result, look: Look) -> str:
    """One line; of ``look`` only ``unicode`` counts (escapes in place of signs that cannot be written)."""
    return dumps(record(result), look)


def dumps(record: dict[str, Any], look: Look) -> str:
    """An object on a line of its own."""
    return json.dumps(record, ensure_ascii=not look.unicode, allow_nan=False) + "\n"


def record(result: Result) -> dict[str, Any]:
    """The object that ``gradcli schema`` describes."""
    root = result.root
    dtype = root.dtype
    return {
        "schema": SCHEMA,
        "kind": "result",
        "name": result.name,
        "program": result.program,
        "device": result.device,
        "loss": result.loss,
        "zero_grad": result.zero_grad,
        "root": {**_tensor(root), "gradient": numbers(root.gradient, dtype)},
        "passes": [_pass(one, dtype, len(result.passes) > 1) for one in result.passes],
        "leaves": [_leaf(leaf) for leaf in result.leaves],
        "intermediates": [
            {**_tensor(one), "gradient": numbers(one.gradient, one.dtype), "text": one.text}
            for one in result.intermediates
        ],
        "legend": [{"name": alias.name, "text": alias.text} for alias in result.legend],
        "listing": list(result.listing),
        "notes": [_note(note) for note in result.notes],
        "agrees": result.agrees,
    }


def numbers(array: Array | None, dtype: str) -> Any:
    """Nested lists, or one number; each the shortest that reads back to the same ``dtype`` value."""
    if array is None:
        return None
    whole = np.asarray(array)
    values = whole.tolist() if dtype in ("float64", "int64", "bool") else _map(SHORTEST.get(dtype, float), whole)
    return values if np.isfinite(whole).all() else _worded(values)


#: dtype → the shortest decimal of a value.  Four digits always bring a bfloat16 back.
SHORTEST: dict[str, Callable[[float], float]] = {
    "float32": lambda value: float(str(np.float32(value))),
    "float16": lambda value: float(str(np.float16(value))),
    "bfloat16": lambda value: float(f"{value:.4g}"),
}


def _map(change: Callable[[float], float], array: Array) -> Any:
    flat = np.array([change(value) for value in array.ravel().tolist()], dtype=np.float64)
    return flat.reshape(array.shape).tolist()


def _worded(values: Any) -> Any:
    """``values`` with every NaN and infinity as its word."""
    if isinstance(values, list):
        return [_worded(value) for value in values]
    return values if np.isfinite(values) else str(float(values))


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "name": tensor.name,
        "shape": list(tensor.shape),
        "dtype": tensor.dtype,
        "value": numbers(tensor.value, tensor.dtype),
    }


def _pass(one: Pass, dtype: str, several: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"of": one.of, "upstream": numbers(one.upstream, dtype), "source": one.source}
    if several:
        found["gradients"] = {name: numbers(value, dtype) for name, value in one.gradients.items()}
    return found


def _leaf(leaf: Leaf) -> dict[str, Any]:
    tensor = leaf.tensor
    agreement = leaf.agreement
    return {
        **_tensor(tensor),
        "gradient": numbers(tensor.gradient, tensor.dtype),
        "jacobian": None if leaf.jacobian is None else _jacobian(leaf.jacobian, tensor.dtype),
        "closed_form": None if leaf.closed_form is None else _form(leaf.closed_form),
        "agreement": {
            "closed_form": _number(agreement.closed_form),
            "finite_difference": _number(agreement.finite_difference),
        },
    }


def _number(value: float | None) -> Any:
    return None if value is None else _worded(float(value))


def _jacobian(jacobian: Jacobian, dtype: str) -> dict[str, Any]:
    return {
        "structure": jacobian.structure,
        "diagonal": jacobian.diagonal,
        **_form(jacobian.form),
        "table": jacobian.table,
        "values": numbers(jacobian.values, dtype),
        "differential": jacobian.differential,
    }


def _form(form: ClosedForm) -> dict[str, Any]:
    return {"matrix": form.matrix, "index": form.index, "latex": form.latex}


def _note(note: Note) -> dict[str, Any]:
    index = None if note.index is None else list(note.index)
    return {"code": note.code, "message": note.message, "name": note.name, "index": index}
