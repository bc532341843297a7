"""What composite operations mean, as texts of the language.

Most rows carry the text themselves; those whose meaning depends on shapes or
attributes have a function here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import comb, inf
from typing import TYPE_CHECKING, cast

from gradcli.closed.literals import literal
from gradcli.closed.views import broadcast_shapes
from gradcli.ops.row import Row

if TYPE_CHECKING:
    from gradcli.closed.graph import GraphNode
    from gradcli.language.program import Attr

#: of float64, in which closed forms are evaluated
_PRECISION = 2.0**-52

Operands = dict[str, str]
Word = Callable[[int], str]


def expansion(row: Row, node: GraphNode, operands: Sequence[GraphNode], word: Word) -> str | None:
    """The text that ``node`` means, None where there is none; ``word`` gives a text for an operand's id."""
    words = [word(arg) for arg in node.args]
    if row.expansion.startswith("calls."):
        return _BY_SHAPE[row.name](node, operands, words)
    names: dict[str, object] = {name: literal(value) for name, value in node.attrs.items()}
    reduction = node.attrs.get("reduction")
    names["reduce"] = "" if reduction == "none" else reduction
    return _replace(row.expansion.format(**names), dict(zip(node.roles, words, strict=True)))


def _replace(text: str, words: Operands) -> str:
    """Put operand texts for operand names, whole words only."""
    return re.sub(r"[A-Za-z_]\w*", lambda match: words.get(match[0], match[0]), text)


def _reduced(node: GraphNode, body: str) -> str:
    reduction = node.attrs["reduction"]
    return f"({body})" if reduction == "none" else f"{reduction}({body})"


