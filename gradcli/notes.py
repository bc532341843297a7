"""Notes: what a reader should know about a result, as data.

Each note has a stable code (part of the JSON contract), one or two sentences that
carry their own advice, and, where it has one, the name and index it speaks of.
"""

from __future__ import annotations

from dataclasses import dataclass

#: code → what it means (``gradcli schema`` lists these)
CODES: dict[str, str] = {
    "kink": "the slope jumps at the point; the gradient shown is one choice",
    "tie": "several elements share the maximum, minimum or a place in an order",
    "pole": "a division by zero or a logarithm of zero at the point",
    "removable": "the formula is 0/0 at the point but its limit exists",
    "overflow": "a value left the range of its dtype",
    "domain": "a value lies outside the domain of a function",
    "untaken-branch": "an infinite slope of a branch that is not taken spoils the gradient",
    "precision": "the dtype is too coarse for the comparison at this point",
    "step": "the difference quotient is too coarse at this point",
    "unused-input": "an input is given but the program does not use it",
    "default-inputs": "no inputs were given, so every leaf is ones",
    "default-upstream": "the root is no scalar and no upstream gradient was given",
    "uninitialised": "values come from uninitialised memory",
    "expanded": "the root was expanded to the upstream gradient's shape",
    "singular": "a matrix is singular at the point",
    "zero-gradient": "the root does not depend on this leaf",
    "sampled": "a comparison used sampled entries because the tensors are large",
    "growth": "the closed form was too long and is given as one adjoint equation a statement",
    "no-closed-form": "an operation has no closed form here",
    "random": "values are random and drawn with the seed shown",
    "convention": "a convention decides the value shown",
}


@dataclass(frozen=True, slots=True)
class Note:
    """``message`` is whole sentences; ``explains`` is true when it accounts for a disagreement."""

    code: str
    message: str
    name: str | None = None
    index: tuple[int, ...] | None = None
    explains: bool = False

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"unknown note code {self.code!r}")
