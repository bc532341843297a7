"""The tutorials in ``samples/`` print what the .out files beside them say.

``python tests/test_samples.py --write`` writes the .out files anew; read their differences before you commit them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from transcripts import commands, output, steady, transcript

ROOT = Path(__file__).resolve().parent.parent
LESSONS = sorted(ROOT.glob("samples/0[0-9]-*.sh"))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_transcript(lesson: Path) -> None:
    shown = steady(transcript(lesson.read_text(encoding="utf-8")))
    assert shown == lesson.with_suffix(".out").read_text(encoding="utf-8")


def test_lessons_are_numbered_and_every_out_file_has_one() -> None:
    assert [lesson.name[:3] for lesson in LESSONS] == [f"{number:02}-" for number in range(1, 10)]
    assert {out.stem for out in ROOT.glob("samples/0*.out")} == {lesson.stem for lesson in LESSONS}


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_fits_80_columns_and_says_how_to_run_it(lesson: Path) -> None:
    assert f"bash -v samples/{lesson.name}\n" in lesson.read_text(encoding="utf-8")
    assert max(map(len, lesson.with_suffix(".out").read_text(encoding="utf-8").splitlines())) <= 80


def test_a_real_shell_shows_the_same() -> None:
    lesson = LESSONS[0]
    env = {name: value for name, value in os.environ.items() if not name.startswith("GRADCLI_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{env.get('PATH', '')}"
    env |= {"PATH": path, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    ran = subprocess.run(
        ["bash", "-v", lesson.relative_to(ROOT)], cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert steady(ran.stdout.decode()) == lesson.with_suffix(".out").read_text(encoding="utf-8")
    assert ran.returncode == 0


def test_the_reader_of_shell_text_sees_failures() -> None:
    with pytest.raises(AssertionError, match="there is no option"):
        output("gradcli eval x --nonsense")
    shown = output("""echo '[1,' | gradcli eval 'x' -i x=@- || echo "exit code $?" # not JSON""")
    assert shown.startswith("error: standard input, line 2, column 1: not JSON")
    assert shown.endswith("exit code 2\n")
    assert list(commands("# a\n\nb \\\n  c\n# d\n")) == [("# a\n\nb \\\n  c\n", "b \\\n  c\n"), ("# d\n", "")]


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for lesson in LESSONS:
        text = transcript(lesson.read_text(encoding="utf-8"))
        lesson.with_suffix(".out").write_text(steady(text), encoding="utf-8")
