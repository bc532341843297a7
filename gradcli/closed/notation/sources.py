"""What named nodes are called in matrix notation: their name, or what they are of others, A x or softmax(Q Kᵀ)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.closed.elementwise import is_elementwise
from gradcli.closed.graph import Graph, GraphNode
from gradcli.closed.index import Var, var
from gradcli.closed.notation import nodes, tree
from gradcli.closed.notation.latex import name_tex
from gradcli.closed.notation.lettering import keyword, static
from gradcli.closed.notation.nodes import Call, Inverse, Kron, Node, Product, Symbol
from gradcli.closed.notation.showing import static_text
from gradcli.closed.notation.unfolding import PRODUCTS
from gradcli.closed.views import view_map
from gradcli.ops.table import find

if TYPE_CHECKING:
    from gradcli.closed.notation.lifting import Lifter

_TRANSPOSES = frozenset(("t", "mT"))


class NoMatrix(Exception):
    """The expression has no matrix notation."""


def source(of: int | str, lifter: Lifter) -> Node:
    """The node called ``of`` as a whole tensor."""
    naming = lifter.naming
    rank = len(naming.shape(of))
    if isinstance(of, str) or naming.is_given(of) or naming.is_aliased(of):
        name = naming.name(of)
        kind = nodes.Upstream if isinstance(of, str) else Symbol
        return kind(rank, name, name_tex(name))
    graph = naming.graph
    try:
        if is_elementwise(graph.nodes[of].op) and not graph.is_named(of):
            return _operand(graph, of, lifter)  # asked for by name only so that its numbers are torch's
        return _written_out(graph, graph.nodes[of], lifter)
    except NoMatrix:
        name = naming.word(of)
        return Symbol(rank, name, name_tex(name))


def _written_out(graph: Graph, node: GraphNode, lifter: Lifter) -> Node:
    operands = [_operand(graph, graph.resolve(arg), lifter) for arg in node.args]
    rank = len(node.shape)
    if node.op in PRODUCTS and rank <= 2 and all(x.rank in (1, 2) for x in operands):
        left, right = operands
        if left.rank == 2:
            return Product(rank, tree.flattened([left, right]))
        # a vector times a matrix is a row, and rows are written as columns
        factors = [tree.transposed(right), left] if right.rank == 2 else [tree.transposed(left), right]
        return Product(rank, tree.flattened(factors))
    if node.op == "inv" and rank == 2:
        return Inverse(2, operands[0])
    if node.op == "outer":
        return Product(2, tree.flattened([operands[0], tree.transposed(operands[1])]))
    if node.op == "kron" and all(x.rank == 2 for x in operands):
        return Kron(2, tuple(operands))
    if node.op == "matrix_power" and rank == 2 and node.attrs["n"] in (2, 3):
        return Product(2, tree.flattened(operands * int(node.attrs["n"])))
    row = find(node.op)
    if row is None or "..." in node.roles or any(p.kind in ("tensors", "text") for p in row.params):
        raise NoMatrix
    statics: list[Node] = []
    for param in row.statics:
        value = node.attrs[param.name]
        if value != param.default:
            text = f"{param.name}={static_text(value)}"
            statics.append(Symbol(0, text, keyword(param.name, static(value))))
    return Call(rank, "tr" if row.name == "trace" else row.name, (*operands, *statics))


def _operand(graph: Graph, id: int, lifter: Lifter) -> Node:
    """An operand as a whole tensor, what is inlined written out too."""
    node = graph.nodes[id]
    if graph.is_named(id):
        return source(id, lifter)
    if node.op in _TRANSPOSES and len(node.shape) == 2:
        return tree.transposed(_operand(graph, graph.resolve(node.args[0]), lifter))
    axes = tuple(Var(f"operand{k}", size) for k, size in enumerate(node.shape))
    if len(axes) > 2 or any(v.size == 1 for v in axes) or (view_map(node.op) and node.op not in _TRANSPOSES):
        raise NoMatrix
    expr = graph.element(id, tuple(map(var, axes)))
    if lifter.axes(expr) != frozenset(axes):
        raise NoMatrix
    return lifter.lift_shown(expr, *(axes or (None,)))
