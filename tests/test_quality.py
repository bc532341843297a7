"""The package keeps its own rules: style, types, and the direction of imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINT_IMPORTS = "import importlinter.cli as c; c.lint_imports_command(['pyproject.toml', '--no-cache'])"


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["-m", "ruff", "check", "--no-cache", "gradcli", "tests"], id="ruff"),
        pytest.param(["-m", "ruff", "format", "--check", "--no-cache", "gradcli", "tests"], id="format"),
        pytest.param(["-m", "mypy", "--cache-dir", "{tmp}", "gradcli"], id="mypy"),
        pytest.param(["-c", LINT_IMPORTS], id="imports"),
    ],
)
def test_clean(command: list[str], tmp_path: Path) -> None:
    filled = [part.replace("{tmp}", str(tmp_path)) for part in command]
    done = subprocess.run([sys.executable, *filled], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_top_level_is_what_was_agreed() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    visible = {line.split("/")[0] for line in listed.stdout.splitlines() if not line.startswith(".")}
    assert visible <= {"pyproject.toml", "README.md", "gradcli", "tests", "samples"}
