"""Products of labelled tensors summed one label at a time, the smallest result first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from gradcli.numeric.making import Like

#: the labels of a tensor's axes, and the tensor
Factor = tuple[tuple[int, ...], Tensor]


def volumes(sets: Sequence[frozenset[int]], sizes: Mapping[int, int]) -> list[int]:
    """Elements of tensors over these labels."""
    return [math.prod(sizes[k] for k in labels) for labels in sets]


def plan(
    sets: Sequence[frozenset[int]], bound: set[int], sizes: Mapping[int, int]
) -> Iterator[tuple[int, frozenset[int]]]:
    """Which bound label to sum next, and all labels it meets: the smallest result first."""
    left, todo = list(sets), set(bound)
    while todo:
        met = {k: frozenset().union(*(s for s in left if k in s), {k}) for k in sorted(todo)}
        best = min(sorted(todo), key=lambda k: math.prod(sizes[m] for m in met[k] - {k}))
        yield best, met[best]
        left = [s for s in left if best not in s] + [met[best] - {best}]
        todo.remove(best)


def contract(factors: list[Factor], bound: set[int], sizes: Mapping[int, int], rank: int, like: Like) -> Tensor:
    """The product of factors with bound labels summed, one at a time."""
    sets = [frozenset(labels) for labels, _ in factors]
    for label, met in plan(sets, bound, sizes):
        inside = [f for f in factors if label in f[0]]
        factors = [f for f in factors if label not in f[0]]
        result = tuple(sorted(met - {label}))
        factors.append((result, _einsum(inside, result, sizes, like)))
    return _einsum(factors, tuple(range(rank)), sizes, like)


def _einsum(factors: list[Factor], result: tuple[int, ...], sizes: Mapping[int, int], like: Like) -> Tensor:
    # einsum knows 52 labels, so those at hand are numbered anew
    number = {k: n for n, k in enumerate(sorted({*result, *(k for labels, _ in factors for k in labels)}))}
    arguments: list[Any] = []
    for labels, value in factors:
        arguments += [value.expand([sizes[k] for k in labels]), [number[k] for k in labels]]
    have = {k for labels, _ in factors for k in labels}
    for label in result:
        if label not in have:  # an axis along which nothing changes
            arguments += [torch.ones(sizes[label], dtype=like.dtype, device=like.device), [number[label]]]
    if not arguments:
        return torch.ones((), dtype=like.dtype, device=like.device)
    return torch.einsum(*arguments, [number[k] for k in result])
