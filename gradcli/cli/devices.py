"""``gradcli devices``: what -d accepts on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.cli import options
from gradcli.cli.terminal import Terminal

if TYPE_CHECKING:
    from gradcli.numeric.devices import Device


@click.command("devices", cls=options.Command)
@options.plain_display
@click.pass_obj
def command(terminal: Terminal, color: str, debug: bool) -> None:
    """List the devices that torch has here, as -d takes them."""
    with terminal.loading():
        from gradcli.numeric.devices import present
    from gradcli.render.columns import table

    look = terminal.look(color=color)
    rows = [[[one.name], [_size(one)], [" ".join(one.dtypes)], [one.description]] for one in present()]
    lines = table(("device", "size", "dtypes", "what it is"), rows, ("name", "plain", "plain", "dim"),
                  room=1000, colour=look.colour)  # fmt: skip
    terminal.write(look.lines(lines or ()))


def _size(device: Device) -> str:
    if device.memory is not None:
        return f"{device.memory / 2**30:.0f} GiB"
    return f"{device.threads} threads" if device.threads else ""
