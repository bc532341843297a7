"""A result as one amsmath block: the program, its value, each Jacobian and each gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.errors import GradcliError
from gradcli.render import tex
from gradcli.render.closing import USAGE

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Leaf, Result


def render(result: Result, look: Look) -> str:
    r"""An ``align*`` environment, preceded by comments that say what ran where, followed by the notes."""
    comments = [result.name, f"{result.program}  ({result.root.dtype} on {result.device})"]
    head = [f"% {line}" for text in comments if text for line in look.show(text).split("\n")]
    notes = [note for note in result.notes if look.usage_notes or note.code not in USAGE]
    foot = [f"% note: {line}" for note in notes for line in look.show(note.message).split("\n")]
    body = rows(result, look)
    lines = [*head, r"\begin{align*}", *(row + r" \\" for row in body[:-1]), body[-1], r"\end{align*}", *foot]
    return "".join(line + "\n" for line in lines)


def rows(result: Result, look: Look) -> list[str]:
    """``left &= right`` for every fact, in reading order."""
    root = tex.name(result.root.name)
    lines = [f"{name} &= {body}" for name, body in program(result)]
    if result.loss is not None:
        lines.append(f"L &= {_typeset(result.loss)[-1][1]}")
    lines.append(f"{root} &= {tex.tensor(result.root.value, look)}")
    legend = [one for one in result.legend if one.name != result.g]
    lines += [f"{alias} &= {body}" for one in legend for alias, body in _typeset(f"{one.name} = {one.text}")]
    of = tex.name(result.passes[-1].of)
    for leaf in result.leaves:
        if leaf.jacobian:
            lines.append(rf"\frac{{\partial {of}}}{{\partial {tex.name(leaf.tensor.name)}}} &= {jacobian(leaf, look)}")
    if len(result.passes) == 1:
        lines.append(f"{tex.name(result.g)} &= {tex.tensor(result.passes[0].upstream, look)}")
    lines += [f"{_slope(name)} &= {tex.tensor(value, look)}" for name, value in result.reaching.items()]
    return lines + [f"{_slope(leaf.tensor.name)} &= {gradient(leaf, look)}" for leaf in result.leaves]


def program(result: Result) -> list[tuple[str, str]]:
    """Each statement's name and right-hand side in LaTeX."""
    return _typeset(result.program)


def jacobian(leaf: Leaf, look: Look) -> str:
    """The formula of ∂y/∂leaf, with its table of numbers where there is a small matrix."""
    assert leaf.jacobian is not None
    values = leaf.jacobian.values
    small = values is not None and values.ndim == 2 and leaf.jacobian.structure not in ("diagonal", "zero")
    return leaf.jacobian.form.latex + (f" = {tex.tensor(values, look)}" if small and values is not None else "")


def gradient(leaf: Leaf, look: Look) -> str:
    """The closed form of the leaf's gradient and its value."""
    formula = f"{leaf.closed_form.latex} = " if leaf.closed_form else ""
    return formula + ("0" if leaf.tensor.gradient is None else tex.tensor(leaf.tensor.gradient, look))


def _slope(name: str) -> str:
    return rf"\frac{{\partial L}}{{\partial {tex.name(name)}}}"


def _typeset(text: str) -> list[tuple[str, str]]:
    """``text`` set from its parsed form; as it stands where it is too long to parse."""
    from gradcli.language import parse
    from gradcli.render.typeset import statements

    try:
        return statements(parse(text))
    except GradcliError:
        name, _, body = text.rpartition(" = ")
        return [(tex.name(name or "y"), rf"\texttt{{{tex.words(body)}}}")]
