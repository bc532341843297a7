"""Problem: what was asked.  Flags, YAML and the Python face all end here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from gradcli.language.program import Program
    from gradcli.values.tensors import Value

JacobianView = Literal["auto", "formula", "matrix", "values", "none"]


@dataclass(frozen=True, slots=True)
class Upstream:
    """One backward pass: start from ``of`` (None: the root) with ``value`` (None: by default)."""

    of: str | None = None
    value: Value | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A parsed program with everything needed to solve it.

    ``inputs`` maps NFKC-folded names to values.  ``passes`` empty means one pass
    with the default upstream gradient.  ``loss`` is a parsed program whose leaves may
    be the root's name, statement names, and input names; exclusive with ``passes``.
    """

    program: Program
    inputs: dict[str, Value] = field(default_factory=dict)
    passes: tuple[Upstream, ...] = ()
    zero_grad: bool = False
    loss: Program | None = None
    of: str | None = None
    wrt: tuple[str, ...] | None = None
    expand: bool = False
    device: str = "cpu"
    dtype: str | None = None
    jacobian: JacobianView = "auto"
    #: None: while cheap, unless ``jacobian`` is none
    check: bool | None = None
    name: str | None = None
