"""Properties: no text escapes the error path, texts read back, Python agrees on precedence."""

from __future__ import annotations

import ast

from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.errors import GradcliError
from gradcli.language import Program, parse, parse_value
from gradcli.ops import table
from gradcli.ops.row import OPERANDS, STATIC, Row

WORDS = [
    "x",
    "y",
    "a",
    "b",
    "t",
    "e",
    "pi",
    "π",
    "inf",
    "std",
    "std(",
    "sin",
    "sin(",
    "sum(",
    "max(",
    "stack(",
    "cat(",
    "einsum(",
    "where(",
    "reshape(",
    "x.",
    ".T",
    ".sum(",
    ".values",
    ".max(dim=0)",
    "dim=",
    "axis=0",
    "keepdim=True",
    "True",
    "None",
    "...",
    "1",
    "2",
    "0",
    "-1",
    "1.5",
    "1e3",
    "9",
    "99999",
    "10**9",
    "'ij->i'",
    "²",
    "³",
    "⁻¹",
    "ᵀ",
    "ⁿ",
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "^",
    "@",
    "·",
    "×",
    "−",
    "(",
    ")",
    "[",
    "]",
    ",",
    ":",
    ";",
    "=",
    "==",
    "<",
    "<=",
    ">",
    "!=",
    "#",
    ".",
    "torch.",
    "F.",
    "np.",
    "math.pi",
    "lambda",
    "for",
    "if",
    "in",
    "not",
    "y[0]",
    "y[1]=",
    "y[0]=",
    "y=",
    "_",
    "x2",
    "é",
    "∞",
    '"',
    "'",
    "\\",
    "!",
    "&",
    "|",
    "~",
    "$",
    "{",
    "}",
    ":=",
    "+=",
    ">>>",
    "\x00",
    "\x1b",
    "\u200b",
    "\u202e",
]
soups = st.builds(
    lambda words, space: space.join(words),
    st.lists(st.sampled_from([*WORDS, "\n", " "]), max_size=14),
    st.sampled_from(["", " "]),
)
surrogates = st.text(st.characters(), max_size=20)


def check_error(error: GradcliError, text: str) -> None:
    assert error.source is not None and error.source.text == text
    assert error.span is not None and 0 <= error.span.start <= len(text)
    assert error.span.start < error.span.end <= len(text) + 1
    assert error.column is not None and error.column >= 1
    assert error.message.isprintable() and (error.hint or "").isprintable()


@settings(deadline=None)
@given(st.one_of(soups, surrogates, st.text(max_size=40)))
def test_no_text_escapes_the_error_path(text: str) -> None:
    for read in (parse, parse_value):
        try:
            program = read(text)
        except GradcliError as error:
            check_error(error, text)
        else:
            assert program.nodes and program.root.node < len(program.nodes)


NAMES = st.sampled_from(["x", "y", "a", "b", "t", "e", "pi", "mean", "z", "T", "F", "x2", "y_"])
NUMBERS = st.sampled_from(["2", "-1", ".5", "1e-3", "3."])


