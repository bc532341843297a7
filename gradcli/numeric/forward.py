"""Forward: a program evaluated node by node, with every node's tensor kept."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.language.program import Attr, Node, Program
from gradcli.numeric.devices import default_dtype, resolve_dtype
from gradcli.numeric.faults import TORCH_ERRORS, reword
from gradcli.numeric.making import Like
from gradcli.numeric.operations import Operand, apply
from gradcli.numeric.selectors import only_select

#: whole numbers beyond this are not exact in float64, and torch takes none beyond 2**63
_EXACT = 2**53
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


@dataclass(frozen=True, slots=True)
class Forward:
    """A program and what each node was.

    Attributes:
        program: what was evaluated.
        values: node id → its tensor; number nodes are Python numbers.
        shapes: node id → shape; () for numbers.
        leaves: name → the leaf's tensor, in the order of the program.
        differentiable: the leaves that gradients are asked for.
        like: dtype and device of literals in the program.
    """

    program: Program
    values: dict[int, Operand]
    shapes: dict[int, tuple[int, ...]]
    leaves: dict[str, Tensor]
    differentiable: tuple[str, ...]
    like: Like

    def tensor(self, node: int) -> Tensor:
        """The value of ``node`` as a tensor, numbers too."""
        value = self.values[node]
        if isinstance(value, Tensor):
            return value
        return torch.tensor(value, dtype=self.like.dtype, device=self.like.device)

    def element(self, node: int, flat: int) -> float:
        """One element of ``node``'s value, by its place in the flattened tensor."""
        value = self.values[node]
        return float(value.detach().reshape(-1)[flat]) if isinstance(value, Tensor) else float(value)


def evaluate(
    program: Program,
    inputs: Mapping[str, Tensor],
    *,
    dtype: str | None = None,
    device: str = "cpu",
    wrt: Collection[str] | None = None,
    roots: Collection[int] | None = None,
) -> Forward:
    """Evaluate every node of ``program``.

    Args:
        program: a parsed program.
        inputs: leaf name → tensor; names that the program does not use are ignored.
        dtype: dtype of literals and of all floating inputs; None keeps the inputs' own, and gives
            literals the dtype to which the inputs promote (float64 when there are none).
        device: where to evaluate.
        wrt: leaves to differentiate by; None means every floating leaf that is more than an index or a mask.
        roots: nodes that gradients will start from; None means the last statement and every node
            that nothing else uses.  A leaf that reaches none of them except as an index has no gradient.

    Raises:
        GradcliError: an input is missing, shapes do not fit, an element limit is passed, or torch
            refuses an operation; with the operation's span.
    """
    _check_missing(program, inputs)
    given = {name: inputs[name] for name in program.leaves}
    like = Like(_working_dtype(given, dtype, device), torch.device(device))
    leaves: dict[str, Tensor] = {}
    for name, tensor in given.items():
        leaf = tensor.detach().to(like.device)
        if leaf.is_floating_point():
            leaf = leaf if dtype is None else leaf.to(like.dtype)
            leaf = leaf.detach().requires_grad_(wrt is None or name in wrt)
        leaves[name] = leaf
    values: dict[int, Operand] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for node in program.nodes:
            is_leaf = node.op == "leaf"
            values[node.id] = leaves[str(node.attr("name"))] if is_leaf else step(program, node, values, like)
    shapes = {node: _shape(value) for node, value in values.items()}
    selecting = only_select(program, shapes, roots)
    chosen = tuple(name for name, leaf in leaves.items() if leaf.requires_grad and name not in selecting)
    return Forward(program, values, shapes, leaves, chosen, like)


def step(program: Program, node: Node, values: Mapping[int, Operand], like: Like) -> Operand:
    """The value of ``node``, which is no leaf, given its operands' in ``values``.

    Raises:
        GradcliError: the operands do not suit the operation; with the node's span.
    """
    try:
        return value_of(node, [values[arg] for arg in node.args], like)
    except (GradcliError, *TORCH_ERRORS) as error:
        shapes = {arg: _shape(values[arg]) for arg in node.args}
        raise reword(error, program, node, shapes) from error


def _shape(value: Operand) -> tuple[int, ...]:
    return tuple(value.shape) if isinstance(value, Tensor) else ()


def value_of(node: Node, operands: list[Operand], like: Like) -> Operand:
    """The value of ``node``, which is no leaf, on ``operands``.

    Raises:
        GradcliError, RuntimeError, …: whatever the operation raises, not reworded.
    """
    if node.op == "number":
        number: int | float = node.attr("value")  # type: ignore[assignment]
        return number if abs(number) <= _EXACT else float(number)
    if node.op == "constant":
        return CONSTANTS[str(node.attr("name"))]
    numbers = not any(isinstance(operand, Tensor) for operand in operands)
    if node.op == "neg" and numbers:
        return -operands[0]
    if node.op == "stack" and numbers and node.attr("dim") in (0, -1):
        masks = all(isinstance(operand, bool) for operand in operands)
        return torch.tensor(operands, dtype=torch.bool if masks else like.dtype, device=like.device)
    if node.op == "index":
        tensor: Tensor = torch.tensor(operands[0], dtype=like.dtype) if numbers else operands[0]
        return tensor[_subscript(node.attr("index"))]
    return apply(node.op, zip(node.roles, operands, strict=True), node.attrs, like)


def _subscript(index: Attr) -> Any:
    parts = index if isinstance(index, tuple) else (index,)
    return tuple(slice(*part[1:]) if isinstance(part, tuple) else ... if part == "..." else part for part in parts)


def _check_missing(program: Program, inputs: Mapping[str, Tensor]) -> None:
    missing = [name for name in program.leaves if name not in inputs]
    if not missing:
        return
    first = next(node for node in program.nodes if node.op == "leaf" and node.attr("name") == missing[0])
    names = " and ".join([", ".join(missing[:-1]), missing[-1]] if missing[1:] else missing)
    raise GradcliError(
        f"no value is given for {names}",
        span=first.span,
        hint="add " + " ".join(f"-i {name}=…" for name in missing),
        source=program.source,
    )


def _working_dtype(inputs: Mapping[str, Tensor], dtype: str | None, device: str) -> torch.dtype:
    if dtype is not None:
        return resolve_dtype(dtype)
    found: torch.dtype | None = None
    for tensor in inputs.values():
        if tensor.is_floating_point():
            found = tensor.dtype if found is None else torch.promote_types(found, tensor.dtype)
    return found or default_dtype(device)
