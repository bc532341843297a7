"""Calls: arguments meet the parameters of their row, in every spelling."""

from __future__ import annotations

import re

import pytest

from gradcli.errors import GradcliError
from gradcli.language import Node, parse
from gradcli.ops import table
from gradcli.ops.row import Param, Row

ROWS = {row.name: row for row in table.rows()}


def root(text: str) -> Node:
    program = parse(text)
    return program.nodes[program.root.node]


def operand_texts(text: str) -> dict[str, list[str]]:
    """Role → the texts that fill it, for the root of ``text``."""
    program = parse(text)
    node = program.nodes[program.root.node]
    filled: dict[str, list[str]] = {}
    for role, arg in zip(node.roles, node.args, strict=True):
        filled.setdefault(role, []).append(program.echoes[arg])
    return filled


SAMPLES = {
    "tensor": "u", "tensors": "[u, v]", "index": "[0, 1]", "mask": "u > 0", "int": "1", "ints": "(0, 1)",
    "pair": "([1], [0])",
    "shape": "(2, 3)", "bool": "True", "number": "0.5", "text": "'sum'",
}  # fmt: skip


def sample(param: Param) -> str:
    return SAMPLES[param.kind]


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_every_row_is_called_with_what_it_requires(row: Row) -> None:
    text = f"{row.name}({', '.join(sample(p) for p in row.params if p.required)})"
    program = parse(text)
    node = program.nodes[program.root.node]
    assert node.op == row.name
    assert [name for name, _ in node.attrs] == [p.name for p in row.statics]
    assert all(node.attr(p.name) == p.default for p in row.statics if not p.required)
    assert set(node.roles) == {p.name for p in row.operands if p.required}
    assert parse(program.text).nodes == program.nodes


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_every_row_is_called_with_all_its_arguments(row: Row) -> None:
    by_keyword = f"{row.name}({', '.join(f'{p.name}={sample(p)}' for p in row.params)})"
    program = parse(by_keyword)
    node = program.nodes[program.root.node]
    assert node.op == row.name
    assert set(node.roles) == {p.name for p in row.operands}
    assert parse(program.text).nodes == program.nodes
    if not row.overload:
        by_place = f"{row.name}({', '.join(sample(p) for p in row.params)})"
        assert parse(by_place).nodes == program.nodes


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_every_row_has_its_synonyms_and_usage(row: Row) -> None:
    call = f"({', '.join(sample(p) for p in row.params if p.required)})"
    for name in row.synonyms:
        assert parse(f"torch.{name}{call}").nodes == parse(f"{row.name}{call}").nodes
    required = {p.name: sample(p) for p in row.params if p.required}
    usage = re.sub(r", \w+=[^,)]*|(?<=\()\w+=[^,)]*", "", row.usage)
    filled = re.sub(r"(?<=[(\s])\w+(?=[,)])", lambda found: required.get(found.group(), found.group()), usage)
    assert parse(filled).nodes == parse(f"{row.name}{call}").nodes


@pytest.mark.parametrize("row", [r for r in ROWS.values() if r.operands and r.operands[0].kind == "tensor"])
def test_every_row_of_a_tensor_is_a_method(row: Row) -> None:
    receiver = row.operands[0].name
    rest = ", ".join(sample(p) for p in row.params if p.required and p.name != receiver)
    call = f"{row.name}({', '.join(sample(p) for p in row.params if p.required)})"
    assert parse(f"u.{row.name}({rest})").nodes[-1].op == row.name
    assert parse(f"u.{row.name}({rest})").text == parse(call).text


INTERNAL = [row for row in table.all_rows() if row.internal]


@pytest.mark.parametrize("row", INTERNAL, ids=lambda row: row.name)
def test_internal_rows_are_not_for_users(row: Row) -> None:
    call = f"{row.name}({', '.join(sample(p) for p in row.params if p.required)})"
    assert parse(call, internal=True).nodes[-1].op == row.name
    with pytest.raises(GradcliError, match=f"there is no function called {row.name}"):
        parse(call)


@pytest.mark.parametrize("row", table.all_rows(), ids=lambda row: row.name)
def test_every_text_of_the_table_can_be_read(row: Row) -> None:
    texts = [*row.slopes.values(), *row.kinks, row.domain, row.prints, row.safe]
    texts += [] if row.expansion.startswith("calls.") else [row.expansion]
    values = {p.name: "none" if p.kind == "text" else "2" for p in row.statics} | {"reduce": "mean"}
    for text in filter(None, texts):
        program = parse(text.format(**values), internal=True)
        assert set(program.leaves) <= {p.name for p in row.operands} | {"y"}