def calls(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Calls of any row, its optional arguments by keyword or left out."""
    values = {
        "tensor": inner,
        "tensors": st.builds("[{}, {}]".format, inner, inner),
        "index": st.sampled_from(["[0, 1]", "x"]),
        "mask": st.one_of(st.builds("({} > 0)".format, inner), st.just("[True, False]")),
        "int": st.sampled_from(["0", "-1", "1 + 1"]),
        "ints": st.sampled_from(["0", "(0, 1)", "[1]"]),
        "pair": st.sampled_from(["1", "([0], [1])", "([0, 1], [1, 0])"]),
        "shape": st.sampled_from(["2", "(2, 3)", "(1,)"]),
        "bool": st.sampled_from(["True", "false"]),
        "number": st.sampled_from(["2", "0.5", "inf", "-pi"]),
        "text": st.just("'mean'"),
    }
    assert set(values) == {*OPERANDS, *STATIC}

    def call(row: Row) -> st.SearchStrategy[str]:
        arguments = [
            values[p.kind] if p.required else st.one_of(st.just(""), st.builds(f"{p.name}={{}}".format, values[p.kind]))
            for p in row.params
        ]
        return st.tuples(*arguments).map(lambda given: f"torch.{row.name}({', '.join(filter(None, given))})")

    return st.sampled_from(table.rows()).flatmap(call)


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from([" + ", "-", "*", "/", "**", "^", " @ ", "//", " % ", " < ", " == ", "·"])
    tails = st.sampled_from(["²", "[0]", "[1:, None]", ".T", ".mT", "⁻¹", ".sum()", "[..., ::2]"])
    return st.one_of(
        st.builds("{}{}{}".format, inner, signs, inner),
        st.builds("({})".format, inner),
        st.builds("-{}".format, inner),
        st.builds("({}){}".format, inner, tails),
        st.builds("[{}, {}]".format, inner, inner),
        calls(inner),
    )


expressions = st.recursive(st.one_of(NAMES, NUMBERS), larger, max_leaves=10)
compound = larger(st.one_of(NAMES, NUMBERS))
statements = st.builds("{} = {}".format, NAMES, compound)
programs = st.builds(lambda lines, last: "; ".join([*lines, last]), st.lists(statements, max_size=4), expressions)


def shape_of(program: Program) -> object:
    return program.nodes, program.echoes, program.leaves, [(s.name, s.node) for s in program.statements]


@settings(deadline=None)
@given(programs)
def test_the_canonical_text_reads_back_as_the_same_program(text: str) -> None:
    try:
        program = parse(text)
    except GradcliError as error:
        check_error(error, text)
        return
    again = parse(program.text)
    assert again.text == program.text
    assert shape_of(again) == shape_of(program)


@settings(deadline=None)
@given(programs)
def test_each_expression_is_one_node_after_its_operands(text: str) -> None:
    try:
        program = parse(text)
    except GradcliError:
        return
    keys = [(node.op, node.args, node.roles, node.attrs) for node in program.nodes]
    assert len({repr(key) for key in keys}) == len(keys)
    assert all(arg < node.id for node in program.nodes for arg in node.args)
    assert len({statement.name for statement in program.statements}) == len(program.statements)
    assert not {statement.name for statement in program.statements} & set(program.leaves)


SIGNS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "remainder", ast.Pow: "pow", ast.MatMult: "matmul", ast.USub: "neg", ast.Lt: "lt", ast.GtE: "ge",
}  # fmt: skip


def python_reading(tree: ast.expr) -> str:
    """Python's own reading of an expression, every operation in parentheses."""
    if isinstance(tree, ast.Name):
        return tree.id
    if isinstance(tree, ast.BinOp):
        return f"({SIGNS[type(tree.op)]} {python_reading(tree.left)} {python_reading(tree.right)})"
    if isinstance(tree, ast.UnaryOp):
        return f"({SIGNS[type(tree.op)]} {python_reading(tree.operand)})"
    assert isinstance(tree, ast.Compare) and len(tree.ops) == 1
    return f"({SIGNS[type(tree.ops[0])]} {python_reading(tree.left)} {python_reading(tree.comparators[0])})"


def our_reading(program: Program, node_id: int) -> str:
    node = program.nodes[node_id]
    if node.op == "leaf":
        return str(node.attr("name"))
    return f"({node.op} {' '.join(our_reading(program, arg) for arg in node.args)})"


BINARY = ["+", "-", "*", "/", "//", "%", "**", "@", "<", ">="]
soup = st.lists(st.sampled_from(["a", "b", "(", ")", *BINARY]), max_size=16).map(" ".join)
chains = st.recursive(
    st.sampled_from("abc"),
    lambda inner: st.builds(
        "{}{} {} {}".format, st.sampled_from(["", "-", "("]), inner, st.sampled_from(BINARY), inner
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.one_of(soup, chains))
def test_precedence_is_that_of_python(text: str) -> None:
    text += ")" * (text.count("(") - text.count(")"))
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        tree = None
    plain = tree is not None and not any(
        isinstance(part, (ast.Call, ast.Tuple, ast.UAdd)) or (isinstance(part, ast.Compare) and len(part.ops) > 1)
        for part in ast.walk(tree)
    )
    try:
        program = parse(text)
    except GradcliError:
        assert not plain
        return
    if plain:
        assert tree is not None
        assert our_reading(program, program.root.node) == python_reading(tree)
