"""The command blocks of the README, printed for a shell: ``python tests/readme_commands.py install``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def block(name: str) -> str:
    """The fenced block that follows ``<!-- name -->``."""
    match = re.search(rf"<!-- {name} -->\s*```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    if match is None:
        raise SystemExit(f"README.md has no block called {name}")
    return match[1]


if __name__ == "__main__":
    print(block(sys.argv[1]), end="")
