"""Numbers, tensors, wrapping and signs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.render.cells import centre, pad, width, wrap
from gradcli.render.look import Look
from gradcli.render.numbers import digits, number
from gradcli.render.signs import ASCII, clean, show
from gradcli.render.tensors import block, brief, inline


@pytest.mark.parametrize(
    ("value", "precision", "text"),
    [
        (1.25e-05, 6, "1.25e-05"),
        (22.791759469228055, 6, "22.7918"),
        (22.791759469228055, 3, "22.8"),
        (3.0, 6, "3"),
        (-0.0, 6, "0"),
        (-0.0, 17, "0"),
        (0.1, 17, "0.1"),
        (1 / 3, 17, "0.3333333333333333"),
        (1e22, 17, "1e+22"),
        (float("nan"), 6, "nan"),
        (float("-inf"), 17, "-inf"),
    ],
)
def test_number(value, precision, text):
    assert number(value, precision) == text


@given(st.floats(allow_nan=False))
def test_seventeen_digits_bring_a_float_back(value):
    assert float(number(value, 17)) == value


def test_a_dtype_bounds_the_digits():
    assert digits("float32", 17) == 9
    assert digits("bfloat16", 10) == 4
    assert digits("float64", 6) == 6


def test_matrix_columns_are_aligned():
    matrix = np.array([[1, -1e-5], [np.nan, np.inf]])
    assert block(matrix, Look()) == ["[[  1, -1e-05],", " [nan,    inf]]"]
    assert inline(matrix, Look()) == "[[1, -1e-05], [nan, inf]]"


def test_third_axis_nests():
    assert block(np.arange(8.0).reshape(2, 2, 2), Look()) == [
        "[[[0, 1],",
        "  [2, 3]],",
        " [[4, 5],",
        "  [6, 7]]]",
    ]


def test_long_axes_show_their_ends():
    assert block(np.arange(200.0).reshape(100, 2), Look()) == [
        "[[  0,   1],", " [  2,   3],", " [  4,   5],", " …,",
        " [194, 195],", " [196, 197],", " [198, 199]]",
    ]  # fmt: skip
    assert brief(np.zeros((1, 100)), Look(unicode=False)) == "[[0, 0, 0, ..., 0, 0, 0]]  (1, 100)"


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (2, 0)])
def test_scalars_and_empty_tensors_are_one_line(shape):
    assert len(block(np.zeros(shape), Look())) == 1


def test_a_million_elements_take_a_line():
    assert len(brief(np.zeros((100, 100, 100)), Look())) < 200


def test_wide_and_combining_characters_count_as_cells():
    assert width("漢字") == 4
    assert width("x̄") == 1
    assert pad("漢", 4) == "漢  "
    assert centre("x3", 5) == " x3  "


@given(st.text(max_size=200), st.integers(10, 40))
def test_wrapped_lines_fit_and_lose_no_word(text, cells):
    lines = wrap(text, cells, first="> ", rest="  ")
    assert all(width(line) <= cells for line in lines)
    kept = "".join(lines).replace(" ", "").replace(">", "")
    assert kept == text.replace("\n", "").replace(" ", "").replace(">", "")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("3·δ(i,j)", "3*delta(i,j)"),
        ("4 b∘g", "4 b.*g"),
        ("-A⁻ᵀ g A⁻¹", "-A^-T g A^-1"),
        ("ḡS = ḡa Vᵀ", "gbarS = gbara V'"),
        ("I ⊗ xᵀ", "I (x) x'"),
        ("≠ α Ω µ", "!= alpha Omega mu"),
        ("漢", "\\u6f22"),
        ("x²", "x^2"),
    ],
)
def test_ascii_spelling(text, plain):
    assert show(text, unicode=False) == plain
    assert show(text, unicode=True) == text


def test_every_sign_of_the_table_has_an_ascii_spelling():
    assert all(spelling.isascii() for spelling in ASCII.values())


@given(st.text())
def test_shown_text_can_always_be_written(text):
    assert show(text, unicode=False).isascii()
    show(text, unicode=True).encode("utf-8")
    assert not any(ord(sign) < 32 and sign != "\n" for sign in clean(text))


def test_lines_keep_their_own_colours_and_no_others():
    look = Look(colour=True, unicode=False)
    line = f"{look.paint('∂', 'name')} \x1b[44mtext\x1b[0m "
    assert look.lines([line]) == "\x1b[1md\x1b[0m \\x1b[44mtext\x1b[0m\n"
    assert Look().lines(["\x1b[1mx"]) == "\\x1b[1mx\n"
