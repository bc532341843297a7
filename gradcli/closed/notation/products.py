"""Products of scalars, vectors and matrices put together the way they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradcli.closed.notation import nodes, signs, tree
from gradcli.closed.notation.naming import is_call
from gradcli.closed.notation.nodes import Call, Hadamard, Node, Over, Power, Product, Sign, Sum, Symbol, Upstream
from gradcli.closed.notation.showing import number_text, positive
from gradcli.closed.scalar import Num

#: bases with their exponents, which may be negative
Bases = list[tuple[Node, Num]]
Factors = Sequence[tuple[Node, Num]]


def raised(base: Node, exponent: Num) -> Node:
    """base to a positive power, element by element."""
    if exponent.value == 1:
        return base
    if isinstance(base, Call) and base.name == "sqrt" and exponent.value % 2 == 0:
        return raised(base.arguments[0], Num(exponent.value / 2))
    if isinstance(base, nodes.Transpose) and base.rank == 2:
        return tree.transposed(raised(base.inner, exponent))
    return Power(base.rank, base, number_text(exponent))


def shared_powers(several: Sequence[Factors]) -> Bases:
    """The bases that all have, to the lowest power."""
    common: Bases = []
    for base, exponent in several[0]:
        powers = [_power_of(base, exponent.value > 0, factors) for factors in several]
        found = [power for power in powers if power is not None]
        if len(found) == len(several) and not any(base == b for b, _ in common):
            common.append((base, min(found, key=lambda e: abs(e.value))))
    return common


def _power_of(base: Node, above: bool, factors: Factors) -> Num | None:
    return next((e for b, e in factors if b == base and (e.value > 0) == above), None)


def less(factors: Factors, taken: Factors) -> Bases:
    """What is left when some powers are taken away."""
    left, away = [], list(taken)
    for base, exponent in factors:
        match = next((t for t in away if t[0] == base and (t[1].value > 0) == (exponent.value > 0)), None)
        if match is None:
            left.append((base, exponent))
            continue
        away.remove(match)
        if exponent.value != match[1].value:
            left.append((base, Num(exponent.value - match[1].value, exponent.decimal)))
    return left


def sides(factors: Factors) -> tuple[list[Node], list[Node]]:
    """What stands above and below the line."""
    above = [raised(base, exponent) for base, exponent in factors if exponent.value > 0]
    return above, [raised(base, positive(exponent)) for base, exponent in factors if exponent.value < 0]


def hadamard(factors: Factors, rank: int) -> Node | None:
    """a∘b/c, the one factor alone, or None when there is none; inner such products join in, g goes last."""
    above, below = sides(factors)
    if not below and len(above) < 2:
        return above[0] if above else None
    flat_above: list[Node] = []
    for node in above:
        flat_above += node.above if isinstance(node, Hadamard) else [node]
        below += node.below if isinstance(node, Hadamard) else []
    flat_above.sort(key=_is_upstream)
    everything = (*flat_above, *below)
    if rank == 2 and all(isinstance(node, nodes.Transpose) for node in everything):
        turned = Hadamard(rank, tuple(map(tree.transposed, flat_above)), tuple(map(tree.transposed, below)))
        return nodes.Transpose(rank, turned)
    return Hadamard(rank, tuple(flat_above), tuple(below))


def _last(node: Node) -> tuple[bool, bool]:
    """Scalars that stand behind names: functions, then the upstream gradient."""
    return _is_upstream(node), isinstance(node, Call) or (isinstance(node, Symbol) and is_call(node.text))


def _is_upstream(node: Node) -> bool:
    return isinstance(node.inner if isinstance(node, nodes.Transpose) else node, Upstream)


def bilinear(a: Node | None, b: Node | None, matrix: Node | None, rank: int) -> Node | None:
    """diag(a) M diag(b); a bᵀ without M; a vector when ``rank`` is 1 or b has no axis."""
    if matrix is not None:
        if a is not None and b is not None and _is_mask(matrix):
            return Hadamard(2, (matrix, Product(2, tree.flattened([a, tree.transposed(b)]))))
        factors = [*([tree.diagonal(a)] if a else []), matrix, *([tree.diagonal(b)] if b else [])]
        return factors[0] if len(factors) == 1 else Product(2, tree.flattened(factors))
    if rank == 2 and a is not None and b is not None:
        return Product(2, tree.flattened([a, tree.transposed(b)]))
    return a if a is not None else b


def _is_mask(matrix: Node) -> bool:
    """Whether a matrix is a triangle of ones."""
    inner = matrix.inner if isinstance(matrix, nodes.Transpose) else matrix
    parts = [term for _, term in inner.terms] if isinstance(inner, Sum) else [inner]
    return all(isinstance(part, Sign) or part == tree.transposed(signs.LOWER) for part in parts)


def scaled(number: Num, scalars: Factors, core: Node | None) -> tuple[bool, Node]:
    """Sign and node of number · Π scalars · core."""
    if isinstance(core, Product) and core.rank and (count := signs.whole(core.factors[0])):
        # equal terms of a sum were counted
        rest = core.factors[1:]
        number, core = Num(count * number.value, number.decimal), replace(core, factors=rest) if rest[1:] else rest[0]
    if isinstance(core, Call) and core.name == "diag" and core.rank == 2 and (scalars or abs(number.value) != 1):
        negative, inside = scaled(number, scalars, core.arguments[0])
        return negative, tree.diagonal(inside)
    above, below = sides(scalars)
    head, _, under = number_text(positive(number)).partition("/")
    front = [*([signs.number(head)] if head != "1" else []), *sorted(above, key=_last)]
    lower = [*([signs.number(under)] if under else []), *below]
    inner: Node
    if isinstance(core, Hadamard) and not core.above and front:
        inner = Hadamard(core.rank, (front[0] if len(front) == 1 else Product(0, tuple(front)),), core.below)
    elif core is None:
        inner = front[0] if len(front) == 1 else Product(0, tuple(front)) if front else signs.ONE
    elif front:
        inner = Product(core.rank, (*front, *(core.factors if isinstance(core, Product) else (core,))))
    else:
        inner = core
    if lower and isinstance(inner, Hadamard) and inner.below:
        # x/(2 sqrt(x)), not x/sqrt(x)/2
        divided = inner.below[0] if len(inner.below) == 1 else Hadamard(inner.rank, inner.below)
        return number.value < 0, Hadamard(inner.rank, inner.above, (Product(inner.rank, (*lower, divided)),))
    if lower:
        inner = Over(inner.rank, inner, lower[0] if len(lower) == 1 else Product(0, tuple(lower)))
    return number.value < 0, inner


def signed(negative: bool, node: Node) -> Node:
    """The node, or its opposite."""
    turned = tree.opposite(node) if negative else None
    return tree.added([(negative, node)]) if turned is None else turned


def spread(node: Node, across: bool) -> Node:
    """A vector as a matrix whose columns, or, ``across``, rows are all the same."""
    if isinstance(node, Over):
        return Over(2, spread(node.inner, across), node.below)
    return Product(2, tree.flattened([signs.ONES, tree.transposed(node)] if across else [node, _ROW_OF_ONES]))


_ROW_OF_ONES = tree.transposed(signs.ONES)
