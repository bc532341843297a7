"""What names mean: leaves, statements, constants, and vectors built element by element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gradcli.errors import GradcliError, Span
from gradcli.language import names
from gradcli.language.syntax import Attribute, Call, Line, Name, Tree, children


def dotted(tree: Tree) -> list[Name | Attribute] | None:
    """The links of a plain dotted path, ``a.b.c``, first to last; None for anything else."""
    links: list[Name | Attribute] = []
    while isinstance(tree, Attribute):
        links.append(tree)
        tree = tree.of
    if not isinstance(tree, Name):
        return None
    return [tree, *links[::-1]]


def prefix_of(tree: Attribute) -> str | None:
    """``torch.nn.functional`` of ``torch.nn.functional.relu``; None when that is no known prefix."""
    links = dotted(tree.of)
    prefix = ".".join(link.name for link in links) if links else ""
    return prefix if prefix in names.PREFIXES else None


class Vector(NamedTuple):
    """``y[0] = …; y[1] = …``: elements until all of ``size`` are there."""

    size: int
    elements: dict[int, int]
    places: dict[int, Span]


class Scope:
    """The names of one program.

    A first pass over all lines settles which names are leaves and which are taken, so that new names
    never collide with later ones.
    """

    def __init__(self, lines: list[Line], defined: frozenset[str]) -> None:
        self.defined = defined
        self.leaves: set[str] = set()
        #: constants that stand before an assignment of their name
        self.used: set[str] = set()
        self.taken: set[str] = set(defined)
        self.assigned: dict[str, int] = {}
        self.vectors: dict[str, Vector] = {}
        self.statements: set[str] = set()
        self.targets = {line.target for line in lines if line.target}
        self.taken |= self.targets
        done: set[str] = set()
        for line in lines:
            for name in map(self.meant, _values(line.value, defined | self.targets)):
                self.taken.add(name)
                if name not in done:
                    (self.leaves if self.constant(name) is None else self.used).add(name)
            if line.target:
                done.add(line.target)
        self._count_elements(lines)

    def _count_elements(self, lines: list[Line]) -> None:
        elements: dict[str, dict[int, Line]] = {}
        for line in lines:
            if line.target is None or line.element is None:
                continue
            seen = elements.setdefault(line.target, {})
            if line.element in seen:
                raise GradcliError(
                    f"{line.target}[{line.element}] is assigned twice",
                    span=line.span,
                    hint="each element of a vector is assigned once",
                )
            seen[line.element] = line
        for name, seen in elements.items():
            missing = next((k for k in range(len(seen)) if k not in seen), None)
            if missing is not None:
                last = seen[max(seen)]
                raise GradcliError(
                    f"{name}[{missing}] is missing: {name} is built up to {name}[{max(seen)}]",
                    span=last.span,
                    hint=f"assign {name}[0], {name}[1], ... without a gap",
                )
            self.vectors[name] = Vector(len(seen), {}, {})

    def constant(self, name: str) -> str | None:
        """``name`` when it is pi, e, inf or nan and no input; a statement of that name comes before it."""
        return name if name in names.CONSTANTS and name not in self.defined else None

    def meant(self, name: str) -> str:
        """The name that ``name`` stands for: π is pi unless an input or a statement is called π."""
        return "pi" if name == "π" and name not in self.defined | self.targets else name

    def is_value(self, name: str) -> bool:
        """Whether ``name`` is an input, a leaf or assigned by now."""
        return name in self.defined or name in self.leaves or name in self.assigned

    def check_element(self, name: str, span: Span) -> None:
        """Refuse ``x[0] = …`` when x already has a value of its own."""
        if self.is_value(name):
            raise GradcliError(
                f"{name} already has a value, and its elements cannot be changed",
                span=span,
                hint="build the new vector under a name of its own",
            )

    def check_complete(self, name: str, span: Span) -> None:
        """Refuse the use of a vector some of whose elements are still to come."""
        vector = self.vectors.get(name)
        if vector is None or name in self.assigned:
            return
        missing = next(k for k in range(vector.size) if k not in vector.elements)
        if not vector.elements:
            message = f"{name} is used here, and built element by element later"
            hint = "move this line down, or give the vector another name"
        else:
            message = f"{name} is not complete here: {name}[{missing}] is assigned later"
            hint = f"use its elements, {name}[{min(vector.elements)}], or move this line down"
        raise GradcliError(message, span=span, hint=hint)

    def new_name(self, name: str) -> str:
        """The name of a new statement: ``name``, or x2, x3, … when that is taken by a leaf or statement."""
        unique, count = name, 1
        reserved = self.statements | self.leaves | self.used
        while unique in reserved or (count > 1 and unique in self.taken):
            count += 1
            unique = f"{name}{count}"
        self.statements.add(unique)
        return unique

    def root_name(self) -> str:
        """The name of a last line without one: ``y``, or ``y_`` when the program uses y."""
        name = "y"
        while name in self.taken:
            name += "_"
        return name


def _values(tree: Tree, values: frozenset[str] | set[str]) -> Iterator[str]:
    """The names in ``tree`` that stand for values; ``values`` are those known to be so."""
    stack = [tree]
    while stack:
        tree = stack.pop()
        if isinstance(tree, Name):
            yield tree.name
        elif isinstance(tree, Call):
            function = tree.function
            if isinstance(function, Attribute) and not _has_prefix(function, values):
                stack.append(function.of)
            elif not isinstance(function, (Name, Attribute)):
                stack.append(function)
            stack += [argument.value for argument in tree.arguments]
        elif not (isinstance(tree, Attribute) and tree.name not in ("T", "mT") and _has_prefix(tree, values)):
            stack += children(tree)


def _has_prefix(tree: Attribute, values: frozenset[str] | set[str]) -> bool:
    links = dotted(tree)
    return prefix_of(tree) is not None and links is not None and links[0].name not in values
