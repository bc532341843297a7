"""Random programs at awkward points: three derivatives agree, or a note says why not; nothing else escapes."""

from __future__ import annotations

import random

import pytest

import gradcli
from gradcli.notes import CODES

UNARY = (
    "sin cos exp log sqrt tanh relu abs sigmoid softplus square sign floor tan atan log1p expm1 reciprocal gelu elu erf"
).split()
POINTS = (0, 0, 1, -1, 0.5, 2, 1000, 1e-8)
PROGRAMS = 60


def expression(draw: random.Random, depth: int) -> str:
    def inner() -> str:
        return expression(draw, depth - 1)

    if depth == 0:
        return draw.choice(["x", "z", "x", "2", "0.5", "1", "3"])
    kind = draw.random()
    if kind < 0.35:
        return f"{draw.choice(UNARY)}({inner()})"
    if kind < 0.7:
        return f"({inner()} {draw.choice(['+', '-', '*', '/', '**'])} {inner()})"
    if kind < 0.8:
        return f"maximum({inner()}, {inner()})"
    if kind < 0.88:
        return f"where({inner()} > 0, {inner()}, {inner()})"
    if kind < 0.94:
        return f"softmax({inner()} + x, -1)"
    return f"sum({inner()})"


def values(draw: random.Random) -> list[float]:
    return [draw.choice(POINTS) if draw.random() < 0.7 else round(draw.gauss(0, 1), 3) for _ in range(3)]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_nothing_is_left_unexplained(seed, dtype):
    draw = random.Random(seed)
    for _ in range(PROGRAMS if dtype == "float64" else PROGRAMS // 4):
        program, inputs = expression(draw, draw.randint(1, 4)), {"x": values(draw), "z": values(draw)}
        case = f"gradcli.differentiate({program!r}, {inputs!r}, dtype={dtype!r})"
        try:
            result = gradcli.differentiate(program, inputs, dtype=dtype)
        except gradcli.GradcliError as error:
            assert error.message, case
            continue
        assert result.agrees is not False, case
        assert len(set(result.notes)) == len(result.notes), case
        assert all(note.code in CODES and note.message.endswith(".") for note in result.notes), case
