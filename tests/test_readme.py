"""Every claim of README.md that can go stale.

``python tests/test_readme.py --write`` makes the outputs and lists anew; read the differences before you commit them.
"""

from __future__ import annotations

import doctest
import math
import re
import sys
from collections.abc import Callable

import pytest
import readme
import torch
from click.shell_completion import get_completion_class
from readme_commands import block
from torch import Tensor
from transcripts import output

import gradcli
from gradcli.cli import options
from gradcli.cli.group import available
from gradcli.closed import listing
from gradcli.closed.notation import nodes
from gradcli.errors import BAD_INPUT, FAILED, INTERRUPTED
from gradcli.language import parse
from gradcli.ops import table
from gradcli.values.formats import FORMATS as FILE_FORMATS

TEXT = readme.text()
CONSOLES = list(readme.CONSOLE.finditer(TEXT))


def rows(heading: str) -> list[list[str]]:
    """The cells of the rows of the first table below a header that begins with ``heading``."""
    body = TEXT.partition(f"\n| {heading} |")[2].partition("\n|---")[2].partition("\n")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()]


@pytest.mark.parametrize("console", CONSOLES, ids=lambda found: found[2].partition("\n")[0][2:])
def test_console(console: re.Match[str]) -> None:
    assert readme.rerun(console) == console[2]


def test_there_is_a_tour_of_six() -> None:
    tour = TEXT.partition("\n## A tour in six examples\n")[2].partition("\n## ")[0]
    assert len(readme.CONSOLE.findall(tour)) == 6


def test_python_block() -> None:
    (example,) = re.findall(r"```python\n(>>> .*?)```", TEXT, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(example, {}, "README.md", "README.md", 0)
    assert len(test.examples) >= 5
    assert doctest.DocTestRunner().run(test).failed == 0


def test_install_and_test_commands() -> None:
    install, sign, example = block("install").strip().partition(" && ")
    assert (install, sign) == ("pip install -c tests/constraints.txt .", " && ")
    assert "is the upstream gradient" in output(example)
    assert block("test") == 'pip install -c tests/constraints.txt ".[test]" && python -m pytest -n 2\n'


@pytest.mark.parametrize("name", ["operations", "limits", "json"])
def test_what_is_made_is_up_to_date(name: str) -> None:
    assert readme.between(TEXT, name) == readme.between(readme.made(TEXT), name)


def test_commands_formats_codes_shells_and_settings_are_all_there() -> None:
    assert all(f"gradcli {name}" in TEXT for name in available())
    assert [cells[0].strip("`") for cells in rows("format")] == list(options.FORMATS)
    assert [int(cells[0]) for cells in rows("exit code")] == [0, FAILED, BAD_INPUT, INTERRUPTED]
    assert [get_completion_class(shell) for shell in re.findall(r"_COMPLETE=(\w+)_source", TEXT)].count(None) == 0
    assert set(re.findall(r"@\w+(\.[a-z]+)", TEXT)) == set(FILE_FORMATS) - {".pth"}
    assert f"**{gradcli.__version__}**" in TEXT.partition("\n## Changes\n")[2]


def test_files_that_are_named_exist() -> None:
    named = re.findall(r"\]\(([^):]+)\)|((?:samples|tests|gradcli)/[\w./-]*\w)", TEXT)
    assert len(named) > 8
    assert [path for pair in named for path in pair if path and not (readme.README.parent / path).exists()] == []


def test_values_are_read() -> None:
    values = [value for cells in rows("value") for value in re.findall(r"`([^`]+)`", cells[0])]
    assert len(values) > 15
    for value in values:
        if "@" not in value:
            assert "x" in gradcli.differentiate("sum(x)", {"x": value}, check=False).gradients


# -- conventions -----------------------------------------------------------------------

KINKS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu(x)": torch.relu,
    "abs(x)": torch.abs,
    "maximum(x, 0)": lambda x: torch.maximum(x, torch.zeros_like(x)),
    "minimum(x, 0)": lambda x: torch.minimum(x, torch.zeros_like(x)),
    "clamp(x, 0, 1)": lambda x: torch.clamp(x, 0, 1),
    "leaky_relu(x, 0.1)": lambda x: torch.nn.functional.leaky_relu(x, 0.1),
    "hardtanh(x)": torch.nn.functional.hardtanh,
    "where(x > 0, x**2, -x)": lambda x: torch.where(x > 0, x**2, -x),
    "norm(x)": torch.linalg.vector_norm,
    "sqrt(x)": torch.sqrt,
    "max(x)": torch.max,
    "amax(x)": torch.amax,
    "max(x, dim=0)": lambda x: torch.max(x, dim=0).values,
}


