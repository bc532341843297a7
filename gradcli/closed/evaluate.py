"""Terms evaluated with torch: free and bound indices become broadcast axes, deltas index equality.

Brackets are strong zeros: [false]·∞ is 0, as in Knuth's reading of Iverson's notation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from gradcli.closed.index import Condition, Div, Ix, Look, Var
from gradcli.closed.scalar import TRUTH, Add, Bracket, Const, Elt, Expr, Fn, IndexValue, Mul, Num
from gradcli.closed.terms import Term
from gradcli.numeric import operations
from gradcli.numeric.making import Like

#: elements of one intermediate above which a term is evaluated piece by piece
BLOCK = 4_000_000

_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


@dataclass
class Values:
    """Values of named nodes: ``of(id or name)`` gives the tensor, all in ``like``'s dtype."""

    of: Callable[[int | str], Tensor]
    like: Like


@dataclass
class _Frame:
    """Index variables as tensors that broadcast against each other."""

    values: Values
    index: Mapping[Var, Tensor]
    memo: dict[str, Tensor] = field(default_factory=dict)

    def number(self, value: float) -> Tensor:
        return torch.tensor(value, dtype=self.values.like.dtype, device=self.values.like.device)

    def ix(self, ix: Ix) -> Tensor | int:
        total: Tensor | int = ix.const
        for atom, coefficient in ix.parts:
            if isinstance(atom, Var):
                value: Any = self.index[atom]
            elif isinstance(atom, Look):
                table = self.values.of(atom.node)
                found = table[self.place(atom.at, table)] if atom.at else table
                value = found.to(torch.int64).remainder(max(atom.size, 1))
            elif isinstance(atom, Div):
                value = torch.div(self.ix(atom.inner), atom.by, rounding_mode="floor")
            else:
                value = torch.remainder(self.ix(atom.inner), atom.by)  # type: ignore[arg-type]
            total = total + coefficient * value
        return total

    def condition(self, condition: Condition) -> Tensor | bool:
        value = self.ix(condition.ix)
        return value == 0 if condition.equation else value >= 0

    def eval(self, expr: Expr) -> Tensor:
        known = self.memo.get(expr.key)
        if known is None:
            known = self.memo[expr.key] = self._eval(expr)
        return known

    def _eval(self, expr: Expr) -> Tensor:
        like = self.values.like
        if isinstance(expr, Num):
            return self.number(float(expr.value))
        if isinstance(expr, Const):
            return self.number(_CONSTANTS[expr.name])
        if isinstance(expr, Elt):
            return self._element(expr)
        if isinstance(expr, IndexValue):
            return torch.as_tensor(self.ix(expr.ix), dtype=like.dtype, device=like.device)
        if isinstance(expr, Bracket):
            return torch.as_tensor(self.condition(expr.condition), device=like.device)
        if isinstance(expr, Add):
            total = self._real(self.eval(expr.children[0]))
            for child in expr.children[1:]:
                total = total + self._real(self.eval(child))
            return total
        if isinstance(expr, Mul):
            return self._product(expr)
        assert isinstance(expr, Fn)
        row = operations.operation(expr.op).row
        pairs = [(p.name, self.eval(arg)) for p, arg in zip(row.operands, expr.children, strict=True)]
        return operations.apply(expr.op, pairs, dict(expr.attrs), like)  # type: ignore[arg-type]

    def _real(self, value: Tensor) -> Tensor:
        return value if value.is_floating_point() else value.to(self.values.like.dtype)

    def _element(self, expr: Elt) -> Tensor:
        table = self.values.of(expr.of)
        if not expr.at:
            return table
        if table.numel() == 0:
            return self.number(0.0)
        return table[self.place(expr.at, table)]

    def place(self, at: Sequence[Ix], table: Tensor) -> tuple[Any, ...]:
        """Indices kept inside the table: those outside belong to places that a condition rules out."""
        out = []
        for ix, size in zip(at, table.shape, strict=True):
            value = self.ix(ix)
            low, high = ix.range
            if low < 0 or high >= size:
                value = torch.as_tensor(value, device=table.device).clamp(0, size - 1)
            out.append(value)
        return tuple(out)

    def _product(self, expr: Mul) -> Tensor:
        above, below = self.number(float(expr.coefficient.value)), None
        switches = []
        for base, exponent in expr.factors:
            value = self.eval(base)
            if value.dtype == torch.bool or (isinstance(base, Fn) and base.op in TRUTH):
                switches.append(value)
                continue
            power = float(exponent.value)
            raised = self._real(value) if abs(power) == 1 else self._real(value) ** abs(power)
            if power > 0:
                above = above * raised
            else:
                below = raised if below is None else below * raised
        result = above if below is None else above / below
        for switch in switches:
            result = torch.where(switch, result, torch.zeros((), dtype=result.dtype, device=result.device))
        return result


def evaluate(terms: Sequence[Term], free: Sequence[Var], values: Values) -> Tensor:
    """The whole tensor of Σ terms, its axes those of ``free``."""
    shape = tuple(v.size for v in free)
    axes = _ranges(free, values)
    return _sum(terms, dict(zip(free, axes, strict=True)), values, len(free)).expand(shape).clone()


def evaluate_at(terms: Sequence[Term], free: Sequence[Var], values: Values, at: Tensor) -> Tensor:
    """Entries of Σ terms at ``at``, an int64 tensor of shape (entries, number of free variables)."""
    index = {v: at[:, k] for k, v in enumerate(free)}
    return _sum(terms, index, values, 1).expand(at.shape[0]).clone()


def cost(terms: Sequence[Term], free: Sequence[Var]) -> int:
    """Elements of the largest intermediate of :func:`evaluate`."""
    volume = math.prod(v.size for v in free)
    return max((volume * math.prod(v.size for v in term.bound) for term in terms), default=volume)


def _ranges(variables: Sequence[Var], values: Values) -> list[Tensor]:
    rank = len(variables)
    return [
        torch.arange(v.size, device=values.like.device).reshape([-1 if k == d else 1 for d in range(rank)])
        for k, v in enumerate(variables)
    ]


def _sum(terms: Sequence[Term], index: Mapping[Var, Tensor], values: Values, rank: int) -> Tensor:
    total = torch.zeros((1,) * rank, dtype=values.like.dtype, device=values.like.device)
    for term in terms:
        total = total + _term(term, index, values, rank)
    return total


def _term(term: Term, index: Mapping[Var, Tensor], values: Values, rank: int) -> Tensor:
    extra = len(term.bound)
    spread = {v: t.reshape(*t.shape, *(1,) * extra) for v, t in index.items()}
    for k, (v, axis) in enumerate(zip(term.bound, _ranges(term.bound, values), strict=True)):
        spread[v] = axis.reshape((1,) * rank + tuple(-1 if d == k else 1 for d in range(extra)))
    frame = _Frame(values, spread)
    value = frame._real(frame.eval(term.coefficient))
    for condition in term.conditions:
        holds = torch.as_tensor(frame.condition(condition), device=value.device)
        value = torch.where(holds, value, torch.zeros((), dtype=value.dtype, device=value.device))
    if not extra:
        return value
    # a bound index that the value does not use still counts each of its places
    full = tuple(value.shape[d] if d < value.dim() else 1 for d in range(rank)) if value.dim() else (1,) * rank
    value = value.expand(*full, *(v.size for v in term.bound))
    return value.sum(dim=tuple(range(rank, rank + extra)))
