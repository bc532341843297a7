"""Matrix notation as LaTeX."""

from __future__ import annotations

from gradcli.closed.notation.lettering import function
from gradcli.closed.notation.nodes import (
    ATOM,
    HADAMARD,
    KRON,
    POWER,
    PRODUCT,
    SUM,
    Blocks,
    Call,
    Hadamard,
    Inverse,
    Kron,
    Node,
    Over,
    Part,
    Power,
    Product,
    Sum,
    Symbol,
    Transpose,
    Truth,
)  # fmt: skip
from gradcli.closed.notation.writing import chained, takes_condition

#: comparison of the language → its sign in LaTeX
COMPARISONS = {"gt": ">", "ge": r"\ge", "lt": "<", "le": r"\le", "eq": "=", "ne": r"\ne"}
_WORDS = {"logical_and": r" \wedge ", "logical_or": r" \vee "}


def tex(node: Node, level: int = SUM) -> str:
    """The tree as LaTeX, in parentheses where something tighter than it is expected."""
    body, own = levelled(node)
    return parenthesised(body) if own < level else body


def parenthesised(body: str) -> str:
    return rf"\left({body}\right)"


def levelled(node: Node) -> tuple[str, int]:
    """The LaTeX and its precedence."""
    if isinstance(node, Symbol):
        return node.tex, node.level
    if isinstance(node, Sum):
        out = ""
        for negative, term in node.terms:
            out += (" - " if negative else " + ") if out else ("-" if negative else "")
            out += tex(term, KRON)
        return out, SUM
    if isinstance(node, Product):
        tight = POWER if sum(f.rank != 0 for f in node.factors) > 1 else HADAMARD
        return r"\,".join(tex(f, tight if f.rank else POWER) for f in node.factors), PRODUCT
    if isinstance(node, Hadamard):
        above = r" \odot ".join(tex(f, POWER) for f in node.above) or "1"
        if not node.below:
            return above, HADAMARD
        below = r" \odot ".join(tex(f, POWER) for f in node.below)
        return rf"\frac{{{above}}}{{{below}}}", POWER
    if isinstance(node, Over):
        return _over(node), POWER
    if isinstance(node, Kron):
        return r" \otimes ".join(tex(f, POWER) for f in node.factors), KRON
    if isinstance(node, Transpose):
        if isinstance(node.inner, Inverse):
            return rf"{tex(node.inner.inner, ATOM)}^{{-\top}}", POWER
        return rf"{tex(node.inner, ATOM)}^{{\top}}", POWER
    if isinstance(node, Inverse):
        return f"{tex(node.inner, ATOM)}^{{-1}}", POWER
    if isinstance(node, Power):
        # the power of a matrix would be another thing than the powers of its elements
        sign = r"\odot " if node.inner.rank > 1 else ""
        return f"{tex(node.inner, ATOM)}^{{{sign}{node.exponent}}}", POWER
    if isinstance(node, Call):
        return function(node.name, [_argument(node, a) for a in node.arguments]), ATOM
    if isinstance(node, Part):
        name = tex(node.inner, ATOM)
        return f"{name if len(name) == 1 else f'{{{name}}}'}_{{{','.join(node.spots_tex)}}}", ATOM
    if isinstance(node, Truth):
        return rf"\left[{condition(node)}\right]", ATOM
    assert isinstance(node, Blocks)
    return rf"\text{{blocks }} {node.delta_tex} \cdot {tex(node.inner, POWER)}", PRODUCT


def _over(node: Over) -> str:
    if isinstance(node.inner, Sum) and not all(isinstance(term, Symbol) for _, term in node.inner.terms):
        return rf"\frac{{1}}{{{tex(node.below)}}}\,{parenthesised(tex(node.inner))}"
    return rf"\frac{{{tex(node.inner)}}}{{{tex(node.below)}}}"


def _argument(call: Call, node: Node) -> str:
    return condition(node) if takes_condition(call, node) else tex(node)


def condition(node: Node) -> str:
    """A condition without its brackets."""
    if not isinstance(node, Truth):
        return tex(node)
    if node.op in COMPARISONS:
        left, right = node.arguments
        return f"{tex(left)} {COMPARISONS[node.op]} {tex(right)}"
    if node.op == "logical_not":
        return rf"\neg {_within(node.arguments[0])}"
    one, two = node.arguments
    if node.op == "logical_and" and chained(one, two):
        assert isinstance(two, Truth)
        return f"{condition(one)} {COMPARISONS[two.op]} {tex(two.arguments[1])}"
    return f"{_within(one)}{_WORDS[node.op]}{_within(two)}"


def _within(node: Node) -> str:
    simple = not isinstance(node, Truth) or node.op in COMPARISONS or chained(*(node.arguments * 2)[:2])
    return condition(node) if simple else parenthesised(condition(node))
