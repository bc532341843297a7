"""A result for people at a terminal: what was asked, the answer, why, and the doubt."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gradcli.render.cells import wrap
from gradcli.render.closing import agreement, notes
from gradcli.render.equation import equation, said_once
from gradcli.render.glossary import glossary
from gradcli.render.heading import heading
from gradcli.render.leaves import gradients
from gradcli.render.numbers import digits
from gradcli.render.signs import show_all
from gradcli.render.statements import legend, listing, passes, statements, upstream
from gradcli.render.tensors import inline

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Result


def render(result: Result, look: Look) -> str:
    """The text of ``result``: sections with a blank line between them, ending in a newline."""
    look = replace(look, precision=digits(result.root.dtype, look.precision))
    drawn = equation(show_all(result, look.unicode), look)
    result = said_once(result) if drawn.in_symbols else result
    meanings = glossary(result)
    result = show_all(result, look.unicode)
    if look.quiet:
        return "".join(f"{name} = {inline(value, look)}\n" for name, value in result.gradients.items())
    sections = [
        heading(result, look),
        gradients(result, look),
        drawn.lines,
        statements(result, look),
        passes(result, look),
        listing(result, look),
        [
            *legend(result, look),
            *(look.paint(line, "dim") for line in wrap(look.show(meanings), look.width) if line),
            *upstream(result, look),
            *agreement(result, look),
            *notes(result, look),
        ],
    ]
    return "\n".join("".join(line.rstrip() + "\n" for line in section) for section in sections if section)
