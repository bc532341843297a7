"""Named limits: each has a message of its own, and what is below it passes."""

from __future__ import annotations

import sys

import pytest

from gradcli.errors import GradcliError
from gradcli.language import limits, parse, parse_value


def refusal(text: str) -> GradcliError:
    with pytest.raises(GradcliError) as caught:
        parse(text)
    return caught.value


def nested(depth: int) -> str:
    return "(" * depth + "x" + ")" * depth


def test_length_of_a_program() -> None:
    assert parse("x +" + " " * (limits.PROGRAM_LENGTH - 4) + "1").text == "y = x + 1"
    error = refusal("x" + " " * limits.PROGRAM_LENGTH)
    assert error.message == "the text is 20,001 characters long; the limit is 20,000"
    assert error.column == limits.PROGRAM_LENGTH + 1


def test_length_of_a_value() -> None:
    program = parse_value(",".join(["1.5"] * 5_001))
    assert len(program.nodes[program.root.node].args) == 5_001
    with pytest.raises(GradcliError, match="1,000,001 characters long"):
        parse_value("1" + " " * limits.VALUE_LENGTH)


def test_length_of_a_name() -> None:
    assert parse("a" * limits.NAME_LENGTH).leaves == ("a" * limits.NAME_LENGTH,)
    assert "a name has at most 100 characters" in refusal("a" * (limits.NAME_LENGTH + 1)).message


DEEP = {
    "brackets": nested(limits.DEPTH + 1),
    "many brackets": nested(9_000),
    "lists": "[" * 70 + "1" + "]" * 70,
    "calls": "exp(" * 70 + "x" + ")" * 70,
    "signs": "-" * 70 + "x",
    "powers": "2^" * 70 + "x",
    "indices": "x[" * 70 + "0" + "]" * 70,
    "methods": "x" + ".exp()" * 200,
    "attributes": "x" + ".T" * 5_000,
    "indexing": "x" + "[0]" * 5_000,
    "static": "sum(x, dim=" + "(" * 70 + "0" + ")" * 70 + ")",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_depth(text: str) -> None:
    error = refusal(text)
    assert error.message == f"the expression is nested more than {limits.DEPTH} deep"
    assert error.column is not None


def test_depth_that_is_allowed() -> None:
    assert parse(nested(limits.DEPTH)).text == "y = x"
    assert parse("exp(1 + " * 40 + "x" + ")" * 40).leaves == ("x",)
    assert parse("x" + ".exp()" * 60).leaves == ("x",)


def test_depth_is_refused_when_the_stack_is_short() -> None:
    def shallow(remaining: int) -> str:
        return shallow(remaining - 1) if remaining else refusal(nested(limits.DEPTH)).message

    frame, used = sys._getframe(), 0
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    assert "nested more than" in shallow(sys.getrecursionlimit() - used - 150)


def test_long_chains_are_not_deep() -> None:
    program = parse("+".join(["x"] * 1_500))
    assert len(program.nodes) == 1_500
    assert len(parse("a = x; " + "a = a + x; " * 1_000).statements) == 1_001


def test_operations() -> None:
    assert "more than 2,000 operations" in refusal("+".join(["x"] * 2_100)).message
    assert len(parse_value(",".join(str(i) for i in range(3_000))).nodes) == 3_001


def test_repeated_parts_written_out() -> None:
    doubling = "y[0] = x + x;" + ";".join(f"y[{k}] = y[{k - 1}]*y[{k - 1}]" for k in range(1, 200))
    error = refusal(doubling)
    assert error.message == "the program is too long when its repeated parts are written out"
    assert "t = " in (error.hint or "")


def test_digits() -> None:
    assert "the number has 301 digits; the limit is 300" in refusal("9" * 301).message
    assert "digits" in refusal("0." + "3" * 10_000).message
    assert "digits" in refusal("1e" + "9" * 400).message
    assert "digits" in refusal("x" + "²" * 400).message
    assert parse("9" * 300).nodes[0].attr("value") == int("9" * 300)


@pytest.mark.parametrize("text", ["9**9**9**9", "9^9^9", "x**1001", "x**-1001", "(1/3)**9**9", "sqrt(2)**(10**6)"])
def test_whole_exponents(text: str) -> None:
    assert "is beyond the limit of 1,000 for whole numbers" in refusal(text).message


@pytest.mark.parametrize("text", ["9**999", "10**200*10**200", "-(10**307*10)", "((1/3)**999)**999", "(2**1000)**2"])
def test_exact_constants(text: str) -> None:
    assert "has more than 308 digits" in refusal(text).message


@pytest.mark.parametrize(
    "text", ["x**1000", "x**1e6", "2**1000*x", "(1/3)**999", "1/3 + 1/7 - 2**-50", "0**0", "0**-1"]
)
def test_constants_within_the_limits(text: str) -> None:
    assert parse(text).nodes


@pytest.mark.parametrize("text", ["sum(x, dim=9**9**9)", "x[9**9**9]", "full(2, 9**999)", "ones(2**999*2**999)"])
def test_static_constants(text: str) -> None:
    assert "limit" in refusal(text).message or "digits" in refusal(text).message


def test_elements() -> None:
    assert "1,000,000,000,000 elements; the limit is 100,000,000" in refusal("ones(10**6, 10**6)*x").message
    assert "100,000,001 elements" in refusal("rand(100000001)").message
    assert "more elements than the limit" in refusal("zeros(10**15, 10**15)").message
    assert parse("zeros(10**4, 10**4)").nodes
