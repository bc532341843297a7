"""The commands that compute nothing: help, explain, graph, functions, devices, schema, completion."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from click.testing import CliRunner
from command import run
from jsonschema import Draft202012Validator

import gradcli
from gradcli.cli import cli
from gradcli.cli.group import COMMANDS
from gradcli.ops.table import names, rows


def test_bare_command_is_ten_lines_with_two_examples():
    ran = run()
    assert ran.code == 0
    assert len(ran.out.splitlines()) <= 10
    assert ran.out.count("  gradcli eval ") == 2


def test_version_is_the_package_version():
    assert run("--version").out == f"gradcli {gradcli.__version__}\n"
    assert gradcli.__version__ == version("gradcli")


def test_help_lists_the_commands_in_the_words_of_each():
    shown = run("--help").out
    for name in ("eval", "explain", "graph", "functions", "devices", "schema"):
        assert f"  {name} " in shown
        assert COMMANDS[name] in shown
        assert run(name, "--help").code == 0
    assert shown.isascii()
    assert run("eval", "--help").out.isascii()


def test_help_of_eval_has_every_option_of_the_contract():
    shown = run("eval", "--help").out
    for option in (
        "-e", "--program", "-i, --input", "-g, --grad", "--zero-grad", "--loss", "--of", "--wrt", "--expand",
        "-d, --device", "--dtype", "--jacobian", "--check / --no-check", "-p, --precision", "--full",
        "-f, --format", "-o, --output", "--save", "-q", "-v", "--debug", "--color",
    ):  # fmt: skip
        assert option in shown


def test_explain_shows_precedence_steps_and_rules():
    shown = run("explain", "h = 2*x; -h^2^3 + log(h)").out
    assert "y = -h**2**3 + log(h)\nis read as (-(h**(2**3))) + log(h)\n" in shown
    assert "leaves: x\nroot: y\n" in shown
    assert "   1  mul  h = 2*x\n" in shown
    assert "  log: Natural logarithm\n      ∂/∂x = 1/x\n" in shown
    assert "      ∂/∂x = exponent*x**(exponent - 1); ∂/∂exponent = y*log(x)\n" in shown


def test_explain_places_errors_like_eval():
    ran = run("explain", "3*a + lg(c)")
    assert ran.code == 2
    assert "      ^^  column 7\n" in ran.err


def test_explain_reads_files_and_stdin(tmp_path):
    path = tmp_path / "program.txt"
    path.write_text("y = x**2\nz = sum(y)\n")
    assert "root: z" in run("explain", "--program", str(path)).out
    assert "root: z" in run("explain", "--program", "-", stdin=path.read_text()).out


def test_graph_is_a_tree_with_shared_parts_drawn_once():
    assert run("graph", "h = sum(x, dim=1); h*h + 2*x[0]").out == (
        "y = add\n"
        "├─ mul\n"
        "│  ├─ h = sum(dim=1)\n"
        "│  │  └─ leaf x\n"
        "│  └─ h = sum(dim=1)  (as above)\n"
        "└─ mul\n"
        "   ├─ 2\n"
        "   └─ index [0]\n"
        "      └─ leaf x\n"
    )


def test_graph_in_ascii():
    assert run("graph", "a*b", encoding="ascii").out == "y = mul\n|- leaf a\n`- leaf b\n"


def test_graph_for_graphviz_and_mermaid():
    dot = run("graph", "a*b", "-f", "dot").out
    assert dot.startswith("digraph gradcli {")
    assert dot.endswith("  n0 -> n2;\n  n1 -> n2;\n}\n")
    assert '  n2 [label="y = mul"];\n' in dot
    mermaid = run("graph", "a*b", "-f", "mermaid").out
    assert mermaid.splitlines()[:2] == ["flowchart BT", '  n0(["leaf a"])']
    assert "  n1 --> n2\n" in mermaid


def test_functions_lists_every_row():
    shown = run("functions").out
    for row in rows():
        assert (f" {row.operator} " in shown) if row.operator else (f"  {row.name}(" in shown)


def test_functions_explains_one_and_finds_many():
    assert "  derivative     ∂/∂x = 1/x\n  domain         x > 0\n" in run("functions", "log").out
    assert run("functions", "ln").out == run("functions", "log").out
    assert run("functions", "**").out.startswith("pow: ")
    shown = run("functions", "SQUARE").out
    assert "sqrt(x)" in shown
    assert "sin(x)" not in shown
    ran = run("functions", "sofmax")
    assert ran.code == 2
    assert "did you mean softmax" in ran.err


def test_devices_lists_the_cpu_with_its_dtypes():
    lines = run("devices").out.splitlines()
    assert lines[0].split()[:3] == ["device", "size", "dtypes"]
    assert lines[1].startswith("cpu ")
    assert "float16 bfloat16 float32 float64" in lines[1]


def test_schema_is_printed():
    Draft202012Validator.check_schema(json.loads(run("schema").out))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("gradcli ev", {"eval"}),
        ("gradcli functions log_s", {name for name in names() if name.startswith("log_s")}),
        ("gradcli eval -d cu", {"cuda", "cuda:0", "cuda:1"}),
        ("gradcli eval --dtype bf", {"bfloat16"}),
        ("gradcli eval -f la", {"latex"}),
    ],
)
def test_shell_completion(line, wanted):
    words = line.split()
    env = {"_GRADCLI_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": f"{len(words) - 1}"}
    ran = CliRunner().invoke(cli, [], prog_name="gradcli", env=env)
    assert {reply.partition(",")[2] for reply in ran.output.split()} == wanted


def test_completion_script_comes_without_torch():
    env = {**os.environ, "_GRADCLI_COMPLETE": "zsh_source"}
    code = """
import sys
from gradcli.cli import main
try:
    main([])
finally:
    assert "torch" not in sys.modules
"""
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert "#compdef gradcli" in ran.stdout


@pytest.mark.parametrize(
    ("name", "derivative"),
    [
        ("softmax", "∂/∂x = diag(y) - y yᵀ  (for a vector x of size 5)"),
        ("var", "∂/∂x = (x - mean(x))/2  (for a vector x of size 5)"),
        ("inv", "∂/∂x = -y ⊗ yᵀ  (for a matrix x of size 5)"),
    ],
)
def test_functions_show_the_jacobian_of_what_is_no_scalar_rule(name: str, derivative: str) -> None:
    assert derivative in run("functions", name).out
