"""Reads printed formulas back and evaluates them: what a reader would understand, with torch.

``index_value`` reads index notation and ``matrix_value`` matrix notation.  Both know only what is
printed, the values of what it names, and the shapes of root and leaf; aliases of the legend are
texts of the program language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from gradcli.language import parse
from gradcli.numeric.forward import evaluate

#: letters of the notation that are no part of names
SIGNS = "ᵀ⁻¹𝟏𝐈𝐋𝐊𝐞₀₁₂₃₄₅₆₇₈₉"
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?)|(?P<text>'[^']*')"
    r"|(?P<sign>𝟏[₀-₉]*|𝐈[₀-₉]*|I[₀-₉]+|𝐋|𝐊|𝐞[0-9]*|Σ_)"
    rf"|(?P<name>[^\W\d{SIGNS}][^\W{SIGNS}]*)"
    r"|(?P<op>⁻¹|⁻ᵀ|ᵀ|\*\*|//|[<>=!]=|[-+*/%@.∘⊗·()\[\],:<>=])"
)
COMPARISONS = {
    ">": torch.gt, ">=": torch.ge, "<": torch.lt, "<=": torch.le, "==": torch.eq, "!=": torch.ne, "=": torch.eq,
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A piece of text; ``spaced`` tells whether white space stands before it."""

    kind: str
    text: str
    at: int
    spaced: bool


class Unreadable(AssertionError):
    """The text is no formula."""


def tokens(text: str) -> list[Token]:
    """The tokens of a formula, with an ``end``."""
    found, at, spaced = [], 0, False
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unreadable(f"{text!r} at {at}: {text[at : at + 9]!r}")
        if match.lastgroup == "space":
            spaced = True
        else:
            found.append(Token(str(match.lastgroup), match[0], at, spaced))
            spaced = False
        at = match.end()
    return [*found, Token("end", "", at, True)]


class Reader:
    """A recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.k = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.k]

    def take(self, *texts: str) -> bool:
        """Step over one of ``texts`` when it comes next."""
        if self.token.text in texts and self.token.kind != "end":
            self.k += 1
            return True
        return False

    def need(self, text: str) -> None:
        if not self.take(text):
            raise self.wrong(f"no {text!r}")

    def wrong(self, why: str) -> Unreadable:
        return Unreadable(f"{self.text}\n{' ' * self.token.at}^ {why}")

    def matching(self) -> int:
        """The place of the bracket that closes the one at hand."""
        depth = 0
        for k in range(self.k, len(self.tokens)):
            depth += (self.tokens[k].text in "([") - (self.tokens[k].text in ")]") if self.tokens[k].text else 0
            if depth == 0:
                return k
        raise self.wrong("never closed")

    # -- conditions: what a value, and a combination of values, is, says each notation -----------------

    def sum(self) -> Any:
        raise NotImplementedError

    def combined(self, word: str, values: Sequence[Any]) -> Any:
        """``and``, ``or`` and ``not`` of conditions."""
        raise NotImplementedError

    def compared(self, sides: Sequence[Any], signs: Sequence[str]) -> Any:
        """A chain of comparisons."""
        raise NotImplementedError

    def condition(self) -> Any:
        values = [self.conjunction()]
        while self.take("or"):
            values.append(self.conjunction())
        return values[0] if len(values) == 1 else self.combined("or", values)

    def conjunction(self) -> Any:
        values = [self.comparison()]
        while self.take("and"):
            values.append(self.comparison())
        return values[0] if len(values) == 1 else self.combined("and", values)

    def comparison(self) -> Any:
        if self.take("not"):
            return self.combined("not", [self.comparison()])
        if self.token.text == "(" and self.is_several():
            self.need("(")
            value = self.condition()
            self.need(")")
            return value
        sides, signs = [self.sum()], []
        while self.token.text in COMPARISONS:
            signs.append(self.token.text)
            self.k += 1
            sides.append(self.sum())
        return self.compared(sides, signs) if signs else sides[0]

    def is_several(self) -> bool:
        """Whether the parentheses at hand hold conditions joined by words."""
        depth = 0
        for token in self.tokens[self.k : self.matching()]:
            depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
            if depth == 1 and token.text in ("and", "or", "not"):
                return True
        return False

    def slice_to(self, last: int) -> str:
        """The text from the token at hand to the token ``last``, which is included."""
        return self.text[self.token.at : self.tokens[last].at + len(self.tokens[last].text)]


def spoken(text: str, names: Mapping[str, Tensor]) -> Tensor:
    """The value of a text of the program language."""
    program = parse(text, internal=True, defined=frozenset(names))
    forward = evaluate(program, {name: names[name] for name in program.leaves})
    return forward.tensor(program.root.node).detach()


def with_aliases(names: Mapping[str, Tensor], legend: Iterable[tuple[str, str]]) -> dict[str, Tensor]:
    """The names and what the legend adds to them."""
    known = dict(names)
    for alias, text in legend:
        if not text.startswith("∂"):
            known[alias] = spoken(text, names)
    return known


def number(text: str) -> Tensor:
    return torch.tensor(float(text), dtype=torch.float64)
