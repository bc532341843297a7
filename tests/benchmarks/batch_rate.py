"""How many problems a second ``gradcli batch`` does beside a loop written by hand with torch.

    python tests/benchmarks/batch_rate.py [COUNT] [ROUNDS]

Both sides read JSON Lines, make tensors, evaluate the program, go backward and print; gradcli also derives, compares
and prints everything of ``eval -f json``.  COUNT problems (default 10,000) are cut into files of 5,000, which both
sides run by turns in this one process with torch loaded, on one thread; that is done ROUNDS times (default 3).  For
each file the fastest round counts.  CPU seconds are shown beside those on the clock, because a clock also counts
what else the machine does.  Nothing is asserted and pytest does not collect it: times belong to the machine.
"""

from __future__ import annotations

import gc
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import torch

from gradcli.cli import main as gradcli
from gradcli.cli.terminal import Terminal

DOCS = "3*a + 2*b*b + log(c)"
#: what is run → kind of programs, whether the numbers are always the same, flags
SETTINGS: dict[str, tuple[str, bool, tuple[str, ...]]] = {
    "the docs example again and again": ("docs", True, ()),
    "docs examples with other numbers": ("docs", False, ()),
    "programs that differ in a number, --jacobian none": ("number", False, ("--jacobian", "none")),
    "programs all different, --jacobian none": ("all", False, ("--jacobian", "none")),
}
PART = 5_000
#: functions that programs of the loop call
KNOWN = {"log": torch.log, "exp": torch.exp, "sin": torch.sin, "sqrt": torch.sqrt}


def program(k: int, kind: str, draw: random.Random) -> str:
    """A program of the docs example's size: that one, with another number, or another."""
    if kind == "docs":
        return DOCS
    if kind == "number":
        return f"{k}.5*a + 2*b*b + log(c)"
    one = draw.choice(["log(c)", "sqrt(b*c)", "sin(a)*c", "exp(-b)*c", "c/(a + b)"])
    two = draw.choice(["2*b*b", "a*b", "(a - b)**2", "b/a"])
    return draw.choice([f"{k}*a + {two} - {one}", f"{one}*b - {k}.25*a", f"({two} + {k})*{one} + a*b"])


def problems(count: int, kind: str, fixed: bool) -> list[str]:
    """COUNT problems, a line of JSON each."""
    draw = random.Random(1)
    lines = []
    for k in range(count):
        inputs = {
            name: [low, low + 1, low + 2] if fixed else [round(draw.uniform(0.1, 9), 2) for _ in range(3)]
            for name, low in (("a", 1), ("b", 3), ("c", 6))
        }
        text = program(k, kind, draw)
        lines.append(json.dumps({"name": f"p{k}", "program": text, "inputs": inputs, "grad": [0.1, 1.0, 1e-4]}))
    return lines


def by_hand(path: Path, kind: str, out: TextIO) -> None:
    """Read, backward, write; the docs example is spelled out, any other program is left to eval."""
    with path.open() as lines:
        for line in lines:
            data = json.loads(line)
            leaves = {
                name: torch.tensor(value, dtype=torch.float64, requires_grad=True)
                for name, value in data["inputs"].items()
            }
            if kind == "docs":
                y = 3 * leaves["a"] + 2 * leaves["b"] * leaves["b"] + torch.log(leaves["c"])
            else:
                y = eval(data["program"], KNOWN, leaves)
            y.backward(torch.tensor(data["grad"], dtype=torch.float64))
            found = {name: None if leaf.grad is None else leaf.grad.tolist() for name, leaf in leaves.items()}
            print(json.dumps({"name": data["name"], "y": y.tolist(), **found}), file=out)


def by_gradcli(path: Path, flags: tuple[str, ...], out: TextIO) -> None:
    """The same by the command."""
    with open(os.devnull, "w") as err:
        code = gradcli(["batch", str(path), "-f", "json", *flags], Terminal(sys.stdin, out, err, {}))
    assert code == 0, code


def seconds(work: Callable[[], None]) -> tuple[float, float]:
    """(wall, CPU) seconds."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def measure(title: str, count: int, rounds: int, folder: Path) -> None:
    """Run one setting by turns and print its ratios."""
    kind, fixed, flags = SETTINGS[title]
    lines = problems(count, kind, fixed)
    paths = []
    for begin in range(0, count, PART):
        paths.append(folder / f"{begin}.jsonl")
        paths[-1].write_text("\n".join(lines[begin : begin + PART]))
    hand: dict[Path, list[tuple[float, float]]] = {path: [] for path in paths}
    ours: dict[Path, list[tuple[float, float]]] = {path: [] for path in paths}
    with open(os.devnull, "w") as out:
        by_hand(paths[0], kind, out)
        by_gradcli(paths[0], flags, out)
        for _ in range(rounds):
            for path in paths:
                hand[path].append(seconds(lambda path=path: by_hand(path, kind, out)))
                ours[path].append(seconds(lambda path=path: by_gradcli(path, flags, out)))
    print(f"{title}, {count:,} problems")
    best = [
        [sum(min(times[way] for times in found[path]) for path in paths) for found in (hand, ours)] for way in (0, 1)
    ]
    for name, (theirs, our_own) in zip(("on the clock", "of CPU time"), best, strict=True):
        print(
            f"  {name:13}  by hand {count / theirs:8,.0f} a second   gradcli {count / our_own:8,.0f} a second"
            f"   ratio {theirs / our_own:5.2f}"
        )


def main(count: int, rounds: int) -> None:
    """Measure every setting."""
    torch.set_num_threads(1)
    gc.disable()  # as the command does
    for title in SETTINGS:
        with tempfile.TemporaryDirectory() as folder:
            measure(title, count, rounds, Path(folder))


if __name__ == "__main__":
    given = [int(part.replace(",", "")) for part in sys.argv[1:]]
    main(*[*given, *(10_000, 3)[len(given) :]])
