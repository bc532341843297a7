"""Options that several commands share, in groups that decorate a command."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

#: what ``-d`` completes to, without asking torch
DEVICES = ("cpu", "cuda", "cuda:0", "cuda:1", "mps", "xpu")
FORMATS = ("text", "json", "latex", "markdown", "torch")
JACOBIANS = ("auto", "formula", "matrix", "values", "none")
#: spellings of dtypes that torch knows too
DTYPES = {"float64": "float64", "float32": "float32", "float16": "float16", "bfloat16": "bfloat16",
          "double": "float64", "float": "float32", "half": "float16"}  # fmt: skip

#: GRADCLI_DEVICE and the like, for the settings that are worth keeping
SETTINGS: dict[str, Any] = {"auto_envvar_prefix": "GRADCLI", "help_option_names": ["-h", "--help"]}

_MINUS_CALL = re.compile(r"-([^\W\d]\w*)\(")


class DType(click.ParamType[str]):
    """A floating dtype by any of its names."""

    name = "dtype"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        short = str(value).removeprefix("torch.")
        if short not in DTYPES:
            self.fail(f"there is no floating dtype {value!r}; one of {', '.join([*DTYPES][:4])}", param, ctx)
        return DTYPES[short]

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in DTYPES if name.startswith(incomplete)]


class Ratio(click.ParamType[float]):
    """A relative difference: at least 0 and less than 1."""

    name = "ratio"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        from gradcli.cli.group import HINT

        try:
            ratio = float(value)
        except ValueError:
            ratio = -1.0
        if not 0 <= ratio < 1:
            self.fail(f"tolerance is a relative difference, and {value} is none{HINT}--tolerance 1e-4", param, ctx)
        return ratio


class Command(click.Command):
    """A command whose settings come from the environment too, and whose program may look like an option."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("context_settings", SETTINGS)
        super().__init__(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _refuse_minus_calls(args)
        return super().parse_args(ctx, args)


def _refuse_minus_calls(args: Sequence[str]) -> None:
    """``-exp(x)`` would be read as ``-e 'xp(x)'``: say how to write it."""
    from gradcli.cli.group import HINT

    before = ""
    for arg in args:
        found = _MINUS_CALL.match(arg)
        if found and before not in _TAKE_VALUES:
            from gradcli.ops.table import find

            if find(found[1]):
                raise click.UsageError(f"{arg!r} looks like an option{HINT}write -e {arg!r}")
        before = arg


#: options after which a text that starts with a minus is their value
_TAKE_VALUES = frozenset(("-e", "-g", "--grad", "--loss", "-i", "--input", "--", "--program"))


def _complete_device(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in DEVICES if name.startswith(incomplete)]


def _apply(options: Sequence[Callable[[Decorated], Decorated]], command: Decorated) -> Decorated:
    for option in reversed(options):
        command = option(command)
    return command


def _option(*names: str, env: bool = False, **settings: Any) -> Any:
    """An option; ``env`` lets GRADCLI_NAME set it."""
    return click.option(*names, allow_from_autoenv=env, **settings)


def program(command: Decorated) -> Decorated:
    """The program: as argument, after -e, or from a file."""
    options = (
        click.argument("program", required=False),
        _option("-e", "expression", metavar="PROGRAM", help="The program, when it starts with a minus."),
        _option("--program", "program_file", metavar="FILE", help="Read the program from FILE; - is stdin."),
    )
    return _apply(options, command)


def problem(command: Decorated) -> Decorated:
    """What is asked of the program; ``cli/given.py`` reads it."""
    options = (
        _option("-i", "--input", "inputs", multiple=True, metavar="NAME=VALUE",
                help="A leaf's value: 1,2,3 or [[1,2],[3,4]] or rand(3, seed=0) or @file.npy. Repeatable."),
        _option("-g", "--grad", "grads", multiple=True, metavar="[NAME=]VALUE",
                help="Upstream gradient of the root, or of the statement NAME. Repeated: one pass each."),
        _option("--zero-grad", is_flag=True, help="Zero the leaves' gradients between passes."),
        _option("--loss", metavar="EXPR", help="A scalar in terms of the root, in place of -g."),
        _option("--of", metavar="NAME", help="The root, when it is not the last statement."),
        _option("--wrt", multiple=True, metavar="NAMES", help="Only these leaves, as a,b."),
        _option("--expand", is_flag=True, help="Expand the root to the upstream gradient's shape."),
        _option("-d", "--device", env=True, default="cpu", metavar="DEVICE", shell_complete=_complete_device,
                help="cpu, cuda, cuda:1, mps and so on; gradcli devices lists them."),
        _option("--dtype", env=True, type=DType(), metavar="DTYPE",
                help="float64 (default of literals), float32, float16 or bfloat16, for every value."),
    )  # fmt: skip
    return _apply(options, command)


def methods(command: Decorated) -> Decorated:
    """How much to work out beside torch's gradients."""
    options = (
        _option("--jacobian", env=True, type=click.Choice(JACOBIANS), default="auto", show_default=True,
                help="How much of the Jacobian to show; auto adds the matrix when it is small."),
        _option("--check/--no-check", "check", env=True, default=None,
                help="Hold torch, the closed form and differences against each other (default: if cheap, and a"
                " Jacobian is asked for)."),
    )  # fmt: skip
    return _apply(options, command)


def claims(command: Decorated) -> Decorated:
    """What is claimed of the program's gradients."""
    options = (
        _option("--claim", "claims", multiple=True, metavar="LEAF=FORMULA",
                help="The gradient by LEAF is FORMULA; g is the upstream gradient. Repeatable."),
        _option("--claim-jacobian", "claim_jacobians", multiple=True, metavar="LEAF=FORMULA",
                help="The Jacobian of the root by LEAF is FORMULA, as diag(4*b). Repeatable."),
    )  # fmt: skip
    return _apply(options, command)


def verdicts(command: Decorated) -> Decorated:
    """How to show what came of claims."""
    options = (
        _option("-f", "--format", "form", env=True, envvar="GRADCLI_FORMAT", type=click.Choice(("text", "json")),
                default="text", show_default=True, help="How to print the verdicts."),
    )  # fmt: skip
    return _apply((*options, *_COLOUR_AND_DEBUG), command)


def selection(command: Decorated) -> Decorated:
    """Which problems of a batch are run."""
    options = (
        _option("--only", multiple=True, metavar="PATTERN",
                help="Only problems whose name has PATTERN in it, or matches it as in the shell. Repeatable."),
        _option("--list", "list_only", is_flag=True, help="List the problems and run none."),
        _option("--fail-fast", is_flag=True, help="Stop at the first problem that does not pass."),
        _option("-j", "--jobs", env=True, type=click.IntRange(1, 256), default=1, show_default=True, metavar="N",
                help="Run in N processes."),
    )  # fmt: skip
    return _apply(options, command)


def overrides(command: Decorated) -> Decorated:
    """Settings that win over what problem files say."""
    options = (
        _option("-d", "--device", env=True, metavar="DEVICE", shell_complete=_complete_device,
                help="The device of every problem."),
        _option("--dtype", env=True, type=DType(), metavar="DTYPE", help="The dtype of every problem."),
        _option("--jacobian", env=True, type=click.Choice(JACOBIANS), default=None,
                help="How much of the Jacobian to work out; none is fastest."),
        _option("--check/--no-check", "check", env=True, default=None,
                help="Hold torch, the closed form and differences against each other."),
        _option("--tolerance", type=Ratio(), default=None, metavar="RATIO",
                help="Relative difference from what is expected that is tolerated (default 1e-5)."),
        _option("--expand", is_flag=True, default=None, help="Expand roots to their upstream gradients' shapes."),
    )  # fmt: skip
    return _apply(options, command)


def reports(command: Decorated) -> Decorated:
    """What a batch writes besides what it prints."""
    options = (
        _option("--junit", metavar="FILE", help="Write a report that CI systems read to FILE."),
        _option("--update", is_flag=True, help="Write the numbers found in place of those expected."),
        _option("-o", "--output", metavar="FILE", help="Write what would be printed to FILE."),
    )
    return _apply(options, command)


def display(command: Decorated) -> Decorated:
    """How to show a result; ``cli/shown.py`` reads it."""
    return _apply(_display("Only the gradients.", "More digits, every value, timings."), command)


def display_of_many(command: Decorated) -> Decorated:
    """How to show the results of a batch."""
    return _apply(_display("Only what does not pass.", "Whole results, with more digits."), command)


def _display(quiet: str, verbose: str) -> Sequence[Any]:
    return (
        _option("-f", "--format", "form", env=True, envvar="GRADCLI_FORMAT", type=click.Choice(FORMATS),
                default="text", show_default=True, help="How to print results."),
        _option("-p", "--precision", env=True, type=click.IntRange(1, 17), default=None,
                help="Significant digits (default 6, with -v 10)."),
        _option("--full", env=True, is_flag=True, help="Show long tensors whole."),
        _option("-q", "--quiet", env=True, is_flag=True, help=quiet),
        _option("-v", "--verbose", env=True, is_flag=True, help=verbose),
        *_COLOUR_AND_DEBUG,
    )  # fmt: skip


def plain_display(command: Decorated) -> Decorated:
    """For commands that print text only."""
    return _apply(_COLOUR_AND_DEBUG, command)


def files(command: Decorated) -> Decorated:
    """Where results go besides the terminal; each file is written whole or not at all."""
    options = (
        _option("-o", "--output", metavar="FILE", help="Write what would be printed to FILE."),
        _option("--save", metavar="FILE", help="Save values and gradients to FILE.npz or FILE.pt."),
    )
    return _apply(options, command)


_COLOUR_AND_DEBUG = (
    _option("--color", env=True, type=click.Choice(("auto", "always", "never")), default="auto",
            show_default=True, help="Colour; auto colours terminals."),
    _option("--debug", env=True, is_flag=True, help="Show a traceback when gradcli itself fails."),
)  # fmt: skip
