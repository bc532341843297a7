"""Closed forms of one leaf, ready for the result record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gradcli.closed.cancel import cancelled, divisors
from gradcli.closed.derivation import Derivation, LeafTerms
from gradcli.closed.notation import matrix, nodes
from gradcli.closed.notation.indices import Writer, latex_writer
from gradcli.closed.notation.naming import Naming
from gradcli.closed.notation.recognising import own_products, recognised
from gradcli.closed.notation.scalars import ScalarText
from gradcli.closed.notation.typesetting import tex
from gradcli.closed.notation.windows import exact
from gradcli.closed.notation.writing import text
from gradcli.closed.rewriting import substitute
from gradcli.closed.scalar import Elt, Expr, add
from gradcli.closed.structure import is_diagonal, on_diagonal, structure
from gradcli.closed.table import entries
from gradcli.closed.terms import Term
from gradcli.result import ClosedForm, Jacobian


@dataclass(frozen=True)
class LeafForms:
    """What there is to print of one leaf; terms are None where they grew past the cap."""

    terms: LeafTerms
    derivation: Derivation
    naming: Naming

    @cached_property
    def printed(self) -> LeafTerms:
        """The terms as they are printed: what slopes alone divided by is cancelled, products have their own names."""
        graph = self.derivation.graph
        kept, products = divisors(graph), own_products(graph)
        jacobian, gradient = (
            None if terms is None else recognised([exact(term) for term in cancelled(terms, kept)], products, graph)
            for terms in (self.terms.jacobian, self.terms.gradient)
        )
        return replace(self.terms, jacobian=jacobian, gradient=gradient)

    def jacobian_record(self, table: bool) -> Jacobian | None:
        """The Jacobian in all notations, with its entries as text when ``table`` asks for them."""
        terms, leaf = self.printed.jacobian, self.printed
        if terms is None:
            return None
        letters = self.naming.letters(leaf.out, leaf.at)
        tree_ = matrix.jacobian_tree(leaf, self.naming)
        dtree = matrix.differential_tree(self.derivation, leaf, self.naming)
        return Jacobian(
            structure=structure(terms, leaf.out, leaf.at),
            form=self._form(terms, letters, tree_),
            diagonal=self._diagonal(terms),
            table=self._table(terms) if table else None,
            differential=None if dtree is None else f"d{self.root_name} = {text(dtree)}",
        )

    def gradient_record(self) -> ClosedForm | None:
        """gᵀJ in all notations."""
        leaf = self.printed
        if leaf.gradient is None:
            return None
        letters = self.naming.letters((), leaf.at)
        return self._form(leaf.gradient, letters, matrix.gradient_tree(leaf, self.naming))

    @property
    def root_name(self) -> str:
        graph = self.derivation.graph
        return graph.names.get(graph.root, "y")

    def _form(self, terms: list[Term], letters: Any, node: nodes.Node | None) -> ClosedForm:
        return ClosedForm(
            index=Writer(self.naming, letters)(terms),
            matrix=None if node is None else text(node),
            latex=latex_writer(self.naming, letters)(terms) if node is None else tex(node),
        )

    def _diagonal(self, terms: list[Term]) -> str | None:
        """The diagonal as a text over whole tensors, ``4*b``."""
        leaf = self.terms
        if not is_diagonal(terms, leaf.out, leaf.at):
            return None
        total = add(*(t.coefficient for t in terms))

        def whole(node: Expr) -> Expr | None:
            return Elt(node.of) if isinstance(node, Elt) and on_diagonal(node.at, leaf.out) else None

        return ScalarText(self.naming, self.naming.letters(leaf.out, leaf.at))(substitute(total, whole))

    def _table(self, terms: list[Term]) -> Any:
        leaf = self.terms
        writer = ScalarText(self.naming, {})

        def written(item: Any) -> Any:
            return [written(x) for x in item] if isinstance(item, list) else writer(item)

        found = entries(terms, (*leaf.out, *leaf.at))
        return None if found is None else written(found)
