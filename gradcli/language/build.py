"""Syntax trees → nodes: names, functions and methods get their meaning here."""

from __future__ import annotations

from gradcli.errors import GradcliError, Span
from gradcli.language import indexing, limits, lists, wording
from gradcli.language.binding import Asked, bind
from gradcli.language.constants import MATHS
from gradcli.language.echo import PAIRS, is_pair
from gradcli.language.meaning import Functions
from gradcli.language.nodes import Nodes
from gradcli.language.scope import Scope
from gradcli.language.syntax import (
    Attribute,
    Binary,
    Call,
    Compare,
    Index,
    Minus,
    Name,
    Number,
    Sequence,
    Text,
    Tree,
    Word,
    spine,
    ungroup,
)
from gradcli.ops import table
from gradcli.ops.row import Row

#: trees inside one another: brackets, and links of chains such as x.exp().sum()
_TREE_DEPTH = 2 * limits.DEPTH


class Builder:
    """Turns the trees of one program into nodes.

    Args:
        text: the program, for messages.
        scope: what its names mean.
        internal: whether rows that are not for users may be called.
        leaves: whether names may be leaves; False for the text of a value.
    """

    def __init__(self, text: str, scope: Scope, *, internal: bool = False, leaves: bool = True) -> None:
        self.text = text
        self.scope = scope
        self.nodes = Nodes()
        self.functions = Functions(text, scope, internal)
        self.internal = internal
        self.leaves = leaves
        self.depth = 0

    def build(self, tree: Tree, masks: bool = False) -> int:
        """The node of ``tree``; ``masks`` tells that True and False are welcome.

        Raises:
            GradcliError: something in it has no meaning here.
        """
        tree = ungroup(tree)
        self.depth += 1
        if self.depth > _TREE_DEPTH:
            limits.check_depth(self.depth, tree.span)
        node = self._build(tree, masks)
        self.depth -= 1
        return node

    def _build(self, tree: Tree, masks: bool) -> int:
        if isinstance(tree, Name):
            return self._name(tree)
        if isinstance(tree, Number):
            return self.nodes.number(tree.text, tree.span)
        if isinstance(tree, Binary):
            return self._chain(tree)
        if isinstance(tree, Call):
            return self._call(tree)
        if isinstance(tree, Minus):
            return self._minus(tree.operand, tree.span)
        if isinstance(tree, Compare):
            return self._compare(tree)
        if isinstance(tree, Sequence):
            return self._list(tree)
        if isinstance(tree, Index):
            return self._index(tree)
        if isinstance(tree, Attribute):
            return self._attribute(tree)
        if isinstance(tree, Word) and isinstance(tree.value, bool) and masks:
            return self.nodes.number(str(tree.value), tree.span)
        raise _no_number(tree, self.text)

    def _name(self, tree: Name) -> int:
        name, span = self.scope.meant(tree.name), tree.span
        self.scope.check_complete(name, span)
        if name in self.scope.assigned:
            return self.scope.assigned[name]
        constant = self.scope.constant(name)
        if constant is not None:
            return self.nodes.add("constant", (), (), (("name", constant),), span)
        if not self.leaves:
            raise self.functions.name_in_value(tree)
        return self.nodes.add("leaf", (), (), (("name", name),), span)

    def number_named(self, name: str) -> int | float | None:
        """The number that ``name`` stands for, when it is a constant."""
        name = self.scope.meant(name)
        if name in self.scope.assigned:
            return self.nodes.constant_value(self.scope.assigned[name])
        return MATHS.get(self.scope.constant(name) or "")

    def _operation(self, row: Row, args: tuple[int, ...], span: Span) -> int:
        return self.nodes.add(row.name, args, row.roles, row.defaults, span, self._prefix(row))  # type: ignore[arg-type]

    def _prefix(self, row: Row) -> str:
        called = not row.operator and row.name not in ("t", "mT")
        return "torch." if called and self.scope.is_value(row.name) else ""

    def _sign(self, sign: str, args: tuple[int, ...], span: Span) -> int:
        return self._operation(_ROWS[sign], args, span)

    def _minus(self, operand: Tree, span: Span) -> int:
        inner = ungroup(operand)
        if isinstance(inner, Number) and not inner.text.startswith("-"):
            return self.nodes.number(f"-{inner.text}", span)
        return self._operation(_row("neg"), (self.build(operand),), span)

    def _chain(self, tree: Binary) -> int:
        first, steps = spine(tree)
        node = self.build(first)
        for step in steps:
            node = self._sign(step.sign, (node, self.build(step.right)), step.span)
        return node

    def _compare(self, tree: Compare) -> int:
        sides = [self.build(tree.sides[0])]
        result: int | None = None
        for sign, side in zip(tree.signs, tree.sides[1:], strict=True):
            sides.append(self.build(side))
            one = self._sign(sign, (sides[-2], sides[-1]), tree.span)
            result = one if result is None else self._operation(_row("logical_and"), (result, one), tree.span)
        assert result is not None
        return result

    def _list(self, tree: Sequence) -> int:
        if not tree.items:
            raise GradcliError("an empty list has no elements", span=tree.span, hint="write at least one: [0]")
        items = [self.build(item, masks=True) for item in tree.items]
        return self.stack(items, [item.span for item in tree.items], tree.span)

    def stack(self, items: list[int], places: list[Span], span: Span) -> int:
        """The node of ``[…]``, a new first axis; ``places`` are the spans of the items."""
        lists.check(self.nodes.nodes, items, places)
        role = _row("stack").params[0].name
        return self.nodes.add("stack", tuple(items), (role,) * len(items), (("dim", 0),), span)

    def _index(self, tree: Index) -> int:
        index = indexing.read(tree, self.number_named)
        of = tree.of
        if isinstance(of, Name):
            element = self._element(of, index[0])
            if element is not None:
                rest = index[1:]
                return self._indexed(element, rest, tree.span) if rest else element
        base = self.build(of)
        node = self.nodes.nodes[base]
        if isinstance(of, Call) and is_pair(node.op, node.attrs):
            raise wording.pair(node.op, tree, self.text)
        if node.op in ("number", "constant"):
            raise GradcliError("a number has no elements", span=tree.span, hint="an index stands after a tensor: x[0]")
        return self._indexed(base, index, tree.span)

    def _indexed(self, base: int, index: indexing.Items, span: Span) -> int:
        return self.nodes.add("index", (base,), ("x",), (("index", index),), span)

    def _element(self, of: Name, place: object) -> int | None:
        """The element of a vector that is still being built, or None."""
        vector = self.scope.vectors.get(of.name)
        if vector is None or of.name in self.scope.assigned:
            return None
        if not isinstance(place, int) or place not in vector.elements:
            self.scope.check_complete(of.name, of.span)
        return vector.elements[place] if isinstance(place, int) else None

    def _attribute(self, tree: Attribute) -> int:
        constant = self.functions.prefixed_constant(tree)
        if constant is not None:
            return self.nodes.add("constant", (), (), (("name", constant),), tree.span)
        if tree.name in ("T", "mT"):
            return self._operation(_row(tree.name), (self.build(tree.of),), tree.span)
        if isinstance(ungroup(tree.of), Call) and tree.name in PAIRS.values():
            node = self.nodes.nodes[self.build(tree.of)]
            if is_pair(node.op, node.attrs) and PAIRS[node.op] == tree.name:
                return node.id
        raise self.functions.bad_attribute(tree)

    def _call(self, tree: Call) -> int:
        asked = self.functions.asked(tree)
        if asked is None:
            if isinstance(tree.function, Call):
                self.build(tree.function)
            raise wording.missing_multiplication(tree, self.text)
        return self._apply(asked)

    def _apply(self, asked: Asked) -> int:
        bound = bind(asked, self.number_named)
        row, span = bound.row, asked.call.span
        if row.name == "neg":
            return self._minus(bound.operands[0][1], span)
        masks = {param.name for param in row.params if param.kind == "mask"}
        args = tuple(self.build(tree, masks=role in masks) for role, tree in bound.operands)
        roles = tuple(role for role, _ in bound.operands)
        if row.name == "stack":
            lists.check(self.nodes.nodes, args, [tree.span for _, tree in bound.operands])
        return self.nodes.add(row.name, args, roles, bound.attrs, span, self._prefix(row))


def _row(name: str) -> Row:
    row = table.find(name)
    assert row is not None, name
    return row


#: sign → the row that it means between two operands
_ROWS = {sign: _row(name) for sign, name in table.OPERATORS.items()}


def _no_number(tree: Tree, text: str) -> GradcliError:
    shown = wording.shown(tree.span, text)
    if isinstance(tree, Text):
        hint = "names and numbers are written without quotes"
        return GradcliError("a string is not part of an expression", span=tree.span, hint=hint)
    if isinstance(tree, Word) and isinstance(tree.value, bool):
        return GradcliError(f"{shown} is not a number", span=tree.span, hint=f"write {int(tree.value)}")
    return GradcliError(f"{shown} stands only inside an index", span=tree.span, hint="write x[..., None]")
