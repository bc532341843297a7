"""JSON read into values, and into trees when a place is wanted."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import orjson

from gradcli.batch.nodes import DEPTH, Node, check_duplicates
from gradcli.errors import GradcliError, Source, Span

_TOKEN = re.compile(r'\s*([{}\[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+)', re.DOTALL)


class _Unusual(ValueError):
    """The text is JSON, and holds a key twice or a number too large: the tree will say where."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Unusual
    return found


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _Unusual
    return value


#: keys of the plainest problems
_PLAINEST = frozenset(("name", "program", "inputs", "grad"))
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_number)


def read_json(source: Source) -> Any:
    """The value that a JSON text means.

    Raises:
        GradcliError: the text is no JSON, a key is given twice, or a number is too large; with the place.
    """
    try:
        found = _DECODER.decode(source.text)
        if source.text.count("[") + source.text.count("{") > DEPTH:
            _check_depth(found, source)
        return found
    except _Unusual:
        return read_tree(source).plain()
    except json.JSONDecodeError as error:
        raise _no_json(error, source) from None
    except RecursionError:
        words = f"lists are nested more than {DEPTH} deep"
        raise GradcliError(words, span=Span(0, 1), hint="keep tensors in files: @x.npy", source=source) from None
    except ValueError:  # a whole number of thousands of digits
        found = re.search(r"\d{4300,}", source.text)
        span = Span(found.start(), found.end()) if found else None
        raise GradcliError("the number is too large", span=span, hint="write it as 1e300", source=source) from None


def _check_depth(value: Any, source: Source) -> None:
    """Refuse what the tree would refuse, before anything is run."""
    level = [value]
    for _ in range(DEPTH):
        inside = [one.values() if isinstance(one, dict) else one for one in level]
        level = [child for children in inside for child in children if isinstance(child, (list, dict))]
        if not level:
            return
    read_tree(source)


def read_plainest(text: str) -> dict[str, Any] | None:
    """The value of a line that is one problem of the plainest kind, read as fast as can be.

    None for anything else: other keys, a key that is given twice, a colon within a text, what is no JSON.
    """
    try:
        data = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if type(data) is not dict or not data.keys() <= _PLAINEST:
        return None
    inputs = data.get("inputs")
    if data.get("name", "-") in ("", None) or data.get("grad", 0) is None:
        return None
    if type(inputs) is not dict or text.count(":") != len(data) + len(inputs):
        return None
    return data if type(data.get("name", "")) is str else None


def _no_json(error: json.JSONDecodeError, source: Source) -> GradcliError:
    message = f"this is no JSON: {error.msg[0].lower()}{error.msg[1:]}"
    hint = "names and texts stand in double quotes; no comma after the last one"
    if error.msg == "Extra data":
        message = "something follows where the JSON ends"
        hint = "for one object a line, name the file .jsonl"
    return GradcliError(message, span=Span(error.pos, error.pos + 1), hint=hint, source=source)


def read_tree(source: Source) -> Node:
    """The tree of a text that is known to be JSON.

    Raises:
        GradcliError: a key is given twice, a number is too large, or lists are nested too deep.
    """
    stack: list[Node] = []
    keys: list[Node | None] = []
    root: Node | None = None
    for found in _TOKEN.finditer(source.text):
        token, start, end = found[1], found.start(1), found.end(1)
        if token in ",:":
            continue
        if token in "[{":
            if len(stack) == DEPTH:
                words, hint = f"lists are nested more than {DEPTH} deep", "keep tensors in files: @x.npy"
                raise GradcliError(words, span=Span(start, end), hint=hint, source=source)
            stack.append(Node(start, end, items=[] if token == "[" else None, pairs=[] if token == "{" else None))
            keys.append(None)
            continue
        if token in "]}":
            node = stack.pop()
            keys.pop()
            node.end = end
            check_duplicates(node.pairs or (), source)
        else:
            node = _scalar(token, start, end, source)
        if not stack:
            root = node
        elif (items := stack[-1].items) is not None:
            items.append(node)
        elif (key := keys[-1]) is None:
            keys[-1] = node
        else:
            assert stack[-1].pairs is not None
            stack[-1].pairs.append((key, node))
            keys[-1] = None
    assert root is not None
    return root


def _scalar(token: str, start: int, end: int, source: Source) -> Node:
    value = json.loads(token)
    if isinstance(value, float) and math.isinf(value) and "I" not in token:
        words, hint = "the number is too large for float64", 'write it as 1e300, or "inf"'
        raise GradcliError(words, span=Span(start, end), hint=hint, source=source)
    return Node(start, end, value, style='"' if token[0] == '"' else "")
