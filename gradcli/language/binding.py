"""Calls → parameters: which argument fills which parameter of a row, and the values of the static ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from gradcli.errors import GradcliError, Span
from gradcli.language import limits
from gradcli.language.constants import Lookup, NotConstant, constant, whole
from gradcli.language.program import Attr
from gradcli.language.refusals import ARGUMENTS
from gradcli.language.suggest import nearest
from gradcli.language.syntax import Argument, Call, Sequence, Tree, Word
from gradcli.ops import table
from gradcli.ops.row import Kind, Param, Row

#: spellings of one keyword in torch, NumPy and Python
_ALIASES = (
    {"dim", "dims", "axis", "axes"}, {"keepdim", "keepdims"}, {"shape", "size"}, {"correction", "ddof"},
    {"repeats", "reps"}, {"min", "a_min"}, {"max", "a_max"}, {"descending", "reverse"}, {"index", "indices"},
    {"p", "ord"},
)  # fmt: skip
Style = Literal["bare", "prefixed", "method", "internal"]
_FIRST = {"input", "self", "a"}
_WANTED = {
    "int": "a whole number", "ints": "a whole number or a tuple of them", "shape": "whole numbers",
    "pair": "a whole number or a pair of lists of them",
    "bool": "True or False", "number": "a number", "text": "a text in quotes",
}  # fmt: skip


class Bound(NamedTuple):
    """A call understood: its row, (role, operand) in the order of the signature, and the static values."""

    row: Row
    operands: tuple[tuple[str, Tree], ...]
    attrs: tuple[tuple[str, Attr], ...]


class Asked(NamedTuple):
    """A call as written.  ``receiver`` is x of ``x.sum()``; ``style`` says how the name was spelt."""

    row: Row
    call: Call
    name_span: Span
    receiver: Tree | None
    style: Style

    def fault(self, message: str, span: Span | None = None, hint: str | None = None) -> GradcliError:
        return GradcliError(message, span=span or self.name_span, hint=hint or f"usage: {self.row.usage}")


def bind(asked: Asked, lookup: Lookup) -> Bound:
    """Match the arguments of a call to the parameters of its row.

    Raises:
        GradcliError: an argument is missing, unknown, given twice, too many or of the wrong kind.
    """
    alone = _alone(asked)
    if alone is not None:
        return Bound(asked.row, ((asked.row.roles[0], alone),), asked.row.defaults)  # type: ignore[arg-type]
    overload = table.find(asked.row.overload) if asked.row.overload else None
    if overload is not None and _wants(overload, asked):
        return bind(asked._replace(row=overload), lookup)
    given = _assign(asked, lookup)
    operands: list[tuple[str, Tree]] = []
    attrs: list[tuple[str, Attr]] = []
    for param in asked.row.params:
        trees = given.get(param.name)
        if trees is None and param.required:
            raise asked.fault(f"{asked.row.name} needs {param.name}")
        if param.is_operand:
            operands += [(param.name, tree) for tree in _operands(asked, param, trees or [])]
        elif trees is None:
            attrs.append((param.name, param.default))  # type: ignore[arg-type]
        else:
            try:
                attrs.append((param.name, _static(asked, param, trees, lookup)))
            except _Mistaken as mistaken:
                if overload is None or not _takes(overload, asked):
                    raise mistaken.fault from None
                return bind(asked._replace(row=overload), lookup)
    _check_ambiguity(asked)
    return Bound(asked.row, tuple(operands), tuple(attrs))


def _alone(asked: Asked) -> Tree | None:
    """The one argument of a call such as ``log(x)``, of a function that takes one tensor and no more."""
    row, arguments = asked.row, asked.call.arguments
    if len(arguments) != 1 or len(row.params) != 1 or asked.receiver is not None or row.params[0].kind != "tensor":
        return None
    argument = arguments[0]
    return None if argument.keyword is not None or isinstance(argument.value, Word) else argument.value


def _wants(overload: Row, asked: Asked) -> bool:
    """Whether a keyword of the call is one that only ``overload`` has: ``max(a, other=b)``."""
    own = {param.name for param in asked.row.params}
    others = {param.name for param in overload.params} - own
    return any(argument.keyword in others for argument in asked.call.arguments)


def _takes(overload: Row, asked: Asked) -> bool:
    """Whether ``overload`` has all keywords of the call."""
    names = {param.name for param in overload.params}
    return all(argument.keyword is None or argument.keyword in names for argument in asked.call.arguments)


class _Mistaken(Exception):
    """A static parameter was given something else, perhaps because another row was meant."""

    def __init__(self, fault: GradcliError) -> None:
        super().__init__()
        self.fault = fault


def _assign(asked: Asked, lookup: Lookup) -> dict[str, list[Tree]]:
    """Parameter name → the trees given for it."""
    given: dict[str, list[Tree]] = {}
    params = list(asked.row.params)
    if asked.receiver is not None:
        own = next((p for p in params if p.kind == "tensor"), None)
        if own is None:
            raise asked.fault(f"{asked.row.name} is not a method")
        given[own.name] = [asked.receiver]
        params.remove(own)
    keywords: dict[str, Argument] = {}
    for argument in asked.call.arguments:
        if argument.keyword is not None:
            param = _named(asked, argument)
            if param.name in given or param.name in keywords:
                raise asked.fault(f"{asked.row.name} is given {param.name} twice", argument.span)
            keywords[param.name] = argument
    queue = [a.value for a in asked.call.arguments if a.keyword is None]
    for at, param in enumerate(params):
        if queue and param.name in keywords:
            raise asked.fault(f"{asked.row.name} is given {param.name} twice", keywords[param.name].span)
        if queue:
            later = sum(p.required and p.name not in keywords for p in params[at + 1 :])
            count = _share(param, queue, later, at + 1 == len(params), lookup)
            given[param.name], queue = queue[:count], queue[count:]
    if queue:
        most = len(asked.row.params)
        raise asked.fault(
            f"{asked.row.name} takes {_count(most)} and got {most + len(queue)}",
            queue[0].span,
            "write log(x)/log(2) for the logarithm to base 2" if asked.row.name == "log" else None,
        )
    given.update((name, [argument.value]) for name, argument in keywords.items())
    return given


def _count(most: int) -> str:
    return "no arguments" if most == 0 else "1 argument" if most == 1 else f"at most {most} arguments"


def _named(asked: Asked, argument: Argument) -> Param:
    keyword = argument.keyword or ""
    params = {p.name: p for p in asked.row.params}
    if keyword in params:
        return params[keyword]
    same = next((aliases for aliases in _ALIASES if keyword in aliases), set())
    for param in asked.row.params:
        if param.name in same or (keyword in _FIRST and param.kind == "tensor"):
            return param
    if keyword in ARGUMENTS:
        message, hint = ARGUMENTS[keyword]
        raise GradcliError(message, span=argument.span, hint=hint)
    near = nearest(keyword, params)
    raise asked.fault(
        f"{asked.row.name} has no argument called {keyword}",
        argument.span,
        f"{near} usage: {asked.row.usage}" if near else None,
    )


def _share(param: Param, queue: list[Tree], later: int, last: bool, lookup: Lookup) -> int:
    """How many of the positional arguments in ``queue`` go to ``param``."""
    if param.kind not in ("shape", "tensors"):
        return 1
    spare = max(1, len(queue) - later)
    if isinstance(queue[0], Sequence):
        several = param.kind == "tensors" and len(queue) > 1 and isinstance(queue[1], Sequence)
        return spare if several else 1
    if param.kind == "tensors" or last:
        return spare
    count = 1
    while count < spare and _is_whole(queue[count], lookup):
        count += 1
    return count


def _is_whole(tree: Tree, lookup: Lookup) -> bool:
    try:
        return whole(constant(tree, lookup))
    except (NotConstant, GradcliError):
        return False


def _operands(asked: Asked, param: Param, trees: list[Tree]) -> Iterable[Tree]:
    if param.kind == "tensors":
        if len(trees) == 1 and isinstance(trees[0], Sequence):
            trees = list(trees[0].items)
        if not trees:
            raise asked.fault(f"{asked.row.name} needs at least one tensor")
        return trees
    kept = [tree for tree in trees if not (isinstance(tree, Word) and tree.value is None)]
    if param.required and not kept:
        raise asked.fault(f"{asked.row.name} needs {param.name}", trees[0].span)
    return kept


def _static(asked: Asked, param: Param, trees: list[Tree], lookup: Lookup) -> Attr:
    span = Span(trees[0].span.start, trees[-1].span.end)
    wrong = asked.fault(f"{param.name} of {asked.row.name} is {_WANTED[param.kind]}, written out", span)
    try:
        values = [constant(tree, lookup) for tree in trees]
    except NotConstant:
        raise _Mistaken(wrong) from None
    value: Attr = values[0]
    if param.kind == "shape":
        value = value if len(values) == 1 and isinstance(value, tuple) else tuple(values)
    if value is None and param.default is None:
        return None
    if not _fits(param.kind, value):
        raise _Mistaken(wrong)
    if isinstance(value, tuple) and asked.row.kind is Kind.CONSTANT and not asked.row.operands:
        limits.check_elements(tuple(v for v in value if isinstance(v, int)), span)
    return value


def _fits(kind: str, value: Attr) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "text":
        return isinstance(value, str)
    if kind == "number":
        return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool))
    if kind == "pair" and isinstance(value, tuple):
        return len(value) == 2 and all(isinstance(side, tuple) and all(map(whole, side)) for side in value)
    if isinstance(value, tuple):
        return kind in ("ints", "shape") and all(whole(v) for v in value)
    return whole(value)


def _check_ambiguity(asked: Asked) -> None:
    """Refuse ``max(x, 0)``: torch reads 0 as an axis, Python as a number to compare with."""
    positional = [a.value for a in asked.call.arguments if a.keyword is None]
    if asked.style == "bare" and asked.row.overload and len(positional) > 1:
        name, place = asked.row.name, positional[1]
        raise GradcliError(
            f"{name}(x, k) can mean the {name} along axis k, or {asked.row.overload}(x, k)",
            span=place.span,
            hint=f"write {name}(x, dim=0) or {asked.row.overload}(x, 0)",
        )
