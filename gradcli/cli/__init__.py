"""The command line: one module a command; this one starts them.

Importing it loads click and nothing else that takes time.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import redirect_stdout

import click

from gradcli import __version__
from gradcli.cli.group import Commands, available
from gradcli.cli.outcome import finish
from gradcli.cli.terminal import Terminal

WELCOME = """\
gradcli is a gradient calculator: it evaluates a program with torch and shows
each leaf's gradient beside the Jacobian in closed form, held against each other.

  gradcli eval "3*a + 2*b*b + log(c)" -i a=1,2,3 -i b=3,4,5 -i c=6,7,8 \\
      --grad 0.1,1,1e-4
  gradcli eval "y = x**2 + 2; z = sum(y)" -i x=1,2,3

Commands: {commands}.
gradcli --help lists them; gradcli eval --help lists what can be asked.
"""


EPILOG = """\b
Completion: eval "$(_GRADCLI_COMPLETE=bash_source gradcli)" in ~/.bashrc,
zsh_source in ~/.zshrc; _GRADCLI_COMPLETE=fish_source gradcli | source for fish.
"""
HELP = {"help_option_names": ["-h", "--help"]}


@click.group(cls=Commands, invoke_without_command=True, context_settings=HELP, epilog=EPILOG)
@click.version_option(__version__, prog_name="gradcli", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A gradient calculator: torch's gradients beside the Jacobian in closed form."""
    if ctx.invoked_subcommand is None:
        click.echo(WELCOME.format(commands=", ".join(available())), nl=False)


def main(args: Sequence[str], terminal: Terminal | None = None) -> int:
    """Run one command line and give its exit code.

    Args:
        args: the arguments after the program's name.
        terminal: streams and environment; None means those of the process.

    Returns:
        0 done, 1 a check failed, 2 bad input, 130 interrupted.
    """
    here = terminal or Terminal.of_process()

    def run() -> int:
        if "_GRADCLI_COMPLETE" in here.environ:
            cli.main(list(args), prog_name="gradcli", obj=here)
        with redirect_stdout(here.stdout), cli.make_context("gradcli", list(args), obj=here) as ctx:
            code = cli.invoke(ctx)
        return code if isinstance(code, int) else 0

    return finish(run, args, here)
