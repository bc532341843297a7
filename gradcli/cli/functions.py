"""``gradcli functions``: the operations, straight from their table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from gradcli.cli import options
from gradcli.cli.terminal import Terminal
from gradcli.errors import GradcliError

if TYPE_CHECKING:
    from gradcli.ops.row import Row
    from gradcli.render.look import Look


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from gradcli.ops.table import names

    return [CompletionItem(name) for name in names() if name.startswith(incomplete)]


@click.command("functions", cls=options.Command)
@click.argument("term", required=False, shell_complete=_complete)
@options.plain_display
@click.pass_obj
def command(terminal: Terminal, term: str | None, color: str, debug: bool) -> None:
    """List the operations.  With TERM, those whose name, synonym or description has it; one by its exact
    name is explained in full."""
    from gradcli.ops.table import OPERATORS, find, names, rows

    look = terminal.look(color=color)
    exact = find(OPERATORS.get(term, term)) if term else None
    if exact is not None and not exact.internal:
        near = [row.name for row in rows() if row is not exact and row.name.startswith(exact.name)]
        lines = _details(exact, near, look)
    else:
        found = [row for row in rows() if term is None or _matches(row, term.lower())]
        if not found:
            from gradcli.language.suggest import nearest

            hint = nearest(term or "", names()) or "gradcli functions lists all"
            raise GradcliError(f"no operation matches '{term}'", hint=hint)
        lines = _listing(found, look)
    terminal.write(look.lines(lines))


def _matches(row: Row, term: str) -> bool:
    return any(term in text.lower() for text in (row.name, *row.synonyms, row.doc, row.section))


def _listing(found: list[Row], look: Look) -> list[str]:
    """Usage and one line of help, under the headings of the table."""
    from gradcli.render.cells import wrap

    lines: list[str] = []
    indent = " " * 32
    for section in dict.fromkeys(row.section for row in found):
        lines += ["", look.paint(section, "name")] if lines else [look.paint(section, "name")]
        for row in (one for one in found if one.section == section):
            use = f"  {_usage(row)}"
            if len(use) > 30:
                lines.append(use)
                use = ""
            lines += wrap(row.doc, look.width, first=f"{use:32}", rest=indent)
    return lines


def _usage(row: Row) -> str:
    if row.operator:
        operands = [param.name for param in row.operands]
        return f"-{operands[0]}" if row.name == "neg" else f" {row.operator} ".join(operands)
    return row.usage


def _example(row: Row) -> list[str]:
    """``∂/∂x = … (for a vector x of size 5)`` where no scalar rule says it, if that is short."""
    from gradcli.closed import NoClosedForm, derive
    from gradcli.closed.shapes import shape_told
    from gradcli.language import parse
    from gradcli.ops.row import Kind

    if row.kind is not Kind.OPAQUE or any(param.required for param in row.statics):
        return []
    names = [param.name for param in row.operands if param.required]
    program = parse(f"y = {row.name}({', '.join(names)})", title="table")
    attrs = dict(program.nodes[program.root.node].attrs)
    orders = (((5,), "a vector"), ((5, 5), "a matrix"))
    for shape, what in orders[1:] if row.section == "Linear algebra" else orders:
        whole = shape_told(row.name, [shape] * len(names), attrs)
        if whole is None:
            return []
        shapes = [whole if node.id == program.root.node else shape for node in program.nodes]
        try:
            forms = derive(program, shapes, program.root.node, names)
            records = {name: forms.leaves[name].jacobian_record(table=False) for name in names}
        except (GradcliError, NoClosedForm, ValueError, IndexError):
            continue  # not for this order of tensor
        found = [f"∂/∂{n} = {r.form.matrix or r.form.index}" for n, r in records.items() if r is not None]
        return [*found[:-1], f"{found[-1]}  (for {what} {' and '.join(names)} of size 5)"] if found else []
    return []


def _details(row: Row, near: list[str], look: Look) -> list[str]:
    """Everything the table says of one operation."""
    from gradcli.cli.rules import derivatives
    from gradcli.render.cells import wrap

    facts = [
        ("use", row.usage if not row.operator else f"{_usage(row)}, {row.usage}"),
        ("synonyms", ", ".join(row.synonyms)),
        ("derivative", "; ".join(_example(row) or derivatives(row))),
        ("domain", row.domain),
        ("kinks where", ", ".join(f"{kink} = 0" for kink in row.kinks)),
        ("safe spelling", row.safe),
        ("in torch", row.torch if row.torch.startswith("torch.") else ""),
        ("closed form", row.kind.value),
        ("see also", ", ".join(near)),
    ]
    lines = [f"{look.paint(row.name, 'name')}: {row.doc}"]
    for label, text in facts:
        if text:
            lines += wrap(text, look.width, first=f"  {label:15}", rest=" " * 17)
    return lines
