"""Matrix notation, read back: sizes of 𝟏, I, L and unit vectors follow from what stands beside them.

Precedence, tightest first: ᵀ, ⁻¹ and powers; ∘ and / (element by element); juxtaposition; ⊗; + and -.
Vectors are columns, and so is a slice with one colon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import torch
from index_reader import CONSTANTS, index_value, static
from matrix_parts import (
    Dim,
    Part,
    compact,
    complete,
    diag,
    elementwise,
    every,
    finished,
    language,
    named_tensor,
    one_hot,
    product_dim,
    some,
    times,
    trace,
    turned,
    vec,
)
from notation_reader import COMPARISONS, Reader, number
from torch import Tensor

Shape = tuple[int, ...]
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def matrix_value(text: str, shape: Shape, names: Mapping[str, Tensor], leaf: Shape = ()) -> Tensor:
    """The matrix of ``shape`` that ``text`` means; a shape of one element means a scalar.

    ``leaf`` is the shape of the leaf, which tells the size of K.
    """
    reader = _Matrix(text, names, leaf)
    part = reader.sum()
    if reader.token.kind != "end":
        raise reader.wrong("the end was expected")
    return finished(part, shape)


def blocks_value(
    text: str, out: Shape, leaf: Shape, letters: Sequence[Sequence[str]], names: Mapping[str, Tensor]
) -> Tensor:
    """The Jacobian, rows over ``out`` and columns over ``leaf``, of ``blocks δ(i,j) · (…)``."""
    head, body = text.removeprefix("blocks ").split(" · ", 1)
    i, j = head.removeprefix("δ(").removesuffix(")").split(",")
    row, column = letters[0].index(i), letters[1].index(j)
    rows = [n for k, n in enumerate(out) if k != row]
    columns = [n for k, n in enumerate(leaf) if k != column]
    total = torch.zeros((*out, *leaf), dtype=torch.float64)
    for at in range(out[row]):
        reader = _Matrix(body, {**names, i: torch.tensor(at)}, tuple(columns))
        block = finished(reader.sum(), (prod(rows), prod(columns)))
        place = [slice(None)] * (len(out) + len(leaf))
        place[row], place[len(out) + column] = at, at  # type: ignore[call-overload]
        total[tuple(place)] = block.reshape(*rows, *columns)
    return total.reshape(prod(out), prod(leaf))


class _Matrix(Reader):
    def __init__(self, text: str, names: Mapping[str, Tensor], leaf: Shape) -> None:
        super().__init__(text)
        self.names, self.leaf = names, leaf

    # -- sums and products -------------------------------------------------------------

    def sum(self) -> Part:
        terms = [(self.take("-"), self.kron())]
        while self.token.text in ("+", "-"):
            minus = self.take("-") or not self.take("+")
            terms.append((minus, self.kron()))
        if len(terms) == 1 and not terms[0][0]:
            return terms[0][1]

        def value(values: Sequence[Tensor]) -> Tensor:
            total = torch.zeros((), dtype=torch.float64)
            for (minus, _), one in zip(terms, values, strict=True):
                total = total - one if minus else total + one
            return total

        return elementwise([part for _, part in terms], value)

    def kron(self) -> Part:
        factors = [self.juxtaposed()]
        while self.take("⊗"):
            factors.append(self.juxtaposed())
        if len(factors) == 1:
            return factors[0]
        sizes = [(f.dims[0], f.dims[1]) for f in factors if f.dims is not None]
        assert len(sizes) == len(factors), f"{self.text}: a scalar in a Kronecker product"
        whole = (product_dim([rows for rows, _ in sizes]), product_dim([columns for _, columns in sizes]))

        def value() -> Tensor:
            for total, parts in zip(whole, zip(*sizes, strict=True), strict=True):
                complete(total, parts)
            found = factors[0].value()
            for factor in factors[1:]:
                found = torch.kron(compact(found), compact(factor.value()))
            return found

        return Part(whole, value)

    def juxtaposed(self) -> Part:
        whole = self.hadamard()
        while self.starts_atom():
            whole = times(whole, self.hadamard())
        return whole

    def starts_atom(self) -> bool:
        if self.token.text in ("and", "or", "not"):
            return False
        return self.token.kind in ("number", "name", "sign") or (self.token.text in ("(", "[") and self.token.spaced)

    def hadamard(self) -> Part:
        parts, below = [self.power()], [False]
        while self.token.text in ("∘", "/"):
            below.append(self.token.text == "/")
            self.k += 1
            parts.append(self.power())

        def value(values: Sequence[Tensor]) -> Tensor:
            total = values[0]
            for under, one in zip(below[1:], values[1:], strict=True):
                total = total / one if under else total * one
            return total

        return elementwise(parts, value) if len(parts) > 1 else parts[0]

    def power(self) -> Part:
        part = self.atom()
        while self.token.text in ("ᵀ", "⁻¹", "⁻ᵀ", "**"):
            op = self.token.text
            self.k += 1
            if op == "**":
                part = elementwise([part, self.atom()], lambda values: values[0] ** values[1])
                continue
            assert part.dims is not None, f"{self.text}: {op} of a scalar"
            part = turned(part, op)
        return part

    # -- atoms -------------------------------------------------------------------------

    def atom(self) -> Part:
        token = self.token
        if token.kind == "number":
            self.k += 1
            return Part(None, lambda: number(token.text), lambda: number(token.text), 0)
        if token.text == "(":
            self.need("(")
            part = self.sum()
            self.need(")")
            return self.sliced(part)
        if token.text == "[":
            self.need("[")
            part = self.condition()
            self.need("]")
            return part
        if token.kind not in ("name", "sign"):
            raise self.wrong("a value was expected")
        following = self.tokens[self.k + 1]
        if token.kind == "name" and following.text == "(" and not following.spaced:
            return self.sliced(self.call())
        self.k += 1
        if token.text in self.names:
            return self.sliced(named_tensor(self.names[token.text]))
        if token.text in CONSTANTS and not (token.text == "e" and following.text == "[" and not following.spaced):
            constant = number(str(CONSTANTS[token.text]))
            return Part(None, lambda: constant, lambda: constant, 0)
        return self.sign(token.text)

    def sign(self, text: str) -> Part:
        """𝟏, I, L, K, e0 and e[…], with their size where it is written."""
        digits = "".join(c for c in text if c in "₀₁₂₃₄₅₆₇₈₉").translate(_SUBSCRIPTS)
        size = Dim(int(digits) if digits else None)
        letter = {"𝐈": "I", "𝐋": "L", "𝐊": "K", "𝐞": "e"}.get(text[0], text[0])

        def known() -> int:
            assert size.size is not None, f"{self.text}: nothing tells the size of {text}"
            return size.size

        if letter == "𝟏":
            return Part((size, Dim(1)), lambda: torch.ones(known(), 1, dtype=torch.float64))
        if letter == "I":
            return self.sliced(Part((size, size), lambda: torch.eye(known(), dtype=torch.float64)))
        if letter == "L":
            return self.sliced(Part((size, size), lambda: torch.ones(known(), known(), dtype=torch.float64).tril()))
        if text in ("K", "𝐊"):
            rows, columns = (n for n in self.leaf if n != 1)
            order = torch.arange(rows * columns).reshape(rows, columns).T.reshape(-1)
            matrix = torch.eye(rows * columns, dtype=torch.float64)[order]
            return Part((Dim(rows * columns), Dim(rows * columns)), lambda: matrix)
        if letter == "e" and (text[1:].isdigit() or self.token.text == "["):
            place = int(text[1:]) if text[1:] else self.place()
            return Part((size, Dim(1)), lambda: torch.eye(known(), dtype=torch.float64)[:, place : place + 1])
        raise self.wrong(f"{text} has no meaning")

    def place(self) -> int:
        """The index in e[…]: a text in index notation."""
        end = self.matching()
        text = self.text[self.token.at + 1 : self.tokens[end].at]
        self.k = end + 1
        return int(index_value(text, {}, self.names))

    def sliced(self, part: Part) -> Part:
        """The piece, or a part of it: X[i,:], v[1:], t[0]."""
        if self.token.text != "[" or self.token.spaced:
            return part
        end = self.matching()
        text = self.text[self.token.at + 1 : self.tokens[end].at]
        self.k = end + 1
        spots = [self.spot(spot) for spot in _split(text)]
        raw = part.raw
        if raw is None:  # not a name: a column is indexed as a vector

            def raw(part: Part = part) -> Tensor:
                value = part.value()
                return value.reshape(-1) if value.shape[1] == 1 and len(spots) == 1 else value

            if part.dims is not None and None in (part.dims[0].size, part.dims[1].size):
                slices = [spot for spot in spots if isinstance(spot, slice)]
                if len(spots) == 2 and len(slices) == 1:  # a row or a column of L, as a column
                    return Part((part.dims[0], Dim(1)), lambda: raw()[tuple(spots)].reshape(-1, 1))  # type: ignore[misc]
        return named_tensor(raw()[tuple(spots)])

    def spot(self, text: str) -> int | slice:
        if ":" in text:
            return slice(*(int(x) if x else None for x in text.split(":")))
        return int(index_value(text, {}, self.names))

    # -- functions ---------------------------------------------------------------------

    def call(self) -> Part:
        name = self.token.text
        self.k += 1
        self.need("(")
        positional: list[Part] = []
        keywords: dict[str, object] = {}
        while not self.take(")"):
            if self.token.kind == "name" and self.tokens[self.k + 1].text == "=":
                key = self.token.text
                self.k += 2
                keywords[key] = self.static_or_part()
            elif self.token.kind == "text":
                keywords[f"#{len(positional)}"] = self.static_or_part()
            else:
                positional.append(self.condition())
            self.take(",")
        own = {"diag": diag, "vec": vec, "tr": trace, "one_hot": one_hot}.get(name)
        if own is not None and not keywords:
            return own(*positional)
        if name == "sum" and len(positional) == 1 and not keywords:
            return Part(None, lambda: positional[0].value().sum(), None, 0)
        return language(name, positional, keywords, self.text)

    def static_or_part(self) -> object:
        end = self.k
        if self.tokens[end].text == "(":
            end = self.matching()
            text = self.slice_to(end)
            self.k = end + 1
            return tuple(int(x) for x in text.strip("(),").split(",") if x.strip())
        text = ("-" if self.take("-") else "") + self.token.text
        if self.token.kind in ("number", "text") or text in ("True", "False", "None", "inf", "-inf"):
            self.k += 1
            return static(text)
        return self.condition()

    # -- conditions --------------------------------------------------------------------

    def combined(self, word: str, values: Sequence[Part]) -> Part:
        if word == "not":
            return elementwise(values, lambda found: 1.0 - found[0])
        return elementwise(values, every if word == "and" else some)

    def compared(self, sides: Sequence[Part], signs: Sequence[str]) -> Part:
        def value(values: Sequence[Tensor]) -> Tensor:
            pairs = zip(signs, values, values[1:], strict=False)
            return every([COMPARISONS[sign](a, b).to(torch.float64) for sign, a, b in pairs])

        return elementwise(sides, value)


def _split(text: str) -> list[str]:
    """Parts between commas that stand in no bracket."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts
