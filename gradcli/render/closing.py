"""The end of the text: whether the derivatives agree, and what a reader should know."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gradcli.render.cells import wrap
from gradcli.render.numbers import bound, difference
from gradcli.render.tensors import WHOLE, inline

if TYPE_CHECKING:
    from gradcli.notes import Note
    from gradcli.render.look import Look
    from gradcli.result import Leaf, Result

#: notes on how the tool was used; the command line writes them to stderr
USAGE = ("default-inputs", "default-upstream", "unused-input")

#: relative differences up to this are rounding, and not worth a word
NOISE = 1e-9


def agreement(result: Result, look: Look) -> list[str]:
    """One line when all agree; the numbers, leaf by leaf, where they do not."""
    compared = [leaf for leaf in result.leaves if leaf.agreement.compared]
    if not compared:
        return []
    apart = [leaf for leaf in compared if not leaf.agreement.within]
    lines = [] if len(apart) == len(compared) else _agree(compared, apart, look)
    for leaf in apart:
        lines += [*_differ(leaf, look), *_numbers(leaf, look)]
    if look.verbose:
        for leaf in (one for one in compared if one not in apart and one.tensor.value.size <= WHOLE):
            lines += [f"  {leaf.tensor.name}", *_numbers(leaf, look)]
    return lines


def usage_notes(result: Result) -> list[Note]:
    """The notes on how the tool was used."""
    return [note for note in result.notes if note.code in USAGE]


def notes(result: Result, look: Look) -> list[str]:
    """Each note, marked and wrapped."""
    shown = [note for note in result.notes if look.usage_notes or note.code not in USAGE]
    return [line for note in shown for line in note_lines(note, look)]


def note_lines(note: Note, look: Look) -> list[str]:
    """One note: ``note: …``."""
    lines = wrap(look.show(note.message), look.width, first="note: ", rest="      ")
    return [look.paint("note:", "warn") + lines[0][5:], *lines[1:]]


def _sides(leaves: list[Leaf]) -> list[str]:
    """The derivatives that were compared, in words."""
    names = ["torch"]
    if any(leaf.agreement.closed_form is not None for leaf in leaves):
        names.append("the closed form")
    if any(leaf.agreement.finite_difference is not None for leaf in leaves):
        names.append("finite differences")
    return names


def _agree(compared: list[Leaf], apart: list[Leaf], look: Look) -> list[str]:
    agreeing = [leaf for leaf in compared if leaf.agreement.within]
    differences = [leaf.agreement.closed_form for leaf in agreeing]
    differences += [leaf.agreement.finite_difference for leaf in agreeing]
    *most, last = _sides(agreeing)
    words = f"{', '.join(most)} and {last} agree"
    if apart:
        words += " for " + ", ".join(leaf.tensor.name for leaf in agreeing)
    largest = max(value for value in differences if value is not None)
    by_differences = any(leaf.agreement.finite_difference is not None for leaf in agreeing)
    exact = f" (largest difference {difference(largest)})"
    words += exact if look.verbose else f" within {bound(largest, 1e-8 if by_differences else 1e-12)}"
    gradients = [leaf.tensor.gradient for leaf in agreeing]
    if any(value is not None and (value != value).any() for value in gradients):
        words += ", nan included"
    return _marked("✓", "good", words, look)


def _marked(sign: str, role: str, words: str, look: Look) -> list[str]:
    """``words``, wrapped, after a coloured sign."""
    mark = look.show(sign)
    lines = wrap(words, look.width, first=mark + " ", rest="  ")
    return [look.paint(mark, role) + lines[0].removeprefix(mark), *lines[1:]]


def _differ(leaf: Leaf, look: Look) -> list[str]:
    explained = leaf.agreement.explained
    sign, role = ("≠", "warn") if explained else ("✗", "bad")
    reason = ", which a note explains" if explained else ""
    return _marked(sign, role, f"{leaf.tensor.name}: the derivatives differ{reason}", look)


def _numbers(leaf: Leaf, look: Look) -> list[str]:
    """Torch's gradient, the closed form's and the difference quotient's, under each other."""
    one = leaf.agreement
    rows = (
        ("torch", leaf.tensor.gradient, None),
        ("closed form", one.closed_value, one.closed_form),
        ("differences", one.quotient, one.finite_difference),
    )
    lines = []
    for label, value, gap in rows:
        parts = [] if value is None else [inline(value, look)]
        if gap is not None and NOISE < gap < math.inf:
            parts.append(f"(off by {difference(gap)})")
        if parts:
            lines += wrap("  ".join(parts), look.width, first=f"    {label:11}  ", rest=" " * 18)
    return lines
