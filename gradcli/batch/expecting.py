"""Expectations of a problem, held against its result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gradcli.batch.building import read, text_of
from gradcli.batch.nodes import Path
from gradcli.batch.placing import at, title
from gradcli.errors import GradcliError
from gradcli.language.suggest import nearest

if TYPE_CHECKING:
    from torch import Tensor

    from gradcli.problem import Problem
    from gradcli.result import Array, Result

#: relative difference that is tolerated where the file says nothing else
TOLERANCE = 1e-5


@dataclass(frozen=True, slots=True)
class Failure:
    """One expectation that is not met.

    Attributes:
        path: the key of the problem that tells it.
        index: the element of a list of numbers there, which tells it.
        message: what is not as expected, in one line.
        details: further lines.
    """

    path: Path
    message: str
    details: tuple[str, ...] = ()
    index: tuple[int, ...] = ()

    def record(self) -> dict[str, Any]:
        """The failure as JSON tells it."""
        return {"path": title(self.path), "message": self.message, "details": list(self.details)}


@dataclass(frozen=True, slots=True)
class Actual:
    """What stands in place of an expectation: a number, text or lists; elements within ``tolerance`` may stay."""

    value: Any
    tolerance: float = 0.0


@dataclass(slots=True)
class Checked:
    """What came of the expectations.

    Attributes:
        failures: those that are not met.
        largest: the largest relative difference from a number that was expected; None where none was.
        actual: path → what was found, for what differs.
    """

    failures: list[Failure] = field(default_factory=list)
    largest: float | None = None
    actual: dict[Path, Actual] = field(default_factory=dict)


def check(expect: dict[str, Any], tolerance: float | None, problem: Problem, result: Result, folder: str) -> Checked:
    """Hold ``expect`` against a result.

    Raises:
        GradcliError: an expected value or formula cannot be read; with its place.
    """
    checked = Checked()
    limit = expect.get("tolerance", TOLERANCE if tolerance is None else tolerance)
    wanted = _Wanted(problem, result, folder)
    for path, name, given, actual, root in _numbers(expect, problem, result):
        found = wanted.value(given, path)
        _compare(checked, path, name, found, actual, root, limit)
    if "notes" in expect:
        _notes(checked, expect["notes"], result)
    if "error" in expect:
        words = "the problem was expected to be refused, and has a result"
        checked.failures.append(Failure(("expect", "error"), words))
    return checked


def refused(expect: dict[str, Any], error: GradcliError) -> list[Failure]:
    """What is wrong with an error that was expected; nothing when it says what it should."""
    wanted = text_of(expect["error"])
    said = f"{error.message}\n{error.hint or ''}"
    if wanted.lower() in said.lower():
        return []
    return [Failure(("expect", "error"), f"the error does not say '{wanted}'", (f"it says: {error.message}",))]


def _numbers(
    expect: dict[str, Any], problem: Problem, result: Result
) -> Iterator[tuple[Path, str, Any, Array, tuple[int, ...] | None]]:
    """(path, what it is called, what is expected, the array found, the root's shape for a Jacobian)."""
    if "value" in expect:
        yield ("expect", "value"), result.root.name, expect["value"], result.root.value, None
    for leaf, given in (expect.get("gradient") or {}).items():
        yield ("expect", "gradient", leaf), f"∂L/∂{leaf}", given, _of(result.gradients, leaf, "gradient"), None
    for leaf, given in (expect.get("jacobian") or {}).items():
        found = _of({one.tensor.name: one.jacobian for one in result.leaves}, leaf, "jacobian")
        values = found.values if found is not None and found.values is not None else _jacobian(problem, leaf)
        yield ("expect", "jacobian", leaf), f"∂{result.root.name}/∂{leaf}", given, values, result.root.shape


def _jacobian(problem: Problem, leaf: str) -> Array:
    """The numbers where the result has none, because they are many or were not asked for."""
    from gradcli.claims.spots import given_spot
    from gradcli.language import fold_name
    from gradcli.solve.records import array

    return array(given_spot(problem).jacobian(fold_name(leaf)))


def _of(known: dict[str, Any], given: str, key: str) -> Any:
    from gradcli.language import fold_name

    name = fold_name(given)
    if name in known:
        return known[name]
    hint = nearest(name, known) or f"it has {', '.join(known) or 'none'}"
    raise at(("expect", key, given), f"the result has no {key} by '{given}'", hint)


@dataclass(slots=True)
class _Wanted:
    """Expected values as tensors; formulas are evaluated at the result's point."""

    problem: Problem
    result: Result
    folder: str

    def value(self, given: Any, path: Path) -> Tensor:
        if isinstance(given, str) and not given.lstrip().startswith("@"):
            return self._formula(given, path)
        return read(given, path, self.folder).tensor("float64")

    def _formula(self, text: str, path: Path) -> Tensor:
        import torch

        from gradcli.claims.formulas import read_formula, upstream_name, value_of

        result, taken = self.result, self.problem.inputs
        arrays = {one.name: one.value for one in (result.root, *result.intermediates)}
        arrays |= {leaf.tensor.name: leaf.tensor.value for leaf in result.leaves}
        known = {name: torch.tensor(array) for name, array in arrays.items()}
        known |= {name: value.tensor("float64") for name, value in taken.items() if name not in known}
        known[upstream_name(self.problem.program)] = torch.tensor(result.passes[-1].upstream)
        return value_of(read_formula(text, known, title(path)), known, "cpu")


def _compare(
    checked: Checked, path: Path, name: str, wanted: Tensor, actual: Array, root: tuple[int, ...] | None, limit: float
) -> None:
    import torch

    from gradcli.claims.fitting import apart, fitted

    ready = fitted(wanted, tuple(actual.shape), root)
    if ready is None:
        words = f"{name} has shape {tuple(actual.shape)}, and shape {tuple(wanted.shape)} was expected"
        checked.failures.append(Failure(path, words))
        checked.actual[path] = Actual(actual.tolist(), limit)
        return
    found = apart(ready, torch.tensor(actual), limit)
    checked.largest = max(checked.largest or 0.0, found.largest)
    if found.agrees:
        return
    index = "".join(f"[{k}]" for k in found.index)
    words = f"{name}{index} is {found.actual:.10g}, and {found.wanted:.10g} was expected"
    how = f"relative difference {found.largest:.2g}, tolerance {limit:g}"
    many = f"; {found.count} of {found.size} elements differ" if found.size > 1 else ""
    checked.failures.append(Failure(path, words, (how + many,), found.index))
    checked.actual[path] = Actual(actual.tolist(), limit)


def _notes(checked: Checked, wanted: list[str], result: Result) -> None:
    """Every code that is expected must be there; an empty list says that there is no note."""
    found = list(dict.fromkeys(note.code for note in result.notes))
    missing = [code for code in wanted if code not in found]
    listed = ", ".join(found) or "none"
    for code in missing:
        words = f"there is no note '{code}'"
        checked.failures.append(Failure(("expect", "notes"), words, (f"notes: {listed}",)))
    if not wanted and found:
        said = next(note.message for note in result.notes)
        words = f"no note was expected, and there is '{found[0]}'"
        checked.failures.append(Failure(("expect", "notes"), words, (said,)))
    if missing or (not wanted and found):
        checked.actual[("expect", "notes")] = Actual(found)
