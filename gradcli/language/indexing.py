"""Indices: whole numbers, slices, ``...`` and ``None`` between ``[`` and ``]``."""

from __future__ import annotations

from gradcli.errors import GradcliError
from gradcli.language.constants import Lookup, NotConstant, constant, whole
from gradcli.language.program import Attr
from gradcli.language.syntax import Index, Sequence, Slice, Tree, Word

Items = tuple[Attr, ...]


def read(tree: Index, lookup: Lookup) -> Items:
    """The items of an index, as :class:`Node` keeps them.

    Raises:
        GradcliError: an item is not a whole number, a slice, ``...`` or ``None``.
    """
    items = tuple(_item(item, lookup) for item in tree.items)
    if items.count("...") > 1:
        raise GradcliError("an index has at most one '...'", span=tree.span, hint="write x[..., 0]")
    return items


def _item(tree: Tree, lookup: Lookup) -> Attr:
    if isinstance(tree, Word) and tree.value is ...:
        return "..."
    if isinstance(tree, Word) and tree.value is None:
        return None
    if not isinstance(tree, Slice):
        return _whole(tree, lookup)
    start, stop, step = (
        None if part is None or (isinstance(part, Word) and part.value is None) else _whole(part, lookup)
        for part in (tree.start, tree.stop, tree.step)
    )
    if step is not None and step < 1:
        raise GradcliError("the step of a slice is 1 or more", span=tree.span, hint="to go backwards write flip(x, 0)")
    return ("slice", start, stop, step)


def _whole(tree: Tree, lookup: Lookup) -> int:
    hint = "write x[0], x[1:3] or x[..., 0]"
    if isinstance(tree, Sequence):
        hint = "to pick several places write index_select(x, 0, [0, 2])"
    try:
        value = constant(tree, lookup)
    except NotConstant:
        value = None
        hint = "to pick places by a vector write index_select(x, 0, i); to mask write where(mask, x, 0)"
    if whole(value):
        assert isinstance(value, int)
        return value
    raise GradcliError("an index is a whole number, written out", span=tree.span, hint=hint)
