"""Functions that only closed forms use: the slopes that a plain formula would lose digits or zeros in."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def power_slope(x: Tensor, exponent: Tensor) -> Tensor:
    """∂(x**exponent)/∂x, 0 where the exponent is 0, even at x = 0."""
    slope = exponent * torch.pow(x, exponent - 1)
    return torch.where(exponent == 0, torch.zeros_like(slope), slope)


def sinc_slope(x: Tensor) -> Tensor:
    """∂sinc(x)/∂x = (cos(πx) − sinc(x))/x, by its power series where the difference would cancel.

    With u = πx the series is π·Σ (−1)^k·2k/(2k+1)!·u^(2k−1), k = 1, 2, …
    """
    u = math.pi * x
    near = u.abs() < 1
    small = torch.where(near, u, torch.zeros_like(u))
    series = torch.zeros_like(u)
    for k in range(1, 10):
        series = series + (-1) ** k * 2 * k / math.factorial(2 * k + 1) * small ** (2 * k - 1)
    divisor = torch.where(near, torch.ones_like(x), x)
    return torch.where(near, math.pi * series, (torch.cos(u) - torch.sinc(x)) / divisor)


def i1_slope(x: Tensor) -> Tensor:
    """∂i1(x)/∂x = i0(x) − i1(x)/x, 1/2 at 0."""
    zero = x == 0
    slope = torch.special.i0(x) - torch.special.i1(x) / torch.where(zero, torch.ones_like(x), x)
    return torch.where(zero, 0.5 * torch.ones_like(x), slope)


def gelu_slope_none(x: Tensor) -> Tensor:
    """∂gelu(x)/∂x = Φ(x) + x·φ(x), with Φ and φ of the standard normal distribution."""
    return torch.special.ndtr(x) + x * torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def gelu_slope_tanh(x: Tensor) -> Tensor:
    """∂gelu(x, 'tanh')/∂x, where gelu is x·(1 + tanh(√(2/π)(x + 0.044715 x³)))/2."""
    scale = math.sqrt(2 / math.pi)
    inner = torch.tanh(scale * (x + 0.044715 * x**3))
    return (1 + inner) / 2 + x * scale * (1 + 0.134145 * x**2) * (1 - inner**2) / 2


def inverse_or_zero(x: Tensor) -> Tensor:
    """1/x, 0 where x is 0: torch's convention for the slope of a norm at 0."""
    zero = x == 0
    return torch.where(zero, torch.zeros_like(x), 1 / torch.where(zero, torch.ones_like(x), x))


def ties(x: Tensor, extreme: Tensor, *, dim: int | tuple[int, ...] | None) -> Tensor:
    """How many elements of x equal the extreme that they are folded into, in the extreme's shape."""
    folded = (dim,) if isinstance(dim, int) else dim or range(x.dim())
    axes = {axis % x.dim() for axis in folded} if x.dim() else set()
    kept = extreme.reshape([1 if axis in axes else size for axis, size in enumerate(x.shape)])
    return (x == kept).sum(tuple(axes), keepdim=True).reshape(extreme.shape).to(x.dtype)


def prod_others(x: Tensor, *, dim: int | None) -> Tensor:
    """At each place the product of all other elements, along ``dim`` or of the whole tensor.

    The product before times the product after, so that no division meets a zero.
    """
    if x.dim() == 0:
        return torch.ones_like(x)
    if dim is None:
        return prod_others(x.flatten(), dim=0).reshape(x.shape)
    size = x.shape[dim]
    if size == 0:
        return torch.ones_like(x)
    one = torch.ones_like(x.narrow(dim, 0, 1))
    before = torch.cat([one, x.narrow(dim, 0, size - 1)], dim).cumprod(dim)
    after = torch.cat([x.narrow(dim, 1, size - 1), one], dim).flip(dim).cumprod(dim).flip(dim)
    return before * after


def cumprod_others(x: Tensor, *, dim: int) -> Tensor:
    """[…, n, p]: the product of the elements 0 … n along ``dim`` without element p."""
    rows = x.movedim(dim, -1) if x.dim() else x.reshape(1)
    size = rows.shape[-1]
    left_out = torch.eye(size, dtype=torch.bool, device=x.device)
    spread = rows.unsqueeze(-2).expand(*rows.shape[:-1], size, size)
    return torch.where(left_out, torch.ones_like(spread), spread).cumprod(-1).transpose(-1, -2)


def cofactor(x: Tensor) -> Tensor:
    """Cofactors of each matrix, which is ∂det(x)/∂x, singular matrices included.

    With x = U·diag(s)·Vᵀ they are det(U)·det(V)·U·diag(Π of the other s)·Vᵀ.
    """
    u, s, vh = torch.linalg.svd(x)
    sign = torch.linalg.det(u) * torch.linalg.det(vh)
    return sign[..., None, None] * (u * prod_others(s, dim=-1)[..., None, :]) @ vh
