"""gradcli: torch's gradients beside the Jacobian in closed form.

    >>> import gradcli
    >>> inputs = {"a": [1, 2, 3], "b": [3, 4, 5], "c": [6, 7, 8]}
    >>> result = gradcli.differentiate("3*a + 2*b*b + log(c)", inputs, grad=[0.1, 1, 1e-4])
    >>> result.gradients["b"]
    array([1.2e+00, 1.6e+01, 2.0e-03])
    >>> result.leaves[1].jacobian.form.matrix
    'diag(4 b)'

Importing this loads nothing heavy; torch comes with the first call.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli.errors import GradcliError as GradcliError
    from gradcli.face import differentiate as differentiate
    from gradcli.problem import Problem as Problem
    from gradcli.result import Result as Result

__version__ = "0.1.0"

_HOMES = {
    "differentiate": "gradcli.face",
    "Problem": "gradcli.problem",
    "Result": "gradcli.result",
    "GradcliError": "gradcli.errors",
}
__all__ = ["GradcliError", "Problem", "Result", "differentiate"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gradcli' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
