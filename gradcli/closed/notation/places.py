"""Conditions on indices as matrices: selections, unit vectors, triangles, and identities in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradcli.closed.index import Atom, Condition, Div, Ix, Look, Mod, Var
from gradcli.closed.notation import signs
from gradcli.closed.notation.indexing import IndexTex, IndexText
from gradcli.closed.notation.nodes import Call, Kron, Node, Part, Sum
from gradcli.closed.notation.sources import NoMatrix
from gradcli.closed.scalar import Elt

if TYPE_CHECKING:
    from gradcli.closed.notation.lifting import Lifter


@dataclass(frozen=True)
class Place:
    """What a condition is: an equality of two indices (no node), a vector over one or a matrix over two."""

    axes: tuple[Var, ...]
    node: Node | None = None


def place(condition: Condition, lifter: Lifter) -> Place:
    """The matrix, vector or equality that a condition is.

    Raises:
        NoMatrix: it is none of these.
    """
    parts, const = condition.ix.parts, condition.ix.const
    fixed = [v for a, _ in parts if not isinstance(a, Look) for v in _variables(a) if v in lifter.params]
    if fixed and condition.equation:
        raise NoMatrix
    variables = {a: c for a, c in parts if isinstance(a, Var)}
    others = [(a, c) for a, c in parts if not isinstance(a, Var)]
    if not condition.equation:
        whole = _triangle(variables, const, len(parts))
        return _at(whole, lifter) if fixed else whole
    if len(parts) == 1 and len(variables) == 1:
        ((v, c),) = variables.items()
        if abs(c) == 1:
            spot = str(-const * c)
            return Place((v,), signs.unit(spot, spot))
    if len(parts) == 2 and len(variables) == 2:
        return _match(variables, const)
    if len(parts) == 2 and len(others) == 1 and len(variables) == 1:
        ((v, c),) = variables.items()
        atom, sign = others[0]
        if isinstance(atom, Look) and const == 0:
            return _selection(atom, v, lifter)
        if isinstance(atom, (Mod, Div)) and c == -sign and const == 0 and abs(c) == 1:
            return _periodic(atom, v)
    raise NoMatrix


def _variables(atom: Atom) -> list[Var]:
    return [atom] if isinstance(atom, Var) else list(Ix(0, {atom: 1}).variables())


def _triangle(variables: dict[Var, int], const: int, count: int) -> Place:
    """u >= v, or u > v."""
    if count == 2 and len(variables) == 2 and set(variables.values()) == {1, -1} and const in (0, -1):
        row, column = sorted(variables, key=lambda v: -variables[v])
        if row.size == column.size:
            strict = Sum(2, ((False, signs.LOWER), (True, signs.IDENTITY)))
            return Place((row, column), signs.LOWER if const == 0 else strict)
    raise NoMatrix


def _at(triangle: Place, lifter: Lifter) -> Place:
    """A row or a column of a triangle, as a vector."""
    (row, column), node = triangle.axes, triangle.node
    assert node is not None
    if row in lifter.params and column in lifter.params:
        raise NoMatrix
    fixed, free = (row, column) if row in lifter.params else (column, row)
    letter, texed = (write(lifter.naming, lifter.letters).letter(fixed) for write in (IndexText, IndexTex))
    spots, texs = (letter, ":"), (texed, ":")
    return Place((free,), Part(1, node, *((spots, texs) if fixed == row else (spots[::-1], texs[::-1]))))


def _match(sides: dict[Var, int], const: int) -> Place:
    """u = v is an equality; v = step·u + start picks rows of an identity matrix; u + v = n - 1 turns it round."""
    (u, a), (v, b) = sides.items()
    if const == 0 and {a, b} == {1, -1} and u.size == v.size:
        return Place((u, v))
    if a == b and abs(a) == 1 and const == -a * (u.size - 1) and u.size == v.size:
        return Place((u, v), Call(2, "flip", (signs.sized(signs.IDENTITY, u.size), signs.number("0"))))
    if a * b > 0:
        raise NoMatrix
    small, large = (u, v) if abs(b) == 1 and u.size <= v.size else (v, u)
    step, unit = abs(sides[small]), sides[large]
    start = -const * unit
    if abs(unit) != 1 or start < 0 or start + step * (small.size - 1) >= large.size:
        raise NoMatrix
    return Place((small, large), rows_of_identity(small, large, step, start))


def rows_of_identity(small: Var, large: Var, step: int, start: int) -> Node:
    """The matrix of [large = step·small + start]."""
    stop = start + step * (small.size - 1) + 1
    picked = f"{start or ''}:{stop if stop + step <= large.size else ''}" + (f":{step}" if step > 1 else "")
    name = signs.sized(signs.IDENTITY, large.size)
    return Part(2, name, (picked, ":"), (picked.replace(":", "{:}"), ":"))


def _selection(look: Look, v: Var, lifter: Lifter) -> Place:
    """v = t[u]: the rows of one_hot(t); a unit vector where t has no index of its own here."""
    if not {w for at in look.at for w in at.variables()} - lifter.params:
        writers = (IndexText(lifter.naming, lifter.letters), IndexTex(lifter.naming, lifter.letters))
        return Place((v,), signs.unit(*(f"{writer.atom(look)}" for writer in writers)))
    (u, *others) = dict.fromkeys(w for at in look.at for w in at.variables() if w not in lifter.params)
    if others:
        raise NoMatrix
    return Place((u, v), Call(2, "one_hot", (lifter.lift(Elt(look.node, look.at), u),)))


def _periodic(atom: Mod | Div, v: Var) -> Place:
    """[u mod n = v] repeats an identity matrix, [u div n = v] repeats its rows, (u + c) mod n rolls it."""
    parts = atom.inner.parts
    if len(parts) != 1 or not isinstance(parts[0][0], Var) or parts[0][1] != 1:
        raise NoMatrix
    u, by, const = parts[0][0], atom.by, atom.inner.const
    if isinstance(atom, Mod) and by == v.size == u.size and const:
        shift = -const % by
        shift = shift if 2 * shift <= by else shift - by
        identity = signs.sized(signs.IDENTITY, by)
        return Place((u, v), Call(2, "roll", (identity, signs.number(str(shift)), signs.number("0"))))
    if const or u.size % by:
        raise NoMatrix
    times = u.size // by
    if isinstance(atom, Mod) and v.size == by:
        return Place((u, v), Kron(2, (signs.sized(signs.ONES, times), signs.sized(signs.IDENTITY, by))))
    if isinstance(atom, Div) and v.size == times:
        return Place((u, v), Kron(2, (signs.sized(signs.IDENTITY, times), signs.sized(signs.ONES, by))))
    raise NoMatrix
