"""``gradcli explain``: a program as it is read, before anything is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gradcli.cli import options
from gradcli.cli.terminal import Terminal

if TYPE_CHECKING:
    from gradcli.language.program import Program
    from gradcli.render.look import Look

#: nodes that are no operation
SIMPLE = ("leaf", "number", "constant")


@click.command("explain", cls=options.Command)
@options.program
@options.plain_display
@click.pass_obj
def command(terminal: Terminal, /, **given: Any) -> None:
    """Show how PROGRAM is read: its statements with every precedence in parentheses, its leaves, each step
    in order of evaluation, and each operation with its derivative rule."""
    from gradcli.cli.given import program_text
    from gradcli.language import parse

    look = terminal.look(color=given["color"])
    text, title = program_text(given, terminal)
    parsed = parse(text, title=title)
    sections = [part(parsed, look) for part in (_statements, _leaves, _steps, _operations)]
    terminal.write("\n".join(look.lines(lines) for lines in sections if lines))


def readings(program: Program) -> list[str]:
    """The text of each node with every operator's operands in parentheses."""
    from gradcli.language.echo import Echo, echo
    from gradcli.ops.table import find

    named = {statement.node: statement.name for statement in program.statements}
    texts: list[str] = []
    operands: list[Echo] = []
    for node in program.nodes:
        whole = echo(node.op, node.roles, node.attrs, [operands[k] for k in node.args])
        row = find(node.op)
        texts.append(whole.text)
        # Tightness 0 is looser than every operator, so the text gets parentheses as an operand.
        loose = Echo(whole.text, 0) if row is not None and row.operator else whole
        operands.append(Echo(named[node.id]) if node.id in named and node.op not in SIMPLE else loose)
    return texts


def _statements(program: Program, look: Look) -> list[str]:
    from gradcli.render.cells import width, wrap

    read = readings(program)
    lines = []
    for statement in program.statements:
        first = f"{statement.name} = "
        lines += wrap(program.body(statement), look.width, first=first, rest=" " * width(first))
        if read[statement.node] != program.body(statement):
            first = "is read as ".rjust(width(first))
            told = wrap(read[statement.node], look.width, first=first, rest=" " * len(first))
            lines += [look.paint(line, "formula") for line in told]
    return lines


def _leaves(program: Program, look: Look) -> list[str]:
    from gradcli.render.cells import wrap

    names = ", ".join(program.leaves) or "none, so there is nothing to differentiate by"
    return [*wrap(names, look.width, first="leaves: ", rest="        "), f"root: {program.root.name}"]


def _steps(program: Program, look: Look) -> list[str]:
    """Every operation in order of evaluation, with the statement that it completes."""
    from gradcli.render.cells import width, wrap

    named: dict[int, list[str]] = {}
    for statement in program.statements:
        named.setdefault(statement.node, []).append(statement.name)
    steps = [node for node in program.nodes if node.op not in SIMPLE]
    if not steps:
        return []
    widest = max(len(node.op) for node in steps)
    lines = [look.paint("steps, in order", "heading")]
    for count, node in enumerate(steps, 1):
        text = program.echoes[node.id]
        if node.id in named:
            text = " = ".join([*named[node.id], text])
        first = f"{count:>4}  {node.op:{widest}}  "
        lines += wrap(text, look.width, first=first, rest=" " * (width(first) + 2))
    return lines


def _operations(program: Program, look: Look) -> list[str]:
    """Each operation once, with its line of help and its derivative."""
    from gradcli.cli.rules import KINDS, derivatives
    from gradcli.ops.table import find
    from gradcli.render.cells import wrap

    lines = []
    for op in dict.fromkeys(node.op for node in program.nodes if node.op not in SIMPLE):
        row = find(op)
        doc, rules = ("An element or a part", [KINDS["view"]]) if row is None else (row.doc, derivatives(row))
        lines.append(f"  {look.paint(op, 'name')}: {doc}")
        lines += wrap("; ".join(rules), look.width, first="      ", rest="        ")
    return [look.paint("operations", "heading"), *lines] if lines else []
