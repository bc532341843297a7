"""Result: the one record that every renderer reads; its fields are the JSON contract.

Numbers are numpy arrays (float64 for display of every real dtype; the dtype field
names torch's own), so that renderers need no torch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gradcli.notes import Note

    Array = NDArray[np.float64]

Source = Literal["given", "implicit-one", "ones", "loss"]
Structure = Literal["zero", "diagonal", "dense", "blocks", "selection", "terms"]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A named value: shape as torch reports it, dtype without the ``torch.`` prefix."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    value: Array
    #: what arrived here by backward (root and intermediates: ∂L/∂this)
    gradient: Array | None = None
    #: canonical text of the right-hand side, for root and intermediates
    text: str = ""


@dataclass(frozen=True, slots=True)
class Pass:
    """One backward pass.  ``gradients``: leaf → .grad as it stands after this pass."""

    of: str
    upstream: Array
    source: Source
    gradients: dict[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """One formula in three notations; ``matrix`` is None where only index notation exists."""

    index: str
    matrix: str | None
    latex: str

    @property
    def shown(self) -> str:
        """Matrix notation where there is one, else index notation."""
        return self.index if self.matrix is None else self.matrix


@dataclass(frozen=True, slots=True)
class Jacobian:
    """∂root/∂leaf: the closed form and, when small, its entries.

    ``diagonal``: the text of the diagonal when ``structure`` is diagonal (``4*b``).
    ``table``: entries as text and ``values``: torch's numbers, each nested output
    axes first, then leaf axes; None when large or not asked for.
    ``differential``: ``dY = …`` where it reads well.
    """

    structure: Structure
    form: ClosedForm
    diagonal: str | None = None
    table: Any = None
    values: Array | None = None
    differential: str | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Torch's gradient of one leaf held against the closed form and the difference quotient.

    ``closed_form`` and ``finite_difference`` are the largest relative differences from torch's
    gradient (``findings/agreement.py`` says relative to what); None where it was not compared.
    ``within``: both lie within the tolerance for the dtype.  ``explained``: every element that lies
    outside is accounted for by a note.  ``closed_value`` and ``quotient`` are the numbers that were
    compared, of the leaf's shape; None where only samples were.
    """

    closed_form: float | None = None
    finite_difference: float | None = None
    within: bool = True
    explained: bool = False
    closed_value: Array | None = None
    quotient: Array | None = None

    @property
    def compared(self) -> bool:
        """Whether anything was compared."""
        return self.closed_form is not None or self.finite_difference is not None


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf: value, the gradient torch accumulated, and the formulas beside it.

    ``closed_form`` is gᵀJ for the last pass (for several passes: of the pass
    whose root it is); ``jacobian`` and ``closed_form`` are None with ``--jacobian none`` or where an
    operation has none (a note says so).
    """

    tensor: Tensor
    jacobian: Jacobian | None = None
    closed_form: ClosedForm | None = None
    agreement: Agreement = Agreement()


@dataclass(frozen=True, slots=True)
class Alias:
    """``name = text``: a short name that formulas use for a long sub-expression."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """Everything there is to say about one problem."""

    name: str | None
    program: str
    device: str
    root: Tensor
    passes: tuple[Pass, ...]
    leaves: tuple[Leaf, ...]
    intermediates: tuple[Tensor, ...] = ()
    notes: tuple[Note, ...] = ()
    legend: tuple[Alias, ...] = ()
    #: one adjoint equation a statement, when closed forms grew too long
    listing: tuple[str, ...] = ()
    loss: str | None = None
    zero_grad: bool = False

    @property
    def agrees(self) -> bool | None:
        """True when all that was compared agrees or is explained by a note; None when nothing was."""
        compared = [leaf.agreement for leaf in self.leaves if leaf.agreement.compared]
        return all(one.within or one.explained for one in compared) if compared else None

    @property
    def g(self) -> str:
        """What formulas call the upstream gradient: g, or another letter where the program has a g of its own."""
        return next((alias.name for alias in self.legend if alias.text.startswith("∂L/∂")), "g")

    @property
    def gradients(self) -> dict[str, Array]:
        """Leaf → its gradient, an array of the leaf's shape, after the last pass."""
        tensors = (leaf.tensor for leaf in self.leaves)
        return {one.name: one.gradient for one in tensors if one.gradient is not None}

    @property
    def reaching(self) -> dict[str, Array]:
        """Statement → the gradient that backward brought to it, for those it reached before the leaves."""
        return {one.name: one.gradient for one in self.intermediates if one.gradient is not None}

    def __str__(self) -> str:
        """What the command line prints, without colour."""
        return self._rendered("text")

    def _repr_html_(self) -> str:
        return self._rendered("html")

    def _repr_latex_(self) -> str:
        lines = self._rendered("latex").split("\n")
        return "\n".join(line for line in lines if not line.startswith("%"))

    def _rendered(self, form: str) -> str:
        # Rendering is built on results; only these conveniences look up to it, and only when used.
        render = import_module("gradcli.render")
        text: str = render.render(self, form, render.Look())
        return text.rstrip("\n")