def slopes(function: Callable[[Tensor], Tensor], at: list[float]) -> list[float]:
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    function(x).sum().backward()
    assert x.grad is not None
    found: list[float] = x.grad.tolist()
    return found


@pytest.mark.parametrize("cells", rows("expression"), ids=lambda cells: f"{cells[0]} {cells[1]}")
def test_convention_at_a_kink(cells: list[str]) -> None:
    expressions, place, below, above, taken = cells
    at = [3.0, 3.0] if place == "two equal" else [float(place.removeprefix("x = "))]
    for expression in re.findall(r"`(.*?)`", expressions):
        function = KINKS[expression]
        chosen = slopes(function, at)
        result = gradcli.differentiate(expression, {"x": at})
        assert result.gradients["x"].tolist() == chosen
        assert {note.code for note in result.notes} & {"kink", "tie", "pole", "convention"}
        assert sorted(map(float, re.findall(r"-?[\d.]+|inf", taken))) == sorted(set(chosen))
        for text, step in ((below, -1e-9), (above, 1e-9)):
            slope = slopes(function, [at[0] + step, *at[1:]])[0]
            if text == "inf":
                assert slope > 1e4
            elif text == "nan":
                assert math.isnan(slope)
            else:
                assert slope == pytest.approx(float(text), abs=1e-6)


# -- notation --------------------------------------------------------------------------

MATRIX = [[1, 2], [3, 4]]
LEAVES = {"A": MATRIX, "B": MATRIX, "X": [[1, 2, 3], [4, 5, 6]], "b": [3, 5], "v": [1, 2, 3], "x": [1, 2], "s": 2,
          "n": [1, 2, 3, 4]}  # fmt: skip
FORMULAS = re.findall(r"`(g·)?∂\((.+?)\)/∂(\w+) = ([^`]+)`", TEXT)


@pytest.mark.parametrize(("gradient", "program", "leaf", "formula"), FORMULAS, ids=lambda part: part)
def test_notation(gradient: str, program: str, leaf: str, formula: str) -> None:
    result = gradcli.differentiate(program, {name: LEAVES[name] for name in parse(program).leaves})
    (found,) = (one for one in result.leaves if one.tensor.name == leaf)
    assert found.jacobian is not None
    assert found.closed_form is not None
    assert formula == (found.closed_form if gradient else found.jacobian.form).shown


def test_the_notation_has_an_example_for_each_sign_and_the_right_precedence() -> None:
    assert len(FORMULAS) == len(rows("sign")) + 1
    assert f"`{listing.MARK}h` is the gradient" in TEXT
    assert nodes.SUM < nodes.KRON < nodes.PRODUCT < nodes.HADAMARD < nodes.POWER


# -- adding an operation ---------------------------------------------------------------


def test_the_recipe_adds_an_operation_with_one_row() -> None:
    row = readme.new_row(TEXT)
    assert table.find(row.name) is None, "the recipe needs an operation that the table does not have"
    with readme.in_table(row):
        result = gradcli.differentiate(f"{row.name}(x)", {"x": [-1, 0, 2]}, grad=[1, 10, 100])
        x = torch.tensor([-1.0, 0.0, 2.0], dtype=torch.float64, requires_grad=True)
        torch.special.erfcx(x).backward(torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64))
        assert x.grad is not None
        assert result.gradients["x"].tolist() == x.grad.tolist()
        assert result.agrees is True
        assert result.leaves[0].agreement.closed_form < 1e-12
        assert f"`{row.name}`" in readme.operations()
    assert table.find(row.name) is None


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    readme.README.write_text(readme.made(TEXT), encoding="utf-8")
