"""From what a user gave to a :class:`~gradcli.problem.Problem`: the checks that flags, YAML and Python share.

Everything here happens before torch is loaded, so that a mistake answers at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError, GradcliErrors, Source, Span
from gradcli.problem import JacobianView, Problem, Upstream

if TYPE_CHECKING:
    from gradcli.language.program import Program
    from gradcli.values.tensors import Value

_NAMED = re.compile(r"\s*([^\W\d]\w*)\s*=(?!=)\s*(.*)", re.DOTALL)


def split_name(text: str) -> tuple[str | None, str]:
    """``a=1,2`` → (a, 1,2); a text that names nothing, such as ``rand(3, seed=0)``, → (None, text)."""
    found = _NAMED.fullmatch(text)
    return (found[1], found[2]) if found else (None, text)


def build_problem(
    program: str,
    inputs: Mapping[str, Value] | None = None,
    *,
    passes: Sequence[Upstream] = (),
    loss: str | None = None,
    of: str | None = None,
    wrt: Sequence[str] | None = None,
    zero_grad: bool = False,
    expand: bool = False,
    device: str = "cpu",
    dtype: str | None = None,
    jacobian: JacobianView = "auto",
    check: bool | None = None,
    name: str | None = None,
    title: str = "program",
) -> Problem:
    """Parse ``program`` (and ``loss``) and hold every name against it.

    ``inputs`` maps names to values that are already read; see
    :func:`gradcli.differentiate` for what the settings mean.  ``title`` names the
    program in errors.

    Raises:
        GradcliError: a text does not parse, a name is unknown or given twice, some leaves have a value and
            others none, or ``loss`` and ``passes`` are both there.  Several faults come as GradcliErrors.
    """
    from gradcli.language import parse

    values = _folded(inputs or {})
    parsed = parse(program, title=title, defined=frozenset(values))
    if loss is not None and passes:
        raise GradcliError(
            "an upstream gradient and a loss are both given",
            hint="keep --loss to have the gradient worked out, or --grad to give it",
        )
    measured = None if loss is None else parse(loss, title="--loss", defined=frozenset(values))
    statements = [statement.name for statement in parsed.statements]
    root = None if of is None else _known(of, statements, "--of", "statement")
    starts = [
        Upstream(None if one.of is None else _known(one.of, statements, "--grad", "statement"), one.value)
        for one in passes
    ]
    leaves = list(dict.fromkeys((*parsed.leaves, *_loss_leaves(measured, statements, parsed, values))))
    chosen = None if wrt is None else tuple(_known(one, [*leaves, *values], "--wrt", "leaf") for one in wrt)
    _check_missing(parsed, measured, leaves, values)
    return Problem(
        parsed,
        values,
        tuple(starts),
        zero_grad=zero_grad,
        loss=measured,
        of=root,
        wrt=chosen,
        expand=expand,
        device=device,
        dtype=dtype,
        jacobian=jacobian,
        check=check,
        name=name,
    )


def _folded(inputs: Mapping[str, Value]) -> dict[str, Value]:
    """Names as programs compare them; two spellings of one name are refused."""
    from gradcli.language import fold_name

    values: dict[str, Value] = {}
    for given, value in inputs.items():
        name = fold_name(given)
        if name in values:
            raise GradcliError(f"'{name}' is given twice", hint="give each input once")
        values[name] = value
    return values


def _known(given: str, known: Iterable[str], flag: str, kind: str) -> str:
    """The folded name when it is one of ``known``."""
    from gradcli.language import fold_name
    from gradcli.language.suggest import nearest

    choices = list(dict.fromkeys(known))
    name = fold_name(given)
    if name in choices:
        return name
    listed = ", ".join(choices[:12]) + (", …" if len(choices) > 12 else "")
    raise GradcliError(
        f"the program has no {kind} '{name}'",
        hint=nearest(name, choices) or (f"it has {listed}" if choices else "it has none"),
        source=Source(given, flag),
        span=Span(0, len(given)),
    )


def _loss_leaves(
    loss: Program | None, statements: Sequence[str], program: Program, values: Mapping[str, Value]
) -> list[str]:
    """The names that the loss reads from the inputs; those of statements are worked out by the program."""
    if loss is None:
        return []
    known = [*statements, *program.leaves, *values]
    for name in loss.leaves:
        if name not in known:
            from gradcli.language.suggest import nearest

            raise GradcliError(
                f"the loss speaks of '{name}', which is neither computed nor given",
                span=_place(loss, name),
                source=loss.source,
                hint=nearest(name, known) or f"give its value: -i {name}=1",
            )
    return [name for name in loss.leaves if name not in statements]


def _check_missing(program: Program, loss: Program | None, leaves: Sequence[str], values: Mapping[str, Value]) -> None:
    """Refuse some leaves with a value and others without (none at all are ones by default)."""
    missing = [name for name in leaves if name not in values]
    if not values or not missing:
        return
    flags = " ".join(f"-i {name}=…" for name in missing)
    errors = []
    for name in missing:
        owner = program if program.leaf_id(name) is not None or loss is None else loss
        errors.append(
            GradcliError(
                f"'{name}' has no value",
                span=_place(owner, name),
                source=owner.source,
                hint=f"add {flags}" if name == missing[-1] else None,
            )
        )
    raise errors[0] if len(errors) == 1 else GradcliErrors(errors)


def _place(program: Program, name: str) -> Span | None:
    at = program.leaf_id(name)
    return None if at is None else program.nodes[at].span


def read_passes(grad: Any, read: Any) -> tuple[Upstream, ...]:
    """Backward passes from Python or YAML.

    ``grad`` is None (one default pass), a value, a mapping ``{statement: value}`` or a
    list of such mappings, one a pass; a value of None is the default.  ``read`` turns
    ``(object, title)`` into a Value.
    """
    if grad is None:
        return ()
    several = grad if isinstance(grad, (list, tuple)) and grad and isinstance(grad[0], Mapping) else [grad]
    passes = []
    for one in several:
        if isinstance(one, Mapping):
            for of, value in one.items():
                passes.append(Upstream(str(of), None if value is None else read(value, f"grad of {of}")))
        else:
            passes.append(Upstream(None, read(one, "grad")))
    return tuple(passes)
