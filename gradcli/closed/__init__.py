"""Closed forms by index calculus: Jacobians of whole tensor programs at any size.

``derive`` gives terms for every leaf; the forms print them, ``gradient_at`` and
``jacobian_at`` evaluate them with torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradcli.closed.sweep import NoClosedForm
from gradcli.language.program import Program
from gradcli.result import Alias

if TYPE_CHECKING:
    from gradcli.closed.forms import LeafForms
    from gradcli.closed.points import Sampled

__all__ = ["Forms", "NoClosedForm", "Sampled", "derive", "gradient_at", "jacobian_at"]


@dataclass(frozen=True)
class Forms:
    """Closed forms of every leaf asked for.

    ``listing`` has one adjoint equation a statement, filled when formulas grew too long.
    """

    leaves: Mapping[str, LeafForms]
    listing: tuple[str, ...] = ()
    grown: bool = False

    @property
    def legend(self) -> tuple[Alias, ...]:
        """What the short names in the records mean; complete once the records have been asked for."""
        for forms in self.leaves.values():
            return forms.naming.legend()
        return ()


def derive(program: Program, shapes: Sequence[tuple[int, ...]], root: int, wrt: Sequence[str]) -> Forms:
    """Closed forms of ∂root/∂leaf and of the gradient gᵀ·∂root/∂leaf.

    Args:
        program: a parsed program.
        shapes: the shape of each of its nodes, as torch gave it.
        root: the node that is differentiated.
        wrt: leaves by name.

    Raises:
        NoClosedForm: an operation between root and leaf has none.
    """
    from gradcli.closed.derivation import derive as derive_terms
    from gradcli.closed.forms import LeafForms
    from gradcli.closed.listing import write_listing
    from gradcli.closed.notation.naming import Naming

    derivation = derive_terms(program, shapes, root, wrt)
    naming = Naming.of(derivation)
    leaves = {name: LeafForms(terms, derivation, naming) for name, terms in derivation.leaves.items()}
    listing = write_listing(derivation, naming) if derivation.grown else ()
    return Forms(leaves, listing, derivation.grown)


def __getattr__(name: str) -> object:
    # what evaluates needs torch, which deriving does not
    if name in ("Sampled", "gradient_at", "jacobian_at"):
        from gradcli.closed import points

        return getattr(points, name)
    raise AttributeError(name)
