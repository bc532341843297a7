"""Adaptors for rows of the table whose signature is not torch's own.

A row names one as ``calls.NAME``.  It is called as its row says: everything up to the last
operand by position (None for an operand left out), the other parameters by keyword.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from gradcli.errors import GradcliError
from gradcli.numeric.making import arange, empty, eye, full, linspace, one_hot, ones, rand, randn, zeros
from gradcli.numeric.slopes import (
    cofactor,
    cumprod_others,
    gelu_slope_none,
    gelu_slope_tanh,
    i1_slope,
    inverse_or_zero,
    power_slope,
    prod_others,
    sinc_slope,
    ties,
)

# fmt: off
__all__ = [
    "arange", "cofactor", "cumprod_others", "empty", "eye", "full", "gelu_slope_none", "gelu_slope_tanh", "i1_slope",
    "inverse_or_zero", "linspace", "one_hot", "ones", "power_slope", "prod_others", "rand", "randn",
    "sinc_slope", "ties", "zeros",
]
# fmt: on

Dims = int | tuple[int, ...] | None
Shape = int | tuple[int, ...]


def _tuple(value: Shape) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


# Called just as torch defines them.
power = torch.pow
remainder = torch.remainder
maximum, minimum = torch.maximum, torch.minimum
where = torch.where
sum, mean = torch.sum, torch.mean
t = torch.t
roll = torch.roll
repeat_interleave, take_along_dim = torch.repeat_interleave, torch.take_along_dim
detach = torch.detach
stack, cat, hstack, vstack = torch.stack, torch.cat, torch.hstack, torch.vstack
diag_embed = torch.diag_embed


def floor_divide(x: Tensor, other: Tensor) -> Tensor:
    return torch.div(x, other, rounding_mode="floor")


def cbrt(x: Tensor) -> Tensor:
    return torch.pow(x, 1 / 3)


def clamp(x: Tensor, min: Tensor | None, max: Tensor | None) -> Tensor:
    return x if min is None and max is None else torch.clamp(x, min, max)


def masked_fill(x: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    return torch.where(mask, value, x)


def lerp(x: Tensor, end: Tensor, weight: Tensor) -> Tensor:
    dtype = torch.promote_types(torch.result_type(x, end), torch.result_type(x, weight))
    return torch.lerp(x.to(dtype), end.to(dtype), weight.to(dtype))


def hardsigmoid(x: Tensor) -> Tensor:
    # Torch's own has its slope of 1/6 in single precision, whatever the dtype.
    return F.relu6(x + 3) / 6


def dropout(x: Tensor, *, p: float, training: bool) -> Tensor:
    if training and p > 0:
        raise GradcliError(
            "dropout in training draws at random, and the gradient of one draw says little",
            hint="leave training=True out, or multiply by a mask such as rand(3, seed=0) > 0.5",
        )
    return x


# Reductions and scans.


def var(x: Tensor, *, dim: Dims, unbiased: bool, keepdim: bool, correction: float | None) -> Tensor:
    correction = float(unbiased) if correction is None else correction
    return torch.var(x, dim=dim, correction=correction, keepdim=keepdim)


def std(x: Tensor, *, dim: Dims, unbiased: bool, keepdim: bool, correction: float | None) -> Tensor:
    correction = float(unbiased) if correction is None else correction
    return torch.std(x, dim=dim, correction=correction, keepdim=keepdim)


def _whole(result: Tensor, x: Tensor, keepdim: bool) -> Tensor:
    """A result over all elements, with axes of size 1 where ``keepdim`` asks for them."""
    return result.reshape((1,) * x.dim()) if keepdim else result


def matrix_norm(x: Tensor, *, p: float | None, keepdim: bool) -> Tensor:
    return torch.linalg.matrix_norm(x, "fro" if p is None else p, keepdim=keepdim)


def prod(x: Tensor, *, dim: int | None, keepdim: bool) -> Tensor:
    return _whole(torch.prod(x), x, keepdim) if dim is None else torch.prod(x, dim, keepdim)


def logsumexp(x: Tensor, *, dim: Dims, keepdim: bool) -> Tensor:
    return torch.logsumexp(x, tuple(range(x.dim())) if dim is None else dim, keepdim)


def amax(x: Tensor, *, dim: Dims, keepdim: bool) -> Tensor:
    return torch.amax(x, () if dim is None else dim, keepdim)


def amin(x: Tensor, *, dim: Dims, keepdim: bool) -> Tensor:
    return torch.amin(x, () if dim is None else dim, keepdim)


def max(x: Tensor, *, dim: int | None, keepdim: bool) -> Tensor:
    return _whole(torch.max(x), x, keepdim) if dim is None else torch.max(x, dim, keepdim).values


def min(x: Tensor, *, dim: int | None, keepdim: bool) -> Tensor:
    return _whole(torch.min(x), x, keepdim) if dim is None else torch.min(x, dim, keepdim).values


def median(x: Tensor, *, dim: int | None, keepdim: bool) -> Tensor:
    return _whole(torch.median(x), x, keepdim) if dim is None else torch.median(x, dim, keepdim).values


def argmedian(x: Tensor, *, dim: int | None, keepdim: bool) -> Tensor:
    if dim is None:
        return _whole(torch.median(x.flatten(), 0).indices, x, keepdim)
    return torch.median(x, dim, keepdim).indices


def cummax(x: Tensor, *, dim: int) -> Tensor:
    return torch.cummax(x, dim).values


def cummin(x: Tensor, *, dim: int) -> Tensor:
    return torch.cummin(x, dim).values


def argcummax(x: Tensor, *, dim: int) -> Tensor:
    return torch.cummax(x, dim).indices


def argcummin(x: Tensor, *, dim: int) -> Tensor:
    return torch.cummin(x, dim).indices


# Shapes and selections.


def reshape(x: Tensor, *, shape: Shape) -> Tensor:
    return x.reshape(_tuple(shape))


def squeeze(x: Tensor, *, dim: Dims) -> Tensor:
    return torch.squeeze(x) if dim is None else torch.squeeze(x, dim)


def expand(x: Tensor, *, shape: Shape) -> Tensor:
    return x.expand(_tuple(shape))


def mT(x: Tensor) -> Tensor:
    return x.mT


def permute(x: Tensor, *, dims: Shape) -> Tensor:
    return x.permute(_tuple(dims))


def flip(x: Tensor, *, dims: Shape) -> Tensor:
    return torch.flip(x, _tuple(dims))


def repeat(x: Tensor, *, repeats: Shape) -> Tensor:
    return x.tile(_tuple(repeats))


def sort(x: Tensor, *, dim: int, descending: bool) -> Tensor:
    return torch.sort(x, dim=dim, descending=descending, stable=True).values


def argsort(x: Tensor, *, dim: int, descending: bool) -> Tensor:
    return torch.sort(x, dim=dim, descending=descending, stable=True).indices


def topk(x: Tensor, *, k: int, dim: int, largest: bool) -> Tensor:
    return torch.topk(x, k, dim, largest).values


def argtopk(x: Tensor, *, k: int, dim: int, largest: bool) -> Tensor:
    return torch.topk(x, k, dim, largest).indices


def kthvalue(x: Tensor, *, k: int, dim: int, keepdim: bool) -> Tensor:
    return torch.kthvalue(x, k, dim, keepdim).values


def argkthvalue(x: Tensor, *, k: int, dim: int, keepdim: bool) -> Tensor:
    return torch.kthvalue(x, k, dim, keepdim).indices


def pad(x: Tensor, *, pad: Shape, value: float) -> Tensor:
    return F.pad(x, _tuple(pad), "constant", value)


# Products and linear algebra.


def tensordot(x: Tensor, other: Tensor, *, dims: int | tuple[Shape, Shape]) -> Tensor:
    if isinstance(dims, int):
        return torch.tensordot(x, other, dims)
    left, right = dims
    return torch.tensordot(x, other, (_tuple(left), _tuple(right)))


def einsum(equation: str, operands: list[Tensor]) -> Tensor:
    return torch.einsum(equation, *operands)


def logabsdet(x: Tensor) -> Tensor:
    return torch.linalg.slogdet(x).logabsdet


def cholesky(x: Tensor) -> Tensor:
    # Torch reads the lower triangle, but spreads the gradient over both: that of the symmetric part.
    return torch.linalg.cholesky((x + x.mT) / 2)


# Layers and losses.


def layer_norm(x: Tensor, normalized_shape: Shape, weight: Tensor | None, bias: Tensor | None, *, eps: float) -> Tensor:
    return F.layer_norm(x, _tuple(normalized_shape), weight, bias, eps)


def rms_norm(x: Tensor, normalized_shape: Shape, weight: Tensor | None, *, eps: float | None) -> Tensor:
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    axes = tuple(range(-len(_tuple(normalized_shape)), 0))
    if tuple(x.shape[axes[0] :]) != _tuple(normalized_shape):
        raise ValueError(f"normalized_shape must be the last sizes of x, and got {_tuple(normalized_shape)}")
    scaled = x * torch.rsqrt(torch.mean(x**2, axes, True) + eps)
    return scaled if weight is None else scaled * weight


def avg_pool1d(x: Tensor, *, kernel_size: int, stride: int | None, padding: int) -> Tensor:
    batch = x if x.dim() > 1 else x.unsqueeze(0)
    pooled = F.avg_pool1d(batch, kernel_size, stride, padding)
    return pooled if x.dim() > 1 else pooled.squeeze(0)


def kron(x: Tensor, other: Tensor) -> Tensor:
    # Torch's own refuses operands that are views, such as A.T.
    return torch.kron(x.contiguous(), other.contiguous())


def cdist(x: Tensor, other: Tensor, *, p: float) -> Tensor:
    # The faster way, by matrix products, loses half the digits for points that are near.
    return torch.cdist(x, other, p, "donot_use_mm_for_euclid_dist")


def cross_entropy(x: Tensor, target: Tensor, *, reduction: str) -> Tensor:
    if target.shape != x.shape:
        if bool((target != target.round()).any()):
            raise ValueError("the target holds fractions but does not have the shape of x")
        target = target.long()
    return F.cross_entropy(x, target, reduction=reduction)


def poisson_nll_loss(x: Tensor, target: Tensor, *, reduction: str) -> Tensor:
    return F.poisson_nll_loss(x, target, reduction=reduction)


def soft_margin_loss(x: Tensor, target: Tensor, *, reduction: str) -> Tensor:
    # Torch's own refuses a target that needs a gradient.
    losses = F.softplus(-target * x)
    return {"none": losses, "sum": losses.sum(), "mean": losses.mean()}[reduction]
