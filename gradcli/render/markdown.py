"""A result as a section of Markdown: tables, code spans and ``$…$`` mathematics as GitHub shows them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gradcli.render import latex, tex
from gradcli.render.closing import agreement, notes
from gradcli.render.statements import spoken_of
from gradcli.render.tensors import brief

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Result

#: what Markdown or HTML would take for its own, and what LaTeX has in its place
_SAFE = {
    r"\\": r"\cr ",
    r"\,": r"\thinspace ", r"\;": r"\thickspace ", r"\:": r"\medspace ", r"\!": r"\negthinspace ",
    r"\{": r"\lbrace ", r"\}": r"\rbrace ", r"\|": r"\Vert ", "|": r"\vert ", "<": r"\lt ", ">": r"\gt ",
    "*": r"\ast ",
}  # fmt: skip
_UNSAFE = re.compile("|".join(map(re.escape, _SAFE)))


def render(result: Result, look: Look) -> str:
    """A heading, the program and its value, a row a leaf, what reaches each statement, notes."""
    plain = look.plain()
    lines = [f"### {_words(result.name)}" if result.name else f"### {_code(result.program)}", ""]
    if result.name:
        lines += [_code(result.program), ""]
    said = f"{result.root.name} = {brief(result.root.value, plain)}"
    lines += [f"{_code(said)} ({result.root.dtype} on {result.device})", ""]
    for count, one in enumerate(result.passes, 1):
        number = f"pass {count}: " if len(result.passes) > 1 else ""
        upstream = f"{result.g} = {brief(one.upstream, plain)}"
        lines += [f"{number}{_code(upstream)} is the upstream gradient of {_code(one.of)}", ""]
    lines += _leaves(result, plain)
    if result.reaching:
        lines += ["", "| statement | gradient that reaches it |", "|---|---|"]
        lines += [f"| {_code(name)} | {_code(brief(value, plain))} |" for name, value in result.reaching.items()]
    lines += [f"\n- with {_code(f'{alias.name} = {alias.text}')}" for alias in spoken_of(result)]
    if result.listing:
        lines += ["", "```text", *result.listing, "```"]
    closing = [*agreement(result, plain), *notes(result, plain)]
    if closing:
        lines += ["", *(f"- {_words(line)}" for line in closing)]
    return look.show("".join(line + "\n" for line in lines))


def _leaves(result: Result, look: Look) -> list[str]:
    slope = _math(rf"\partial {tex.name(result.passes[-1].of)} / \partial \text{{leaf}}")
    lines = [f"| leaf | {slope} | gradient | closed form |", "|---|---|---|---|"]
    for leaf in result.leaves:
        value = "" if leaf.tensor.gradient is None else _code(brief(leaf.tensor.gradient, look))
        jacobian = _math(latex.jacobian(leaf, look)) if leaf.jacobian else ""
        form = _math(leaf.closed_form.latex) if leaf.closed_form else ""
        lines.append(f"| {_code(leaf.tensor.name)} | {jacobian} | {value} | {form} |")
    return lines


def _math(text: str) -> str:
    return f"${_UNSAFE.sub(lambda found: _SAFE[found.group()], text).strip()}$"


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|").replace("`", "'") + "`"


def _words(text: str) -> str:
    """Plain words: what Markdown would take for markup is escaped."""
    return re.sub(r"([\\`*_\[\]<>|$#~])", r"\\\1", text).replace("\n", " ")
