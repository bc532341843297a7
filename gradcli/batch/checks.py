"""Checks of plain data that gather every fault with its path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from gradcli.batch.nodes import Path
from gradcli.language.suggest import nearest
from gradcli.problem import JacobianView

JACOBIANS: tuple[str, ...] = get_args(JacobianView)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at ``path`` of a document; ``key``: with the key there, not with its value."""

    path: Path
    message: str
    hint: str | None = None
    key: bool = False


@dataclass(slots=True)
class Faults:
    """The faults found so far."""

    found: list[Fault] = field(default_factory=list)

    def add(self, path: Path, message: str, hint: str | None = None, *, key: bool = False) -> None:
        self.found.append(Fault(path, message, hint, key))


Check = Callable[[Any, Path, Faults], None]


def check_keys(data: Any, path: Path, faults: Faults, checks: Mapping[str, Check], what: str) -> None:
    """Hold a mapping against the keys that it may have; ``zero-grad`` counts as ``zero_grad``."""
    if not isinstance(data, dict):
        faults.add(path, f"{what} is {kind(data)}, and should be a mapping", f"write {_example(checks)}")
        return
    seen: dict[str, Any] = {}
    for key, value in data.items():
        name = canonical(key) if isinstance(key, str) else ""
        if name not in checks:
            known = [known for known in checks if known not in data]
            hint = nearest(name, known) if name else None
            shown = spelled(key)
            faults.add((*path, key), f"{what} has no key {shown}", hint or f"its keys are {_list(checks)}", key=True)
        elif name in seen:
            faults.add((*path, key), f"{spelled(key)} is given twice, as '{seen[name]}' too", "keep one", key=True)
        else:
            seen[name] = key
            checks[name](value, (*path, key), faults)


def canonical(key: str) -> str:
    """``zero-grad`` → ``zero_grad``."""
    return key.replace("-", "_")


def spelled(key: Any) -> str:
    """A key as it is shown: quoted text, or what YAML writes."""
    if isinstance(key, str):
        return f"'{key}'"
    return "null" if key is None else str(key).lower() if isinstance(key, bool) else str(key)


def kind(value: Any) -> str:
    """What a value is, in words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"{str(value).lower()}, a truth value"
    if isinstance(value, (int, float)):
        return "a number"
    kinds: dict[type, str] = {str: "text", list: "a list", dict: "a mapping"}
    return kinds.get(type(value), "of another kind")


def _list(names: Mapping[str, Any]) -> str:
    return ", ".join(names)


def _example(checks: Mapping[str, Check]) -> str:
    return f"one key a line, such as {next(iter(checks))}: …"


def text(value: Any, path: Path, faults: Faults) -> None:
    """Text; numbers are as good as text."""
    if isinstance(value, (list, dict)):
        faults.add(path, f"{path[-1]} is {kind(value)}, and should be text", "put the expression in quotes")
    elif value is None or isinstance(value, bool) or (isinstance(value, str) and not value.strip()):
        shown = "empty" if isinstance(value, str) else kind(value)
        faults.add(path, f"{path[-1]} is {shown}, and should be text", "quote it, if it is meant as text")


def truth(value: Any, path: Path, faults: Faults) -> None:
    if not isinstance(value, bool):
        words = f"{path[-1]} is {kind(value)}, and should be true or false"
        faults.add(path, words, "YAML 1.2 has no other words for them" if isinstance(value, str) else None)


def names(value: Any, path: Path, faults: Faults) -> None:
    """Names: text with commas, or a list."""
    for at, one in enumerate(value) if isinstance(value, list) else ():
        text(one, (*path, at), faults)
    if not isinstance(value, list):
        text(value, path, faults)


def jacobian_view(value: Any, path: Path, faults: Faults) -> None:
    if value not in JACOBIANS:
        hint = nearest(str(value), JACOBIANS) or f"one of {', '.join(JACOBIANS)}"
        faults.add(path, f"there is no Jacobian view {spelled(value)}", hint)


def tolerance(value: Any, path: Path, faults: Faults) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1:
        faults.add(path, f"tolerance is a relative difference, and {value} is none", "tolerance: 1e-4")


def value(value: Any, path: Path, faults: Faults) -> None:
    """A number, a list, or text as -i takes it; what it holds is read later."""
    if value is None:
        faults.add(path, f"{path[-1]} has no value", "write a number, a list, or text such as ones(3)")
    elif isinstance(value, dict):
        faults.add(path, f"{path[-1]} is a mapping, and should be a number or a list")


def by_name(what: str, check: Check, example: str = "[1, 2, 3]") -> Check:
    """A mapping from names to what ``check`` takes."""

    def checked(value: Any, path: Path, faults: Faults) -> None:
        if not isinstance(value, dict):
            words = f"{path[-1]} is {kind(value)}, and should map {what} to values"
            faults.add(path, words, f"write {path[-1]}: {{a: {example}}}")
            return
        for key, one in value.items():
            if one is None and not (isinstance(key, str) and key.replace("_", "").isalnum()):
                words = f"{key} is left over from a value with a comma in it"
                faults.add((*path, key), words, "put the whole value in quotes, or in brackets", key=True)
            elif name(key, (*path, key), faults):
                check(one, (*path, key), faults)

    return checked


def name(key: Any, path: Path, faults: Faults) -> bool:
    """Whether a key can be a name; YAML reads null, true and 1 as something else."""
    if not isinstance(key, str):
        words = f"{spelled(key)} is {kind(key)}, and should be a name"
        faults.add(path, words, f'quote it: "{spelled(key)}"', key=True)
        return False
    return True


def grad(given: Any, path: Path, faults: Faults) -> None:
    """An upstream gradient, ``{statement: gradient}``, or a list of such mappings, one a pass."""
    mappings = isinstance(given, list) and bool(given) and any(isinstance(one, dict) for one in given)
    if not mappings and not isinstance(given, dict):
        value(given, path, faults)
        return
    for at, one in enumerate(given) if mappings else ((None, given),):
        where = path if at is None else (*path, at)
        if not isinstance(one, dict):
            faults.add(where, "a pass is a mapping from the statement it starts from", "write - {y: [1, 0]}")
            continue
        for key, start in one.items():
            if name(key, (*where, key), faults) and start is not None:
                value(start, (*where, key), faults)