# one call in several spellings: all give the nodes of the first
SPELLINGS = [
    [
        "sum(x, dim=1)",
        "x.sum(1)",
        "x.sum(dim=1)",
        "torch.sum(x, axis=1)",
        "sum(input=x, dim=1)",
        "np.sum(x, 1)",
    ],
    ["sum(x, dim=(0, 1), keepdim=True)", "x.sum([0, 1], True)", "sum(x, axis=(0, 1), keepdims=True)"],
    [
        "softmax(x)",
        "F.softmax(x, -1)",
        "x.softmax(dim=-1)",
        "torch.nn.functional.softmax(input=x, dim=1 - 2)",
    ],
    [
        "reshape(x, 2, 3)",
        "x.view(2, 3)",
        "x.reshape((2, 3))",
        "reshape(x, [2, 3])",
        "x.reshape(shape=(2, 3))",
    ],
    [
        "stack([a, b])",
        "[a, b]",
        "stack((a, b))",
        "stack(a, b)",
        "torch.stack([a, b], dim=0)",
        "stack(tensors=[a, b])",
    ],
    ["cat([a, b], dim=1)", "cat((a, b), 1)", "torch.concat([a, b], axis=1)", "cat(a, b, dim=1)"],
    ["einsum('ij,jk->ik', A, B)", 'torch.einsum("ij,jk->ik", A, B)', "einsum('ij,jk->ik', [A, B])"],
    ["a + b", "add(a, b)", "torch.add(a, b)", "a.add(b)"],
    ["a**b", "a^b", "pow(a, b)", "power(a, b)", "a.pow(b)", "torch.pow(input=a, exponent=b)"],
    ["-a", "neg(a)", "a.negative()"],
    ["x.T", "t(x)", "x.t()", "xᵀ"],
    ["clamp(x, 0)", "clamp(x, min=0)", "x.clip(0)", "clamp(x, 0, None)", "np.clip(x, a_min=0)"],
    ["clamp(x, max=1)", "clamp(x, None, 1)", "x.clamp(max=1)"],
    ["where(x > 0, x, 0)", "torch.where(x > 0, x, 0)", "x.where(x > 0, 0)"],
    ["max(x, dim=1)", "torch.max(x, 1)", "x.max(1)", "x.max(dim=1).values", "max(x, dim=1).values"],
    ["maximum(a, b)", "max(a, b)", "torch.max(a, b)", "a.max(b)", "max(a, other=b)", "np.fmax(a, b)"],
    ["maximum(x, 0.0)", "x.max(0.0)"],
    [
        "layer_norm(x, (3,), w, b)",
        "F.layer_norm(x, 3, w, b)",
        "layer_norm(x, normalized_shape=(3,), weight=w, bias=b)",
    ],
    ["full(3, 1.5)*x", "torch.full(3, 3/2)*x"],
    ["std(x, correction=0)", "np.std(x)", "numpy.std(x, ddof=0)"],
    ["std(x)", "x.std()", "np.std(x, correction=None)"],
    ["repeat_interleave(x, 2)", "np.repeat(x, 2)"],
    ["sort(x)", "x.sort().values", "torch.sort(x, descending=False)"],
    ["slogdet(A)", "torch.linalg.slogdet(A).logabsdet"],
    ["polygamma(1, x)", "x.polygamma(1)", "torch.special.polygamma(1, x)"],
    ["expand(x, 3, 4)", "x.expand(3, 4)", "broadcast_to(x, (3, 4))"],
]


@pytest.mark.parametrize("spellings", SPELLINGS, ids=lambda spellings: spellings[0])
def test_spellings_of_one_call(spellings: list[str]) -> None:
    first = parse(spellings[0]).nodes
    for other in spellings[1:]:
        assert parse(other).nodes == first, other


def test_static_values_are_plain_python() -> None:
    node = root("sum(x, dim=(0, -1), keepdim=true)")
    assert node.attrs == (("dim", (0, -1)), ("keepdim", True))
    assert root("norm(x, p=inf)").attr("p") == float("inf")
    assert root("leaky_relu(x, -1/4)").attr("negative_slope") == -0.25
    assert root("mse_loss(a, b, reduction='sum')").attr("reduction") == "sum"
    assert root("reshape(x, -1)").attr("shape") == (-1,)
    assert root("roll(x, 1, dims=0)").attrs == (("shifts", 1), ("dims", 0))


def test_static_values_may_use_names_of_numbers() -> None:
    assert root("n = 3; m = n*2 - 1; reshape(x, n, m, n + 1)").attr("shape") == (3, 5, 4)


def test_shapes_stop_where_operands_begin() -> None:
    assert operand_texts("layer_norm(x, 4, 3, w)") == {"x": ["x"], "weight": ["w"]}
    assert operand_texts("layer_norm(x, (4,), 3, w)") == {"x": ["x"], "weight": ["3"], "bias": ["w"]}
    assert root("full((2, 3), 7)").attrs == (("shape", (2, 3)), ("value", 7))
    assert root("pad(x, 1, 2, value=0.5)").attrs == (("pad", (1, 2)), ("value", 0.5))


def test_operands_left_out_have_no_role() -> None:
    assert root("clamp(x, max=2)").roles == ("x", "max")
    assert root("linear(x, w)").roles == ("x", "weight")
    assert root("clamp(x, max=2)").operand("min") is None


def test_operands_come_in_the_order_of_the_signature() -> None:
    program = parse("clamp(max=b + 1, x=a, min=c + 1)")
    assert operand_texts("clamp(max=b + 1, x=a, min=c + 1)") == {
        "x": ["a"],
        "min": ["c + 1"],
        "max": ["b + 1"],
    }
    assert program.text == "y = clamp(a, c + 1, b + 1)"


def test_indices() -> None:
    assert root("x[1, -2, 1:3, ::2, :, ..., None]").attr("index") == (
        1, -2, ("slice", 1, 3, None), ("slice", None, None, 2), ("slice", None, None, None), "...", None,
    )  # fmt: skip
    assert root("x[3 - 1]").attr("index") == (2,)
    assert root("k = 1; x[k:]").attr("index") == (("slice", 1, None, None),)
    assert root("x[0]").roles == ("x",)


def test_pairs_of_torch_are_values_here() -> None:
    assert parse("(max(x, dim=1))[0]").text == "y = (max(x, dim=1))[0]"
    assert parse("max(x)").text == "y = max(x)"
    assert parse("m = max(x, dim=1); m[0]").text == "m = max(x, dim=1); y = m[0]"
    assert parse("sort(x).T").text == "y = (sort(x)).T"


def test_comparisons_are_masks() -> None:
    assert operand_texts("where(0 < x < 1, x, 0)")["condition"] == ["logical_and(0 < x, x < 1)"]
    assert root("x*(x > 0)").op == "mul"
    assert operand_texts("where([True, False], x, 0)")["condition"] == ["[True, False]"]
