"""How long gradcli takes beside a plain torch script that only prints the three gradients of the docs example.

    python tests/benchmarks/startup.py [ROUNDS]

Runs everything in turn, ROUNDS times (default 9) after one round that is not counted, and prints medians and their
ratios to the script's.  Nothing is asserted and pytest does not collect it: times belong to the machine.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

PLAIN = """
import torch

a = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
b = torch.tensor([3.0, 4.0, 5.0], dtype=torch.float64, requires_grad=True)
c = torch.tensor([6.0, 7.0, 8.0], dtype=torch.float64, requires_grad=True)
y = 3 * a + 2 * b * b + torch.log(c)
y.backward(torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float64))
print(a.grad)
print(b.grad)
print(c.grad)
"""
INPUTS = ["-i", "a=1,2,3", "-i", "b=3,4,5", "-i", "c=6,7,8"]
GRADCLI = [sys.executable, "-m", "gradcli"]

#: what is run → command and exit code; the first is what the others are measured by
CASES: dict[str, tuple[list[str], int]] = {
    "plain torch script": ([sys.executable, "-c", PLAIN], 0),
    "docs example": ([*GRADCLI, "eval", "3*a + 2*b*b + log(c)", *INPUTS, "--grad", "0.1,1,1e-4"], 0),
    "--help": ([*GRADCLI, "--help"], 0),
    "a parse error": ([*GRADCLI, "eval", "3*a + 2*b*b + lgo(c)", *INPUTS], 2),
}


def seconds(command: list[str], code: int) -> float:
    """The wall time of ``command``, which must end with ``code``."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True)
    elapsed = time.perf_counter() - start
    if done.returncode != code:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}\n{done.stderr.decode()}")
    return elapsed


def main(rounds: int) -> None:
    """Measure and print."""
    times: dict[str, list[float]] = {name: [] for name in CASES}
    for turn in range(rounds + 1):
        for name, (command, code) in CASES.items():
            taken = seconds(command, code)
            if turn:
                times[name].append(taken)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    whole = next(iter(medians.values()))
    print(f"{'':20}  median of {rounds}  ratio")
    for name, median in medians.items():
        print(f"{name:20}  {median:10.3f} s  {median / whole:5.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 9)
