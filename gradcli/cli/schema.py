"""``gradcli schema``: the contract of --format json."""

from __future__ import annotations

import json

import click

from gradcli.cli import options
from gradcli.cli.terminal import Terminal


@click.command("schema", cls=options.Command)
@click.pass_obj
def command(terminal: Terminal) -> None:
    """Print the JSON Schema (draft 2020-12) of what --format json prints."""
    from gradcli.render.schema import schema

    terminal.write(json.dumps(schema(), indent=2) + "\n")
