"""How a command ends: exit codes, and the words for everything that can go wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from gradcli.cli.group import COMMANDS, HINT
from gradcli.errors import BAD_INPUT, FAILED, INTERRUPTED, GradcliError

if TYPE_CHECKING:
    from gradcli.cli.terminal import Terminal


def finish(run: Callable[[], int], args: Sequence[str], terminal: Terminal) -> int:
    """Run a command to its end and give its exit code; nothing but SystemExit escapes.

    Raises:
        SystemExit: only where click itself ends the process, for completion.
    """
    try:
        code = run()
        terminal.flush()
        return code
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except BrokenPipeError:
        _silence(terminal)
        return 0
    except (KeyboardInterrupt, click.Abort):
        terminal.write("interrupted\n", terminal.stderr)
        return INTERRUPTED
    except GradcliError as error:
        return _report(error, args, terminal)
    except click.ClickException as error:
        return _report(_reworded(error, args), args, terminal)
    except Exception as error:
        return _bug(error, args, terminal)


def _report(error: GradcliError, args: Sequence[str], terminal: Terminal) -> int:
    """The error on stderr, or as an object on stdout where the output is JSON."""
    from gradcli.render import errors

    try:
        if asked(args, "-f", "--format", terminal.environ) == "json":
            terminal.write(errors.render_json(error, terminal.look()))
            terminal.flush()
            return error.exit_code
    except BrokenPipeError:
        _silence(terminal)
        return error.exit_code
    except GradcliError as unwritable:  # the fault of stdout is all there is left to tell
        _silence(terminal)
        error = unwritable
    color = asked(args, "", "--color", terminal.environ) or "auto"
    terminal.write(errors.render(error, terminal.look(terminal.stderr, color)), terminal.stderr)
    return error.exit_code


def asked(args: Sequence[str], short: str, long: str, environ: Mapping[str, str]) -> str | None:
    """The value of an option, read off the arguments because parsing them may be what failed."""
    found = environ.get("GRADCLI_" + long.strip("-").upper())
    # The short form may stand behind flags and before its value, as in -qf json and -fjson.
    spelled = re.compile(rf"{long}(?:=(.*))?" + (rf"|-[qv]*{short[1:]}(.*)" if short else ""), re.DOTALL)
    for at, arg in enumerate(args):
        match = spelled.fullmatch(arg)
        if match is not None:
            beside = next((value for value in match.groups() if value), None)
            found = beside or (args[at + 1] if at + 1 < len(args) else found)
    return found


def _reworded(error: click.ClickException, args: Sequence[str]) -> GradcliError:
    """A usage error of click as one of ours: no full stop, and a hint."""
    message, _, hint = error.format_message().partition(HINT)
    message = message.strip().rstrip(".")
    if isinstance(error, click.NoSuchOption):
        message = f"there is no option {error.option_name}"
        near = error.possibilities or ()
        hint = f"did you mean {' or '.join(sorted(near))}?" if near else ""
        if not error.option_name.startswith("--"):
            hint = "a program that starts with a minus goes after -e: -e '-x**2'"
    elif message:
        message = message[0].lower() + message[1:]
    if not hint:
        hint = f"see gradcli {args[0]} --help" if args and args[0] in COMMANDS else "see gradcli --help"
    return GradcliError(message, hint=hint or None, exit_code=BAD_INPUT)


def _bug(error: Exception, args: Sequence[str], terminal: Terminal) -> int:
    if "--debug" in args or terminal.environ.get("GRADCLI_DEBUG"):
        import traceback

        terminal.write(traceback.format_exc(), terminal.stderr)
    words = " ".join(f"{type(error).__name__}: {error}".split())
    hint = "run it again with --debug and report what it prints"
    return _report(GradcliError(f"this is a bug in gradcli: {words}", hint=hint, exit_code=FAILED), args, terminal)


def _silence(terminal: Terminal) -> None:
    """Point a broken stdout at nothing, so that the flush at exit does not complain."""
    import os

    try:
        number = terminal.stdout.fileno()
    except (OSError, ValueError):
        return
    void = os.open(os.devnull, os.O_WRONLY)
    os.dup2(void, number)
    os.close(void)
