"""How texts are read: precedence, signs, numbers, layout, and the canonical echo."""

from __future__ import annotations

import pytest

from gradcli.language import parse, parse_value

# what was written → how it was understood
READINGS = {
    "3*a + 2*b*b + log(c)": "3*a + 2*b*b + log(c)",
    "2^3^2 + x^2": "2**3**2 + x**2",
    "-x^2": "-x**2",
    "(-x)^2": "(-x)**2",
    "-x²": "-x**2",
    "2^-x": "2**-x",
    "2**-x**2": "2**-x**2",
    "(a**b)**c": "(a**b)**c",
    "a**(b**c)": "a**b**c",
    "-a*b": "-a*b",
    "-(a*b)": "-(a*b)",
    "a - (b - c)": "a - (b - c)",
    "(a - b) - c": "a - b - c",
    "a/(b*c)": "a/(b*c)",
    "a/b*c": "a/b*c",
    "a // b % c": "a//b % c",
    "a @ b + c": "a @ b + c",
    "a @ (b + c)": "a @ (b + c)",
    "a - -b": "a - -b",
    "+a + +b": "a + b",
    "--a": "--a",
    "(-2)**2": "(-2)**2",
    "-2**2": "-2**2",
    "x - -2": "x - -2",
    "exp(-(x-x0)^2)": "exp(-(x - x0)**2)",
    "(a < b)*a": "(a < b)*a",
    "a + 1 < b": "a + 1 < b",
    "(a < b) < c": "(a < b) < c",
    "0 < x < 1": "logical_and(0 < x, x < 1)",
    "0 < x <= a < 2": "logical_and(logical_and(0 < x, x <= a), a < 2)",
    "2·x² − µ": "2*x**2 - μ",
    "a×b ÷ c": "a*b/c",
    "x⁻¹ + x¹⁰ + 2ⁿ": "x**-1 + x**10 + 2**n",
    "x²^3": "(x**2)**3",
    "2^x²": "2**x**2",
    "where(x ≥ 0, x, −x)": "where(x >= 0, x, -x)",
    "Aᵀ @ A": "A.T @ A",
    "(A @ B).T": "(A @ B).T",
    "-x.T": "-x.T",
    "(-x).mT[0]": "(-x).mT[0]",
    "x[1:3, ..., None, ::2, -1, 1:]": "x[1:3, ..., None, ::2, -1, 1:]",
    "(x + 1)[0]": "(x + 1)[0]",
    "[a, [b, c][0]]": "[a, [b, c][0]]",
    "(a, b)": "[a, b]",
    "[a, b,]": "[a, b]",
    "1e-5*x + .5 + 1. + 1E3 + 007 + 1_000": "1e-5*x + .5 + 1. + 1E3 + 7 + 1000",
    "sin(x)**2": "sin(x)**2",
    "masked_fill(x, m, float('-inf'))": "masked_fill(x, m, -inf)",
    "float('inf')*x": "inf*x",
    "softmax(Q @ K.T/sqrt(4), dim=-1) @ V": "softmax(Q @ K.T/sqrt(4)) @ V",
}


@pytest.mark.parametrize(("text", "reading"), READINGS.items())
def test_canonical_text_shows_the_reading(text: str, reading: str) -> None:
    program = parse(text)
    assert program.text == f"{program.root.name} = {reading}"
    assert parse(reading).nodes == program.nodes


def test_power_binds_to_the_right() -> None:
    program = parse("2^3^2")
    outer = program.nodes[program.root.node]
    base, exponent = (program.nodes[i] for i in outer.args)
    assert (outer.op, base.attr("value"), exponent.op) == ("pow", 2, "pow")
    assert [program.nodes[i].attr("value") for i in exponent.args] == [3, 2]


def test_minus_before_a_number_is_part_of_it_but_not_of_a_power() -> None:
    assert [node.op for node in parse("-2*x").nodes] == ["number", "leaf", "mul"]
    assert parse("-2*x").nodes[0].attr("value") == -2
    assert [node.op for node in parse("-2**x").nodes] == ["number", "leaf", "pow", "neg"]


@pytest.mark.parametrize(
    ("text", "value"),
    {
        "3": 3,
        "3.0": 3.0,
        "1e-4": 0.0001,
        "1e6": 1e6,
        "-.5": -0.5,
        "010": 10,
        "1_000": 1000,
        "2.": 2.0,
    }.items(),
)
def test_numbers(text: str, value: float) -> None:
    program = parse_value(text)
    read = program.nodes[program.root.node].attr("value")
    assert read == value and type(read) is type(value)


def test_numbers_keep_their_spelling() -> None:
    texts = [node.attr("text") for node in parse("1e-5 + 0.00001 + 10").nodes if node.op == "number"]
    assert texts == ["1e-5", "0.00001", "10"]


def test_equal_expressions_are_one_node() -> None:
    program = parse("sin(x)*sin(x) + sin( x )")
    assert [node.op for node in program.nodes] == ["leaf", "sin", "mul", "add"]


def test_nodes_come_in_order_of_evaluation() -> None:
    program = parse("a = x*y; b = exp(a) + x; where(b > a, clamp(b, max=x, min=y), [a, b])")
    assert all(arg < node.id for node in program.nodes for arg in node.args)
    assert [node.id for node in program.nodes] == list(range(len(program.nodes)))


def test_layout_and_comments_do_not_matter() -> None:
    spread = "# sum of squares\n\n a = (x +  # first\n   1)\r\n\tb = a\\\n * 2;; [a,\n b]\n"
    assert parse(spread).text == "a = x + 1; b = a*2; y = [a, b]"


def test_spans_point_into_the_original_text() -> None:
    text = "2·x² − log(µ)"
    program = parse(text)
    log = next(node for node in program.nodes if node.op == "log")
    power = next(node for node in program.nodes if node.op == "pow")
    assert text[log.span.start : log.span.end] == "log(µ)"
    assert text[power.span.start : power.span.end] == "x²"


@pytest.mark.parametrize(
    ("text", "reading"),
    {
        "1,2,3": "[1, 2, 3]",
        "1,": "[1]",
        "(1,2)": "[1, 2]",
        "[[1,2],\n [3,4]]": "[[1, 2], [3, 4]]",
        "pi/2": "pi/2",
        "-inf": "-inf",
        "-∞, nan": "[-inf, nan]",
        "true,false": "[True, False]",
        "ones(3)": "ones(3)",
        "zeros(2,3)": "zeros(2, 3)",
        "torch.full((2,2), -1)": "full((2, 2), -1)",
        "rand(3, seed=1)": "rand(3, seed=1)",
        "empty(1, pin_memory=True)": "empty(1, pin_memory=True)",
        "arange(0, 1, 0.1)": "arange(0, 1, 0.1)",
        "linspace(0, 2*pi, 5)": "linspace(0, 6.283185307179586, 5)",
        "2*eye(3)": "2*eye(3)",
    }.items(),
)
def test_values(text: str, reading: str) -> None:
    program = parse_value(text)
    assert program.text == f"value = {reading}"
    assert program.leaves == ()


def test_masks_are_truth_values() -> None:
    nodes = parse_value("[true, False]").nodes
    assert [node.attr("value") for node in nodes if node.op == "number"] == [True, False]
