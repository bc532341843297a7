"""A result as HTML for notebooks, with formulas for the notebook's MathJax."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from gradcli.render import latex
from gradcli.render.closing import agreement, notes
from gradcli.render.tensors import brief

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Result


def render(result: Result, look: Look) -> str:
    """The program and its value, a table with a row a leaf, whether the derivatives agree, notes."""
    look = look.plain()
    root = result.root
    parts = [f"<p><b>{escape(result.name)}</b></p>"] if result.name else []
    statements = [*(f"{name} = {body}" for name, body in latex.program(result))]
    parts += [f"<p>{_math(text)}</p>" for text in statements]
    parts.append(f"<p>{_code(f'{root.name} = {brief(root.value, look)}')} ({root.dtype} on {result.device})</p>")
    for one in result.passes:
        parts.append(f"<p>{_code(f'{result.g} = {brief(one.upstream, look)}')} reaches {_code(one.of)}</p>")
    head = ("leaf", "Jacobian", "gradient", "closed form")
    lines = ["".join(f"<th>{text}</th>" for text in head)]
    for leaf in result.leaves:
        cells = (
            _code(leaf.tensor.name),
            _math(latex.jacobian(leaf, look)) if leaf.jacobian else "",
            "" if leaf.tensor.gradient is None else _code(brief(leaf.tensor.gradient, look)),
            _math(leaf.closed_form.latex) if leaf.closed_form else "",
        )
        lines.append("".join(f"<td>{text}</td>" for text in cells))
    parts.append("<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>")
    parts += [f"<p>{escape(line)}</p>" for line in (*agreement(result, look), *notes(result, look))]
    return "<div>\n" + "\n".join(parts) + "\n</div>\n"


def _math(text: str) -> str:
    return rf"\({escape(text)}\)"


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"
