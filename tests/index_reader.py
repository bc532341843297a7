"""Index notation, read back: every letter is an axis, sums run over the places where indices are valid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from index_ranges import Ranges
from notation_reader import COMPARISONS, number, spoken
from torch import Tensor

from gradcli.numeric import operations
from gradcli.numeric.making import Like
from gradcli.ops.table import find

LIKE = Like(torch.float64, torch.device("cpu"))
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


def index_value(text: str, letters: Mapping[str, int], names: Mapping[str, Tensor]) -> Tensor:
    """The tensor over ``letters`` (letter → size, in the order of its axes) that ``text`` means."""
    reader = _Index(text, dict(letters), names)
    value = reader.sum()
    if reader.token.kind != "end":
        raise reader.wrong("the end was expected")
    return reader.expanded(value.to(torch.float64))


@dataclass
class _Index(Ranges):
    """``letters`` are the axes, free ones first; every value broadcasts over them."""

    text: str
    letters: dict[str, int]
    names: Mapping[str, Tensor]
    free: int = field(init=False)

    def __post_init__(self) -> None:
        super().__init__(self.text)
        self.free = len(self.letters)

    def expanded(self, value: Tensor) -> Tensor:
        sizes = list(self.letters.values())[: self.free]
        return value.reshape(value.shape[: self.free]).expand(sizes) if value.dim() else value.expand(sizes)

    def letter(self, name: str) -> Tensor:
        """An index as a number, along its own axis."""
        axes = [1] * len(self.letters)
        axes[list(self.letters).index(name)] = self.letters[name]
        return torch.arange(self.letters[name]).reshape(axes)

    # -- sums and products -------------------------------------------------------------

    def sum(self) -> Tensor:
        negative = self.take("-")
        total = self.dotted()
        total = -_real(total) if negative else total
        while self.token.text in ("+", "-"):
            minus = self.take("-") or not self.take("+")
            total, term = _real(total), _real(self.dotted())
            total = total - term if minus else total + term
        return total

    def dotted(self) -> Tensor:
        """Factors with · between them; what holds under a condition is 0 elsewhere, whatever it is there."""
        first = self.factor()
        if self.token.text != "·":
            return first
        factors = [first]
        while self.take("·"):
            factors.append(self.factor())
        value = torch.ones((), dtype=torch.float64)
        for factor in factors:
            if factor.dtype != torch.bool:
                value = value * factor
        for factor in factors:
            if factor.dtype == torch.bool:
                value = torch.where(factor, value, torch.zeros((), dtype=torch.float64))
        return value

    def factor(self) -> Tensor:
        return self.summed() if self.token.text == "Σ_" else self.product()

    def summed(self) -> Tensor:
        """Σ_k,l body: the body reaches to the next + or - of the same depth."""
        self.need("Σ_")
        known, given = dict(self.letters), {}
        while True:
            name = self.token.text
            self.k += 1
            if name in self.letters or name in self.names:
                raise self.wrong(f"{name} has a meaning already")
            if self.take("<"):
                given[name] = int(self.token.text)
                self.k += 1
            self.letters[name] = given.get(name, 1)
            if not self.take(","):
                break
        start = self.k
        for name in [name for name in self.letters if name not in known and name not in given]:
            self.letters[name] = self.size_of(name, start)
        body = self.dotted()
        body = body.to(torch.float64)
        extra = len(self.letters) - len(known)
        full = body.expand(torch.broadcast_shapes(body.shape, (1,) * len(self.letters)))
        sizes = [*full.shape[: len(known)], *list(self.letters.values())[len(known) :]]
        result = full.expand(sizes).sum(dim=tuple(range(len(known), len(known) + extra)))
        self.letters = known
        return result

    def product(self) -> Tensor:
        value = self.power()
        while self.token.text in ("*", "/", "//", "%"):
            op = self.token.text
            self.k += 1
            other = self.power()
            if op == "*":
                value = self.times(value, other)
            elif op == "/":
                value = value.to(torch.float64) / other
            else:
                value = torch.div(value, other, rounding_mode="floor") if op == "//" else value.remainder(other)
        return value

    @staticmethod
    def times(value: Tensor, other: Tensor) -> Tensor:
        if other.dtype == torch.bool:
            return torch.where(other, value, torch.zeros((), dtype=torch.float64))
        if value.dtype == torch.bool:
            return torch.where(value, other, torch.zeros((), dtype=other.dtype))
        return value * other

    def power(self) -> Tensor:
        value = self.atom()
        if self.take("**"):
            value = value.to(torch.float64) ** self.atom()
        return value

    # -- atoms -------------------------------------------------------------------------

    def atom(self) -> Tensor:
        token = self.token
        if token.kind == "number":
            self.k += 1
            return torch.tensor(int(token.text)) if token.text.isdigit() else number(token.text)
        if token.text == "[":
            return self.bracket()
        if token.text == "(":
            end = self.matching()
            indexed = self.tokens[end + 1].text == "[" and not self.tokens[end + 1].spaced
            texts = {t.text for t in self.tokens[self.k : end]}
            if indexed or ("@" in texts and not texts & {"Σ_", *self.letters}):
                whole = spoken(self.slice_to(end), self.names)
                self.k = end + 1
                return self.indexed(whole)
            self.need("(")
            value = self.sum()
            self.need(")")
            return value
        if token.text == "δ":
            self.k += 1
            self.need("(")
            one = self.sum()
            self.need(",")
            two = self.sum()
            self.need(")")
            return one == two
        if token.kind != "name":
            raise self.wrong("a value was expected")
        return self.named()

    def named(self) -> Tensor:
        name, following = self.token.text, self.tokens[self.k + 1]
        if following.text == "(" and not following.spaced:
            start = self.k
            self.k += 1
            end = self.matching()
            self.k = start
            if not any(t.text in self.letters for t in self.tokens[self.k : end]):
                whole = spoken(self.slice_to(end), self.names)
                self.k = end + 1
                return self.indexed(whole)
            return self.call()
        self.k += 1
        if name in self.letters:
            return self.letter(name)
        if name in self.names:
            return self.indexed(self.names[name])
        if name in CONSTANTS:
            return number(str(CONSTANTS[name]))
        raise self.wrong(f"{name} has no meaning")

    def indexed(self, whole: Tensor) -> Tensor:
        """An element; NaN where an index leaves the tensor, which only a condition may hide."""
        if self.token.text != "[" or self.token.spaced:
            if whole.dim():
                raise self.wrong("a whole tensor among elements")
            return whole
        self.need("[")
        places = [self.sum()]
        while self.take(","):
            places.append(self.sum())
        self.need("]")
        if len(places) != whole.dim():
            raise self.wrong(f"{len(places)} indices into {tuple(whole.shape)}")
        valid, safe = torch.ones((), dtype=torch.bool), []
        for place, size in zip(places, whole.shape, strict=True):
            valid = valid & (place >= 0) & (place < size)
            safe.append(place.clamp(0, size - 1))
        value = whole[tuple(safe)]
        return value if not value.is_floating_point() else torch.where(valid, value, torch.nan)

    def call(self) -> Tensor:
        """An operation of the language on elements."""
        name = self.token.text
        row = find(name)
        assert row is not None, name
        self.k += 1
        self.need("(")
        operands: list[tuple[str, Tensor]] = []
        statics = {p.name: p.default for p in row.statics}
        position = 0
        while not self.take(")"):
            param = row.params[min(position, len(row.params) - 1)]
            if self.token.kind == "name" and self.tokens[self.k + 1].text == "=":
                param = next(p for p in row.params if p.name == self.token.text)
                self.k += 2
            if param.is_operand:
                operands.append((param.name, self.condition()))
            else:
                end = self.k
                while self.tokens[end].text not in (",", ")"):
                    end += 1
                statics[param.name] = static(self.slice_to(end - 1))
                self.k = end
            position += 1
            self.take(",")
        return operations.apply(name, operands, statics, LIKE)

    # -- conditions --------------------------------------------------------------------

    def bracket(self) -> Tensor:
        self.need("[")
        value: Tensor = self.condition()
        self.need("]")
        return value

    def combined(self, word: str, values: Sequence[Tensor]) -> Tensor:
        if word == "not":
            return ~values[0]
        total = values[0]
        for value in values[1:]:
            total = total & value if word == "and" else total | value
        return total

    def compared(self, sides: Sequence[Tensor], signs: Sequence[str]) -> Tensor:
        pairs = zip(signs, sides, sides[1:], strict=False)
        return self.combined("and", [COMPARISONS[sign](a, b) for sign, a, b in pairs])


def _real(value: Tensor) -> Tensor:
    return value.to(torch.float64) if value.dtype == torch.bool else value


def static(text: str) -> object:
    if text.startswith("'"):
        return text.strip("'")
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    return int(text) if text.lstrip("-").isdigit() else float(text)
