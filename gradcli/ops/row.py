"""What one row of the operation table holds.

A row is data.  It names torch's callable, never imports it, so the table costs
nothing to load and the parser can use it as its whitelist.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property


class Kind(Enum):
    """How closed forms treat an operation."""

    ELEMENTWISE = "elementwise"  #: inlined as a scalar expression; ``slopes`` give the derivative
    VIEW = "view"  #: inlined as a map on indices (``closed/views.py``)
    OPAQUE = "opaque"  #: kept as a name, with a local Jacobian rule (``closed/rules``)
    CONSTANT = "constant"  #: no derivative: comparisons, generators, index-valued operations
    COMPOSITE = "composite"  #: rewritten into other rows by ``expansion`` before deriving


#: kinds of parameter: the first four are operands (nodes), the rest static values
OPERANDS = ("tensor", "tensors", "index", "mask")
STATIC = ("int", "ints", "pair", "shape", "bool", "number", "text")


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter: ``kind`` is one of OPERANDS or STATIC; ``default`` is Ellipsis when required."""

    name: str
    kind: str
    default: object

    @property
    def required(self) -> bool:
        return self.default is ...

    @property
    def is_operand(self) -> bool:
        return self.kind in OPERANDS


_DEFAULTS: dict[str, object] = {"None": None, "True": True, "False": False}


def _param(text: str) -> Param:
    head, _, default = (part.strip() for part in text.partition("="))
    name, _, kind = (part.strip() for part in head.partition(":"))
    value: object = ...
    if default:
        if default in _DEFAULTS:
            value = _DEFAULTS[default]
        elif default.startswith("'"):
            value = default.strip("'")
        else:
            value = float(default) if any(c in default for c in ".e") else int(default)
    return Param(name, kind or "tensor", value)


@dataclass(frozen=True)
class Row:
    """One operation.

    Attributes:
        name: the name users write and that texts print.
        signature: parameters, ``name: kind = default``; kind is ``tensor`` when left out.
        doc: one line of help, starting with a verb or noun, no full stop.
        torch: dotted name of the callable that is called with the operands and
            attributes by parameter name order (``numeric/calls.py`` holds the few adaptors,
            written ``calls.NAME``).
        kind: see :class:`Kind`.
        synonyms: other spellings that mean the same.
        slopes: for elementwise rows, parameter → ∂y/∂parameter in gradcli's own language,
            in terms of the parameters and of ``y``, the row's own output; ``{name}`` stands for the
            value of a static parameter.
        missing: for optional operands, parameter → the constant it counts as when left out.
        overload: the row that is meant when an operand stands where this row wants a static value
            (``max(a, b)`` is ``maximum``).
        expansion: for composite rows, the program text that it means, in terms of the parameters.
        kinks: expressions of the parameters that are 0 where the slope jumps.
        domain: condition on the parameters under which the value is real, e.g. ``x > 0``.
        sample: open interval, or several separated by ``|``, that tests draw arguments from.
        safe: a spelling that avoids overflow or NaN, for the notes.
        internal: not for users; closed forms use it.
        prints: for internal rows, how the closed form is written (language text of the parameters).
        operator: the infix or prefix sign, for arithmetic and comparisons.
        section: heading under which help lists it.
    """

    name: str
    signature: str
    doc: str
    torch: str
    kind: Kind = Kind.ELEMENTWISE
    synonyms: tuple[str, ...] = ()
    slopes: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    overload: str = ""
    expansion: str = ""
    kinks: tuple[str, ...] = ()
    domain: str = ""
    sample: str = "(-2, 2)"
    safe: str = ""
    internal: bool = False
    prints: str = ""
    operator: str = ""
    section: str = ""
    latex: str = ""

    @cached_property
    def params(self) -> tuple[Param, ...]:
        """The parameters in order."""
        return tuple(_param(part) for part in self.signature.split(",") if part.strip())

    @cached_property
    def operands(self) -> tuple[Param, ...]:
        return tuple(p for p in self.params if p.is_operand)

    @cached_property
    def statics(self) -> tuple[Param, ...]:
        return tuple(p for p in self.params if not p.is_operand)

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The names of the operands in order."""
        return tuple(p.name for p in self.operands)

    @cached_property
    def defaults(self) -> tuple[tuple[str, object], ...]:
        """The static parameters with their defaults, in order."""
        return tuple((p.name, p.default) for p in self.statics)

    @property
    def usage(self) -> str:
        """``sum(x, dim=None, keepdim=False)``: how to call it, for help and errors."""
        parts = [p.name if p.required else f"{p.name}={p.default!r}" for p in self.params]
        return f"{self.name}({', '.join(parts)})"
