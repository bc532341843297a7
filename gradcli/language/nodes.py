"""The nodes of a program under construction: one node for one expression, with its canonical text."""

from __future__ import annotations

import math
from collections.abc import Callable

from gradcli.errors import Span
from gradcli.language import limits
from gradcli.language.echo import Echo, echo
from gradcli.language.program import Attr, Node

_FREE = frozenset(("number", "constant", "leaf", "stack"))
#: digits of exact fractions beyond which powers are refused
_EXACT_DIGITS = 5_000
Ratio = tuple[int, int]


class Nodes:
    """An append-only list of hash-consed nodes."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.echoes: list[Echo] = []
        self._ids: dict[object, int] = {}
        self._names: dict[int, str] = {}
        self._exact: dict[int, Ratio] = {}
        self._operations = 0
        self._echoed = 0

    def number(self, text: str, span: Span) -> int:
        """The node of a number as written, perhaps with a minus; ``True`` and ``False`` count."""
        value: Attr
        if text in ("True", "False"):
            value = text == "True"
        else:
            value = int(text) if text.lstrip("-").isdigit() else float(text)
        return self.add("number", (), (), (("value", value), ("text", text)), span)

    def add(
        self,
        op: str,
        args: tuple[int, ...],
        roles: tuple[str, ...],
        attrs: tuple[tuple[str, Attr], ...],
        span: Span,
        prefix: str = "",
    ) -> int:
        """The node of this operation, new or known.

        ``prefix`` (``torch.``) stands before a function's name in the text when the bare name would read
        back as one of the user's values.

        Raises:
            GradcliError: a limit is passed.
        """
        if op == "neg" and self.nodes[args[0]].op == "number":
            text = str(self.nodes[args[0]].attr("text"))
            if not text.startswith("-"):
                return self.number(f"-{text}", span)
        key = (op, args, roles, attrs, prefix)
        known = self._ids.get(key)
        if known is not None:
            return known
        if op not in _FREE:
            self._operations += 1
            limits.check_operations(self._operations, span)
        node = Node(len(self.nodes), op, args, roles, attrs, span)
        if op == "number" or op in _ARITHMETIC:
            self._note_exact(node)
        operands = [self._operand_echo(arg) for arg in args]
        length = self._echoed
        for operand in operands:
            length += len(operand.text)
        limits.check_echo(length, span)
        written = echo(op, roles, attrs, operands, prefix)
        self._echoed += len(written.text)
        self._ids[key] = node.id
        self.nodes.append(node)
        self.echoes.append(written)
        return node.id

    def name(self, node_id: int, name: str) -> None:
        """Let texts from here on write ``name`` for this node; numbers and leaves keep their own."""
        if self.nodes[node_id].op not in ("number", "constant", "leaf"):
            self._names.setdefault(node_id, name)

    def constant_value(self, node_id: int) -> int | float | None:
        """The number that a node of plain arithmetic stands for, or None."""
        node = self.nodes[node_id]
        if node.op == "number":
            value = node.attr("value")
            return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
        ratio = self._exact.get(node_id)
        if ratio is None:
            return None
        return ratio[0] if ratio[1] == 1 else ratio[0] / ratio[1]

    def _operand_echo(self, node_id: int) -> Echo:
        name = self._names.get(node_id)
        return self.echoes[node_id] if name is None else Echo(name)

    def _note_exact(self, node: Node) -> None:
        """Follow exact arithmetic, so that ``9**9**9`` is refused before anybody works it out."""
        if node.op == "number":
            value = node.attr("value")
            if isinstance(value, int):
                self._exact[node.id] = (value, 1)
            return
        if node.op == "pow" and node.args[1] in self._exact:
            exponent, below = self._exact[node.args[1]]
            if below == 1:
                limits.check_exponent(exponent, self.nodes[node.args[1]].span)
        exact = [self._exact[arg] for arg in node.args if arg in self._exact]
        if len(exact) < len(node.args):
            return
        ratio = _ARITHMETIC[node.op](*exact)
        if ratio is None:
            return
        shared = math.gcd(*ratio) * (-1 if ratio[1] < 0 else 1)
        ratio = ratio[0] // shared, ratio[1] // shared
        if ratio[1] == 1 or max(abs(ratio[0]), ratio[1]) >= 10**_EXACT_DIGITS:
            limits.check_constant(ratio[0] if ratio[1] == 1 else 10**_EXACT_DIGITS, node.span)
        self._exact[node.id] = ratio


def _power(base: Ratio, exponent: Ratio) -> Ratio | None:
    if exponent[1] != 1 or (base[0] == 0 and exponent[0] <= 0):
        return None
    above, below = base if exponent[0] >= 0 else base[::-1]
    times = abs(exponent[0])
    if times * max(above.bit_length(), below.bit_length()) > 4 * _EXACT_DIGITS:
        return 10**_EXACT_DIGITS, 1
    return above**times, below**times


_ARITHMETIC: dict[str, Callable[..., Ratio | None]] = {
    "neg": lambda a: (-a[0], a[1]),
    "add": lambda a, b: (a[0] * b[1] + b[0] * a[1], a[1] * b[1]),
    "sub": lambda a, b: (a[0] * b[1] - b[0] * a[1], a[1] * b[1]),
    "mul": lambda a, b: (a[0] * b[0], a[1] * b[1]),
    "div": lambda a, b: (a[0] * b[1], a[1] * b[0]) if b[0] else None,
    "floordiv": lambda a, b: ((a[0] * b[1]) // (a[1] * b[0]), 1) if b[0] else None,
    "pow": _power,
}
