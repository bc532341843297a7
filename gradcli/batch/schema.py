"""What a problem file may hold: every key with the check of its value.

Checks look at plain data and gather every fault, so that one reading tells all of them whatever the
format.  What a program or a value means is not looked at here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradcli.batch.checks import (
    Check,
    Faults,
    by_name,
    canonical,
    check_keys,
    grad,
    jacobian_view,
    kind,
    name,
    names,
    spelled,
    text,
    tolerance,
    truth,
    value,
)  # fmt: skip
from gradcli.batch.nodes import Path
from gradcli.language.suggest import nearest
from gradcli.notes import CODES


def codes(value: Any, path: Path, faults: Faults) -> None:
    if not isinstance(value, list):
        faults.add(path, f"notes is {kind(value)}, and should be a list of codes", "write notes: [kink]")
        return
    for at, code in enumerate(value):
        if code not in CODES:
            hint = nearest(str(code), CODES) or f"codes: {', '.join(CODES)}"
            faults.add((*path, at), f"there is no note {spelled(code)}", hint)


def claims(given: Any, path: Path, faults: Faults) -> None:
    """``leaf: formula``, and the same under gradient and jacobian."""
    if not isinstance(given, dict):
        by_name("leaves", text, "3*g")(given, path, faults)
        return
    for key, one in given.items():
        if isinstance(one, dict) and key in ("gradient", "jacobian"):
            by_name("leaves", text, "3*g")(one, (*path, key), faults)
        elif name(key, (*path, key), faults):
            text(one, (*path, key), faults)


EXPECT: dict[str, Check] = {
    "value": value,
    "gradient": by_name("leaves", value),
    "jacobian": by_name("leaves", value),
    "error": text,
    "notes": codes,
    "tolerance": tolerance,
}


def expect(given: Any, path: Path, faults: Faults) -> None:
    check_keys(given, path, faults, EXPECT, "expect")
    if isinstance(given, dict) and "error" in given:
        others = [key for key in given if key not in ("error", "tolerance")]
        if others:
            words = f"a problem that is refused has no {others[0]}"
            faults.add((*path, others[0]), words, "expect error alone", key=True)


#: what problems share under ``defaults``
SHARED: dict[str, Check] = {
    "inputs": by_name("leaves", value),
    "grad": grad,
    "loss": text,
    "of": text,
    "wrt": names,
    "zero_grad": truth,
    "expand": truth,
    "device": text,
    "dtype": text,
    "jacobian": jacobian_view,
    "check": truth,
    "tolerance": tolerance,
}
PROBLEM: dict[str, Check] = {"name": text, "program": text, **SHARED, "expect": expect, "claims": claims}


def problem(data: Any, path: Path, faults: Faults) -> None:
    """One problem."""
    check_keys(data, path, faults, PROBLEM, "a problem")
    if isinstance(data, dict):
        given = {canonical(key) for key in data if isinstance(key, str)}
        if "program" not in given and "programme" not in given:
            if nearest_key(data, "program") is None:
                faults.add(path, "the problem has no program", "add program: 3*a + log(c)")
        if {"grad", "loss"} <= given:
            faults.add((*path, "loss"), "grad and loss are both given", "keep one of them", key=True)


def nearest_key(data: Mapping[Any, Any], wanted: str) -> str | None:
    """A key that was probably meant as ``wanted``."""
    found = [key for key in data if isinstance(key, str) and key not in PROBLEM and nearest(key, [wanted])]
    return found[0] if found else None


def document(data: Any, faults: Faults) -> None:
    """A whole document: one problem, a list of problems, or ``{defaults, problems}``."""
    if isinstance(data, list):
        listed(data, (), faults)
    elif isinstance(data, dict) and ("problems" in data or "defaults" in data):
        check_keys(data, (), faults, {"defaults": defaults, "problems": listed}, "the file")
        if "problems" not in data:
            faults.add(("defaults",), "there are defaults and no problems", "add problems:", key=True)
    else:
        problem(data, (), faults)


def defaults(data: Any, path: Path, faults: Faults) -> None:
    if data is not None:
        check_keys(data, path, faults, SHARED, "defaults")


def listed(data: Any, path: Path, faults: Faults) -> None:
    if not isinstance(data, list):
        words = f"problems is {kind(data)}, and should be a list"
        faults.add(path, words, "begin each problem with a dash: - program: …")
        return
    if not data:
        faults.add(path, "there are no problems in the list", "add - program: 3*a + log(c)")
    for at, one in enumerate(data):
        problem(one, (*path, at), faults)