def _diff(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    n, x = int(node.attrs["n"]), words[0]  # type: ignore[arg-type]
    dim = int(node.attrs["dim"]) % len(operands[0].shape)  # type: ignore[arg-type]
    length = max(operands[0].shape[dim] - n, 0)
    terms: list[str] = []
    for k in range(n + 1):  # the n-th difference by binomial coefficients
        sign = "-" if k % 2 else ("+" if terms else "")
        factor = f"{comb(n, k)}*" if comb(n, k) > 1 else ""
        terms.append(f"{sign} {factor}{_window(x, dim, len(operands[0].shape), n - k, length)}")
    return " ".join(terms).strip()


def _window(x: str, dim: int, rank: int, start: int, length: int) -> str:
    """``x[:, start:start+length]`` on axis ``dim``."""
    parts = [":"] * dim + [f"{start}:{start + length}"]
    return f"{x}[{', '.join(parts)}]"


def _columns(words: list[str], dim: int) -> str:
    return f"cat([{', '.join(words)}], {dim})"


def _hstack(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    full = [w if x.shape else f"unsqueeze({w}, 0)" for w, x in zip(words, operands, strict=True)]
    return _columns(full, 0 if max(len(x.shape) for x in operands) < 2 else 1)


def _vstack(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    rows = [w if len(x.shape) > 1 else f"reshape({w}, 1, -1)" for w, x in zip(words, operands, strict=True)]
    return _columns(rows, 0)


def _linear(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    weight = words[1] if len(operands[1].shape) < 2 else f"{words[1]}.T"
    return f"{words[0]} @ {weight}" + (f" + {words[2]}" if len(words) > 2 else "")


def _pinv(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    rows, columns = operands[0].shape[-2:]
    a, t = words[0], f"{words[0]}.mT"
    if rows == columns:
        return f"inv({a})"
    return f"inv({t} @ {a}) @ {t}" if rows > columns else f"{t} @ inv({a} @ {t})"


def _over_last(node: GraphNode, rank: int) -> str:
    """Arguments of a mean over the axes that are normalised; none where they are all there are."""
    shape = node.attrs["normalized_shape"]
    count = len(shape) if isinstance(shape, tuple) else 1
    if count == rank:
        return ""
    dims = -1 if count == 1 else tuple(range(-count, 0))
    return f", dim={dims}, keepdim=True"


def _affine(node: GraphNode, words: list[str], body: str) -> str:
    given = dict(zip(node.roles, words, strict=True))
    text = f"{body}*{given['weight']}" if "weight" in given else body
    return f"{text} + {given['bias']}" if "bias" in given else text


def _layer_norm(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    x, dims, eps = words[0], _over_last(node, len(operands[0].shape)), literal(node.attrs["eps"])
    body = f"({x} - mean({x}{dims}))/sqrt(var({x}{dims}, unbiased=False) + {eps})"
    return _affine(node, words, body)


def _rms_norm(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    x, eps = words[0], node.attrs["eps"]
    least = literal(_PRECISION if eps is None else eps)
    return _affine(node, words, f"{x}/sqrt(mean({x}**2{_over_last(node, len(operands[0].shape))}) + {least})")


def _matrix_norm(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str | None:
    return _of_matrices(words[0], node.attrs["p"], (-2, -1), bool(node.attrs["keepdim"]))


def _linalg_norm(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str | None:
    p, dim, keepdim = (node.attrs[name] for name in ("p", "dim", "keepdim"))
    whole = (-2, -1) if dim is None and len(operands[0].shape) == 2 else dim
    if isinstance(whole, tuple) and len(whole) == 2 and p is not None:
        return _of_matrices(words[0], p, whole, bool(keepdim))
    return f"norm({words[0]}, {2 if p is None else literal(p)}, {dim}, {keepdim})"


def _of_matrices(x: str, p: Attr, dims: tuple[Attr, ...], keepdim: bool) -> str | None:
    """The matrix norm of order p over two axes, as torch.linalg defines it."""
    if p is None:
        return f"norm({x}, 2, {dims}, {keepdim})"
    if p not in (1, -1, inf, -inf):
        return None  # singular values have no rule
    summed, other = dims if abs(cast(float, p)) == 1 else dims[::-1]
    extreme = f"{'amax' if cast(float, p) > 0 else 'amin'}(sum(abs({x}), {summed}, True), {other}, True)"
    return extreme if keepdim else f"squeeze({extreme}, {dims})"


def _glu(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    shape = operands[0].shape
    dim = int(node.attrs["dim"]) % len(shape)  # type: ignore[arg-type]
    half = shape[dim] // 2
    first, second = (_window(words[0], dim, len(shape), start, half) for start in (0, half))
    return f"{first}*sigmoid({second})"


def _attention(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    q, k, v = words
    return f"softmax({q} @ {k}.mT/sqrt({operands[0].shape[-1]}), -1) @ {v}"


def _cosine_similarity(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    # both are made of one shape first, so that dim and the norms mean the same axis of each
    full = broadcast_shapes([x.shape for x in operands])
    pair = [w if x.shape == full else f"expand({w}, {full})" for w, x in zip(words, operands, strict=True)]
    dim, eps = node.attrs["dim"], literal(node.attrs["eps"])
    norms = "*".join(f"clamp(norm({w}, 2, {dim}), {eps})" for w in pair)
    return f"sum({pair[0]}*{pair[1]}, {dim})/({norms})"


def _class_axis(operands: Sequence[GraphNode]) -> int:
    return 0 if len(operands[0].shape) == 1 else 1


def _at_class(x: str, target: str, axis: int) -> str:
    return f"squeeze(gather({x}, {axis}, unsqueeze({target}, {axis})), {axis})"


def _cross_entropy(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    axis = _class_axis(operands)
    logs = f"log_softmax({words[0]}, {axis})"
    if operands[0].shape == operands[1].shape:
        if node.attrs["reduction"] == "mean":  # over the batch, not over the classes
            count = 1
            for d, size in enumerate(operands[0].shape):
                count *= size if d != axis else 1
            return f"-sum({words[1]}*{logs})/{count}" if count > 1 else f"-sum({words[1]}*{logs})"
        return _reduced(node, f"-sum({words[1]}*{logs}, {axis})")
    return _reduced(node, f"-{_at_class(logs, words[1], axis)}")


def _nll_loss(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    return _reduced(node, f"-{_at_class(words[0], words[1], _class_axis(operands))}")


def _kl_div(node: GraphNode, operands: Sequence[GraphNode], words: list[str]) -> str:
    x, target = words
    logs = bool(node.attrs["log_target"])
    body = f"exp({target})*({target} - {x})" if logs else f"xlogy({target}, {target}) - {target}*{x}"
    if node.attrs["reduction"] == "batchmean":
        return f"sum({body})/{operands[0].shape[0]}"
    return _reduced(node, body)


_BY_SHAPE: dict[str, Callable[[GraphNode, Sequence[GraphNode], list[str]], str | None]] = {
    "diff": _diff,
    "hstack": _hstack,
    "vstack": _vstack,
    "linear": _linear,
    "linalg_norm": _linalg_norm,
    "matrix_norm": _matrix_norm,
    "pinv": _pinv,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "glu": _glu,
    "scaled_dot_product_attention": _attention,
    "cosine_similarity": _cosine_similarity,
    "cross_entropy": _cross_entropy,
    "nll_loss": _nll_loss,
    "kl_div": _kl_div,
}
