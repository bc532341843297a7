"""From options to a look, and a result to where it goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli.cli.terminal import Terminal
    from gradcli.render.look import Look
    from gradcli.result import Result


def look(options: Mapping[str, Any], terminal: Terminal) -> Look:
    """How the options and the terminal want a result to look; a file takes every sign."""
    verbose = bool(options["verbose"])
    found = replace(
        terminal.look(color=options["color"]),
        precision=options["precision"] or (10 if verbose else 6),
        full=options["full"],
        quiet=options["quiet"],
        verbose=verbose,
        jacobian=options.get("jacobian", "auto"),
        usage_notes=False,
    )
    if options.get("output"):
        return replace(found, unicode=True, colour=options["color"] == "always")
    return found


def show(result: Result, options: Mapping[str, Any], terminal: Terminal) -> None:
    """Print ``result``, or write it to the files that were asked for; notes on use go to stderr.

    Raises:
        GradcliError: a file cannot be written.
    """
    from gradcli.cli.saving import save, write_text
    from gradcli.render import render
    from gradcli.render.closing import note_lines, usage_notes

    here = look(options, terminal)
    text = render(result, options["form"], here)
    if options["save"]:
        save(result, options["save"])
    if options["output"]:
        write_text(options["output"], text)
    else:
        terminal.write(text)
    if not options["quiet"]:
        aside = terminal.look(terminal.stderr, options["color"])
        # A PyTorch session's lines have no place for notes.
        for note in result.notes if options["form"] == "torch" else usage_notes(result):
            terminal.write("\n".join(note_lines(note, aside)) + "\n", terminal.stderr)
