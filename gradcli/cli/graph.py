"""``gradcli graph``: the computation as a tree, or for Graphviz and Mermaid."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from gradcli.cli import options
from gradcli.cli.terminal import Terminal

if TYPE_CHECKING:
    from gradcli.language.program import Node, Program


FORMATS = ("text", "dot", "mermaid")


@click.command("graph", cls=options.Command)
@options.program
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@options.plain_display
@click.pass_obj
def command(terminal: Terminal, /, **given: Any) -> None:
    """Draw the graph of PROGRAM from its last statement down to the leaves."""
    from gradcli.cli.given import program_text
    from gradcli.language import parse

    text, title = program_text(given, terminal)
    lines = DRAWINGS[given["form"]](parse(text, title=title))
    look = terminal.look(color=given["color"])
    terminal.write(look.lines(lines))


def tree(program: Program) -> list[str]:
    """One node a line under what uses it; a node that was drawn before is only named.

    Statements that the root does not use follow as trees of their own.
    """
    drawn: set[int] = set()
    lines: list[str] = []

    def draw(at: int, before: str, below: str) -> None:
        node = program.nodes[at]
        again = at in drawn and bool(node.args)
        lines.append(before + _label(program, node) + ("  (as above)" if again else ""))
        if again:
            return
        drawn.add(at)
        for count, arg in enumerate(node.args, 1):
            last = count == len(node.args)
            draw(arg, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))

    for statement in reversed(program.statements):
        if statement.node not in drawn:
            draw(statement.node, "", "")
    return lines


def dot(program: Program) -> list[str]:
    """For Graphviz: ``gradcli graph … -f dot | dot -Tsvg``."""
    lines = ["digraph gradcli {", "  rankdir=BT;", "  node [shape=box, style=rounded];"]
    for node in program.nodes:
        text = _label(program, node).replace("\\", "\\\\").replace('"', '\\"')
        shape = ", shape=ellipse" if node.op == "leaf" else ""
        lines.append(f'  n{node.id} [label="{text}"{shape}];')
    return [*lines, *(f"  n{arg} -> n{node.id};" for node, arg in _edges(program)), "}"]


def mermaid(program: Program) -> list[str]:
    """For Mermaid, as GitHub draws it in a ``mermaid`` block."""
    lines = ["flowchart BT"]
    for node in program.nodes:
        text = _label(program, node).replace('"', "#quot;")
        left, right = ("([", "])") if node.op == "leaf" else ("[", "]")
        lines.append(f'  n{node.id}{left}"{text}"{right}')
    return [*lines, *(f"  n{arg} --> n{node.id}" for node, arg in _edges(program))]


DRAWINGS: dict[str, Callable[[Program], list[str]]] = dict(zip(FORMATS, (tree, dot, mermaid), strict=True))


def _edges(program: Program) -> list[tuple[Node, int]]:
    return [(node, arg) for node in program.nodes for arg in node.args]


def _label(program: Program, node: Node) -> str:
    """``y = add``, ``leaf a``, ``2``, ``sum(dim=1)``."""
    if node.op == "leaf":
        text = f"leaf {node.attr('name')}"
    elif node.op in ("number", "constant"):
        text = program.echoes[node.id]
    else:
        text = node.op + _settings(program, node)
    names = [statement.name for statement in program.statements if statement.node == node.id]
    return " = ".join([*names, text])


def _settings(program: Program, node: Node) -> str:
    """The attributes that differ from their defaults, in parentheses."""
    from gradcli.language.echo import Echo, attr_text, echo
    from gradcli.ops.table import find

    if node.op == "index":
        return " " + echo(node.op, node.roles, node.attrs, [Echo("")]).text
    row = find(node.op)
    defaults = {param.name: param.default for param in row.statics} if row else {}
    shown = [f"{key}={attr_text(value)}" for key, value in node.attrs if value != defaults.get(key, ...)]
    return f"({', '.join(shown)})" if shown else ""
