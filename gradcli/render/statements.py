"""The smaller sections of the text: statements, passes, legend, listing, upstream gradient."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradcli.render.cells import width, wrap
from gradcli.render.columns import table
from gradcli.render.tensors import brief, cell, inline

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Alias, Array, Leaf, Result


def statements(result: Result, look: Look) -> list[str]:
    """The gradient that reaches each named statement (with ``-v`` also its value)."""
    shown = [one for one in result.intermediates if look.verbose or one.gradient is not None]
    if not shown:
        return []
    names = ["statement", *(["value"] if look.verbose else []), "gradient that reaches it"]
    roles = ["name", *(["plain"] if look.verbose else []), "answer"]
    rows = []
    for one in shown:
        reached = ["none"] if one.gradient is None else cell(one.gradient, look)
        rows.append([[one.name], *([cell(one.value, look)] if look.verbose else []), reached])
    lines = table(names, rows, roles, room=look.width, colour=look.colour)
    if lines is not None:
        return lines
    return [line for name, value in result.reaching.items() for line in _named(f"∂L/∂{name}", value, look)]


def passes(result: Result, look: Look) -> list[str]:
    """Each backward pass and the leaves' .grad after it, when there is more than one."""
    if len(result.passes) < 2:
        return []
    lines = []
    for count, one in enumerate(result.passes, 1):
        head = f"pass {count} from {one.of} with {result.g} = {brief(one.upstream, look)}"
        short = ", ".join(f"{name}.grad = {inline(gradient, look)}" for name, gradient in one.gradients.items())
        if width(f"{head}: {short}") <= look.width:
            lines.append(f"{head}: {short}")
            continue
        lines += wrap(head, look.width, rest="  ")
        for name, gradient in one.gradients.items():
            lines += _named(f"{name}.grad", gradient, look)
    rule = "zeroed between passes" if result.zero_grad else "gradients add up from pass to pass"
    return [*lines, look.paint(f"({rule})", "dim")]


def legend(result: Result, look: Look) -> list[str]:
    """``with t1 = …``: the short names that the formulas use."""
    lines = []
    for k, alias in enumerate(spoken_of(result)):
        first = ("with " if k == 0 else "     ") + alias.name + " = "
        lines += wrap(alias.text, look.width, first=first, rest=" " * width(first))
    return lines


def spoken_of(result: Result) -> list[Alias]:
    """The short names that are in what is shown: formulas, tables of entries, the listing."""
    shown = [str(part) for leaf in result.leaves for part in _texts(leaf)]
    words = set(re.findall(r"\w+", " ".join([*shown, *result.listing]).replace("ḡ", " ")))
    return [alias for alias in result.legend if alias.name in words and alias.name != result.g]


def _texts(leaf: Leaf) -> list[object]:
    jacobian, gradient = leaf.jacobian, leaf.closed_form
    own = [jacobian.form.shown, jacobian.differential, jacobian.table] if jacobian else []
    return [*own, gradient.shown if gradient else ""]


def listing(result: Result, look: Look) -> list[str]:
    """One adjoint equation a statement."""
    if not result.listing:
        return []
    lines = [look.paint("one adjoint equation a statement:", "heading")]
    for equation in result.listing:
        lines += wrap(equation, look.width, first="  ", rest="      ")
    return lines


def upstream(result: Result, look: Look) -> list[str]:
    """What g is and where it came from, for a single pass."""
    if len(result.passes) != 1:
        return []
    only = result.passes[0]
    said = {
        "given": f"is the upstream gradient ∂L/∂{only.of}.",
        "implicit-one": f"because {only.of} is one number.",
        "ones": f"by default, so this is the gradient of sum({only.of}).",
        "loss": f"= ∂L/∂{only.of}, worked out from the loss L.",
    }[only.source]
    if only.source == "ones" and (only.upstream.ndim > 1 or only.upstream.size > 6):
        return wrap(f"{result.g} = 1 everywhere {said}", look.width, rest="    ")
    if only.upstream.ndim < 2:
        return wrap(look.show(f"{result.g} = {brief(only.upstream, look)} {said}"), look.width, rest="    ")
    return [*_named("g", only.upstream, look, indent=""), look.show(f"    {said}")]


def _named(name: str, array: Array, look: Look, indent: str = "  ") -> list[str]:
    """``  name = value`` on as many lines as it takes."""
    before = look.show(f"{indent}{name} = ")
    lines = []
    for line in cell(array, look):
        lines += wrap(line, look.width, first=before, rest=" " * (width(before) + 1))
        before = " " * width(before)
    return lines
