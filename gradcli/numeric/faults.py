"""Torch's complaints in the words of the program: which operation, the shapes it met, what would work."""

from __future__ import annotations

import re
from dataclasses import dataclass

import torch

from gradcli.errors import GradcliError
from gradcli.language.program import Node, Program
from gradcli.numeric.sizes import broadcast
from gradcli.ops.row import Kind
from gradcli.ops.table import find

Shape = tuple[int, ...]

#: what torch raises for operands that do not suit
TORCH_ERRORS = (RuntimeError, IndexError, ValueError, TypeError, AssertionError, OverflowError, MemoryError)
_LONGEST_TEXT = 48


@dataclass(frozen=True, slots=True)
class _Operand:
    text: str
    shape: Shape

    def __str__(self) -> str:
        return f"{self.text} of shape {self.shape}"


def reword(error: Exception, program: Program, node: Node, shapes: dict[int, Shape]) -> GradcliError:
    """``error``, raised by torch while evaluating ``node``, as a fault of the program's text.

    Args:
        error: what torch raised, or a GradcliError that has no place yet.
        program: whose ``node`` it is.
        shapes: shapes of the operands by node id.
    """
    if isinstance(error, GradcliError):
        return GradcliError(
            error.message,
            span=error.span or node.span,
            hint=error.hint,
            source=error.source or program.source,
            exit_code=error.exit_code,
        )
    operands = [_Operand(_short(program.echoes[arg]), shapes[arg]) for arg in node.args]
    message, hint = _words(str(error), error, _short(program.echoes[node.id]), node, operands)
    return GradcliError(message, span=node.span, hint=hint, source=program.source)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


Words = tuple[str, str | None]


def _words(said: str, error: Exception, text: str, node: Node, operands: list[_Operand]) -> Words:
    row = find(node.op)
    if isinstance(error, MemoryError | torch.OutOfMemoryError) or "allocate memory" in said:
        return f"there is not enough memory for {text}", "use smaller tensors"
    if isinstance(error, torch.linalg.LinAlgError):
        return _linear_algebra(said, text, node, operands)
    if node.op == "index":
        return _index(said, text, operands[0])
    if node.op in ("matmul", "mm", "mv", "bmm", "dot", "linear") and len(operands) >= 2:
        return _product(said, text, *operands[:2])
    found = re.search(r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)", said)
    if found:
        places = f"places on that axis go from 0 to {int(found[3]) - 1}"
        return f"index {found[1]} is out of range in {text}: axis {found[2]} has size {found[3]}", places
    if re.search(r"at least 2 dim|expected a matrix|square matri|2-D|2D", said) and operands:
        square = "square matrix" if "square" in said else "matrix"
        return f"{text} needs a {square}, and {operands[0].text} has shape {operands[0].shape}", None
    if "dimension out of range" in said.lower() or "dimension specified as" in said.lower():
        return _dim(said, text, operands)
    if "is invalid for input of size" in said:
        return _reshape(said, text, operands[0])
    if node.op in ("stack", "cat"):
        return _joined(text, node.op, operands)
    pairing = row is not None and row.kind in (Kind.ELEMENTWISE, Kind.CONSTANT) and len(operands) > 1
    if pairing and broadcast(*(operand.shape for operand in operands)) is None:
        return _pairing(text, operands)
    if "same dtype" in said or "expected dtype" in said or ("but found" in said and "type" in said):
        return f"{text} mixes dtypes", "--dtype float64 gives every tensor the same"
    if "not implemented for" in said:
        kind = re.search(r"not implemented for '(\w+)'", said)
        return f"torch has no {node.op} for {kind[1] if kind else 'this dtype'}", "use --dtype float64"
    shapes = ", ".join(map(str, operands))
    hint = f"{row.usage}: {row.doc[0].lower()}{row.doc[1:]}" if row else None
    return f"{text} is refused by torch{' for ' + shapes if shapes else ''}: {_first_line(said)}", hint


def _first_line(said: str) -> str:
    line = said.strip().partition("\n")[0].rstrip(".")
    return re.sub(r"^\w[\w.]*(\(\))?: ", "", line) or "no reason given"


def _linear_algebra(said: str, text: str, node: Node, operands: list[_Operand]) -> Words:
    matrix = operands[0]
    if "positive" in said:
        return (
            f"{matrix.text} is not positive definite, so {text} does not exist",
            f"add a multiple of the identity: {node.op}({matrix.text} + 1e-6*eye({matrix.shape[-1]}))",
        )
    if "singular" in said:
        hint = f"det({matrix.text}) is 0; add a multiple of the identity: {matrix.text} + 1e-6*eye({matrix.shape[-1]})"
        return f"{matrix.text} is singular, so {text} does not exist", hint
    return f"{text} is refused by torch: {_first_line(said)}", None


