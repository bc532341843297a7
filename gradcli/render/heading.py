"""The head of the text: the program as it was read, where it ran, and its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.render.cells import width, wrap
from gradcli.render.tensors import cell

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Result


def heading(result: Result, look: Look) -> list[str]:
    """One line a statement, the value of the root under the last one."""
    lines: list[str] = []
    texts = result.program.split("; ")
    for text in texts:
        name, _, body = text.partition(" = ")
        lines += wrap(body, look.width, first=f"{name} = ", rest=" " * (width(name) + 3))
    if result.loss is not None:
        *steps, last = result.loss.split("; ")
        lines += [line for step in steps for line in wrap(step, look.width, rest="    ")]
        lines += wrap(last.partition(" = ")[2] or last, look.width, first="L = ", rest="    ")
    root = result.root
    is_last = texts[-1].startswith(f"{root.name} = ") and result.loss is None
    before = (" " * width(root.name) if is_last else root.name) + " = "
    for line in cell(root.value, look):
        lines += wrap(line, look.width, first=before, rest=" " * (width(before) + 1))
        before = " " * width(before)
    lines = _beside(lines, f"{root.dtype} on {result.device}", look)
    return [look.paint(result.name, "name"), *lines] if result.name else lines


def _beside(lines: list[str], remark: str, look: Look) -> list[str]:
    """``lines`` with ``remark`` at the right edge of the first one that has room, else below."""
    for k, line in enumerate(lines):
        room = look.width - width(line) - width(remark)
        if room >= 2:
            return [*lines[:k], line + " " * room + look.paint(remark, "dim"), *lines[k + 1 :]]
    return [*lines, look.paint(remark, "dim")]
