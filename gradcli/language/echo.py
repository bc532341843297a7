"""Canonical text: the expression with the fewest parentheses that reads back as the same nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gradcli.language.grammar import COMPARISON, MINUS, POWER, PRODUCT, SUM
from gradcli.language.program import Attr
from gradcli.ops import table
from gradcli.ops.row import Param, Row

_NUMBER, _PAIR, _ATOM = POWER + 1, POWER + 2, POWER + 3
_SIGNS = {
    "+": (" + ", SUM), "-": (" - ", SUM), "*": ("*", PRODUCT), "/": ("/", PRODUCT), "//": ("//", PRODUCT),
    "%": (" % ", PRODUCT), "@": (" @ ", PRODUCT), "**": ("**", POWER),
}  # fmt: skip
#: rows that give the values alone where torch gives a pair, and torch's name for the values
PAIRS = {
    **dict.fromkeys(("max", "min", "median", "sort", "topk", "kthvalue", "cummax", "cummin"), "values"),
    "slogdet": "logabsdet",
}


class Echo(NamedTuple):
    """A text and how tightly its outermost operation binds."""

    text: str
    tightness: int = _ATOM

    def within(self, tightness: int) -> str:
        """The text, in parentheses unless it binds at least as tightly as ``tightness``."""
        return self.text if self.tightness >= tightness else f"({self.text})"


def is_pair(op: str, attrs: Sequence[tuple[str, Attr]]) -> bool:
    """Whether torch would give a pair here: ``max`` along a dim, ``sort``, ..."""
    return op in PAIRS and all(value is not None for name, value in attrs if name == "dim")


def echo(
    op: str, roles: Sequence[str], attrs: Sequence[tuple[str, Attr]], args: Sequence[Echo], prefix: str = ""
) -> Echo:
    """The canonical text of one operation on operands whose texts are ``args``; ``prefix`` is for calls."""
    row = table.find(op)
    if row is not None and row.operator:
        return _infix(row.operator, *args) if len(args) == 2 else Echo(f"-{args[0].within(MINUS)}", MINUS)
    values = dict(attrs)
    if op == "number":
        text = str(values["text"])
        return Echo(text, MINUS if text.startswith("-") else _NUMBER)
    if op in ("leaf", "constant"):
        return Echo(str(values["name"]))
    if op == "index":
        return Echo(f"{args[0].within(_ATOM)}[{_index_text(values['index'])}]")
    if op == "stack" and values["dim"] == 0:
        return Echo(f"[{', '.join(arg.text for arg in args)}]")
    if op in ("t", "mT"):
        return Echo(f"{args[0].within(_ATOM)}.{'T' if op == 't' else 'mT'}")
    assert row is not None
    tightness = _PAIR if is_pair(op, attrs) else _ATOM
    return Echo(f"{prefix}{op}({', '.join(_arguments(row, roles, values, args))})", tightness)


def _infix(sign: str, left: Echo, right: Echo) -> Echo:
    spaced, level = _SIGNS.get(sign, (f" {sign} ", COMPARISON))
    if level == POWER:
        return Echo(f"{left.within(POWER + 1)}**{right.within(MINUS)}", POWER)
    loosest_left = level + 1 if level == COMPARISON else level
    return Echo(f"{left.within(loosest_left)}{spaced}{right.within(level + 1)}", level)


def _arguments(row: Row, roles: Sequence[str], values: dict[str, Attr], args: Sequence[Echo]) -> list[str]:
    """Operands and required values in order; from the first one left out on, by keyword."""
    parts: list[str] = []
    by_keyword = False
    keep_order = not row.operands and all(param.kind != "shape" for param in row.params)
    for at, param in enumerate(row.params):
        filled = [arg.text for role, arg in zip(roles, args, strict=True) if role == param.name]
        if param.is_operand:
            last = at + 1 == len(row.params)
            text = _operand_text(param, filled, last)
        elif values[param.name] == param.default:
            text = ""
        else:
            crowded = any(p.is_operand and p.name in roles for p in row.params[at + 1 :])
            text = attr_text(values[param.name], bare=param.kind == "shape" and not (crowded or by_keyword))
            by_keyword = by_keyword or not (param.required or keep_order)
        if not text:
            by_keyword = True
        else:
            parts.append(f"{param.name}={text}" if by_keyword else text)
    return parts


def _operand_text(param: Param, filled: list[str], last: bool) -> str:
    if param.kind != "tensors":
        return filled[0] if filled else ""
    unpacked = last and not any(text.startswith("[") for text in filled)
    return ", ".join(filled) if unpacked else f"[{', '.join(filled)}]"


def attr_text(value: Attr, bare: bool = False) -> str:
    """A static value as source text; ``bare`` leaves out the parentheses of a tuple."""
    if isinstance(value, tuple):
        items = ", ".join(attr_text(item) for item in value)
        if bare and value:
            return items
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, str):
        return f'"{value}"' if "'" in value else f"'{value}'"
    return repr(value)


def _index_text(index: Attr) -> str:
    assert isinstance(index, tuple)
    return ", ".join(_item_text(item) for item in index)


def _item_text(item: Attr) -> str:
    if isinstance(item, tuple):
        start, stop, step = ("" if part is None else str(part) for part in item[1:])
        return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"
    return str(item)
