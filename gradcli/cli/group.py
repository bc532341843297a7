"""The group of commands: each is imported only when it runs."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import click

#: name → what ``gradcli --help`` says; the module ``gradcli.cli.NAME`` holds ``command``
COMMANDS: dict[str, str] = {
    "eval": "Evaluate a program and show its gradients beside the Jacobian.",
    "check": "Decide whether a gradient that you claim is right.",
    "batch": "Run the problems of YAML, JSON or JSON Lines files.",
    "explain": "Show how a program is read, step by step, with each rule.",
    "graph": "Draw the graph of a computation.",
    "functions": "List the operations, or explain those that match TERM.",
    "devices": "List the devices that torch has here.",
    "schema": "Print the JSON Schema of --format json.",
}

#: between the message and the hint of a usage error
HINT = "\n\x00"


class Commands(click.Group):
    """Commands by name, loaded when they run; help needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return available()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in available():
            return None
        command: click.Command = import_module(_module(cmd_name)).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in available()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in available():
            raise click.UsageError(_unknown(args[0], available()), ctx)
        return super().resolve_command(ctx, args)


def available() -> list[str]:
    """The commands whose module is installed."""
    return [name for name in COMMANDS if find_spec(_module(name))]


def _module(name: str) -> str:
    return f"gradcli.cli.{name}"


def _unknown(given: str, known: list[str]) -> str:
    """The words for a command that there is not; often a program without ``eval``."""
    from gradcli.language.suggest import nearest

    if not given.isidentifier():
        return f"there is no command {given!r}{HINT}to evaluate a program: gradcli eval {given!r}"
    return f"there is no command '{given}'{HINT}" + (nearest(given, known) or f"commands: {', '.join(known)}")
