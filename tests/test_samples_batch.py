"""The problem files in ``samples/`` and the tutorials that use them.

``python tests/test_samples_batch.py --write`` writes the .out files anew; read their differences before you commit
them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from command import run
from transcripts import steady, transcript

ROOT = Path(__file__).resolve().parent.parent
SHEETS = sorted(ROOT.glob("samples/*.yaml"))
LESSONS = sorted(ROOT.glob("samples/1[0-9]-*.sh"))


def records(sheet: Path, *args: str) -> list[dict]:
    ran = run("batch", str(sheet), "-f", "json", *args)
    assert ran.code == 0, ran.out
    return [json.loads(line) for line in ran.out.splitlines()]


def test_the_sheets_are_there():
    assert [sheet.stem for sheet in SHEETS] == ["backward_gradient", "exercises", "mistakes"]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.stem)
def test_every_problem_of_a_sheet_passes(sheet):
    ran = run("batch", str(sheet), env={"COLUMNS": "200"})
    assert ran.code == 0, ran.out
    assert "✗" not in ran.out
    text = sheet.read_text(encoding="utf-8")
    assert f"gradcli batch samples/{sheet.name}" in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.stem)
def test_a_sheet_is_up_to_date(sheet, tmp_path):
    copy = tmp_path / sheet.name
    copy.write_bytes(sheet.read_bytes())
    assert run("batch", str(copy), "--update").code == 0
    assert copy.read_bytes() == sheet.read_bytes()


def test_twenty_exercises_each_with_an_answer():
    listed = run("batch", str(ROOT / "samples/exercises.yaml"), "--list").out.splitlines()
    assert [int(re.search(r"  (\d+) ", line)[1]) for line in listed] == list(range(1, 21))
    text = (ROOT / "samples/exercises.yaml").read_text()
    problems = text.split("  - name: ")[1:]
    assert all("claims:" in problem or "expect:" in problem for problem in problems)


def test_answers_of_the_exercises_are_really_checked(tmp_path):
    text = (ROOT / "samples/exercises.yaml").read_text(encoding="utf-8")
    copy = tmp_path / "wrong.yaml"
    copy.write_text(text.replace("claims: {x: 2*(x - mean(x))/3}", "claims: {x: 2*(x - mean(x))/4}"))
    ran = run("batch", str(copy))
    assert ran.code == 1
    assert "✗ 11 mean and variance" in ran.out
    assert "it looks as if a factor 4/3 is missing" in ran.out


def test_mistakes_are_refused_or_noted_as_they_say():
    found = records(ROOT / "samples/mistakes.yaml")
    refused = [record["name"] for record in found if record["kind"] == "error"]
    results = [record for record in found if record["kind"] == "result"]
    noted = {record["name"]: [note["code"] for note in record["notes"]] for record in results}
    assert len(refused) == 16
    assert noted["a kink"] == ["kink"]
    assert all(noted.values())
    assert all(record["hint"] or record["message"] for record in found if record["kind"] == "error")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_transcript(lesson, monkeypatch):
    monkeypatch.chdir(ROOT)
    shown = steady(transcript(lesson.read_text(encoding="utf-8")))
    assert shown == lesson.with_suffix(".out").read_text(encoding="utf-8")
    assert f"bash -v samples/{lesson.name}\n" in shown


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for lesson in LESSONS:
        text = transcript(lesson.read_text(encoding="utf-8"))
        lesson.with_suffix(".out").write_text(steady(text), encoding="utf-8")