def _index(said: str, text: str, operand: _Operand) -> Words:
    rank = len(operand.shape)
    if rank == 0:
        return f"{operand.text} is a single number, so {text} has nothing to take from", "leave the index out"
    found = re.search(r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)", said)
    if found:
        size = int(found[3])
        hint = f"indices go from 0 to {size - 1}, or from -1 to -{size}" if size else "that axis is empty"
        return f"index {found[1]} is out of range in {text}: axis {found[2]} has size {size}", hint
    if "too many indices" in said:
        return f"{text} has more indices than {operand} has axes", f"use at most {rank}"
    if "step" in said:
        return f"{text} has a step that is not positive", f"flip({operand.text}, 0) reverses an axis"
    return f"{text} does not suit {operand}: {_first_line(said)}", None


def _product(said: str, text: str, left: _Operand, right: _Operand) -> Words:
    a, b = left.shape, right.shape
    if not a or not b:
        number = right if a else left
        return f"{text} needs vectors or matrices, and {number.text} is a single number", "use * for a number"
    if "same dtype" in said or ("expected" in said and "dtype" in said):
        return f"{text} mixes dtypes", "--dtype float64 gives every tensor the same"
    message = f"{text} needs equal inner sizes, and got {left} and {right}"
    first, second = _name(left.text), _name(right.text)
    works = (
        (len(b) == 2 and a[-1] == b[1], f"{first} @ {second}.T"),
        (len(a) == 2 and a[0] == b[0], f"{first}.T @ {second}"),
        (b[-1] == a[0], f"{second} @ {first}"),
    )
    better = next((text for fits, text in works if fits), None)
    if better is not None and max(len(a), len(b)) < 3:
        return message, f"{better} would work"
    return (
        message,
        "the last size on the left must be the first on the right (with batches: the last but one)",
    )


def _name(text: str) -> str:
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def _dim(said: str, text: str, operands: list[_Operand]) -> Words:
    found = re.search(r"got (-?\d+)", said) or re.search(r"as (-?\d+)", said)
    which = f"dim={found[1]}" if found else "a dim"
    operand = operands[0] if operands else None
    if operand is None:
        return f"{text}: {which} is out of range", None
    rank = len(operand.shape)
    hint = f"dim goes from {-rank} to {rank - 1}" if rank else "leave dim out: it is a single number"
    return f"{which} is out of range in {text}: {operand} has {rank} {'axis' if rank == 1 else 'axes'}", hint


def _reshape(said: str, text: str, operand: _Operand) -> Words:
    count = 1
    for size in operand.shape:
        count *= size
    wanted = re.search(r"'\[(.*?)\]'", said)
    shape = f"({wanted[1]})" if wanted else "that shape"
    hint = f"the sizes must multiply to {count}; one may be -1"
    return f"{text} cannot put {count} elements into shape {shape}", hint


def _joined(text: str, op: str, operands: list[_Operand]) -> Words:
    shapes = list(dict.fromkeys(operand.shape for operand in operands))
    if op == "cat":
        if () in shapes:
            return (
                f"{text} joins vectors or larger tensors, not single numbers",
                "a list joins numbers: [a, b]",
            )
        return f"{text} needs shapes that differ only along dim, and got {_list(shapes)}", None
    return (
        f"{text} needs elements of one shape, and got {_list(shapes)}",
        "cat([a, b]) joins tensors of different lengths",
    )


def _list(shapes: list[Shape]) -> str:
    *first, last = map(str, shapes)
    return f"{', '.join(first)} and {last}" if first else last


def _pairing(text: str, operands: list[_Operand]) -> Words:
    message = f"{text} cannot pair {' with '.join(map(str, operands))}"
    first, second = operands[0], operands[1]
    if len(first.shape) == len(second.shape) == 1:
        return message, f"sizes must be equal or 1; {_name(first.text)}[:, None] pairs each element with each"
    for operand, other in ((first, second), (second, first)):
        if len(operand.shape) == 2 and broadcast(operand.shape[::-1], other.shape) is not None:
            return message, f"{_name(operand.text)}.T would pair"
        if len(operand.shape) == 1 and broadcast((*operand.shape, 1), other.shape) is not None:
            return message, f"{_name(operand.text)}[:, None] would pair"
    return message, "sizes are compared from the last axis; each pair must be equal or hold a 1"
