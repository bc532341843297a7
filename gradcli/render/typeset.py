"""A program set in LaTeX, from its parsed nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.closed.notation.lettering import function
from gradcli.ops.table import find
from gradcli.render import tex

if TYPE_CHECKING:
    from gradcli.language.program import Attr, Node, Program

#: how tightly a piece binds: comparisons, sums, products, signs, powers, single things
COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)

SIGNS = {"gt": ">", "ge": r"\ge", "lt": "<", "le": r"\le", "eq": "=", "ne": r"\ne"}
ABOVE = {"t": r"\top", "mT": r"\top", "inv": "-1", "square": "2"}


def statements(program: Program) -> list[tuple[str, str]]:
    """Each statement's name and right-hand side in LaTeX."""
    return [(tex.name(one.name), _Setter(program, one.node).set(one.node)[0]) for one in program.statements]


def expression(program: Program) -> str:
    """The right-hand side of the root in LaTeX."""
    return statements(program)[-1][1]


class _Setter:
    """Sets one right-hand side; nodes that other statements named appear by their name."""

    def __init__(self, program: Program, own: int) -> None:
        self.nodes = program.nodes
        self.named = {one.node: one.name for one in program.statements if one.node != own}

    def set(self, at: int) -> tuple[str, int]:
        """LaTeX of node ``at`` and how tightly it binds."""
        node = self.nodes[at]
        if at in self.named:
            return tex.name(self.named[at]), ATOM
        if node.op == "leaf":
            return tex.name(str(node.attr("name"))), ATOM
        if node.op == "number":
            text = tex.value(str(node.attr("text")))
            return text, PRODUCT if "times" in text else ATOM
        if node.op == "constant":
            word = str(node.attr("name"))
            return r"\pi" if word == "pi" else tex.value(word) if word != "e" else "e", ATOM
        if node.op == "index":
            places = node.attr("index")
            below = ",".join(map(_place, places if isinstance(places, tuple) else (places,)))
            return f"{{{self._within(node.args[0], ATOM)}}}_{{{below}}}", ATOM
        return self._operation(node)

    def _within(self, at: int, level: int) -> str:
        """LaTeX of node ``at``, in parentheses when it binds less than ``level``."""
        text, binds = self.set(at)
        return text if binds >= level else rf"\left({text}\right)"

    def _operation(self, node: Node) -> tuple[str, int]:
        first, *rest = node.args or (-1,)
        op = node.op
        if op == "stack" and node.attr("dim") == 0:
            return self._list(node), ATOM
        if op in ("add", "sub"):
            sign = "+" if op == "add" else "-"
            return f"{self._within(first, SUM)} {sign} {self._within(rest[0], PRODUCT)}", SUM
        if op in ("mul", "matmul"):
            between = r" \cdot " if self.nodes[rest[0]].op == "number" else r" \, "
            return self._within(first, PRODUCT) + between + self._within(rest[0], POWER), PRODUCT
        if op == "div":
            return rf"\frac{{{self.set(first)[0]}}}{{{self.set(rest[0])[0]}}}", PRODUCT
        if op == "pow":
            return f"{self._within(first, ATOM)}^{{{self.set(rest[0])[0]}}}", POWER
        if op == "neg":
            return f"-{self._within(first, PRODUCT)}", SIGN
        if op in SIGNS:
            return f"{self._within(first, SUM)} {SIGNS[op]} {self._within(rest[0], SUM)}", COMPARISON
        if op in ABOVE:
            return f"{self._within(first, ATOM)}^{{{ABOVE[op]}}}", POWER
        return self._call(node), ATOM

    def _list(self, node: Node) -> str:
        rows = []
        for at in node.args:
            inner = self.nodes[at]
            nested = inner.op == "stack" and at not in self.named and inner.attr("dim") == 0
            rows.append(" & ".join(self.set(k)[0] for k in inner.args) if nested else self.set(at)[0])
        return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"

    def _call(self, node: Node) -> str:
        row = find(node.op)
        defaults = {param.name: param.default for param in row.statics} if row else {}
        parts = [self.set(at)[0] for at in node.args]
        parts += [
            rf"\mathrm{{{tex.words(key)}}}{{=}}{_attribute(value)}"
            for key, value in node.attrs
            if key not in defaults or defaults[key] != value
        ]
        return function(node.op, parts)


def _place(place: Attr) -> str:
    """One index: a number, ``a:b``, an ellipsis or a new axis."""
    if isinstance(place, tuple):
        start, stop, step = ("" if part is None else str(part) for part in place[1:])
        return f"{start}{{:}}{stop}" + (f"{{:}}{step}" if step else "")
    return r"\ldots" if place == "..." else r"\cdot" if place is None else str(place)


def _attribute(value: Attr) -> str:
    if isinstance(value, tuple):
        return "(" + ",".join(map(_attribute, value)) + ")"
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return rf"\text{{{tex.words(str(value))}}}"
    return tex.value(str(value))
