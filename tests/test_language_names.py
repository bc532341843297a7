"""What names stand for: leaves, constants, statements, vectors built by element, prefixes."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError
from gradcli.language import fold_name, parse


def names(text: str, *defined: str) -> list[str]:
    return [statement.name for statement in parse(text, defined=frozenset(defined)).statements]


@pytest.mark.parametrize(
    "name",
    [
        "E",
        "I",
        "S",
        "N",
        "O",
        "Q",
        "beta",
        "gamma",
        "zeta",
        "α",
        "Ω",
        "mean",
        "t",
        "_",
        "w_out",
        "ℏ",
        "x1",
        "变量",
    ],
)
def test_every_other_identifier_is_a_leaf(name: str) -> None:
    program = parse(f"2*{name} + 1")
    assert program.leaves == (fold_name(name),)


def test_leaves_come_in_order_of_first_use() -> None:
    assert parse("E*A*B*C*D*44/12").leaves == ("E", "A", "B", "C", "D")


def test_spellings_of_one_name_are_one_leaf() -> None:
    assert parse("µ + μ").leaves == ("μ",)
    assert parse("x₁ + x1 + 𝑥1").leaves == ("x1",)
    assert parse("é*2").leaves == parse("e\u0301*2").leaves == ("é",)
    assert fold_name("µ") == fold_name("μ") == "μ"
    assert fold_name(" x₂ ") == "x2"


def test_constants_give_way_to_inputs_and_statements() -> None:
    assert parse("pi*e*x").leaves == ("x",)
    assert parse("pi*e*x", defined=frozenset({"e"})).leaves == ("e", "x")
    assert parse("e = 2*x; e*pi").text == "e = 2*x; y = e*pi"
    assert parse("y = e*x; e = 3; e*y").text == "y = e*x; e2 = 3; y_ = 3*y"


def test_signs_of_constants() -> None:
    assert parse("π*r² + ∞").text == "y = pi*r**2 + inf"
    assert parse("math.pi*x + torch.inf + np.e").text == "y = pi*x + inf + e"


def test_the_last_line_may_be_without_a_name() -> None:
    assert names("x**2") == ["y"]
    assert names("y**2") == ["y_"]
    assert names("y**2 + y_") == ["y__"]
    assert names("x**2", "y") == ["y_"]
    assert names("y = x; y*2") == ["y", "y_"]
    assert [s.given for s in parse("a = x; a*2").statements] == [True, False]


def test_a_last_line_that_repeats_the_last_name_adds_nothing() -> None:
    assert names("a = x*2; b = a + 1; b") == ["a", "b"]
    assert names("a = x*2; b = a + 1; (a)") == ["a", "b", "y"]


def test_names_assigned_again_are_numbered() -> None:
    assert parse("x = x + 1; x = x*2; x + x2").text == "x3 = x + 1; x4 = x3*2; y = x4 + x2"
    assert parse("a = x; a = a*2; a = a + 1").text == "a = x; a2 = x*2; a3 = a2 + 1"


def test_statement_names_stand_for_their_nodes_in_later_texts() -> None:
    program = parse("t = x + 1; u = (x + 1)*2 + t; t")
    assert program.text == "t = x + 1; u = t*2 + t; y = x + 1"


def test_numbers_and_leaves_are_not_renamed_by_statements() -> None:
    assert parse("k = 2; a = x; 2*x + k*a").text == "k = 2; a = x; y = 2*x + 2*x"


def test_vectors_built_by_element() -> None:
    text = "y[0] = x1*x2*x3; y[1] = x1 + x2 + x3; y[2] = x1 + x2*x3"
    program = parse(text)
    assert program.text == "y = [x1*x2*x3, x1 + x2 + x3, x1 + x2*x3]"
    assert program.nodes == parse("[x1*x2*x3, x1 + x2 + x3, x1 + x2*x3]").nodes


def test_vector_elements_in_any_order_and_read_before_the_end() -> None:
    program = parse("y[1] = 2*a; t = y[1] + 1; y[0] = t; z = y[0]*y[1]")
    assert program.text == "t = 2*a + 1; y = [t, 2*a]; z = y[0]*y[1]"
    stack = program.nodes[program.statements[1].node]
    assert stack.op == "stack" and stack.attr("dim") == 0
    assert [program.echoes[i] for i in stack.args] == ["2*a + 1", "2*a"]
    assert program.nodes[program.root.node].op == "mul"
    assert [program.nodes[i].op for i in program.nodes[program.root.node].args] == ["index", "index"]


def test_an_element_that_is_read_early_is_its_own_node() -> None:
    program = parse("y[0] = 2*a; y[1] = y[0] + 1")
    assert all(node.op != "index" for node in program.nodes)
    assert parse("y[0] = [a, b]; y[1] = [y[0][1], a]").text == "y = [[a, b], [[a, b][1], a]]"


PREFIXED = [
    "torch.",
    "F.",
    "torch.nn.functional.",
    "nn.functional.",
    "torch.special.",
    "math.",
    "np.",
    "numpy.",
    "",
]


@pytest.mark.parametrize("prefix", PREFIXED)
def test_prefixes_before_functions(prefix: str) -> None:
    assert parse(f"{prefix}exp(x)").text == "y = exp(x)"


def test_prefixes_are_names_like_any_other_once_given() -> None:
    assert parse("F*m").leaves == ("F", "m")
    assert parse("F.sum()", defined=frozenset("F")).text == "y = sum(F)"
    assert parse("F.T @ F").text == "y = F.T @ F"
    assert parse("np = 2*x; np.sum()").text == "np = 2*x; y = sum(np)"
    assert parse("torch.linalg.norm(x)").text == "y = norm(x)"


def test_names_of_functions_are_free_for_leaves_and_statements() -> None:
    assert parse("(x - mean)/std").leaves == ("x", "mean", "std")
    assert parse("std = std(x); (x - x.mean())/std").text == "std = std(x); y = (x - mean(x))/std"
    assert parse("gamma*lgamma(x)").leaves == ("gamma", "x")


def test_a_function_whose_name_is_taken_is_written_with_its_prefix() -> None:
    text = "mean = x*2; a = torch.mean(z)*mean; a.mean()"
    program = parse(text)
    assert program.text == "mean = x*2; a = torch.mean(z)*mean; y = torch.mean(a)"
    assert parse(program.text).nodes == program.nodes
    with pytest.raises(GradcliError, match="'mean' is a value here, and a function too"):
        parse("mean = x*2; mean(z)")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "1x",
        "x-y",
        "x y",
        "x²",
        "x.y",
        "lambda",
        "if",
        "True",
        "none()",
        "x\x1b[31m",
        "a" * 101,
        "∞",
        "'x'",
    ],
)
def test_what_is_no_name(text: str) -> None:
    with pytest.raises(GradcliError) as caught:
        fold_name(text)
    assert caught.value.hint
    assert caught.value.message.isprintable()
