"""gradcli batch from files to what it prints, writes and returns."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from command import Stream, run

from gradcli.batch import progress
from gradcli.batch.progress import Bar
from gradcli.cli import main
from gradcli.cli.terminal import Terminal

SHEET = """\
# a sheet
- name: docs example
  program: 3*a + 2*b*b + log(c)
  inputs: {a: [1, 2, 3], b: [3, 4, 5], c: [6, 7, 8]}
  grad: [0.1, 1, 1e-4]
  expect: {gradient: {a: [0.3, 3, 3e-4]}}
- name: wrong square
  program: x**2
  inputs: {x: [1, 2]}
  grad: [1, 1]
  expect: {gradient: {x: [2, 5]}}   # 4, in fact
- name: bad function
  program: lg(x)
  inputs: {x: 1}
- program: x*y
  inputs: {x: 2, y: 3}
"""


@pytest.fixture
def sheet(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "sheet.yaml"
    path.write_text(SHEET)
    return path


def test_a_line_a_problem_and_what_is_wrong(sheet):
    ran = run("batch", "sheet.yaml")
    assert ran.code == 2
    assert ran.out == (
        "✓ docs example        0\n"
        "✗ wrong square        0.2\n"
        "  sheet.yaml:11:30: ∂L/∂x[1] is 4, and 5 was expected\n"
        "    relative difference 0.2, tolerance 1e-05; 1 of 2 elements differ\n"
        "✗ bad function        refused\n"
        "  error: there is no function called lg\n"
        "      program: lg(x)\n"
        "               ^^  sheet.yaml:13:12\n"
        "    hint: did you mean log?\n"
        "✓ sheet.yaml:15  x*y  agree within 1e-8\n"
    )
    assert ran.err == "4 problems: 2 passed, 1 failed, 1 refused\n"


def test_exit_codes(sheet):
    assert run("batch", "sheet.yaml", "--only", "docs*").code == 0
    assert run("batch", "sheet.yaml", "--only", "wrong*").code == 1
    assert run("batch", "sheet.yaml", "--only", "bad").code == 2
    assert run("batch", "sheet.yaml", "none.yaml").code == 2
    assert run("batch").code == 2


def test_only_matches_names_as_the_shell_does_or_in_part(sheet):
    assert run("batch", "sheet.yaml", "--only", "DOCS").err == "1 problem: 1 passed\n"
    assert run("batch", "sheet.yaml", "--only", "*square", "--only", "exam").err == "2 problems: 1 passed, 1 failed\n"
    nothing = run("batch", "sheet.yaml", "--only", "zebra")
    words = "error: no problem has a name like 'zebra'\n  hint: --list shows the names\n"
    assert (nothing.code, nothing.out, nothing.err) == (2, "", words)
    assert run("batch", "sheet.yaml", "--list", "--only", "zebra").err == words


def test_list_runs_nothing(sheet):
    ran = run("batch", "sheet.yaml", "--list")
    assert ran.out.splitlines() == [
        "sheet.yaml:2  docs example  3*a + 2*b*b + log(c)",
        "sheet.yaml:7  wrong square  x**2",
        "sheet.yaml:12  bad function  lg(x)",
        "sheet.yaml:15  -  x*y",
    ]
    assert (ran.code, ran.err) == (0, "")
    assert len(run("batch", "sheet.yaml", "--list", "--only", "docs").out.splitlines()) == 1


def test_fail_fast(sheet):
    ran = run("batch", "sheet.yaml", "--fail-fast")
    assert ran.code == 1
    assert "bad function" not in ran.out
    assert ran.err == "2 problems: 1 passed, 1 failed; stopped at the first failure\n"


def test_quiet_tells_what_does_not_pass(sheet):
    ran = run("batch", "sheet.yaml", "-q")
    assert "docs example" not in ran.out
    assert "wrong square" in ran.out
    assert ran.err == ""


def test_verbose_and_other_formats_show_whole_results(sheet):
    assert "✓ torch, the closed form and finite differences agree" in run("batch", "sheet.yaml", "-v").out
    alone = run("eval", "x*y", "-i", "x=2", "-i", "y=3", "-f", "markdown").out
    assert alone in run("batch", "sheet.yaml", "-f", "markdown").out
    assert ">>> x.grad" in run("batch", "sheet.yaml", "-f", "torch").out
    assert "digits" not in run("batch", "sheet.yaml", "-v", "-p", "3").out


def test_json_is_one_object_a_line(sheet):
    ran = run("batch", "sheet.yaml", "-f", "json")
    records = [json.loads(line) for line in ran.out.splitlines()]
    assert [record["kind"] for record in records] == ["result", "result", "error", "result"]
    assert [record["name"] for record in records] == ["docs example", "wrong square", "bad function", None]
    assert "failures" not in records[0]
    assert records[1]["failures"][0]["message"] == "∂L/∂x[1] is 4, and 5 was expected"
    assert (records[2]["line"], records[2]["column"]) == (13, 12)
    assert ran.err == "4 problems: 2 passed, 1 failed, 1 refused\n"


def test_settings_of_the_command_line_win(sheet):
    ran = run("batch", "sheet.yaml", "-f", "json", "--dtype", "half", "--jacobian", "none", "--only", "docs")
    record = json.loads(ran.out)
    assert record["root"]["dtype"] == "float16"
    assert record["leaves"][0]["jacobian"] is None
    assert run("batch", "sheet.yaml", "--only", "wrong", "--tolerance", "0.5").code == 0
    assert run("batch", "sheet.yaml", "--only", "docs", "-d", "cuda:99").code == 2


def test_output_goes_to_a_file_whole(sheet, tmp_path):
    ran = run("batch", "sheet.yaml", "-o", "out.txt", "-f", "json")
    assert ran.out == ""
    assert (tmp_path / "out.txt").read_text() == run("batch", "sheet.yaml", "-f", "json").out


def test_junit(sheet, tmp_path):
    (tmp_path / "odd.yaml").write_text('- {name: "<&\\"\\e>", program: x, inputs: {x: 1}}\n')
    assert run("batch", "sheet.yaml", "odd.yaml", "--junit", "report.xml").code == 2
    suites = ET.parse(tmp_path / "report.xml").getroot()
    first, second = suites
    assert (first.get("name"), first.get("tests"), first.get("failures"), first.get("errors")) == (
        "sheet.yaml", "4", "1", "1",
    )  # fmt: skip
    assert [case.get("name") for case in first] == [
        "docs example",
        "wrong square",
        "bad function",
        "sheet.yaml:15  x*y",
    ]
    assert first[1][0].tag == "failure"
    assert first[1][0].get("message") == "∂L/∂x[1] is 4, and 5 was expected"
    assert first[2][0].tag == "error"
    assert "sheet.yaml:13:12" in first[2][0].text
    assert second[0].get("name") == '<&"�>'
    assert run("batch", "sheet.yaml", "--junit", "none/report.xml").code == 2


def test_a_comment_that_cuts_a_program_is_noticed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.yaml").write_text("program: a # + b\ninputs: {a: 1, b: 2}\n")
    ran = run("batch", "p.yaml")
    assert ran.code == 0
    assert ran.err.splitlines()[0] == (
        "p.yaml:1:12: the program ends where a comment begins, and b goes unused: put the expression in quotes if #"
        " is part of it"
    )
    for text in ("program: 'a' # + b\ninputs: {a: 1, b: 2}\n", "program: a # + b\ninputs: {a: 1}\n"):
        Path("p.yaml").write_text(text)
        assert run("batch", "p.yaml").err == "1 problem: 1 passed\n"


def test_all_faults_of_all_files_come_before_anything_runs(sheet, tmp_path):
    (tmp_path / "bad.yaml").write_text("- progam: x\n- {program: x, jacobian: all}\n")
    ran = run("batch", "sheet.yaml", "bad.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "bad.yaml:1:3" in ran.err
    assert "bad.yaml:2:26" in ran.err
    record = json.loads(run("batch", "bad.yaml", "-f", "json").out)
    assert [(one["line"], one["column"]) for one in record["errors"]] == [(1, 3), (2, 26)]


def test_processes_give_the_same_in_the_same_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"name": f"p{k}", "program": "a*b", "inputs": {"a": k, "b": 2}}) for k in range(40)]
    lines[7] = '{"program": "lg(a)", "inputs": {"a": 1}}'
    lines[9] = "{"
    Path("p.jsonl").write_text("\n".join(lines))
    alone, together = run("batch", "p.jsonl", "-f", "json"), run("batch", "p.jsonl", "-f", "json", "--jobs", "2")
    assert together.out == alone.out
    assert (together.code, together.err) == (2, "40 problems: 38 passed, 2 refused\n")


class Slow:
    """A pipe that gives one line at a time."""

    def __init__(self, lines: list[bytes]) -> None:
        self.lines, self.buffer = lines, self
        self.asked: list[str] = []
        self.out: Stream | None = None

    def readline(self, size: int = -1) -> bytes:
        return self.read1(size)

    def read1(self, size: int = -1) -> bytes:
        assert self.out is not None
        self.asked.append(self.out.text())
        return self.lines.pop(0) if self.lines else b""

    read = read1


def test_lines_are_answered_before_more_are_awaited():
    lines = [json.dumps({"program": "x*x", "inputs": {"x": k}}).encode() + b"\n" for k in range(3)]
    stdin, out, err = Slow(lines), Stream(), Stream()
    stdin.out = out
    assert main(["batch", "-", "-f", "json"], Terminal(stdin, out, err, {})) == 0
    assert [text.count("\n") for text in stdin.asked] == [0, 0, 2, 3]


def test_the_bar_waits_a_second_and_needs_a_terminal(monkeypatch):
    stream = Stream()
    bar = Bar(stream, 200, shown=True)
    bar.show(50, bar._began + 0.5)
    assert stream.text() == ""
    bar.show(50, bar._began + 2)
    assert stream.text() == "\r" + "━" * 7 + "─" * 23 + " 50 of 200, 25 a second"
    bar.clear()
    assert stream.text().endswith("\r")
    silent = Stream()
    Bar(silent, 200, shown=False).show(50, bar._began + 2)
    assert silent.text() == ""
    unknown = Stream()
    Bar(unknown, None, shown=True, unicode=False).show(3_000, time.monotonic() + 2)
    assert "3,000 problems, " in unknown.text()


def test_a_terminal_gets_the_bar_and_whole_lines(sheet, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    monkeypatch.setattr("gradcli.cli.batch_session.PAUSE", 0.0)
    ran = run("batch", "sheet.yaml", tty=True)
    assert "of 4" in ran.err
    assert ran.err.endswith("4 problems: 2 passed, 1 failed, 1 refused\n")
    assert "\x1b[32m✓\x1b[0m docs example" in ran.out
    assert "of 4" not in run("batch", "sheet.yaml").err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_leaves_whole_lines_and_says_how_far_it_came(tmp_path, jobs):
    lines = "".join(json.dumps({"program": f"a*{k}.5", "inputs": {"a": [1, 2]}}) + "\n" for k in range(40_000))
    (tmp_path / "p.jsonl").write_text(lines)
    with (tmp_path / "out").open("wb") as out:
        ran = subprocess.Popen(
            [sys.executable, "-m", "gradcli", "batch", "p.jsonl", "-f", "json", "--jobs", jobs],
            cwd=tmp_path, stdout=out, stderr=subprocess.PIPE,
        )  # fmt: skip
        until = time.monotonic() + 120
        while not (tmp_path / "out").stat().st_size and time.monotonic() < until:
            time.sleep(0.05)
        ran.send_signal(signal.SIGINT)
        err = ran.communicate(timeout=60)[1].decode()
    text = (tmp_path / "out").read_text()
    records = [json.loads(line) for line in text.splitlines()]
    assert text.endswith("\n")
    assert ran.returncode == 130
    assert f"interrupted after {len(records)} problem{'' if len(records) == 1 else 's'}: " in err
    assert "Traceback" not in err


def test_a_reader_that_leaves_ends_it_silently(tmp_path):
    lines = "".join(json.dumps({"program": "a*a", "inputs": {"a": [1, 2]}}) + "\n" for _ in range(5_000))
    (tmp_path / "p.jsonl").write_text(lines)
    command = f"{sys.executable} -m gradcli batch p.jsonl -f json | head -1"
    env = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    ran = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, env=env, timeout=120)
    assert json.loads(ran.stdout)["kind"] == "result"
    assert ran.stderr == ""


def test_nothing_that_is_read_is_written_over(sheet):
    before = Path("sheet.yaml").read_text()
    for flags in (["-o", "sheet.yaml"], ["--junit", "./sheet.yaml"]):
        ran = run("batch", "sheet.yaml", *flags)
        assert ran.code == 2 and "would overwrite" in ran.err
    assert "which -o writes" in run("batch", "sheet.yaml", "-o", "new", "--junit", "new").err
    assert Path("sheet.yaml").read_text() == before and not Path("new").exists()


@pytest.mark.parametrize("ratio", ["nan", "1", "-0.1", "inf", "much"])
def test_a_tolerance_is_a_ratio(sheet, ratio):
    ran = run("batch", "sheet.yaml", "--tolerance", ratio)
    assert ran.code == 2 and f"{ratio} is none" in ran.err


def test_derivatives_that_differ_for_a_reason_are_not_said_to_agree(tmp_path):
    (tmp_path / "kink.yaml").write_text("- {program: relu(x), inputs: {x: 0}}\n")
    ran = run("batch", str(tmp_path / "kink.yaml"))
    assert ran.code == 0 and ran.out.rstrip().endswith("the derivatives differ, which a note explains")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("flags", [[], ["-f", "json"]])
def test_an_output_that_takes_nothing(sheet, flags):
    command = [sys.executable, "-m", "gradcli", "batch", "sheet.yaml", *flags]
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 2
    assert "error: the output cannot be written" in ran.stderr and "Traceback" not in ran.stderr


def test_streams_that_are_closed():
    command = f"{sys.executable} -m gradcli"
    for words, code in (
        (f"{command} eval x**2 -i x=3 >&-", 0),
        (f"{command} eval x**2 -i x=3 2>&-", 0),
        (f"{command} batch - <&-", 2),
    ):
        ran = subprocess.run(["bash", "-c", words], capture_output=True, text=True)
        assert ran.returncode == code, words
        assert "bug" not in ran.stderr and "Traceback" not in ran.stderr


def test_writes_that_are_cut_short_go_on():
    class Short(io.RawIOBase):
        """Takes three bytes at a time, as a pipe may when signals come."""

        taken = b""

        def writable(self) -> bool:
            return True

        def write(self, data) -> int:
            self.taken += bytes(data[:3])
            return len(data[:3])

    raw = Short()
    out = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    Terminal(Stream(""), out, Stream(), {}).write_utf8("∂L/∂a and more\n".encode())
    assert raw.taken.decode() == "∂L/∂a and more\n"


def test_quiet_json_has_what_does_not_pass(sheet):
    told = [json.loads(line) for line in run("batch", "sheet.yaml", "-q", "-f", "json").out.splitlines()]
    assert [one["name"] for one in told] == ["wrong square", "bad function"]


def test_lines_between_latex_are_comments(sheet):
    lines = run("batch", "sheet.yaml", "-f", "latex").out.splitlines()
    assert lines[0].startswith("% ✓ docs example")
    assert not [line for line in lines if line.startswith(("✓", "✗"))]


def test_list_goes_on_after_a_line_at_fault(tmp_path):
    (tmp_path / "p.jsonl").write_text('{"program": "a", "inputs": {"a": 1}}\n{"progam": "b"}\n{"program": "c"}\n')
    ran = run("batch", str(tmp_path / "p.jsonl"), "--list")
    assert (ran.code, [line.split()[-1] for line in ran.out.splitlines()]) == (2, ["a", "c"])
    assert "progam" in ran.err
