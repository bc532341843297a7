"""The expressions in rows of the table, such as kinks and domains, at one node of an evaluated program."""

from __future__ import annotations

import re
from functools import lru_cache

from torch import Tensor

from gradcli.language import parse
from gradcli.language.program import Node, Program
from gradcli.numeric.forward import Forward, step
from gradcli.numeric.operations import Operand


def text_at(text: str, node: Node, forward: Forward) -> Tensor | None:
    """An expression of a row's parameters, at one node.

    Args:
        text: such as ``x - {min_val}``, in terms of the row's parameters and of ``y``, its output.

    Returns:
        The value, its graph attached; None where it speaks of a parameter that was left out.
    """
    program = filled(text, node)
    if program is None:
        return None
    values: dict[int, Operand] = {}
    for inner in program.nodes:
        if inner.op != "leaf":
            values[inner.id] = step(program, inner, values, forward.like)
            continue
        name = str(inner.attr("name"))
        operand = node.id if name == "y" else node.operand(name)
        if operand is None:
            return None
        values[inner.id] = forward.tensor(operand)
    found = values[program.root.node]
    return found if isinstance(found, Tensor) else None


def filled(text: str, node: Node) -> Program | None:
    """``text`` with the node's static parameters put in, parsed; None where one of them is None."""
    static = dict(node.attrs)
    names = re.findall(r"{(\w+)}", text)
    if any(static.get(name) is None for name in names):
        return None
    for name in names:
        text = text.replace("{" + name + "}", repr(static[name]))
    return _parsed(text)


@lru_cache(maxsize=512)
def _parsed(text: str) -> Program:
    return parse(text, internal=True)
