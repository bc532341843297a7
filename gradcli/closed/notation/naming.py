"""Names in formulas: leaves, statements, short source texts, aliases with a legend, index letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gradcli.closed.graph import SHORT, Graph
from gradcli.closed.index import Var
from gradcli.result import Alias


@dataclass
class Naming:
    """What each node and index is called in one problem's formulas; aliases appear as they are used."""

    graph: Graph
    aliases: dict[int, str] = field(default_factory=dict)

    def name(self, of: int | str) -> str:
        """A leaf's or statement's name, a short source text, or an alias."""
        if isinstance(of, str):
            # the adjoint of a node, ḡ and its id, is written with the node's name
            return f"{of[0]}{self.word(int(of[1:]))}" if of[1:].isdigit() else of
        graph = self.graph
        node = graph.nodes[of]
        if of in graph.names and (of != graph.root or graph.speaks_of(of)):
            return graph.names[of]
        if len(node.text) <= SHORT and of not in self.aliases:
            return node.text
        if of not in self.aliases:
            self.aliases[of] = self._free_alias()
        return self.aliases[of]

    def word(self, of: int) -> str:
        """A name that can be part of a longer one: a word, or an alias."""
        name = self.name(of)
        if name.isidentifier():
            return name
        if of not in self.aliases:
            self.aliases[of] = self._free_alias()
        return self.aliases[of]

    def is_word(self, of: int | str) -> bool:
        """Whether the name is a word or a call, so that it needs no parentheses."""
        name = self.name(of)
        return name.isidentifier() or is_call(name)

    def _free_alias(self) -> str:
        taken = set(self.graph.names.values())
        k = len(self.aliases) + 1
        while f"t{k}" in taken:
            k += 1
        return f"t{k}"

    def legend(self) -> tuple[Alias, ...]:
        """Aliases that formulas used, with their source texts, in program order."""
        return tuple(Alias(self.aliases[id], self.graph.nodes[id].text) for id in sorted(self.aliases))

    def letters(self, out: Sequence[Var], at: Sequence[Var]) -> dict[Var, str]:
        """Index letters of the free variables: i, j; i1, i2, …, where there are several."""
        taken = set(self.graph.names.values()) | {"g"}
        return {**_numbered("i", out, taken), **_numbered("j", at, taken)}

    def bound(self, variables: Sequence[Var], letters: dict[Var, str]) -> dict[Var, str]:
        """Letters of bound variables: k, l, m, …"""
        taken = set(self.graph.names.values()) | set(letters.values()) | {"g"}
        free = (x for x in [*"klmnpqrstuvw", *(f"k{n}" for n in range(1, 999))] if x not in taken)
        return {**letters, **{v: next(free) for v in variables}}


def _numbered(letter: str, variables: Sequence[Var], taken: set[str]) -> dict[Var, str]:
    while letter in taken or any(f"{letter}{k + 1}" in taken for k in range(len(variables))):
        letter += "'"
    if len(variables) == 1:
        return {variables[0]: letter}
    return {v: f"{letter}{k + 1}" for k, v in enumerate(variables)}


def is_call(text: str) -> bool:
    """Whether ``text`` is one call, ``name(…)``, from its first to its last sign."""
    name, paren, rest = text.partition("(")
    if not paren or not name.replace(".", "").isidentifier() or not rest.endswith(")"):
        return False
    depth = 1
    for k, sign in enumerate(rest):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return k == len(rest) - 1
    return False
