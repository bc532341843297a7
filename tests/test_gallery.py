"""``samples/gallery.sh`` prints what ``samples/gallery.out`` says, and every formula in it is held against torch.

``python tests/test_gallery.py --write`` writes the .out file anew; read its difference before you commit it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

from command import run
from transcripts import commands, steady

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "samples" / "gallery.sh"
#: what bash -v shows
EXPECTED = SCRIPT.with_suffix(".out")


def transcript() -> str:
    """The script with the output of each command below it."""
    shown, environment = [], dict[str, str]()
    for piece, command in commands(SCRIPT.read_text(encoding="utf-8")):
        shown.append(piece)
        words = shlex.split(command, comments=True)
        if words[:1] == ["export"]:
            environment |= dict(word.split("=", 1) for word in words[1:])
        elif words:
            assert words[0] == "gradcli", command
            with patch.dict(os.environ, environment):
                ran = run(*words[1:], env=environment)
            assert ran.code == 0, ran.out + ran.err
            shown.append(ran.out + ran.err)
    return steady("".join(shown))


def test_gallery() -> None:
    assert transcript() == EXPECTED.read_text(encoding="utf-8")


def test_sixty_expressions_each_with_a_line_of_explanation_and_all_agree() -> None:
    script, shown = SCRIPT.read_text(encoding="utf-8"), EXPECTED.read_text(encoding="utf-8")
    assert len(re.findall(r"^# [A-Z].*\ngradcli eval ", script, re.MULTILINE)) == script.count("\ngradcli eval ") == 60
    assert shown.count("✓ torch, the closed form and finite differences agree") == 60
    assert "≠" not in shown and "✗" not in shown


def test_the_same_text_whatever_order_sets_have() -> None:
    """Two processes with other hash seeds print the gallery that this one prints."""
    code = "import sys; sys.path.insert(0, 'tests'); import test_gallery; print(ascii(test_gallery.transcript()))"
    for seed in ("1", "2"):
        ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": seed}, capture_output=True)
        assert ran.stdout.decode() == f"{EXPECTED.read_text(encoding='utf-8')!a}\n", ran.stderr.decode()


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    EXPECTED.write_text(transcript(), encoding="utf-8")


def test_the_readme_quotes_what_the_gallery_prints() -> None:
    root = Path(__file__).resolve().parent.parent
    readme = (root / "README.md").read_text(encoding="utf-8")
    table = readme.partition("<!-- gallery -->")[2].partition("<!-- /gallery -->")[0]
    printed = " ".join((root / "samples" / "gallery.out").read_text(encoding="utf-8").split())
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    assert len(rows) == 10
    for row in rows:
        program, formulas = row[1].strip(" `"), row[3].split("`")[1::2]
        assert f'"{program}"' in printed
        for formula in formulas:
            assert formula.removeprefix("g ↦ ") in printed, formula
