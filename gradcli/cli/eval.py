"""``gradcli eval``: the calculator itself."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import Any

import click

from gradcli.cli import options
from gradcli.cli.terminal import Terminal
from gradcli.errors import FAILED

EPILOG = """\b
Examples:
  gradcli eval "3*a + 2*b*b + log(c)" -i a=1,2,3 -i b=3,4,5 -i c=6,7,8 -g 0.1,1,1e-4
  gradcli eval "y = x**2 + 2; z = sum(y)" -i x=1,2,3
  gradcli eval "A @ x" -i A="[[1,2],[3,4]]" -i x=1,1 --loss "sum(y**2)" -f json

\b
GRADCLI_DEVICE, GRADCLI_DTYPE, GRADCLI_FORMAT, GRADCLI_PRECISION, GRADCLI_COLOR and
the like set what is not given.  Exit codes: 0 done, 1 the derivatives disagree and
nothing explains it, 2 bad input, 130 interrupted.
"""


@click.command("eval", cls=options.Command, epilog=EPILOG)
@options.program
@options.problem
@options.methods
@options.display
@options.files
@click.pass_obj
def command(terminal: Terminal, /, **given: Any) -> int:
    """Evaluate PROGRAM with torch, go backward from its last statement, and show each leaf's gradient
    beside the Jacobian in closed form.

    Without -i every leaf is ones of the upstream gradient's shape; without -g the upstream gradient is 1.
    """
    from gradcli.cli.given import problem
    from gradcli.cli.saving import SUFFIXES, check_target
    from gradcli.cli.shown import show

    times = {"start": perf_counter()}
    check_target(given["output"], "-o")
    check_target(given["save"], "--save", SUFFIXES)
    asked = problem(given, terminal)
    times["parse"] = perf_counter()
    with terminal.loading():
        from gradcli.solve import solve

        times["load"] = perf_counter()
        result = solve(asked)  # which loads more as it needs it
    times["solve"] = perf_counter()
    show(result, given, terminal)
    times["show"] = perf_counter()
    if given["verbose"]:
        terminal.write(_timings(times) + "\n", terminal.stderr)
    return FAILED if result.agrees is False else 0


def _timings(times: dict[str, float]) -> str:
    """``parse 2 ms, load 900 ms, …`` from points in time."""
    spans = ((name, times[name] - times[before]) for before, name in pairwise(times))
    return ", ".join(f"{name} {span * 1000:.0f} ms" for name, span in spans)
