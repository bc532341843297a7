"""Random programs that have values and formulas: the same program for the same seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

Shape = tuple[int, ...]

#: leaves by name; the second names are signs of the notation, which formulas must keep apart
SHAPES: dict[str, Shape] = {
    "s": (), "p": (), "x": (3,), "y": (3,), "v": (4,), "w": (6,), "A": (3, 3), "B": (3, 4), "C": (4, 3), "M": (4, 4),
    "R": (1, 3), "Q": (4, 1), "T": (2, 3, 4), "W": (3, 2), "u": (2,),
}  # fmt: skip
AWKWARD: dict[str, str] = {
    "s": "g", "p": "e0", "x": "i", "y": "j", "v": "k", "w": "e", "A": "I", "B": "L", "C": "K", "M": "dI", "R": "i1",
    "Q": "t1", "T": "l", "W": "sigma", "u": "v",
}  # fmt: skip

_UNARY = (
    "exp({})", "tanh({})", "sigmoid({})", "sin({})", "log({} + 3)", "sqrt(1 + ({})**2)", "({})**2", "relu({} - 0.4)",
    "-({})", "2*({})", "abs({})", "1/(2 + ({})**2)", "where({} > 0.6, 2, 3)*({})", "softplus({})", "({})/3", "1 - ({})",
)  # fmt: skip
_BINARY = ("({}) + ({})", "({}) - ({})", "({})*({})", "({})/(2 + ({})**2)", "maximum({}, {})")


@dataclass
class Maker:
    """Makes expressions of a wanted shape; ``named`` are statements made so far."""

    random: Random
    named: dict[str, Shape] = field(default_factory=dict)

    def expression(self, shape: Shape, depth: int) -> str:
        leaves = [name for name, size in {**SHAPES, **self.named}.items() if size == shape]
        if leaves and (depth <= 0 or self.random.random() < 0.2):
            return self.random.choice(leaves)
        kinds = [self.unary, self.binary, self.of_shape, self.of_shape] if depth > 0 else [self.of_shape]
        return self.random.choice(kinds)(shape, depth - 1)

    def unary(self, shape: Shape, depth: int) -> str:
        inner = self.expression(shape, depth)
        return self.random.choice(_UNARY).replace("{}", inner)

    def binary(self, shape: Shape, depth: int) -> str:
        other = self.random.choice([shape, shape, (), *self.broadcast(shape)])
        pair = [self.expression(shape, depth), self.expression(other, depth)]
        self.random.shuffle(pair)
        return self.random.choice(_BINARY).format(*pair)

    def broadcast(self, shape: Shape) -> list[Shape]:
        if len(shape) != 2 or not set(shape) <= {3, 4}:
            return []
        return [shape[1:], *([(1, 3)] if shape[1] == 3 else []), *([(4, 1)] if shape[0] == 4 else [])]

    def of_shape(self, shape: Shape, depth: int) -> str:
        make = {0: self.scalar, 1: self.vector, 2: self.matrix}.get(len(shape))
        return (
            self.random.choice([name for name, size in SHAPES.items() if size == shape])
            if not make
            else make(shape, depth)
        )

    def square(self, depth: int) -> str:
        """A matrix that is far from singular."""
        return f"({self.expression((3, 3), depth)}/9 + eye(3))"

    def scalar(self, shape: Shape, depth: int) -> str:
        n, make = self.random.choice((3, 4)), self.expression
        return self.random.choice([
            lambda: f"sum({make((n,), depth)})",
            lambda: f"mean({make((4, 3), depth)})",
            lambda: f"sum({make((3, 4), depth)})",
            lambda: f"dot({make((n,), depth)}, {make((n,), depth)})",
            lambda: f"norm({make((n,), depth)} + 2)",
            lambda: f"logsumexp({make((n,), depth)})",
            lambda: f"var({make((n,), depth)})",
            lambda: f"trace({make((3, 3), depth)})",
            lambda: f"slogdet({self.square(depth)})",
            lambda: f"({make((n,), depth)})[{self.random.randrange(n)}]",
            lambda: f"{self.word((3,), depth)} @ {self.word((3, 4), depth)} @ {self.word((4,), depth)}",
            lambda: f"amax({make((n,), depth)})",
            lambda: f"mean({make((2, 3, 4), depth)})",
        ])()  # fmt: skip

    def word(self, shape: Shape, depth: int) -> str:
        text = self.expression(shape, depth)
        return text if text.isidentifier() else f"({text})"

    def vector(self, shape: Shape, depth: int) -> str:
        (n,), make, word = shape, self.expression, self.word
        choices = [
            lambda: f"softmax({make((n,), depth)})",
            lambda: f"log_softmax({make((n,), depth)})",
            lambda: f"cumsum({make((n,), depth)})",
            lambda: f"flip({make((n,), depth)}, 0)",
            lambda: f"roll({make((n,), depth)}, 1)",
            lambda: f"sort({make((n,), depth)})",
            lambda: f"{word((n,), depth)}/norm({make((n,), depth)} + 1)",
        ]
        if n in (3, 4):
            m = 7 - n
            choices += [
                lambda: f"{word((n, m), depth)} @ {word((m,), depth)}",
                lambda: f"{word((m,), depth)} @ {word((m, n), depth)}",
                lambda: f"sum({make((n, m), depth)}, {self.random.choice((1, -1))})",
                lambda: f"mean({make((m, n), depth)}, 0)",
                lambda: f"({make((m, n), depth)})[{self.random.randrange(m)}]",
                lambda: f"logsumexp({make((n, m), depth)}, 1)",
            ]
        if n == 3:
            choices += [
                lambda: f"({make((4,), depth)})[1:] - ({make((4,), depth)})[:-1]",
                lambda: f"({make((6,), depth)})[::2]",
                lambda: f"solve({self.square(depth)}, {make((3,), depth)})",
                lambda: f"[{make((), depth)}, {make((), depth)}, {make((), depth)}]",
            ]
        if n == 6:
            choices += [
                lambda: f"cat([{make((3,), depth)}, {make((3,), depth)}])",
                lambda: f"flatten({make((3, 2), depth)})",
                lambda: f"repeat({make((3,), depth)}, 2)",
            ]
        return self.random.choice(choices)()

    def matrix(self, shape: Shape, depth: int) -> str:
        (n, m), make, word = shape, self.expression, self.word
        inner = self.random.choice((3, 4))
        choices = [
            lambda: f"{make((m, n), depth)}".join("()") + ".T",
            lambda: f"softmax({make((n, m), depth)}, {self.random.choice((0, 1))})",
            lambda: f"cumsum({make((n, m), depth)}, 1)",
        ]
        if {n, m} <= {3, 4}:
            choices += [
                lambda: f"{word((n, inner), depth)} @ {word((inner, m), depth)}",
                lambda: f"outer({make((n,), depth)}, {make((m,), depth)})",
                lambda: f"{word((n, m), depth)}/sum(2 + ({make((n, m), depth)})**2, 1, keepdim=True)",
                lambda: f"{word((n, m), depth)} - mean({make((n, m), depth)}, 0, keepdim=True)",
            ]
        if (n, m) == (3, 3):
            choices += [lambda: f"inv({self.square(depth)})", lambda: f"tril({make((3, 3), depth)})"]
        if n == m and n in (3, 4):
            choices += [lambda: f"diag({make((n,), depth)})"]
        if n * m == 6:
            choices = [lambda: f"reshape({make((6,), depth)}, {n}, {m})"]
        if n == 1 or m == 1:
            choices = [lambda: f"reshape({make((n * m,), depth)}, {n}, {m})"]
        return self.random.choice(choices)()


def program(seed: int) -> tuple[str, dict[str, Shape]]:
    """A program of one to three statements, and the shapes of its leaves."""
    random = Random(seed)
    maker = Maker(random)
    statements = []
    for k in range(random.choice((0, 0, 1, 2))):
        shape = random.choice(((), (3,), (4,), (3, 3), (4, 3), (3, 4)))
        text = maker.expression(shape, 2)
        if text not in SHAPES:
            statements.append(f"h{k} = {text}")
            maker.named[f"h{k}"] = shape
    shape = random.choice(((), (), (3,), (3,), (4,), (3, 3), (4, 3), (3, 4), (1, 3), (4, 1), (2, 3, 4)))
    text = maker.expression(shape, random.choice((1, 2, 2, 3)))
    while text in SHAPES or text in maker.named:
        text = maker.expression(shape, 2)
    return "; ".join([*statements, text]), dict(SHAPES)


def awkward(text: str) -> tuple[str, dict[str, Shape]]:
    """The program with leaves that are called like signs of the notation."""
    import re

    renamed = re.sub(r"(?<!\.)\b([A-Za-z])\b", lambda match: AWKWARD.get(match[1], match[1]), text)
    return renamed, {AWKWARD[name]: shape for name, shape in SHAPES.items()}
