"""Calls of every row of the table, made from its signature: operand shapes, static values, operand values."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import torch
from shapes_of_rows import shapes
from statics import statics
from torch import Tensor

from gradcli.language.echo import attr_text
from gradcli.language.program import Attr
from gradcli.ops.row import Kind, Param, Row

Shape = tuple[int, ...]

#: most combinations of static values that are tried for one choice of shapes
COMBINATIONS = 24


@dataclass(frozen=True)
class Call:
    """One call.  ``operands`` are (role, shape) in order, with a leaf a, b, c … for each."""

    row: Row
    operands: tuple[tuple[str, Shape], ...]
    attrs: tuple[tuple[str, Attr], ...]

    @property
    def leaves(self) -> tuple[str, ...]:
        return tuple("abcdpq"[: len(self.operands)])

    @property
    def text(self) -> str:
        """The call as a program; a row without a slope is multiplied by a leaf s of its own."""
        roles = [role for role, _ in self.operands]
        written = call_text(self.row, list(zip(roles, self.leaves, strict=True)), dict(self.attrs))
        return f"s*{written}" if self.row.kind is Kind.CONSTANT else written

    def inputs(self, seed: int = 0) -> dict[str, Tensor]:
        """Values of the leaves, from the row's domain."""
        draw = torch.Generator().manual_seed(seed)
        sizes = dict(self.operands)
        found = {
            leaf: value(self.row, role, shape, dict(self.attrs), sizes, draw)
            for leaf, (role, shape) in zip(self.leaves, self.operands, strict=True)
        }
        if self.row.kind is Kind.CONSTANT:
            found["s"] = torch.tensor(0.7, dtype=torch.float64)
        return found

    def __str__(self) -> str:
        return f"{self.text} on {', '.join(str(shape) for _, shape in self.operands)}"


def call_text(row: Row, operands: Sequence[tuple[str, str]], attrs: Mapping[str, Attr]) -> str:
    """``row(…)`` with operand texts by role: by position as long as none is left out, then by keyword."""
    parts, by_keyword = [], False
    for param in row.params:
        words = [word for role, word in operands if role == param.name]
        if param.is_operand and words:
            text = f"[{', '.join(words)}]" if param.kind == "tensors" else words[0]
        elif not param.is_operand and attrs[param.name] != param.default:
            text, by_keyword = attr_text(attrs[param.name]), True
        else:
            by_keyword = True
            continue
        parts.append(f"{param.name}={text}" if by_keyword else text)
    return f"{row.name}({', '.join(parts)})"


def calls(row: Row) -> Iterator[Call]:
    """Every choice of shapes with combinations of static values, the same each time."""
    for given in shapes(row):
        operands = _operands(row.operands, given)
        values = statics(row, [shape for _, shape in operands])
        every = list(itertools.product(*values.values()))
        if len(every) > COMBINATIONS:
            every = random.Random(row.name).sample(every, COMBINATIONS)
        for chosen in every:
            yield Call(row, operands, tuple(zip(values, chosen, strict=True)))


def _operands(params: Sequence[Param], given: Sequence[Shape | None]) -> tuple[tuple[str, Shape], ...]:
    roles = [p.name for p in params]
    roles += roles[-1:] * (len(given) - len(roles))  # a list of tensors repeats its role
    return tuple((role, shape) for role, shape in zip(roles, given, strict=False) if shape is not None)


# -- values ------------------------------------------------------------------

#: rows whose operand is a square matrix that must be well conditioned
_SQUARE = frozenset("inv det logdet slogdet matrix_power solve pinv".split())


def value(
    row: Row, role: str, shape: Shape, attrs: Mapping[str, Attr], sizes: Mapping[str, Shape], draw: torch.Generator
) -> Tensor:
    """A value for one operand, inside the domain of its row."""
    kind = next(p.kind for p in row.params if p.name == role)
    if kind == "mask":
        return torch.rand(shape, generator=draw) < 0.5
    if kind == "index" or ((row.name, role) == ("cross_entropy", "target") and shape != sizes["x"]):
        return torch.randint(_limit(row, attrs, sizes), shape, generator=draw).double()
    if row.name in _SQUARE and role != "B" and len(shape) > 1:
        return torch.eye(*shape[-2:], dtype=torch.float64) + 0.4 * _uniform(shape, (-1, 1), draw)
    if row.name == "cholesky":
        half = _uniform(shape, (-1, 1), draw)
        return half @ half.mT + 0.5 * torch.eye(shape[-1], dtype=torch.float64) + 0.01 * half
    if row.name == "kl_div" and role == "x":
        return _uniform(shape, (-2, 0), draw)
    return sampled(row, shape, draw)


def sampled(row: Row, shape: Shape, draw: torch.Generator) -> Tensor:
    """Uniform in the intervals of the row's ``sample``."""
    intervals = []
    for part in row.sample.split("|"):
        low, _, high = part.strip().strip("()").partition(",")
        intervals.append((float(low), float(high)))
    choice = torch.randint(len(intervals), shape, generator=draw)
    found = torch.zeros(shape, dtype=torch.float64)
    for k, interval in enumerate(intervals):
        found = torch.where(choice == k, _uniform(shape, interval, draw), found)
    return found


def _uniform(shape: Shape, interval: tuple[float, float], draw: torch.Generator) -> Tensor:
    low, high = interval
    return low + (high - low) * torch.rand(shape, generator=draw, dtype=torch.float64)


def _limit(row: Row, attrs: Mapping[str, Attr], sizes: Mapping[str, Shape]) -> int:
    """How many places an index of this call may take."""
    if row.name == "one_hot":
        return int(attrs["num_classes"])  # type: ignore[arg-type]
    if row.name == "embedding":
        return sizes["weight"][0]
    x = sizes["x"]
    if row.name in ("cross_entropy", "nll_loss"):
        return x[0 if len(x) == 1 else 1]
    dim = attrs.get("dim")
    return prod(x) if dim is None else (x[int(dim)] if x else 1)  # type: ignore[arg-type]
