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

from gradcli.closed.contraction import Factor, contract, plan, volumes
from gradcli.closed.index import Condition, Div, Ix, Look, Var
from gradcli.closed.scalar import (
    ONE,
    TRUTH,
    Add,
    Bracket,
    Const,
    Elt,
    Expr,
    Fn,
    IndexValue,
    Mul,
    Num,
    build,
    split,
)  # fmt: skip
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
                value = torch.remainder(self.ix(atom.inner), atom.by)
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


#: an axis of a result: a free variable's own, or the one axis that sampled entries share
Axes = Mapping[Var, Tensor]


def evaluate(terms: Sequence[Term], free: Sequence[Var], values: Values) -> Tensor:
    """The whole tensor of Σ terms, its axes those of ``free``."""
    index = {v: torch.arange(v.size, device=values.like.device) for v in free}
    labels = {v: k for k, v in enumerate(free)}
    return _total(terms, index, labels, tuple(v.size for v in free), values)


def evaluate_at(terms: Sequence[Term], free: Sequence[Var], values: Values, at: Tensor) -> Tensor:
    """Entries of Σ terms at ``at``, an int64 tensor of shape (entries, number of free variables)."""
    index = {v: at[:, k] for k, v in enumerate(free)}
    return _total(terms, index, dict.fromkeys(free, 0), (at.shape[0],), values)


def cost(terms: Sequence[Term], free: Sequence[Var], sampled: int | None = None) -> int:
    """Elements of the largest intermediate when terms are contracted one bound index at a time."""
    sizes = {k: v.size for k, v in enumerate(free)} if sampled is None else {0: sampled}
    labels = {v: (k if sampled is None else 0) for k, v in enumerate(free)}
    volume = math.prod(sizes.values())
    return max((_term_cost(term, labels, dict(sizes)) for term in terms), default=volume)


def _labelled(term: Term, labels: Mapping[Var, int], sizes: dict[int, int]) -> dict[Var, int]:
    """Labels of all variables of a term; bound ones follow the free ones."""
    full = dict(labels)
    for v in term.bound:
        full[v] = max([*full.values(), *sizes, -1]) + 1
        sizes[full[v]] = v.size
    return full


def _term_cost(term: Term, labels: Mapping[Var, int], sizes: dict[int, int]) -> int:
    full = _labelled(term, labels, sizes)
    _, powers = split(term.coefficient)
    sets = [frozenset(full[v] for v in base.variables) for base, _ in powers]
    sets += [frozenset(full[v] for v in c.ix.variables()) for c in term.conditions]
    worst = math.prod(sizes[k] for k in set(labels.values()))
    for bound, bucket in plan(sets, {full[v] for v in term.bound}, sizes):
        worst = max(worst, math.prod(sizes[k] for k in bucket - {bound}), *volumes(sets, sizes))
    return worst


def _total(
    terms: Sequence[Term], index: Axes, labels: Mapping[Var, int], shape: tuple[int, ...], values: Values
) -> Tensor:
    total = torch.zeros(shape, dtype=values.like.dtype, device=values.like.device)
    for term in terms:
        total = total + _term(term, index, labels, shape, values)
    return total


def _term(term: Term, index: Axes, labels: Mapping[Var, int], shape: tuple[int, ...], values: Values) -> Tensor:
    sizes = dict(enumerate(shape))
    full = _labelled(term, labels, sizes)
    places = {**index, **{v: torch.arange(v.size, device=values.like.device) for v in term.bound}}
    number, powers = split(term.coefficient)
    factors: list[Factor] = []
    for base, exponent in powers:
        factor = base if exponent.value == 1 else build(ONE, ((base, exponent),))
        factors.append(_factor(factor, base.variables, full, places, values))
    finite = all(bool(value.isfinite().all()) for _, value in factors)
    if not finite and math.prod(sizes.values()) <= 16 * BLOCK:
        return _dense(term, full, sizes, places, values)
    for condition in term.conditions:
        frame, own = _frame(frozenset(condition.ix.variables()), full, places, values)
        factors.append((own, torch.as_tensor(frame.condition(condition)).to(values.like.dtype)))
    result = contract(factors, {full[v] for v in term.bound}, sizes, len(shape), values.like)
    return float(number.value) * result if number.value != 1 else result


def _frame(
    variables: frozenset[Var], full: Mapping[Var, int], places: Axes, values: Values
) -> tuple[_Frame, tuple[int, ...]]:
    """A frame whose axes are the labels of ``variables``, in order."""
    own = tuple(sorted({full[v] for v in variables}))
    index = {v: places[v].reshape([-1 if label == full[v] else 1 for label in own]) for v in variables}
    return _Frame(values, index), own


def _factor(expr: Expr, variables: frozenset[Var], full: Mapping[Var, int], places: Axes, values: Values) -> Factor:
    frame, own = _frame(variables, full, places, values)
    return own, frame._real(frame.eval(expr))


def _dense(term: Term, full: Mapping[Var, int], sizes: Mapping[int, int], places: Axes, values: Values) -> Tensor:
    """The term on all its axes at once, brackets as strong zeros: for values that are not all finite."""
    rank = len(sizes)
    index = {v: t.reshape([-1 if k == full[v] else 1 for k in range(rank)]) for v, t in places.items()}
    frame = _Frame(values, index)
    value = frame._real(frame.eval(term.coefficient))
    for condition in term.conditions:
        holds = torch.as_tensor(frame.condition(condition), device=value.device)
        value = torch.where(holds, value, torch.zeros((), dtype=value.dtype, device=value.device))
    value = value.expand([sizes[k] for k in range(rank)])
    summed = tuple(full[v] for v in term.bound)
    return value.sum(dim=summed) if summed else value
