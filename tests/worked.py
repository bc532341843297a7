"""Cases of ``cases/*.yaml``: read, run from Python and from flags, and compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from command import Ran, run

import gradcli

SETTINGS = ("of", "loss", "dtype", "expand", "zero_grad")
TOLERANCE = 1e-4


def load(name: str) -> list[dict[str, Any]]:
    return yaml.safe_load((Path(__file__).parent / "cases" / name).read_text("utf-8"))


def solve(case: dict[str, Any]) -> gradcli.Result:
    """The case through the Python face."""
    settings = {key: case[key] for key in SETTINGS if key in case}
    grad = case.get("passes", case.get("grad"))
    return gradcli.differentiate(case["program"], case.get("inputs"), grad=grad, **settings)


def command(case: dict[str, Any]) -> Ran:
    """The case through ``gradcli eval -f json``."""
    args = [case["program"], "-f", "json"]
    for name, value in case.get("inputs", {}).items():
        args += ["-i", f"{name}={json.dumps(value)}"]
    for one in case.get("passes", []):
        args += [part for of, value in one.items() for part in ("-g", f"{of}={json.dumps(value)}")]
    if "grad" in case:
        args.append(f"--grad={json.dumps(case['grad'])}")
    for key in SETTINGS:
        if case.get(key) is True:
            args.append("--" + key.replace("_", "-"))
        elif key in case:
            args += ["--" + key, str(case[key])]
    return run("eval", *args)


def same(found: Any, wanted: Any, what: str = "") -> None:
    """Numbers, nested or single, to ``TOLERANCE``; words such as "nan" count as numbers."""
    found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    assert found.shape == wanted.shape, what
    np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=1e-12, equal_nan=True, err_msg=what)


def check_result(case: dict[str, Any], result: gradcli.Result) -> None:
    """Everything the case says of its result."""
    leaves = {leaf.tensor.name: leaf for leaf in result.leaves}
    if "value" in case:
        same(result.root.value, case["value"], "value")
    for name, wanted in case.get("gradient", {}).items():
        same(leaves[name].tensor.gradient, wanted, f"gradient of {name}")
    for name, wanted in case.get("closed", {}).items():
        same(leaves[name].agreement.closed_value, wanted, f"closed form of {name}")
    for name, wanted in case.get("reaching", {}).items():
        same(result.reaching[name], wanted, f"what reaches {name}")
    for name, wanted in case.get("diagonal", {}).items():
        assert leaves[name].jacobian.structure == "diagonal"
        assert leaves[name].jacobian.diagonal == wanted
    for name, wanted in case.get("table", {}).items():
        assert leaves[name].jacobian.table == wanted
    for name, wanted in case.get("values", {}).items():
        same(leaves[name].jacobian.values, wanted, f"Jacobian by {name}")
    if "source" in case:
        assert result.passes[-1].source == case["source"]
    if "upstream" in case:
        same(result.passes[-1].upstream, case["upstream"], "upstream")
    notes = [(note.code, note.message) for note in result.notes]
    for code, words in case.get("notes", {}).items():
        assert any(code == found and words in message for found, message in notes), notes
    assert result.agrees is True


def check_record(case: dict[str, Any], ran: Ran) -> None:
    """What the command printed says the same."""
    assert ran.code == 0, ran.out + ran.err
    record = json.loads(ran.out)
    leaves = {leaf["name"]: leaf for leaf in record["leaves"]}
    for name, wanted in case.get("gradient", {}).items():
        same(leaves[name]["gradient"], wanted, f"gradient of {name}")
    if "value" in case:
        same(record["root"]["value"], case["value"], "value")
    said = [(note["code"], note["message"]) for note in record["notes"]]
    for code, words in case.get("notes", {}).items():
        assert any(code == found and words in message for found, message in said), said
