"""Backward: gradients of the leaves, by torch's autograd and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.numeric.faults import TORCH_ERRORS
from gradcli.numeric.forward import Forward
from gradcli.numeric.sizes import broadcast

Shape = tuple[int, ...]

#: most entries of a Jacobian that is worked out row by row
JACOBIAN_ENTRIES = 10_000


@dataclass(frozen=True, slots=True)
class Pass:
    """One backward pass.

    Attributes:
        node: id of the node it started from.
        upstream: the upstream gradient, in the shape of the node (or of its expansion).
        gradients: leaf → its gradient as it stands after this pass, in the leaf's shape and dtype.
        own: leaf → what this pass alone added.
        reaching: statement name → the gradient that reached it in this pass; statements that no
            differentiable leaf enters are left out.
        expanded: whether the node was expanded to the upstream gradient's shape.
    """

    node: int
    upstream: Tensor
    gradients: dict[str, Tensor]
    own: dict[str, Tensor]
    reaching: dict[str, Tensor]
    expanded: bool = False


def backward(
    forward: Forward, passes: Sequence[tuple[int, Tensor]], *, zero_grad: bool = False, expand: bool = False
) -> tuple[Pass, ...]:
    """Run backward passes over one retained graph.

    Args:
        forward: an evaluated program.
        passes: (node id, upstream gradient) pairs, in order.
        zero_grad: zero the leaves' gradients before each pass; without it they add up, as in torch.
        expand: expand a node to the shape of its upstream gradient where they broadcast.

    Returns:
        One record a pass.  A leaf that the node does not depend on has zeros.

    Raises:
        GradcliError: an upstream gradient does not have its node's shape, or torch has no derivative.
    """
    done: list[Pass] = []
    for node, upstream in passes:
        root = forward.tensor(node)
        fitted = fit(upstream, tuple(root.shape), name_of(forward, node), expand=expand)
        own, reaching = _one_pass(forward, root, fitted)
        before = done[-1].gradients if done and not zero_grad else {}
        standing = {name: before[name] + grad if name in before else grad for name, grad in own.items()}
        done.append(Pass(node, fitted, standing, own, reaching, fitted.shape != root.shape))
    return tuple(done)


def name_of(forward: Forward, node: int) -> str:
    """The name of the statement that ``node`` is, or else its text."""
    program = forward.program
    names = [statement.name for statement in program.statements if statement.node == node]
    return names[-1] if names else program.echoes[node]


def _one_pass(forward: Forward, root: Tensor, upstream: Tensor) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    names = forward.differentiable
    leaves = [forward.leaves[name] for name in names]
    statements = {
        statement.name: value
        for statement in forward.program.statements
        if isinstance(value := forward.values[statement.node], Tensor) and value.requires_grad
    }
    found = gradients(forward, root, upstream, [*leaves, *statements.values()])
    return dict(zip(names, found, strict=False)), dict(zip(statements, found[len(leaves) :], strict=True))


def gradients(forward: Forward, root: Tensor, upstream: Tensor, of: Sequence[Tensor]) -> list[Tensor]:
    """∂L/∂t for each tensor t of ``of``, with L = Σ upstream·root; zeros where L does not depend on t.

    Raises:
        GradcliError: torch has no derivative for an operation.
    """
    if not of or not root.requires_grad:
        return [torch.zeros_like(tensor) for tensor in of]
    # A scalar start: torch loads sympy (0.35 s) when backward is given a gradient of its own.  The
    # gradient that reaches the root is exactly `upstream`, even where the root is not finite.
    loss = (upstream.to(root) * root).sum()
    try:
        found = torch.autograd.grad(
            loss, list(of), retain_graph=True, create_graph=_needs_graph(forward), allow_unused=True
        )
    except TORCH_ERRORS as error:
        line = str(error).partition("\n")[0].rstrip(".")
        raise GradcliError(f"torch cannot differentiate this program: {line}", source=forward.program.source) from error
    return [torch.zeros_like(t) if grad is None else grad.detach() for t, grad in zip(of, found, strict=True)]


def _needs_graph(forward: Forward) -> bool:
    """Whether torch must build a graph of the gradient: only then is det's right for a singular matrix."""
    return any(node.op == "det" for node in forward.program.nodes)


def fit(upstream: Tensor, shape: Shape, name: str, *, expand: bool = False) -> Tensor:
    """``upstream`` in the shape of the node it starts from, or larger when that may expand.

    The one-element shapes () and (1,) count as equal.

    Raises:
        GradcliError: the shapes differ otherwise; with both, and what would work.
    """
    given = tuple(upstream.shape)
    if given == shape:
        return upstream
    if {given, shape} == {(), (1,)}:
        return upstream.reshape(shape)
    grows = broadcast(shape, given) == given
    if expand and grows:
        return upstream
    raise GradcliError(
        f"the upstream gradient has shape {given}, and {name} has shape {shape}",
        hint=_proposal(given, shape, name, grows),
    )


def _proposal(given: Shape, shape: Shape, name: str, grows: bool) -> str:
    expand = f", or --expand, which repeats {name} for each" if grows else ""
    if shape in ((), (1,)):
        return f"give one number for {name}: several weights act as their sum{expand}"
    if given in ((), (1,)):
        return f"give {name}'s shape, for instance -g 'ones{_call(shape)}', or take sum({name}) as the root"
    if sorted(size for size in given if size != 1) == sorted(size for size in shape if size != 1):
        return f"give the same numbers in shape {shape}{expand}"
    return f"give {name}'s shape, for instance -g 'ones{_call(shape)}'{expand}"


def _call(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))})"


def jacobian(forward: Forward, root: int, leaf: str) -> Tensor:
    """∂root/∂leaf by one backward pass for each element of the root.

    Returns:
        A tensor of the root's shape followed by the leaf's.

    Raises:
        GradcliError: it would have more than ``JACOBIAN_ENTRIES`` entries.
    """
    output, variable = forward.tensor(root), forward.leaves[leaf]
    entries = output.numel() * variable.numel()
    if entries > JACOBIAN_ENTRIES:
        raise GradcliError(
            f"the Jacobian by {leaf} has {entries:,} entries; the limit for numbers is {JACOBIAN_ENTRIES:,}",
            hint="--jacobian formula shows it in closed form at any size",
        )
    rows = torch.zeros(output.numel(), *variable.shape, dtype=variable.dtype, device=variable.device)
    if output.requires_grad and variable.requires_grad:
        for row, element in zip(rows, output.reshape(-1), strict=True):
            (found,) = torch.autograd.grad(
                element, variable, retain_graph=True, create_graph=_needs_graph(forward), allow_unused=True
            )
            if found is not None:
                row.copy_(found.detach())
    return rows.reshape((*output.shape, *variable.shape))
