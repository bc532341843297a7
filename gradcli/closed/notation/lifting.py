"""Scalar expressions in one or two index variables, lifted to vectors and matrices.

An element read at [row] is a vector, at [row, column] a matrix, at [column, row] a
transposed one; a stretch of an axis becomes a slice.  Anything else has no matrix notation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gradcli.closed.elementwise import row_of
from gradcli.closed.index import Var, var
from gradcli.closed.notation import nodes, scalars, signs, tree, typesetting
from gradcli.closed.notation.indexing import Letters
from gradcli.closed.notation.latex import LatexText
from gradcli.closed.notation.lettering import keyword, static
from gradcli.closed.notation.naming import Naming
from gradcli.closed.notation.nodes import Call, Node, Power, Symbol, Truth
from gradcli.closed.notation.places import place
from gradcli.closed.notation.products import bilinear, hadamard, raised, scaled, signed, spread
from gradcli.closed.notation.reading import read
from gradcli.closed.notation.scalars import ScalarText
from gradcli.closed.notation.showing import positive, shown, static_text
from gradcli.closed.notation.sources import NoMatrix, source
from gradcli.closed.notation.typesetting import tex
from gradcli.closed.notation.writing import levelled, text
from gradcli.closed.scalar import TRUTH, Add, Bracket, Elt, Expr, Fn, Mul, Num, split


@dataclass(frozen=True)
class Lifter:
    """Lifts expressions; ``params`` are index variables written as letters, as in X[i,:].

    ``whole`` is a tuple of variables that together index one element of a tensor of any
    order: read at just these, a tensor counts as one long vector.
    """

    naming: Naming
    letters: Mapping[Var, str]
    params: frozenset[Var] = frozenset()
    whole: tuple[Var, ...] = ()

    def axes(self, expr: Expr) -> frozenset[Var]:
        """The variables that make a vector or a matrix of it."""
        return expr.variables - self.params

    def lift_shown(self, expr: Expr, row: Var | None, column: Var | None = None) -> Node:
        """:meth:`lift` of the expression as it is printed."""
        return self.lift(shown(expr), row, column)

    def lift(self, expr: Expr, row: Var | None, column: Var | None = None) -> Node:
        """The vector over ``row``, or the matrix over ``row`` and ``column``; a scalar without axes.

        Raises:
            NoMatrix: an index is no stretch of an axis.
        """
        if not self.axes(expr):
            return self.scalar(expr)
        if isinstance(expr, Elt):
            return self._all(expr) if self.whole else read(self, expr, row, column)
        if isinstance(expr, Add):
            return self._sum(expr, row, column)
        if isinstance(expr, Fn):
            return self._function(expr, row, column)
        if isinstance(expr, Bracket):
            return self._bracket(expr, row, column)
        if not isinstance(expr, Mul):
            raise NoMatrix
        number, factors = split(expr)
        if number.value == 1 and len(factors) == 1 and factors[0][1].value > 0:
            return raised(self.lift(factors[0][0], row, column), factors[0][1])
        return signed(*self.product(number, factors, row, column))

    def scalar(self, expr: Expr) -> Node:
        """An expression without axes."""
        if isinstance(expr, Elt) and not expr.at:
            return source(expr.of, self)
        if isinstance(expr, Fn) and expr.op == "sqrt":
            return Call(0, "sqrt", (self.scalar(expr.children[0]),))
        body, level = _PlainScalar(self).write(expr)
        own = next((t for t, level_ in _LEVELS.items() if level_ == level), nodes.PRODUCT)
        return Symbol(0, body, _BesideMatrices(self.naming, self.letters).write(expr)[0], own)

    def _all(self, expr: Elt) -> Node:
        """A tensor that is read at just the indices of ``whole``."""
        shape = self.naming.shape(expr.of)
        if [ix for ix, size in zip(expr.at, shape, strict=True) if size != 1] != [var(v) for v in self.whole]:
            raise NoMatrix
        return replace(source(expr.of, self), rank=1)

    def named(self, of: int | str) -> Node:
        """A node as a whole tensor, ready to be written inside of a text."""
        return signs.distinct(source(of, self), self.naming.taken)

    # -- pieces ------------------------------------------------------------------

    def _across(self, node: Node, expr: Expr, row: Var | None, column: Var | None) -> Node:
        """A vector as a matrix, where a matrix is wanted."""
        if row is None or column is None or node.rank != 1 or self.whole:
            return node
        return spread(node, across=self.axes(expr) != {row})

    def _sum(self, expr: Add, row: Var | None, column: Var | None) -> Node:
        terms: list[tuple[bool, Node]] = []
        for child in expr.children:
            number, factors = split(child)
            if factors:
                negative, node = self.product(number, factors, row, column)
            else:
                negative, node = number.value < 0, self.scalar(positive(number))
            terms.append((negative, self._across(node, child, row, column)))
        if any(node.rank == 0 for _, node in terms) and any(_is_outer(node) for _, node in terms):
            raise NoMatrix  # multiplied out, a number beside x yᵀ becomes 𝟏 𝟏ᵀ
        return tree.added(terms)

    def _bracket(self, expr: Bracket, row: Var | None, column: Var | None) -> Node:
        """A condition on indices: part of I or L, or a unit vector."""
        found = place(expr.condition, self)
        if set(found.axes) != {v for v in (row, column) if v}:
            raise NoMatrix
        node = signs.IDENTITY if found.node is None else found.node
        return node if found.axes[0] == row or found.node is None else tree.transposed(node)

    def _function(self, expr: Fn, row: Var | None, column: Var | None) -> Node:
        arguments = [self._across(self.lift(arg, row, column), arg, row, column) for arg in expr.children]
        rank = max(a.rank for a in arguments)
        matrices = [a for a in arguments if a.rank == 2]
        if matrices and all(isinstance(a, nodes.Transpose) for a in matrices):
            # f(Xᵀ) is read best as f(X)ᵀ
            return tree.transposed(self._applied(expr, [tree.transposed(a) for a in arguments], rank))
        return self._applied(expr, arguments, rank)

    def _applied(self, expr: Fn, arguments: Sequence[Node], rank: int) -> Node:
        """The operation of ``expr`` on what its operands are lifted to."""
        if expr.op in TRUTH:
            return Truth(rank, expr.op, tuple(arguments))
        if expr.op == "pow":
            return Power(rank, arguments[0], text(signs.distinct(arguments[1], self.naming.taken), nodes.ATOM))
        row_ = row_of(expr.op)
        operands, statics, out, named = iter(arguments), dict(expr.attrs), list[Node](), False
        for param in row_.params:
            if param.is_operand:
                node = next(operands)
                if param.name in row_.missing and text(node) in ("inf", "-inf"):
                    named = True
                    continue
                out.append(_keyword(param.name, node) if named else node)
            elif statics[param.name] != param.default:
                value = statics[param.name]
                shown_ = Symbol(0, static_text(value), static(value))
                out.append(_keyword(param.name, shown_) if named else shown_)
            else:
                named = True
        return Call(rank, row_.name, tuple(out))

    # -- products ----------------------------------------------------------------

    def product(
        self, number: Num, factors: Sequence[tuple[Expr, Num]], row: Var | None, column: Var | None
    ) -> tuple[bool, Node]:
        """Sign and node of number · Π base**exponent."""
        scalar: list[tuple[Node, Num]] = []
        parts: dict[int, list[tuple[Node, Num]]] = {0: [], 1: [], 2: []}
        for base, exponent in factors:
            axes = self.axes(base)
            if self.whole and axes:
                parts[0].append((self.lift(base, row), exponent))
            elif not axes:
                scalar.append((self.scalar(base), exponent))
            else:
                own = [v for v in (row, column) if v in axes]
                if len(own) != len(axes):
                    raise NoMatrix
                kind = 2 if len(own) == 2 else 0 if own == [row] else 1
                parts[kind].append((self.lift(base, *own), exponent))
        a, b, matrix = hadamard(parts[0], 1), hadamard(parts[1], 1), hadamard(parts[2], 2)
        return scaled(number, scalar, bilinear(a, b, matrix, 2 if column else 1))


def _is_outer(node: Node) -> bool:
    inner = node.inner if isinstance(node, nodes.Over) else node
    return node.rank == 2 and isinstance(inner, nodes.Product) and any(f.rank == 1 for f in inner.factors)


def _keyword(name: str, node: Node) -> Node:
    return Symbol(node.rank, f"{name}={text(node)}", keyword(name, tex(node)))


class _PlainScalar(ScalarText):
    """Scalars beside matrices: products by juxtaposition, tensors inside by their matrix notation."""

    times = " "

    def __init__(self, lifter: Lifter) -> None:
        super().__init__(lifter.naming, lifter.letters)
        self.lifter = lifter

    def named(self, of: int | str) -> tuple[str, int]:
        return text(self.lifter.named(of), nodes.ATOM), scalars.ATOM

    def element(self, expr: Elt) -> tuple[str, int]:
        if expr.at:
            return super().element(expr)
        body, level = levelled(self.lifter.named(expr.of))
        return body, _LEVELS.get(level, scalars.PRODUCT)

    def rank(self, base: Expr) -> tuple[int, int, bool, str]:
        """Names before what is put together."""
        place, order, function, body = super().rank(base)
        return place, order, function or body.startswith("("), body


class TexScalar(LatexText):
    """Scalars in LaTeX, tensors inside by their matrix notation."""

    def __init__(self, naming: Naming, letters: Letters, order: Mapping[str, int] | None = None) -> None:
        super().__init__(naming, letters, order)
        self.lifter = Lifter(naming, letters)

    def named(self, of: int | str) -> tuple[str, int]:
        return tex(self.lifter.named(of), nodes.ATOM), scalars.ATOM

    def element(self, expr: Elt) -> tuple[str, int]:
        if expr.at:
            return super().element(expr)
        body, level = typesetting.levelled(self.lifter.named(expr.of))
        return body, _LEVELS.get(level, scalars.PRODUCT)


class _BesideMatrices(TexScalar):
    def rank(self, base: Expr) -> tuple[int, int, bool, str]:
        return _PlainScalar(self.lifter).rank(base)


#: precedence of trees as that of scalar texts; what lies between counts as a product
_LEVELS = {nodes.ATOM: scalars.ATOM, nodes.POWER: scalars.POWER, nodes.SUM: scalars.SUM}
