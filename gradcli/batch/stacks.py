"""Stacks: plain problems of one plan evaluated side by side in one tensor.

What a stack gives is to the last bit what each problem gives alone; problems at which anything is unusual
(a number that is not finite, a derivative that does not agree at once) are left to ``solve``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from gradcli.batch.columns import tensors
from gradcli.batch.plans import Plan
from gradcli.batch.sketches import Sketch
from gradcli.batch.templates import Gap, Key, Writer
from gradcli.closed.points import gradient_at
from gradcli.findings.agreement import ERRORS, FRACTION, TOLERANCES, relative
from gradcli.findings.point import GRAIN
from gradcli.language.program import Program
from gradcli.numeric.side_by_side import quotients_together
from gradcli.solve.formulas import SMALL, derived

#: elements of a stack: enough to be fast, few enough to stay in a processor's cache
ELEMENTS = 6_144

_CLOSED, _QUOTIENT = TOLERANCES[torch.float64]


class Stack:
    """Problems of one plan, evaluated.

    Attributes:
        plan: what they share.
        numbers: key of the record → a tensor whose first axis is the problem.  The two values that were
            compared, which JSON does not have, are among them.
        ordinary: for each problem whether ``numbers``, where they are finite, is all there is to say of it.
        finite: for each problem whether its numbers are.
    """

    def __init__(self, plan: Plan, sketches: Sequence[Sketch]) -> None:
        self.plan, self.count = plan, len(sketches)
        # closed forms are derived for few lengths: powers of two
        self.rows = self.count if plan.bare else 1 << (self.count - 1).bit_length()
        self.numbers: dict[Key, Tensor] = {}
        self.ordinary = torch.ones(self.rows, dtype=torch.bool)
        self.finite = torch.ones(self.rows, dtype=torch.bool)
        names = plan.program.leaves
        inputs, upstream = tensors(sketches, names, self.rows)
        leaves = {name: inputs[:, at].flatten().requires_grad_() for at, name in enumerate(names)}
        self.forward = plan.plain.forward(leaves)
        root = self.forward.tensor(plan.root)
        self.upstream = upstream.flatten()
        self._backward(root)
        if not plan.bare:
            self._compare()
            self._jacobians(root)

    def program(self, k: int) -> Program:
        """The program of problem ``k``."""
        return self.plan.program

    def usual(self) -> list[int]:
        """The problems of which everything is told."""
        return self._which(self.ordinary & self.finite)

    def sound(self) -> list[int]:
        """The problems whose numbers are all finite."""
        return self._which(self.finite)

    def _which(self, rows: Tensor) -> list[int]:
        found: list[int] = rows[: self.count].nonzero().flatten().tolist()
        return found

    def gaps(self, kept: Sequence[int]) -> dict[Key, Gap]:
        """The numbers of some problems, as a template takes them."""
        writer = Writer()
        picked = slice(self.count) if len(kept) == self.count else torch.tensor(kept)
        told = ((key, tensor) for key, tensor in self.numbers.items() if key[-1] not in _ASIDE)
        return {key: writer.gap(tensor[picked].numpy()) for key, tensor in told}

    def arrays(self, k: int) -> dict[Key, Any]:
        """The numbers of problem ``k``."""
        return {key: tensor[k].numpy() for key, tensor in self.numbers.items()}

    def largest(self) -> list[float] | None:
        """For each problem the largest difference between the three ways; None where nothing was compared."""
        ways = [tensor for key, tensor in self.numbers.items() if key[-1] in ("closed_form", "finite_difference")]
        return torch.stack(ways).amax(0).tolist() if ways else None

    def _put(self, key: Key, elements: Tensor) -> None:
        self.numbers[key] = elements.detach().reshape(self.rows, *self.plan.shape)

    def _by_row(self, elements: Tensor) -> Tensor:
        return elements.reshape(self.rows, self.plan.length)

    def _check(self, elements: Tensor) -> None:
        self.finite &= self._by_row(elements.detach()).isfinite().all(1)

    def _backward(self, root: Tensor) -> None:
        """Gradients of L = Σ g·root over all problems: each is that of its own problem."""
        statements = [(("root",), self.plan.root), *self.plan.statements]
        leaves = list(self.forward.leaves.values())
        values = [self.forward.tensor(node) for _, node in statements]
        loss = (self.upstream * root).sum()
        found = torch.autograd.grad(loss, [*leaves, *values], retain_graph=not self.plan.bare)
        self._put(("passes", 0, "upstream"), self.upstream)
        keys = [*(("leaves", at) for at in range(len(leaves))), *(key for key, _ in statements)]
        for key, value, gradient in zip(keys, [*leaves, *values], found, strict=True):
            self._put((*key, "value"), value)
            self._put((*key, "gradient"), gradient)
            self._check(value)
            self._check(gradient)

    def _compare(self) -> None:
        """The three ways side by side, as ``findings.agreement`` compares them one by one."""
        if self.plan.check is False:
            return
        program = self.plan.program
        shapes = tuple(self.forward.shapes[node.id] for node in program.nodes)
        forms = derived(program, shapes, self.plan.root, program.leaves, None).forms
        values = self.forward.values
        known = {at: one.detach() if isinstance(one, Tensor) else one for at, one in values.items()}
        largest = self._by_row(self.upstream).abs().amax(1, True)
        with torch.no_grad():
            for at, name in enumerate(program.leaves):
                key = ("leaves", at, "agreement")
                ours = self._by_row(self.numbers["leaves", at, "gradient"])
                scale = FRACTION * ours.abs().amax(1, True)
                closed = gradient_at(forms[name], self.forward, self.upstream).values
                self._agreement((*key, "closed_form"), relative(ours, self._by_row(closed), scale), _CLOSED)
                quotients, good = quotients_together(self.plan.plain, self.plan.root, known, self.upstream, name)
                central, error = self._by_row(quotients.central), self._by_row(quotients.error)
                gap = (ours - central).abs()
                apart = relative(ours, central, scale)
                apart = torch.where((gap <= ERRORS * error) & (gap <= GRAIN * largest), 0.0, apart)
                self._agreement((*key, "finite_difference"), apart, _QUOTIENT)
                self._put((*key, "closed_value"), closed)
                self._put((*key, "quotient"), quotients.central)
                self._check(closed)
                self.ordinary &= self._by_row(good).all(1)

    def _agreement(self, key: Key, differences: Tensor, limit: float) -> None:
        self.numbers[key] = differences.amax(1)
        self.ordinary &= self.numbers[key] <= limit

    def _jacobians(self, root: Tensor) -> None:
        """Rows of every problem's Jacobian, one element of the root at a time, where the record has them."""
        length, view = self.plan.length, self.plan.jacobian
        if view in ("formula", "none") or (view == "auto" and length**2 > SMALL):
            return
        leaves = list(self.forward.leaves.values())
        elements = self._by_row(root)
        rows = [torch.autograd.grad(elements[:, k].sum(), leaves, retain_graph=True) for k in range(length)]
        shape = (self.rows, *self.plan.shape, *self.plan.shape)
        for at, columns in enumerate(zip(*rows, strict=True)):
            whole = torch.stack([self._by_row(column) for column in columns], 1)
            self.numbers["leaves", at, "jacobian", "values"] = whole.reshape(shape)


#: what JSON does not have
_ASIDE = ("closed_value", "quotient")
