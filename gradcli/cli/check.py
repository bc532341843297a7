"""``gradcli check``: whether a gradient or a Jacobian that somebody claims is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from gradcli.cli import options
from gradcli.cli.terminal import Terminal
from gradcli.errors import FAILED, GradcliError, Source, Span

if TYPE_CHECKING:
    from gradcli.claims.deciding import Kind, Verdict
    from gradcli.problem import Problem
    from gradcli.render.look import Look

EPILOG = """\b
Examples:
  gradcli check "3*a + 2*b*b + log(c)" --claim "b=4*b*g" --claim "c=g/c"
  gradcli check "A @ x" -i A="[[1,2],[3,4]]" -i x=1,1 --claim-jacobian "x=A"

\b
A claim is a formula in the names of leaves and statements; g is the upstream
gradient.  It is decided by value at the given point and at random ones, so any
way of writing it will do.  Exit codes: 0 every claim is right, 1 one is wrong,
2 bad input, 130 interrupted.
"""


@click.command("check", cls=options.Command, epilog=EPILOG)
@options.program
@options.claims
@options.problem
@options.verdicts
@click.pass_obj
def command(terminal: Terminal, /, **given: Any) -> int:
    """Decide whether claims about PROGRAM's gradients are right.

    A wrong claim is shown with a point that refutes it, what it should be, and which slip it looks like.
    """
    from gradcli.cli.given import problem

    claimed = [
        *_read(given["claims"], "--claim", "gradient"),
        *_read(given["claim_jacobians"], "--claim-jacobian", "jacobian"),
    ]
    if not claimed:
        raise GradcliError("nothing is claimed", hint="--claim 'b=4*b*g' claims the gradient by b")
    asked = problem({**given, "jacobian": "formula", "check": False}, terminal)
    from gradcli.claims.deciding import Claim, decide

    verdicts = decide(asked, [Claim(*one) for one in claimed])
    right = all(verdict.right for verdict in verdicts)
    if given["form"] == "json":
        terminal.write(_json(asked.program.text, verdicts, terminal.look()))
    else:
        look = terminal.look(color=given["color"])
        terminal.write("".join(f"{line.rstrip()}\n" for line in _text(verdicts, look)))
    if not asked.inputs:
        _tell_defaults(asked, given["color"], terminal)
    return 0 if right else FAILED


def _read(texts: Sequence[str], flag: str, kind: Kind) -> list[tuple[str, str, Kind, str]]:
    """``LEAF=FORMULA`` texts as the fields of a claim."""
    from gradcli.ask import split_name
    from gradcli.language import fold_name

    found: list[tuple[str, str, Kind, str]] = []
    for text in texts:
        leaf, formula = split_name(text)
        if leaf is None or not formula.strip():
            raise GradcliError(
                "a claim is LEAF=FORMULA",
                span=Span(0, len(text)),
                source=Source(text, flag),
                hint=f"{flag} 'b=4*b*g'" if kind == "gradient" else f"{flag} 'b=diag(4*b)'",
            )
        name = fold_name(leaf)
        found.append((name, formula, kind, f"{flag} {name}"))
    return found


def _tell_defaults(problem: Problem, color: str, terminal: Terminal) -> None:
    """What the leaves are when no inputs are given, on stderr."""
    from gradcli.render.closing import note_lines
    from gradcli.solve.leaves import collect

    look = terminal.look(terminal.stderr, color)
    for note in collect(problem).notes:
        terminal.write("\n".join(note_lines(note, look)) + "\n", terminal.stderr)


def _text(verdicts: list[Verdict], look: Look) -> list[str]:
    from gradcli.claims.telling import details, headline, summary
    from gradcli.render.cells import wrap

    lines: list[str] = []
    for verdict in verdicts:
        good = verdict.right
        sign = look.paint(look.show("✓" if good else "✗"), "good" if good else "bad")
        first, *rest = wrap(look.show(headline(verdict)), look.width - 2, rest="  ")
        lines += [f"{sign} {first}", *rest]
        for line in map(look.show, details(verdict, look)):
            indent = "  " + " " * (len(line) - len(line.lstrip()))
            lines += wrap(line.lstrip(), look.width, first=indent, rest=indent + "  ")
    return [*lines, summary(verdicts)] if len(verdicts) > 1 else lines


def _json(program: str, verdicts: list[Verdict], look: Look) -> str:
    from gradcli.claims.telling import record
    from gradcli.render.json import SCHEMA, dumps

    return dumps(
        {
            "schema": SCHEMA,
            "kind": "verdicts",
            "program": program,
            "right": all(verdict.right for verdict in verdicts),
            "claims": [record(verdict) for verdict in verdicts],
        },
        look,
    )
