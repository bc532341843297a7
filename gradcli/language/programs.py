"""Whole texts: the statements of a program, and the one expression of a value."""

from __future__ import annotations

from gradcli.errors import GradcliError, Source, Span
from gradcli.language import limits
from gradcli.language.build import Builder
from gradcli.language.program import Program, Statement
from gradcli.language.scope import Scope
from gradcli.language.statements import StatementParser
from gradcli.language.syntax import Compare, Line, Name, ungroup
from gradcli.language.tokens import tokenize
from gradcli.language.wording import shown


def parse(
    text: str, *, title: str = "program", defined: frozenset[str] = frozenset(), internal: bool = False
) -> Program:
    """The program that ``text`` means; nothing is evaluated.

    Args:
        text: statements separated by ``;`` or newlines.
        title: the words that name the text in errors.
        defined: names of the inputs that are given, which win over constants and functions.
        internal: whether rows that are not for users may be called.

    Raises:
        GradcliError: the first fault, with its place in ``text``.
    """
    source = Source(text, title)
    try:
        limits.check_length(text, limits.PROGRAM_LENGTH)
        lines = StatementParser(text, tokenize(text)).lines()
        if not lines:
            raise GradcliError("the program is empty", span=Span(0, 1), hint="write an expression: x**2")
        builder = Builder(text, Scope(lines, defined), internal=internal)
        statements = _Statements(builder, lines).build()
        return _program(source, builder, statements)
    except GradcliError as error:
        raise _placed(error, source) from None
    except RecursionError:
        raise _placed(_too_deep(), source) from None


def parse_value(text: str, *, title: str = "value") -> Program:
    """The value that ``text`` means, as a program without leaves whose root is called ``value``.

    ``1,2,3`` is short for ``[1,2,3]``.

    Raises:
        GradcliError: the first fault, with its place in ``text``.
    """
    source = Source(text, title)
    try:
        limits.check_length(text, limits.VALUE_LENGTH)
        tokens = tokenize(text)
        if all(token.kind in ("break", "end") for token in tokens):
            raise GradcliError("the value is empty", span=Span(0, 1), hint="write a number or a list: 1,2,3")
        tree = StatementParser(text, tokens).value()
        builder = Builder(text, Scope([], frozenset()), leaves=False)
        node = builder.build(tree, masks=True)
        return _program(source, builder, [Statement("value", node, tree.span, given=False)])
    except GradcliError as error:
        raise _placed(error, source) from None
    except RecursionError:
        raise _placed(_too_deep(), source) from None


class _Statements:
    """Names the lines of a program one after the other."""

    def __init__(self, builder: Builder, lines: list[Line]) -> None:
        self.builder = builder
        self.scope = builder.scope
        self.lines = lines
        self.statements: list[Statement] = []

    def build(self) -> list[Statement]:
        for line in self.lines:
            if line.target is not None and line.element is not None:
                self._element(line.target, line.element, line)
            elif line.target is not None:
                self._assign(line.target, line)
            else:
                self._bare(line)
        return self.statements

    def _assign(self, name: str, line: Line) -> None:
        node = self.builder.build(line.value)
        if name in self.scope.vectors and name not in self.scope.assigned:
            raise GradcliError(
                f"{name} is assigned whole here and element by element later",
                span=line.span,
                hint="give the two different names",
            )
        self._name(self.scope.new_name(name), node, line.span)
        self.scope.assigned[name] = node

    def _name(self, name: str, node: int, span: Span, given: bool = True) -> None:
        self.statements.append(Statement(name, node, span, given))
        self.builder.nodes.name(node, name)

    def _element(self, name: str, element: int, line: Line) -> None:
        node = self.builder.build(line.value)
        self.scope.check_element(name, line.span)
        vector = self.scope.vectors[name]
        vector.elements[element] = node
        vector.places[element] = line.value.span
        if len(vector.elements) == vector.size:
            items = [vector.elements[k] for k in range(vector.size)]
            places = [vector.places[k] for k in range(vector.size)]
            node = self.builder.stack(items, places, line.span)
            self._name(self.scope.new_name(name), node, line.span)
            self.scope.assigned[name] = node

    def _bare(self, line: Line) -> None:
        last = self.statements[-1].node if self.statements else None
        value = ungroup(line.value)
        if isinstance(value, Name) and self.scope.assigned.get(value.name, -1) == last:
            return
        node = self.builder.build(line.value)
        if line is not self.lines[-1]:
            raise GradcliError(
                f"the value of '{shown(line.span, self.builder.text)}' is not used",
                span=line.span,
                hint="name it, t = ..., or make it the last line",
            )
        if not self.builder.internal and isinstance(line.value, Compare) and "==" in line.value.signs:
            raise GradcliError(
                f"'{shown(line.span, self.builder.text)}' is true or false, which has no derivative",
                span=line.span,
                hint="to name a value write one '=': y = x**2",
            )
        self._name(self.scope.root_name(), node, line.span, given=False)


def _program(source: Source, builder: Builder, statements: list[Statement]) -> Program:
    nodes = tuple(builder.nodes.nodes)
    return Program(
        source=source,
        nodes=nodes,
        statements=tuple(statements),
        leaves=tuple(str(node.attrs[0][1]) for node in nodes if node.op == "leaf"),
        echoes=tuple(echo.text for echo in builder.nodes.echoes),
    )


def _placed(error: GradcliError, source: Source) -> GradcliError:
    """``error`` with the text that its span points into, kept inside that text."""
    if error.source is None:
        error.source = source
    return error


def _too_deep() -> GradcliError:
    return GradcliError(
        f"the expression is nested more than {limits.DEPTH} deep",
        hint="name the inner parts: t = ...; y = f(t)",
    )
