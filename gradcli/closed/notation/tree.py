"""Matrix notation as a small tree, written as text or as LaTeX.

Precedence, tightest first: ᵀ and powers; ∘ and / (element by element); juxtaposition
(matrix product, or a scalar multiple); ⊗; + and -.  Scalars, vectors and matrices
have rank 0, 1 and 2; vectors are columns.
"""

from __future__ import annotations

from dataclasses import dataclass

SUM, KRON, PRODUCT, HADAMARD, POWER, ATOM = range(6)


@dataclass(frozen=True)
class Node:
    """Base of the tree; ``rank`` is 0, 1 or 2."""

    rank: int


@dataclass(frozen=True)
class Symbol(Node):
    """A name, number or indexed name; ``level`` is the precedence of its text."""

    text: str
    tex: str
    level: int = ATOM


@dataclass(frozen=True)
class Sum(Node):
    """Signed terms: True means minus."""

    terms: tuple[tuple[bool, Node], ...]


@dataclass(frozen=True)
class Product(Node):
    """Juxtaposed factors: scalars first, then matrices and vectors."""

    factors: tuple[Node, ...]


@dataclass(frozen=True)
class Hadamard(Node):
    """Element by element: ``above`` multiplied, ``below`` divided by."""

    above: tuple[Node, ...]
    below: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Over(Node):
    """A whole product divided by a scalar."""

    inner: Node
    below: Node


@dataclass(frozen=True)
class Kron(Node):
    factors: tuple[Node, ...]


@dataclass(frozen=True)
class Transpose(Node):
    inner: Node


@dataclass(frozen=True)
class Power(Node):
    """Element by element; ``exponent`` is a positive number's text."""

    inner: Node
    exponent: str


