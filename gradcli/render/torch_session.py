"""The lines that a PyTorch session prints for leaf.grad, made by torch's own printer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Array, Result


def render(result: Result, look: Look) -> str:
    """``>>> a.grad`` and what torch answers; with several passes, after each of them."""
    import torch

    def said(value: Array | None, dtype: str) -> str:
        if value is None:
            return "None"
        return repr(torch.tensor(value, dtype=getattr(torch, dtype)).to(result.device))

    kept = torch._tensor_str.PRINT_OPTS.__dict__.copy()
    torch.set_printoptions(profile="full" if look.full else "default")
    try:
        dtypes = {leaf.tensor.name: leaf.tensor.dtype for leaf in result.leaves}
        lines = []
        if len(result.passes) > 1:
            for count, one in enumerate(result.passes, 1):
                lines.append(f"# pass {count} of backward, from {one.of}")
                for name, value in one.gradients.items():
                    lines += [f">>> {name}.grad", said(value, dtypes[name])]
        else:
            for leaf in result.leaves:
                lines += [f">>> {leaf.tensor.name}.grad", said(leaf.tensor.gradient, leaf.tensor.dtype)]
    finally:
        torch._tensor_str.PRINT_OPTS.__dict__.update(kept)
    return look.show("".join(line + "\n" for line in lines))
