"""Scalar expressions in one or two index variables, lifted to vectors and matrices.

An element read at [row] is a vector, at [row, column] a matrix, at [column, row] a
transposed one; a stretch of an axis becomes a slice.  Anything else has no matrix notation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gradcli.closed.elementwise import row_of
from gradcli.closed.index import Ix, Var, var
from gradcli.closed.notation import tree
from gradcli.closed.notation.latex import LatexText, name_tex
from gradcli.closed.notation.naming import Naming
from gradcli.closed.notation.scalars import ATOM as SCALAR_ATOM
from gradcli.closed.notation.scalars import ScalarText, number_text
from gradcli.closed.notation.tree import Call, Hadamard, Node, Power, Product, Sum, Symbol
from gradcli.closed.scalar import TRUTH, Add, Elt, Expr, Fn, Num, split


class NoMatrix(Exception):
    """The expression has no matrix notation."""


@dataclass(frozen=True)
class Lifter:
    """Lifts expressions; ``params`` are index variables written as letters, as in X[i,:].

    ``whole`` is a tuple of variables that together index one element of a tensor of any
    order: read at just these, a tensor counts as one long vector.
    """

    naming: Naming
    letters: Mapping[Var, str]
    upstream_shape: tuple[int, ...]
    params: frozenset[Var] = frozenset()
    whole: tuple[Var, ...] = ()

    def axes(self, expr: Expr) -> frozenset[Var]:
        """The variables that make a vector or a matrix of it."""
        return expr.variables - self.params

    def scalar(self, expr: Expr) -> Symbol:
        """An expression without axes."""
        text, level = ScalarText(self.naming, self.letters).write(expr)
        tex, _ = LatexText(self.naming, self.letters).write(expr)
        own = tree.ATOM if level == SCALAR_ATOM else tree.SUM if level == 0 else tree.HADAMARD
        return Symbol(0, text, tex, own)

    def lift(self, expr: Expr, row: Var | None, column: Var | None = None) -> Node:
        """The vector over ``row``, or the matrix over ``row`` and ``column``.

        Raises:
            NoMatrix: an index is no stretch of an axis.
        """
        if not self.axes(expr):
            return self.scalar(expr)
        if isinstance(expr, Elt):
            return self._element(expr, row, column)
        if isinstance(expr, Add):
            return self._sum(expr, row, column)
        if isinstance(expr, Fn):
            return self._function(expr, row, column)
        number, factors = split(expr)
        if number.value == 1 and len(factors) == 1 and factors[0][1].value > 0:
            base, exponent = factors[0]
            inner = self.lift(base, row, column)
            return Power(inner.rank, inner, number_text(exponent))
        negative, node = self.product(number, factors, row, column)
        return Sum(node.rank, ((True, node),)) if negative else node

    # -- pieces ------------------------------------------------------------------

    def _element(self, expr: Elt, row: Var | None, column: Var | None) -> Node:
        name = self.naming.name(expr.of)
        word = self.naming.is_word(expr.of)
        level = tree.ATOM if word else tree.SUM
        tex = name_tex(name)
        if self.whole and list(expr.at) == [var(v) for v in self.whole]:
            return Symbol(1, name, tex, level)
        shape = self._shape(expr.of)
        folded = self._reshaped(Symbol(1, name, tex, level), expr, shape, row, column)
        if folded is not None:
            return folded
        text = name
        spots, order = [], []
        for ix, size in zip(expr.at, shape, strict=True):
            spot, axis = self._spot(ix, size)
            spots.append(spot)
            if axis is not None:
                order.append(axis)
        if any(spot != ":" for spot in spots):
            place = f"[{','.join(spots)}]"
            text, tex, level = f"{name if word else f'({name})'}{place}", f"{tex}{place}", tree.ATOM
        if len(order) == 1:
            if order[0] not in (row, column):
                raise NoMatrix
            return Symbol(1, text, tex, level)
        symbol = Symbol(2, text, tex, level)
        if order == [row, column]:
            return symbol
        if order == [column, row]:
            return tree.transposed(symbol)
        if len(order) == 2 and order[0] == order[1]:
            return Call(1, "diag", (symbol,))
        raise NoMatrix

    def _shape(self, of: int | str) -> tuple[int, ...]:
        if isinstance(of, str) and not of[1:].isdigit():
            return self.upstream_shape
        return self.naming.graph.nodes[int(str(of).lstrip("ḡ"))].shape

    def _reshaped(
        self, symbol: Symbol, expr: Elt, shape: tuple[int, ...], row: Var | None, column: Var | None
    ) -> Node | None:
        """A vector read as a matrix, or a matrix as a vector, both row by row; None for any other reading."""
        if self.params or row is None:
            return None
        if len(shape) == 1 and column is not None and shape[0] == row.size * column.size:
            if expr.at[0] == var(row) * column.size + var(column):
                sizes = [Symbol(0, str(n), str(n)) for n in (row.size, column.size)]
                return Call(2, "reshape", (symbol, *sizes))
        if len(shape) == 2 and column is None and row.size == shape[0] * shape[1] and 1 not in shape:
            if expr.at == (var(row).div(shape[1]), var(row).mod(shape[1])):
                return Call(1, "vec", (Symbol(2, symbol.text, symbol.tex, symbol.level),))
        return None

    def _spot(self, ix: Ix, size: int) -> tuple[str, Var | None]:
        """The text of one index, and the axis that it runs along."""
        free = [v for v in ix.variables() if v not in self.params]
        if not free:
            return ScalarText(self.naming, self.letters).ix(ix), None
        if len(ix.parts) != 1 or not isinstance(ix.parts[0][0], Var) or ix.parts[0][1] < 1:
            raise NoMatrix
        axis, step = ix.parts[0]
        assert isinstance(axis, Var)
        last = ix.const + step * (axis.size - 1)
        if ix.const < 0 or last >= size:
            raise NoMatrix
        if ix.const == 0 and step == 1 and axis.size == size:
            return ":", axis
        start = str(ix.const) if ix.const else ""
        stop = str(last + 1) if last + step < size else ""
        return f"{start}:{stop}" + (f":{step}" if step > 1 else ""), axis

    def spread(self, node: Node, expr: Expr, row: Var | None, column: Var | None) -> Node:
        """A vector as a matrix whose columns, or rows, are all the same."""
        if row is None or column is None or node.rank != 1:
            return node
        if self.axes(expr) == {row}:
            return Product(2, (node, tree.transposed(tree.ONES)))
        return Product(2, (tree.ONES, tree.transposed(node)))

    def _sum(self, expr: Add, row: Var | None, column: Var | None) -> Node:
        terms: list[tuple[bool, Node]] = []
        for child in expr.children:
            number, factors = split(child)
            if not factors:
                if row is not None and column is not None:
                    raise NoMatrix  # a number in a sum of matrices: multiplied out it becomes 𝟏 𝟏ᵀ
                size = Num(abs(number.value), number.decimal, number.text.lstrip("-"))
                terms.append((number.value < 0, self.scalar(size)))
                continue
            negative, node = self.product(number, factors, row, column)
            terms.append((negative, self.spread(node, child, row, column)))
        if terms[0][0] or isinstance(terms[0][1], tree.Transpose):
            terms.sort(key=lambda t: (t[0], isinstance(t[1], tree.Transpose)))
        rank = max(node.rank for _, node in terms)
        return Sum(rank, tuple(terms))

    def _function(self, expr: Fn, row: Var | None, column: Var | None) -> Node:
        if expr.op in TRUTH:
            return self._condition(expr, row, column)
        arguments = [
            self.spread(self.lift(arg, row, column), arg, row, column) for arg in expr.children
        ]
        rank = max(a.rank for a in arguments)
        if expr.op == "pow":
            exponent = tree.text(arguments[1], tree.ATOM)
            return Power(rank, arguments[0], exponent)
        row_ = row_of(expr.op)
        defaults = {p.name: p.default for p in row_.statics}
        extra = [Symbol(0, f"{k}={v}", f"{k}={v}") for k, v in expr.attrs if v != defaults.get(k)]
        return Call(rank, row_.name, (*arguments, *extra))

    def _condition(self, expr: Fn, row: Var | None, column: Var | None) -> Symbol:
        lifter = self

        class Conditions(ScalarText):
            def write(self, expr: Expr) -> tuple[str, int]:
                if isinstance(expr, Elt):
                    node = lifter.spread(lifter._element(expr, row, column), expr, row, column)
                    return tree.text(node, tree.ATOM), SCALAR_ATOM
                return super().write(expr)

        class LatexConditions(LatexText):
            def write(self, expr: Expr) -> tuple[str, int]:
                if isinstance(expr, Elt):
                    node = lifter.spread(lifter._element(expr, row, column), expr, row, column)
                    return tree.tex(node, tree.ATOM), SCALAR_ATOM
                return super().write(expr)

        rank = 2 if self.axes(expr) >= {row, column} and column is not None else 1
        text = Conditions(self.naming, self.letters).function(expr)[0]
        return Symbol(rank, text, LatexConditions(self.naming, self.letters).function(expr)[0])

    # -- products ----------------------------------------------------------------

    def product(
        self, number: Num, factors: Sequence[tuple[Expr, Num]], row: Var | None, column: Var | None
    ) -> tuple[bool, Node]:
        """Sign and node of number · Π base**exponent."""
        parts: dict[frozenset[Var], tuple[list[Node], list[Node]]] = {}
        for base, exponent in factors:
            axes = self.axes(base)
            own = [v for v in (row, column) if v in axes] if not self.whole else [row]
            inner = self.lift(base, *(own or [row]))
            above, below = parts.setdefault(axes if not self.whole or not axes else frozenset(self.whole), ([], []))
            size = abs(exponent.value)
            node = inner if size == 1 else Power(inner.rank, inner, number_text(Num(size, exponent.decimal)))
            (above if exponent.value > 0 else below).append(node)
        scalars = parts.pop(frozenset(), ([], []))
        rows = parts.pop(frozenset({row} if row else ()), ([], [])) if row and not self.whole else ([], [])
        columns = parts.pop(frozenset({column}), ([], [])) if column else ([], [])
        if self.whole:
            rows = parts.pop(frozenset(self.whole), ([], []))
        matrices = list(parts.values())
        core = bilinear(vector(*rows), vector(*columns), _joined(matrices), 2 if column else 1)
        return scaled(number, scalars[0], scalars[1], core)


def _joined(pairs: Sequence[tuple[list[Node], list[Node]]]) -> Node | None:
    above = [n for pair in pairs for n in pair[0]]
    below = [n for pair in pairs for n in pair[1]]
    return hadamard(above, below, 2) if above or below else None


def vector(above: Sequence[Node], below: Sequence[Node]) -> Node | None:
    """Element by element; None when there is nothing."""
    return hadamard(above, below, 1) if above or below else None


def hadamard(above: Sequence[Node], below: Sequence[Node], rank: int) -> Node:
    """a∘b/c, or the one factor alone; a factor that is itself such a product joins in."""
    if len(above) == 1 and not below:
        return above[0]
    flat_above: list[Node] = []
    flat_below = list(below)
    for node in above:
        if isinstance(node, Hadamard):
            flat_above += node.above
            flat_below += node.below
        else:
            flat_above.append(node)
    flat_above.sort(key=lambda n: tree.text(n) in ("g", "gᵀ"))
    if all(isinstance(n, tree.Transpose) for n in (*flat_above, *flat_below)):
        turned = [tree.transposed(n) for n in flat_above], [tree.transposed(n) for n in flat_below]
        return tree.Transpose(rank, Hadamard(rank, tuple(turned[0]), tuple(turned[1])))
    return Hadamard(rank, tuple(flat_above), tuple(flat_below))


def bilinear(a: Node | None, b: Node | None, matrix: Node | None, rank: int) -> Node | None:
    """diag(a) M diag(b); a bᵀ without M; a vector when ``rank`` is 1 or b has no axis."""
    if matrix is not None:
        factors = [*([tree.diagonal(a)] if a else []), matrix, *([tree.diagonal(b)] if b else [])]
        return factors[0] if len(factors) == 1 else Product(2, flattened(factors))
    if rank == 2 and a is not None and b is not None:
        return Product(2, flattened([a, tree.transposed(b)]))
    return a if a is not None else b


def flattened(factors: Sequence[Node]) -> tuple[Node, ...]:
    """Factors of a matrix product, inner products without scalars taken apart."""
    out: list[Node] = []
    for node in factors:
        out += node.factors if isinstance(node, Product) and node.rank else [node]
    return tuple(out)


def scaled(
    number: Num, above: Sequence[Node], below: Sequence[Node], core: Node | None
) -> tuple[bool, Node]:
    """Sign and node of (number · above / below) · core."""
    size = Num(abs(number.value), number.decimal, number.text.lstrip("-"))
    head, _, under = number_text(size).partition("/")
    front: list[Node] = [Symbol(0, head, head)] if head != "1" else []
    front += sorted(above, key=lambda n: (tree.text(n) == "g", 0))
    under_nodes = [*([Symbol(0, under, under)] if under else []), *below]
    rank = core.rank if core is not None else 0
    inner: Node
    if isinstance(core, Call) and core.name == "diag" and core.rank == 2 and (front or under_nodes):
        negative, inside = scaled(number, above, below, core.arguments[0])
        return negative, tree.diagonal(inside)
    if core is None:
        inner = front[0] if len(front) == 1 else Product(0, tuple(front)) if front else Symbol(0, "1", "1")
    elif front:
        rest = core.factors if isinstance(core, Product) else (core,)
        inner = Product(rank, (*front, *rest))
    else:
        inner = core
    if under_nodes and isinstance(inner, Hadamard) and inner.below:
        # x/(2 sqrt(x)), not x/sqrt(x)/2
        divided = inner.below[0] if len(inner.below) == 1 else Hadamard(rank, inner.below)
        inner, under_nodes = Hadamard(rank, inner.above, (Product(rank, (*under_nodes, divided)),)), []
    if under_nodes:
        lower = under_nodes[0] if len(under_nodes) == 1 else Product(0, tuple(under_nodes))
        inner = tree.Over(rank, inner, lower)
    return number.value < 0, inner