@dataclass(frozen=True)
class Call(Node):
    """A function: ``diag``, ``tr``, ``sum``, or one of the language applied element by element."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Blocks(Node):
    """A matrix for each value of a shared index: ``delta`` says which blocks are not 0."""

    delta: str
    delta_tex: str
    inner: Node


ONES = Symbol(1, "𝟏", r"\mathbf{1}")
IDENTITY = Symbol(2, "I", "I")
LOWER = Symbol(2, "L", "L")


def sized(symbol: Symbol, size: int) -> Symbol:
    """𝟏 or I with its size, where nothing beside it tells."""
    digits = str(size).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    return Symbol(symbol.rank, f"{symbol.text}{digits}", f"{symbol.tex}_{{{size}}}")


def transposed(node: Node) -> Node:
    """nodeᵀ, pushed inside where that is shorter."""
    if node.rank == 0 or node == IDENTITY:
        return node
    if isinstance(node, Transpose):
        return node.inner
    if isinstance(node, Call) and node.name == "diag":
        return node
    if isinstance(node, Over) and node.rank:
        return Over(node.rank, transposed(node.inner), node.below)
    if isinstance(node, Sum) and node.rank == 2:
        return Sum(2, tuple((negative, transposed(term)) for negative, term in node.terms))
    if isinstance(node, Product) and node.rank == 2:
        scalars = tuple(f for f in node.factors if f.rank == 0)
        rest = tuple(transposed(f) for f in reversed(node.factors) if f.rank != 0)
        return Product(2, (*scalars, *rest))
    return Transpose(node.rank, node)


def diagonal(node: Node) -> Node:
    return Call(2, "diag", (node,))


# -- text --------------------------------------------------------------------------


def text(node: Node, level: int = SUM) -> str:
    """The tree as plain text, in parentheses where something tighter than it is expected."""
    body, own = _text(node)
    return f"({body})" if own < level else body


def _text(node: Node) -> tuple[str, int]:
    if isinstance(node, Symbol):
        return node.text, node.level
    if isinstance(node, Sum):
        out = ""
        for negative, term in node.terms:
            out += (" - " if negative else " + ") if out else ("-" if negative else "")
            out += text(term, KRON)
        return out, SUM
    if isinstance(node, Product):
        last = [f for f in node.factors if f.rank != 0]
        # 4 b∘g needs no parentheses; Aᵀ (b∘g) reads better with them
        tight = POWER if len(last) > 1 else HADAMARD
        parts = [text(f, tight if f.rank else POWER) for f in node.factors]
        return " ".join(parts), PRODUCT
    if isinstance(node, Hadamard):
        above = "∘".join(text(f, POWER) for f in node.above) or "1"
        if not node.below:
            return above, HADAMARD
        below = "∘".join(text(f, POWER) for f in node.below)
        return f"{above}/{below}" if len(node.below) == 1 else f"{above}/({below})", HADAMARD
    if isinstance(node, Over):
        return f"{text(node.inner, PRODUCT)}/{text(node.below, POWER)}", PRODUCT
    if isinstance(node, Kron):
        return " ⊗ ".join(text(f, ATOM if not isinstance(f, (Symbol, Transpose, Call)) else KRON)
                          for f in node.factors), KRON  # fmt: skip
    if isinstance(node, Transpose):
        return f"{text(node.inner, ATOM)}ᵀ", POWER
    if isinstance(node, Power):
        exponent = f"({node.exponent})" if "/" in node.exponent else node.exponent
        return f"{text(node.inner, ATOM)}**{exponent}", POWER
    if isinstance(node, Call):
        return f"{node.name}({', '.join(text(a) for a in node.arguments)})", ATOM
    assert isinstance(node, Blocks)
    return f"blocks {node.delta} · {text(node.inner, ATOM)}", PRODUCT


# -- LaTeX -------------------------------------------------------------------------

_FUNCTIONS = frozenset(["exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "det", "arg", "max", "min"])


def tex(node: Node, level: int = SUM) -> str:
    """The tree as LaTeX."""
    body, own = _tex(node)
    return rf"\left({body}\right)" if own < level else body


def _tex(node: Node) -> tuple[str, int]:
    if isinstance(node, Symbol):
        return node.tex, node.level
    if isinstance(node, Sum):
        out = ""
        for negative, term in node.terms:
            out += (" - " if negative else " + ") if out else ("-" if negative else "")
            out += tex(term, KRON)
        return out, SUM
    if isinstance(node, Product):
        last = [f for f in node.factors if f.rank != 0]
        tight = POWER if len(last) > 1 else HADAMARD
        return r"\,".join(tex(f, tight if f.rank else POWER) for f in node.factors), PRODUCT
    if isinstance(node, Hadamard):
        above = r" \odot ".join(tex(f, POWER) for f in node.above) or "1"
        if not node.below:
            return above, HADAMARD
        below = r" \odot ".join(tex(f, POWER) for f in node.below)
        return rf"\frac{{{above}}}{{{below}}}", HADAMARD
    if isinstance(node, Over):
        return rf"\frac{{{tex(node.inner)}}}{{{tex(node.below)}}}", POWER
    if isinstance(node, Kron):
        return r" \otimes ".join(tex(f, POWER) for f in node.factors), KRON
    if isinstance(node, Transpose):
        return rf"{tex(node.inner, ATOM)}^{{\top}}", POWER
    if isinstance(node, Power):
        return f"{tex(node.inner, ATOM)}^{{{node.exponent}}}", POWER
    if isinstance(node, Call):
        return function_tex(node.name, [tex(a) for a in node.arguments]), ATOM
    assert isinstance(node, Blocks)
    return rf"\text{{blocks }} {node.delta_tex} \cdot {tex(node.inner, ATOM)}", PRODUCT


def function_tex(name: str, arguments: list[str]) -> str:
    """A function application in LaTeX."""
    inner = ", ".join(arguments)
    if name == "sqrt":
        return rf"\sqrt{{{inner}}}"
    if name == "abs":
        return rf"\left|{inner}\right|"
    escaped = name.replace("_", r"\_")
    head = rf"\{name}" if name in _FUNCTIONS else rf"\operatorname{{{escaped}}}"
    return rf"{head}\left({inner}\right)"
