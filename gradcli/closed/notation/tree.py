"""Trees of matrix notation put together: transposes, sums and products as they read best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradcli.closed.notation.nodes import (
    Call,
    Hadamard,
    Inverse,
    Node,
    Over,
    Product,
    Sign,
    Sum,
    Transpose,
    Upstream,
    turns,
)
from gradcli.closed.notation.signs import IDENTITY, number


def added(terms: Sequence[tuple[bool, Node]]) -> Node:
    """The sum of signed terms: inner sums taken apart, positive ones and those that are not transposed first."""
    flat: list[tuple[bool, Node]] = []
    for negative, term in terms:
        inner = term.terms if isinstance(term, Sum) else ((False, term),)
        flat += [(negative != minus, part) for minus, part in inner]
    flat = _counted(flat)
    flat.sort(key=lambda term: (term[0], is_turned(term[1])))
    if len(flat) == 1 and not flat[0][0]:
        return flat[0][1]
    rank = max(term.rank for _, term in flat)
    if rank and all(isinstance(term, Transpose) for _, term in flat):
        return Transpose(rank, Sum(rank, tuple((negative, transposed(term)) for negative, term in flat)))
    return Sum(rank, tuple(flat))


def _counted(terms: Sequence[tuple[bool, Node]]) -> list[tuple[bool, Node]]:
    """Equal terms as multiples of one; opposite ones cancel unless nothing would be left."""
    counts: dict[Node, int] = {}
    for negative, term in terms:
        counts[term] = counts.get(term, 0) + (-1 if negative else 1)
    if len(counts) == len(terms) or not any(counts.values()):
        return list(terms)
    out = []
    for term, count in counts.items():
        if count:
            many = Product(term.rank, flattened([number(str(abs(count))), term])) if abs(count) > 1 else term
            out.append((count < 0, many))
    return out


def opposite(node: Node) -> Node | None:
    """The opposite of a node without a minus before it: b - a for a - b, or such a factor turned round."""
    if isinstance(node, Sum):
        signs = [negative for negative, _ in node.terms]
        return added([(not negative, term) for negative, term in node.terms]) if signs == [False, True] else None
    if isinstance(node, Over):
        inner = opposite(node.inner)
        return None if inner is None else replace(node, inner=inner)
    if isinstance(node, Call) and node.name == "diag" and node.rank == 2:
        inner = opposite(node.arguments[0])
        return None if inner is None else diagonal(inner)
    if isinstance(node, (Product, Hadamard)):
        factors = node.factors if isinstance(node, Product) else node.above
        turned = [(k, other) for k, other in enumerate(map(opposite, factors)) if other is not None]
        if len(turned) == 1:
            k, other = turned[0]
            new = (*factors[:k], other, *factors[k + 1 :])
            return replace(node, factors=new) if isinstance(node, Product) else replace(node, above=new)
    return None


def is_turned(node: Node) -> bool:
    """Whether a term is transposed as a whole, or has the upstream gradient transposed."""
    if isinstance(node, Transpose):
        return True
    factors = node.factors if isinstance(node, Product) else ()
    return any(isinstance(f, Transpose) and isinstance(f.inner, Upstream) for f in factors)


def transposed(node: Node) -> Node:
    """nodeᵀ: inside products, and inside sums where that takes fewer signs."""
    if node.rank == 0 or (node.rank == 2 and is_symmetric(node)):
        return node
    if isinstance(node, Transpose):
        return node.inner
    if isinstance(node, Over):
        return Over(node.rank, transposed(node.inner), node.below)
    if isinstance(node, Product):
        scalars = tuple(f for f in node.factors if f.rank == 0)
        rest = tuple(transposed(f) for f in reversed(node.factors) if f.rank != 0)
        return Product(node.rank, (*scalars, *rest))
    outside = Transpose(node.rank, node)
    if isinstance(node, Sum) and len(node.terms) == 1 and node.rank:
        return Sum(node.rank, ((True, transposed(node.terms[0][1])),))
    inside: Node | None = None
    if isinstance(node, Sum) and node.rank == 2 and all(term.rank == 2 for _, term in node.terms):
        inside = added([(negative, transposed(term)) for negative, term in node.terms])
    elif isinstance(node, Hadamard) and node.rank == 2 and all(f.rank == 2 for f in (*node.above, *node.below)):
        inside = Hadamard(2, tuple(map(transposed, node.above)), tuple(map(transposed, node.below)))
    return inside if inside is not None and turns(inside) < turns(outside) else outside


def is_symmetric(node: Node) -> bool:
    """A diagonal matrix, I turned round, Xᵀ X, and sums and inverses of such."""
    if isinstance(node, Call):
        return node.name == "diag" or (node.name == "flip" and isinstance(node.arguments[0], Sign))
    if isinstance(node, Sign):
        return node.rank == 2 and node.text.startswith(IDENTITY.text)
    if isinstance(node, Sum):
        return all(is_symmetric(term) for _, term in node.terms)
    if isinstance(node, (Inverse, Over)):
        return is_symmetric(node.inner)
    if isinstance(node, Product) and node.rank == 2:
        inner = [f for f in node.factors if f.rank]
        turned = [f.inner if isinstance(f, Transpose) else Transpose(f.rank, f) for f in reversed(inner)]
        return all(f == t or (f.rank == 2 and is_symmetric(f)) for f, t in zip(inner, turned, strict=True))
    return False


def compact(node: Node) -> Node:
    """The transpose of a product, or of a sum of matrices, where that takes fewer signs: (B v)ᵀ for vᵀ Bᵀ."""
    if not isinstance(node, (Product, Sum)) or turns(node) < 2:
        return node
    if isinstance(node, Product):
        inner = transposed(node)
    elif all(term.rank == 2 for _, term in node.terms):
        inner = Sum(2, tuple((negative, transposed(term)) for negative, term in node.terms))
    else:
        return node
    turned = Transpose(node.rank, inner)
    return turned if turns(turned) < turns(node) else node


def diagonal(node: Node) -> Node:
    return Call(2, "diag", (node,))


def flattened(factors: Sequence[Node]) -> tuple[Node, ...]:
    """Factors of a product, scalars first, inner products of matrices taken apart."""
    out: list[Node] = []
    for node in factors:
        out += node.factors if isinstance(node, Product) and node.rank else [node]
    return (*(f for f in out if f.rank == 0), *(f for f in out if f.rank))
