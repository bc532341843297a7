"""Random programs made from the table: every row, on reshaped, sliced, stepped and transposed operands.

Each step takes a row, shapes that suit it and static values, and makes its operands out of what is there:
by name, written out in place, reshaped, or as a slice of the flattened tensor.  Steps that torch refuses, and
those whose values grow large or are not finite, are drawn again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import prod

import torch
from calls_of_rows import call_text, value
from shapes_of_rows import shapes
from statics import statics
from torch import Tensor

from gradcli.errors import GradcliError
from gradcli.numeric.making import Like
from gradcli.numeric.operations import apply
from gradcli.ops.row import Kind, Param, Row
from gradcli.ops.table import rows

Shape = tuple[int, ...]
LIKE = Like(torch.float64, torch.device("cpu"))
#: values beyond this are drawn again
LARGE = 100.0
#: and those so small that dividing by them overflows
TINY = 1e-100
#: elements of one tensor, and characters of one line
ELEMENTS, LENGTH = 60, 160
#: nothing to differentiate by, or random
_LEFT_OUT = {"rand", "randn", "empty", "dropout", "detach"}
#: directions, which next to 0 magnify rounding a hundred million times
_DIRECTIONS = {"cosine_similarity", "normalize"}
#: matrices that must have an inverse are made of others by these texts
_REGULAR = {
    "pinv": "eye({m}, {n}) + 0.3*tanh({x})",
    **dict.fromkeys(("inv", "det", "logdet", "slogdet", "matrix_power", "solve"), "eye({n}) + 0.3*tanh({x})"),
    "cholesky": "eye({n}) + 0.3*tanh({x}) @ tanh({x}).mT",
}
_MASKS = ("{}", "{}", "logical_not({})", "logical_and({}, isfinite({x}))", "logical_or({}, isnan({x}))")
_ALGEBRA = (
    "({a} + {b})", "({a} - {b})", "({b} - {a})", "({a}*{b})", "({a}/(1 + {b}**2))", "({a}**{k})", "({s}*{a})",
    "(-({a}))", "({a} + {s})", "({s} - {a})", "({a}*{a} - {b}*{b})", "sqrt({a}**2 + 1)", "exp(-({a})**2)",
    "log(1 + {a}**2)", "tanh({a})", "({a}*({a} - {b}))", "(({a} - {b})*({b} - {a}))",
    "(({a} + {b})/({a}**2 + {b}**2 + 1))", "({a}/{s} + {s}*{b})", "({a}**3/(2 + cos({a})))",
    "sigmoid({a})", "(1/(1 + {a}**2)**{k})",
)  # fmt: skip
_KINDS: tuple[tuple[float, tuple[Row, ...]], ...] = tuple(
    (weight, tuple(r for r in rows() if r.kind in kinds and r.name not in _LEFT_OUT))
    for weight, kinds in (
        (0.30, (Kind.ELEMENTWISE,)), (0.25, (Kind.VIEW,)), (0.28, (Kind.OPAQUE,)), (0.12, (Kind.COMPOSITE,)),
    )
)  # fmt: skip


@dataclass
class Item:
    """Something that a program can speak of: a leaf, a statement or an expression, with its value."""

    text: str
    tensor: Tensor

    @property
    def shape(self) -> Shape:
        return tuple(self.tensor.shape)


@dataclass
class Drawn:
    """A program: ``name = text`` lines, the value of each, and the inputs."""

    lines: list[tuple[str, str]] = field(default_factory=list)
    values: dict[str, Tensor] = field(default_factory=dict)
    inputs: dict[str, Tensor] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "; ".join(f"{name} = {text}" for name, text in self.lines)


class _Again(Exception):
    """This step cannot be made; another is drawn."""


class _Drawer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.torch = torch.Generator().manual_seed(seed)
        self.program = Drawn()
        self.pool: list[Item] = []
        # some programs are algebra alone, where like terms and factors meet
        self.weights = [0, 0.05, 0.1, 0.85] if seed % 4 == 3 else [0.6, 0.12, 0.22, 0.06]

    def draw(self) -> Drawn:
        for _ in range(self.random.choice((1, 1, 2))):
            self.pool.append(self.leaf(self.random.choice([(3,), (2, 3), (2, 2), (), (4,), (2, 1, 3), (3, 1)])))
        for _ in range(self.random.randint(2, 7) if self.random.random() < 0.97 else self.random.randint(15, 25)):
            self.step()
        if not self.program.lines or self.pool[-1].text != self.program.lines[-1][0]:
            self.name(self.pool[-1])
        return self.program

    def leaf(self, shape: Shape) -> Item:
        return self.given(4 * torch.rand(shape, generator=self.torch, dtype=torch.float64) - 2)

    def given(self, tensor: Tensor) -> Item:
        name = f"x{len(self.program.inputs)}"
        self.program.inputs[name] = tensor
        return Item(name, tensor)

    # -- steps -------------------------------------------------------------------

    def step(self) -> None:
        for _ in range(40):
            inputs = dict(self.program.inputs)
            try:
                (make,) = self.random.choices([self.call, self.slice, self.pair, self.algebra], self.weights)
                item = make()
                self.check(item)
            except (_Again, GradcliError, RuntimeError, IndexError, ValueError, TypeError):
                self.program.inputs = inputs
                continue
            self.pool.append(item)
            if self.random.random() < 0.5 or len(item.text) > LENGTH // 2:
                self.name(item)
            return

    def check(self, item: Item) -> None:
        value = item.tensor
        small = 0 < value.numel() <= ELEMENTS and len(item.text) <= LENGTH
        if not small or not value.is_floating_point() or not bool((value.abs() <= LARGE).all()):
            raise _Again
        if bool(((value != 0) & (value.abs() < TINY)).any()):
            raise _Again

    def name(self, item: Item) -> None:
        name = f"t{len(self.program.lines)}"
        self.program.lines.append((name, item.text))
        self.program.values[name] = item.tensor
        item.text = name

    def call(self) -> Item:
        ((_, table),) = self.random.choices(_KINDS, [weight for weight, _ in _KINDS])
        row = self.random.choice(table)
        wanted = self.random.choice(shapes(row))
        params = [p for p, shape in zip(self.params(row, len(wanted)), wanted, strict=False) if shape is not None]
        sizes = [shape for shape in wanted if shape is not None]
        if row.kind is Kind.ELEMENTWISE and self.random.random() < 0.7:
            sizes = self.as_first(sizes)
        chosen = statics(row, sizes)
        attrs = {name: self.random.choice(list(values)) for name, values in chosen.items() if values}
        if len(attrs) < len(chosen) or any(0 in shape for shape in sizes):
            raise _Again
        by_role = {p.name: shape for p, shape in zip(params, sizes, strict=True)}
        operands = [self.operand(row, p, shape, attrs, by_role) for p, shape in zip(params, sizes, strict=True)]
        if row.name in _DIRECTIONS and any(bool((item.tensor.abs() < 1e-2).any()) for item in operands):
            raise _Again
        pairs = [(p.name, item) for p, item in zip(params, operands, strict=True)]
        text = call_text(row, [(role, item.text) for role, item in pairs], attrs)
        if row.operator and len(pairs) == 2:
            text = f"({pairs[0][1].text} {row.operator} {pairs[1][1].text})"
        result = apply(row.name, [(role, item.tensor) for role, item in pairs], attrs, LIKE)
        if row.name == "std" and bool((result < 1e-6).any()):
            raise _Again  # the slope would be one rounding error by another
        return Item(text, result)

    def params(self, row: Row, count: int) -> list[Param]:
        return [*row.operands, *row.operands[-1:] * (count - len(row.operands))]

    def as_first(self, sizes: list[Shape]) -> list[Shape]:
        """Shapes like those of something that is there, some axes broadcast."""
        shape = self.random.choice(self.pool[-3:]).shape
        return [shape, *(self.narrowed(shape) for _ in sizes[1:])]

    def narrowed(self, shape: Shape) -> Shape:
        cut = shape[self.random.randint(0, len(shape)) :] if self.random.random() < 0.3 else shape
        return tuple(1 if self.random.random() < 0.2 else n for n in cut)

    # -- operands ----------------------------------------------------------------

    def operand(self, row: Row, param: Param, shape: Shape, attrs: dict, sizes: dict[str, Shape]) -> Item:  # type: ignore[type-arg]
        if param.kind == "index" or ((row.name, param.name) == ("cross_entropy", "target") and shape != sizes["x"]):
            return self.index(value(row, param.name, shape, attrs, sizes, self.torch))
        item = self.fitted(shape)
        if param.kind == "mask":
            return self.mask(item, shape)
        if row.name in _REGULAR and param.name != "B" and len(shape) > 1:
            return self.evaluated(_REGULAR[row.name].format(m=shape[-2], n=shape[-1], x=item.text))
        if row.sample != "(-2, 2)":
            low, _, high = row.sample.partition("|")[0].strip().strip("()").partition(",")
            return self.evaluated(f"{low} + {float(high) - float(low):.4g}*sigmoid({item.text})")
        return item

    def index(self, drawn: Tensor) -> Item:
        """Places as an input, or as what puts something in order, within the same range."""
        if drawn.dim() and drawn.numel() and self.random.random() < 0.4:
            return self.evaluated(f"argsort({self.fitted(tuple(drawn.shape)).text}) % {int(drawn.max()) + 1}")
        return self.given(drawn)

    def mask(self, item: Item, shape: Shape) -> Item:
        sign = self.random.choice([">", "<", ">=", "<=", "==", "!="])
        other = self.random.choice(["0", "0.5", self.fitted(shape).text])
        text = f"({item.text} {sign} {other})"
        form = self.random.choice(_MASKS)
        return self.evaluated(form.format(text, x=item.text))

    def pair(self) -> Item:
        """Two things that are there under one operator, turned so that they fit."""
        left, right = (self.random.choice(self.pool[-5:]).text for _ in range(2))
        ends = ["", "", ".T", "[..., None]", "[None]"]
        left, right = left + self.random.choice(ends), right + self.random.choice(ends)
        sign = self.random.choice(["+", "-", "*", "*", "@", "@"])
        text = f"({left} {sign} {right})"
        wrap = ["{}", "{}", "{}", "sum({})", "mean({}, -1)", "softmax({}, -1)", "{}/(1 + {}**2)", "{}*arange(1, 4)[0]"]
        return self.evaluated(self.random.choice(wrap).replace("{}", text))

    def algebra(self) -> Item:
        """Sums, products, quotients and powers of what is there, the same things again and again."""
        left, right = (self.random.choice(self.pool[-4:]).text for _ in range(2))
        k, scale = self.random.randint(2, 4), self.random.choice(["2", "0.5", "3", "1/3", "-1", "pi"])
        return self.evaluated(self.random.choice(_ALGEBRA).format(a=left, b=right, k=k, s=scale))

    def fitted(self, shape: Shape) -> Item:
        """Something of this shape, made of what is there or new."""
        base = self.random.choice(self.pool[-4:]) if self.random.random() < 0.85 else self.leaf(shape)
        size, have = prod(shape), base.tensor.numel()
        if base.shape == shape:
            return base
        written = str(shape) if len(shape) != 1 else f"{shape[0]}"
        if have == 1 and self.random.random() < 0.5:
            return self.evaluated(f"expand(reshape({base.text}, ()), {written})")
        if have == size:
            return self.evaluated(f"reshape({base.text}, {written})")
        if have > size:
            step = self.random.randint(1, max(1, have // size))
            start = self.random.randint(0, have - 1 - (size - 1) * step)
            stop = start + (size - 1) * step + 1
            return self.evaluated(f"reshape(flatten({base.text})[{start}:{stop}:{step}], {written})")
        if self.random.random() < 0.3:
            copies = -(-size // have)
            return self.evaluated(f"reshape(repeat(flatten({base.text}), {copies})[:{size}], {written})")
        return self.leaf(shape)

    def slice(self) -> Item:
        """A slice with steps, places, new axes and ``...``."""
        base = self.random.choice(self.pool[-4:])
        parts: list[str] = []
        for n in base.shape:
            kind = self.random.random()
            if kind < 0.2:
                parts.append(str(self.random.randrange(-n, n)))
            elif kind < 0.6:
                start, step = self.random.randrange(n), self.random.randint(1, 3)
                parts.append(self.random.choice([f"{start}::{step}", f"{start}:", f":{n - start}", f"-{start + 1}:"]))
            else:
                parts.append(":")
            if self.random.random() < 0.15:
                parts.append("None")
        if self.random.random() < 0.2:
            parts = [*parts[: len(parts) // 2], "..."]
        if not parts:
            raise _Again
        return self.evaluated(f"{base.text}[{', '.join(parts)}]")

    def evaluated(self, text: str) -> Item:
        """The text with its value, worked out in full."""
        from gradcli.language import parse
        from gradcli.numeric.forward import evaluate

        known = {**self.program.inputs, **self.program.values}
        program = parse(text)
        with torch.no_grad():
            forward = evaluate(program, {name: known[name] for name in program.leaves}, wrt=())
        return Item(f"({text})" if " " in text.split("(")[0] else text, forward.tensor(program.root.node))


def draw(seed: int) -> Drawn:
    """The program of this seed."""
    return _Drawer(seed).draw()
