"""Names in formulas: leaves, statements, short source texts, aliases with a legend, index letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gradcli.closed.derivation import UPSTREAM, Derivation
from gradcli.closed.graph import SHORT, Graph
from gradcli.closed.index import Var
from gradcli.closed.rewriting import walk
from gradcli.closed.scalar import Elt, Expr
from gradcli.closed.views import Shape
from gradcli.result import Alias

#: marks the adjoint of a node, in names and, with its id, as an atom
MARK = "ḡ"
#: a source text is repeated in a formula up to this many characters in all
REPEATED = 40
#: and never longer than this
LONGEST = 30


@dataclass
class Naming:
    """What each node and index is called in one problem's formulas; aliases appear as they are used.

    ``uses`` tells how often the formula that speaks of a node most does so.
    """

    graph: Graph
    uses: Mapping[int, int] = field(default_factory=dict)
    aliases: dict[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, derivation: Derivation) -> Naming:
        """Names for all formulas of a derivation."""
        uses: Counter[int] = Counter()
        for leaf in derivation.leaves.values():
            for terms in (leaf.jacobian, leaf.gradient):
                uses |= Counter(of for term in terms or () for of in _spoken_of(term.coefficient))
        return cls(derivation.graph, uses)

    @cached_property
    def taken(self) -> frozenset[str]:
        """Names of leaves and statements."""
        return frozenset(self.graph.names.values())

    @cached_property
    def keywords(self) -> frozenset[str]:
        """Letters that name an argument in a source text, as in topk(x, k=2)."""
        texts = (node.text for node in self.graph.nodes)
        return frozenset(letter for text in texts for letter in re.findall(r"\b([a-z])=", text))

    @cached_property
    def upstream(self) -> str:
        """The upstream gradient's letter: g, or another where the program has a g of its own."""
        return upstream_letter(self.taken)

    def name(self, of: int | str) -> str:
        """A leaf's or statement's name, a short source text, or an alias."""
        if isinstance(of, str):
            if of == UPSTREAM:
                return self.upstream
            # the adjoint of a node is written with the node's name
            return MARK + self.word(int(of[1:])) if of[0] == MARK else of
        if self.is_given(of):
            return self.graph.names[of]
        return self.aliases[of] if self.is_aliased(of) else self.graph.nodes[of].text

    def is_given(self, of: int) -> bool:
        """Whether the node is a leaf or a statement that formulas call by its name."""
        return of in self.graph.names and (of != self.graph.root or self.graph.speaks_of(of))

    def is_aliased(self, of: int) -> bool:
        """Whether the node is called by a short name of ours."""
        if of not in self.aliases:
            length = len(self.graph.nodes[of].text)
            if length <= SHORT or (length <= LONGEST and length * self.uses.get(of, 1) <= REPEATED):
                return False
            self._give_alias(of)
        return True

    def word(self, of: int) -> str:
        """A name that can be part of a longer one: a word, or an alias."""
        name = self.name(of)
        return name if name.isidentifier() else self._give_alias(of)

    def is_word(self, of: int | str) -> bool:
        """Whether the name is a word or a call, so that it needs no parentheses."""
        name = self.name(of)
        return name.isidentifier() or is_call(name)

    def shape(self, of: int | str) -> Shape:
        """The shape of a node, of the upstream gradient, of an adjoint, or of a step of a leaf."""
        if of == UPSTREAM:
            of = self.graph.resolve(self.graph.root)
        elif isinstance(of, str):
            leaves = (id for id, name in self.graph.names.items() if name == of[1:])
            of = int(of[1:]) if of[0] == MARK else next(leaves)
        return self.graph.nodes[of].shape

    def _give_alias(self, of: int) -> str:
        if of not in self.aliases:
            used = {*self.taken, *self.aliases.values()}
            self.aliases[of] = next(f"t{k}" for k in range(1, 9999) if f"t{k}" not in used)
        return self.aliases[of]

    def legend(self) -> tuple[Alias, ...]:
        """Aliases that formulas used, with their source texts, and the upstream gradient where it is not called g."""
        root = self.graph.names.get(self.graph.root, "y")
        own = () if self.upstream == UPSTREAM else (Alias(self.upstream, f"∂L/∂{root}"),)
        return (*own, *(Alias(alias, self.graph.nodes[id].text) for id, alias in self.aliases.items()))

    def letters(self, out: Sequence[Var], at: Sequence[Var]) -> dict[Var, str]:
        """Index letters of the free variables: i, j; i1, i2, …, where there are several."""
        return {**self._numbered("ipa", out), **self._numbered("jqb", at)}

    def _numbered(self, choice: str, variables: Sequence[Var]) -> dict[Var, str]:
        numbers = [""] if len(variables) == 1 else [str(k + 1) for k in range(len(variables))]
        used = self.taken | {self.upstream}
        letter = next(x for x in _candidates(choice) if not used & {x, *(x + n for n in numbers)})
        return {v: letter + n for v, n in zip(variables, numbers, strict=True)}

    def bound(self, variables: Sequence[Var], letters: Mapping[Var, str]) -> dict[Var, str]:
        """Letters of bound variables: k, l, m, …"""
        used = {*self.taken, *letters.values(), self.upstream, *self.keywords}
        free = (x for x in _candidates("klmnrstw") if x not in used)
        return {**letters, **{v: next(free) for v in variables}}


def _spoken_of(expr: Expr) -> Iterator[int]:
    return (node.of for node in walk(expr) if isinstance(node, Elt) and isinstance(node.of, int))


def upstream_letter(taken: Collection[str]) -> str:
    """The first of g, v, u, g_a, … that is not taken."""
    return next(letter for letter in _candidates("gvu") if letter not in taken)


def _candidates(letters: str) -> Iterator[str]:
    """The letters, then the first of them with primes in words: g_a, g_b, …"""
    yield from letters
    yield from (f"{letters[0]}_{chr(97 + k % 26)}{k // 26 or ''}" for k in range(9999))


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
