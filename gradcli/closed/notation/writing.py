"""Matrix notation as plain text.

Precedence, tightest first: ᵀ, ⁻¹ and powers; ∘ and / (element by element);
juxtaposition (matrix product, or a scalar multiple); ⊗; + and -.
"""

from __future__ import annotations

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

#: comparison of the language → its sign
COMPARISONS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "==", "ne": "!="}
_WORDS = {"logical_and": " and ", "logical_or": " or "}


def text(node: Node, level: int = SUM) -> str:
    """The tree as plain text, in parentheses where something tighter than it is expected."""
    body, own = levelled(node)
    return f"({body})" if own < level else body


def levelled(node: Node) -> tuple[str, int]:
    """The text and its precedence."""
    if isinstance(node, Symbol):
        return node.text, node.level
    if isinstance(node, Sum):
        out = ""
        for negative, term in node.terms:
            out += (" - " if negative else " + ") if out else ("-" if negative else "")
            out += text(term, KRON)
        return out, SUM
    if isinstance(node, Product):
        # 4 b∘g needs no parentheses; Aᵀ (b∘g) reads better with them
        tight = POWER if sum(f.rank != 0 for f in node.factors) > 1 else HADAMARD
        return " ".join(text(f, tight if f.rank else POWER) for f in node.factors), PRODUCT
    if isinstance(node, Hadamard):
        above = "∘".join(text(f, POWER) for f in node.above) or "1"
        if not node.below:
            return above, HADAMARD
        below = "∘".join(text(f, POWER) for f in node.below)
        return f"{above}/{below}" if len(node.below) == 1 else f"{above}/({below})", HADAMARD
    if isinstance(node, Over):
        return f"{text(node.inner, PRODUCT)}/{text(node.below, POWER)}", PRODUCT
    if isinstance(node, Kron):
        plain = (Symbol, Transpose, Inverse, Call)
        return " ⊗ ".join(text(f, KRON if isinstance(f, plain) else ATOM) for f in node.factors), KRON
    if isinstance(node, Transpose):
        if isinstance(node.inner, Inverse):
            return f"{text(node.inner.inner, ATOM)}⁻ᵀ", POWER
        return f"{text(node.inner, ATOM)}ᵀ", POWER
    if isinstance(node, Inverse):
        return f"{text(node.inner, ATOM)}⁻¹", POWER
    if isinstance(node, Power):
        exponent = f"({node.exponent})" if "/" in node.exponent else node.exponent
        return f"{text(node.inner, ATOM)}**{exponent}", POWER
    if isinstance(node, Call):
        return f"{node.name}({', '.join(_argument(node, a) for a in node.arguments)})", ATOM
    if isinstance(node, Part):
        return f"{text(node.inner, ATOM)}[{','.join(node.spots)}]", ATOM
    if isinstance(node, Truth):
        return f"[{condition(node)}]", ATOM
    assert isinstance(node, Blocks)
    return f"blocks {node.delta} · {text(node.inner, POWER)}", PRODUCT


def _argument(call: Call, node: Node) -> str:
    return condition(node) if takes_condition(call, node) else text(node)


def takes_condition(call: Call, node: Node) -> bool:
    """Whether an argument is a condition as such, not the 1 or 0 that it counts as."""
    return isinstance(node, Truth) and call.name == "where"


def condition(node: Node) -> str:
    """A condition without its brackets."""
    if not isinstance(node, Truth):
        return text(node)
    if node.op in COMPARISONS:
        left, right = node.arguments
        return f"{text(left)} {COMPARISONS[node.op]} {text(right)}"
    if node.op == "logical_not":
        return f"not {_within(node.arguments[0])}"
    one, two = node.arguments
    if node.op == "logical_and" and chained(one, two):
        assert isinstance(two, Truth)
        return f"{condition(one)} {COMPARISONS[two.op]} {text(two.arguments[1])}"
    return f"{_within(one)}{_WORDS[node.op]}{_within(two)}"


def _within(node: Node) -> str:
    """A condition inside another; one that is itself made of several in parentheses."""
    simple = not isinstance(node, Truth) or node.op in COMPARISONS or chained(*(node.arguments * 2)[:2])
    return condition(node) if simple else f"({condition(node)})"


def chained(one: Node, two: Node) -> bool:
    """Whether two comparisons read as one chain, 0 <= x <= 1."""
    if not isinstance(one, Truth) or not isinstance(two, Truth):
        return False
    return {one.op, two.op} <= {"lt", "le"} and one.arguments[1] == two.arguments[0]
