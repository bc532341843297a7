"""The Python face: one call from a program to its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli.problem import JacobianView
    from gradcli.result import Result


def differentiate(
    program: str,
    inputs: Mapping[str, Any] | None = None,
    *,
    grad: Any = None,
    of: str | None = None,
    wrt: str | Sequence[str] | None = None,
    loss: str | None = None,
    zero_grad: bool = False,
    expand: bool = False,
    device: str = "cpu",
    dtype: str | None = None,
    jacobian: JacobianView = "auto",
    check: bool | None = None,
    name: str | None = None,
) -> Result:
    """Evaluate ``program``, go backward from its root, and derive the same in closed form.

    Args:
        program: statements in gradcli's language, such as ``"y = x**2; z = sum(y)"``.
        inputs: leaf → number, nested lists, numpy array, torch tensor, or text as ``-i`` takes it.
            None: every leaf is ones of the upstream gradient's shape.
        grad: upstream gradient ∂L/∂root, of the root's shape (``()`` and ``(1,)`` count as equal).
            ``{"z": value}`` starts from statement z.  A list of such mappings makes that many backward
            passes over one graph, which add up as torch's do; a value of None there is the default.
            None: 1 for a root of one element, else ones.
        of: the root's name, when it is not the last statement.
        wrt: the leaves to differentiate by, as a sequence or separated by commas; None means all.
        loss: in place of ``grad``, one number in terms of the root; the upstream gradient is worked out.
        zero_grad: zero the leaves' gradients between passes.
        expand: expand the root to the upstream gradient's shape.
        device: a torch device string, such as ``"cuda:1"``.
        dtype: float64, float32, float16 or bfloat16 for every value; None means float64 for literals,
            and arrays and tensors keep theirs.
        jacobian: auto, formula, matrix, values or none: how much of ∂root/∂leaf to work out.
        check: whether to hold the gradients against the closed form and difference quotients;
            None: while cheap, unless ``jacobian`` is none.
        name: a title for the result.

    Returns:
        The :class:`~gradcli.result.Result`.  ``result.gradients[leaf]`` is a float64 array of the leaf's
        shape; ``result.leaves[k].jacobian.values``, where it is small, has the root's axes and then the
        leaf's.  ``print(result)`` shows what the command line shows, and notebooks show it typeset.

    Raises:
        GradcliError: the program, a value, a name, a shape or the device is at fault; its ``message`` says
            what, ``line`` and ``column`` where, and ``hint`` what would work.
    """
    from gradcli.ask import build_problem, read_passes
    from gradcli.solve import solve
    from gradcli.values import from_python

    names = wrt.split(",") if isinstance(wrt, str) else wrt
    problem = build_problem(
        program,
        {leaf: from_python(value, f"input {leaf}") for leaf, value in (inputs or {}).items()},
        passes=read_passes(grad, from_python),
        loss=loss,
        of=of,
        wrt=names,
        zero_grad=zero_grad,
        expand=expand,
        device=device,
        dtype=dtype,
        jacobian=jacobian,
        check=check,
        name=name,
    )
    return solve(problem)
