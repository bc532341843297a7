"""--update writes the numbers that were found, and disturbs nothing else, or writes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run

YAML = """\
# A sheet.   Two problems.
defaults: {tolerance: 1e-4}   # generous
problems:
  - name: "first"   # odd spacing   stays
    program: x**2
    inputs: {x: [1, 2]}
    grad: [1, 1]
    expect:
      gradient: {x: [2.0, 5]}   # 4 in fact
      value:
        - 1   # right
        - 9   # wrong
  - name: second
    program: sum(x)
    inputs: {x: 3}
    expect: {value: 3.00001, gradient: {x: 2*g}, notes: []}
"""


def update(tmp_path: Path, name: str, text: str, **settings):
    path = tmp_path / name
    path.write_bytes(text.encode())
    ran = run("batch", str(path), "--update", **settings)
    return ran, path.read_bytes().decode()


def test_only_what_differs_is_changed(tmp_path):
    ran, text = update(tmp_path, "p.yaml", YAML)
    assert text == (
        YAML.replace("[2.0, 5]}", "[2.0, 4]}").replace("- 9   # wrong", "- 4   # wrong").replace("{x: 2*g}", "{x: 1}")
    )
    assert ran.code == 0
    assert ran.err == f"2 problems: 2 failed\nupdated 3 expectations in {tmp_path / 'p.yaml'}\n"
    again = run("batch", str(tmp_path / "p.yaml"), "--update")
    assert (again.code, again.err) == (0, "2 problems: 2 passed\n")


def test_line_ends_and_a_byte_order_mark_stay(tmp_path):
    text = "\ufeff" + YAML.replace("\n", "\r\n")
    _, found = update(tmp_path, "p.yaml", text)
    assert found.startswith("\ufeff# A sheet.")
    assert found.count("\r\n") == text.count("\r\n")
    assert "[2.0, 4]}   # 4 in fact\r\n" in found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("value: [1, 9]", "value: [1, 4]"),
        ("value: x**3", "value: [1, 4]"),
        ("gradient: {x: '3*x'}", "gradient: {x: [2, 4]}"),
        ("value: [1, -3.5e+2]", "value: [1, 4]"),
        ("notes: [kink]", "notes: []"),
        ("jacobian: {x: [[2, 1], [0, 4]]}", "jacobian: {x: [[2, 0], [0, 4]]}"),
        ("jacobian: {x: eye(2)}", "jacobian: {x: [[2, 0], [0, 4]]}"),
        ("value: 9", "value: [1, 4]"),
    ],
)
def test_what_is_written(tmp_path, before, after):
    text = "program: x**2\ninputs: {x: [1, 2]}\ngrad: [1, 1]\nexpect: {%s}\n"
    ran, found = update(tmp_path, "p.yaml", text % before)
    assert found == text % after
    assert ran.code == 0


def test_odd_numbers(tmp_path):
    text = "program: log(x)\ninputs: {x: [0, 3]}\ngrad: [1, 1]\nexpect: {value: [1, 1], gradient: {x: [1, 1]}}\n"
    _, found = update(tmp_path, "p.yaml", text)
    assert "value: [-.inf, 1.09861228867]" in found
    assert "{x: [.inf, 0.333333333333]}" in found
    as_json = '{"program": "log(x)", "inputs": {"x": [0, 3]}, "grad": [1, 1], "expect": {"value": [1, 1]}}'
    _, found = update(tmp_path, "p.json", as_json)
    assert '"value": ["-inf", 1.09861228867]' in found
    assert run("batch", str(tmp_path / "p.json")).code == 0


def test_error_texts(tmp_path):
    text = "program: lg(x)\nexpect: {error: something else}\n"
    ran, found = update(tmp_path, "p.yaml", text)
    assert found == 'program: lg(x)\nexpect: {error: "there is no function called lg"}\n'
    assert ran.code == 0


def test_several_documents(tmp_path):
    one = "program: 2*x\ninputs: {x: 3}\nexpect: {value: %d}\n"
    _, found = update(tmp_path, "p.yaml", f"{one % 6}---\n{one % 7}---\n{one % 8}")
    assert found == f"{one % 6}---\n{one % 6}---\n{one % 6}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- {program: x, inputs: {x: 1}, expect: {value: 3}}\n"
         "- program: 2*x\n  inputs: {x: [1, 2]}\n  expect:\n    value:\n      - 1\n",
         "its shape has changed, and it stands on several lines"),
        ("- {program: 2*x, inputs: {x: 1}, expect: {value: &v 3}}\n"
         "- {program: 3*x, inputs: {x: 1}, expect: {value: *v}}\n",
         "another problem shares its place"),
        ("- {program: 2*x, inputs: {x: 1}, expect: {value: &v 5}}\n"
         "- {program: 3*x, inputs: {x: 1}, expect: {value: *v}}\n",
         "an alias stands for two that differ now"),
    ],
)  # fmt: skip
def test_all_or_nothing(tmp_path, text, why):
    ran, found = update(tmp_path, "p.yaml", text, env={"COLUMNS": "200"})
    assert (ran.code, found) == (2, text)
    assert f"nothing was updated: expect.value cannot be, because {why}" in ran.err


def test_a_file_that_has_changed_meanwhile_is_left_alone(tmp_path, monkeypatch):
    from gradcli.cli import batch_session

    def meddle(self, interrupted=False):
        (tmp_path / "p.yaml").write_text(YAML + "# more\n")
        return finish(self, interrupted=interrupted)

    finish = batch_session.Session.finish
    monkeypatch.setattr(batch_session.Session, "finish", meddle)
    ran, found = update(tmp_path, "p.yaml", YAML, env={"COLUMNS": "200"})
    assert (ran.code, found) == (2, YAML + "# more\n")
    assert "has changed meanwhile" in ran.err


def test_an_alias_that_both_want_changed_alike_is(tmp_path):
    first = "- {program: 2*x, inputs: {x: 1}, expect: {value: &v 3}}\n"
    text = f"{first}- {{program: x + 1, inputs: {{x: 1}}, expect: {{value: *v}}}}\n"
    ran, found = update(tmp_path, "p.yaml", text)
    assert found == text.replace("&v 3", "&v 2")
    assert ran.code == 0


def test_what_cannot_be_updated_still_fails(tmp_path):
    text = "- {program: 2*x, inputs: {x: 1}, expect: {value: 3}, claims: {x: 3*g}}\n- {program: lg(x)}\n"
    ran, found = update(tmp_path, "p.yaml", text)
    assert found == text.replace("value: 3", "value: 2")
    assert ran.code == 2
    assert "updated 1 expectation in" in ran.err
    ran, found = update(tmp_path, "q.yaml", "program: 2*x\ninputs: {x: 1}\nexpect: {value: 3}\nclaims: {x: 3*g}\n")
    assert (ran.code, "value: 2" in found) == (1, True)


def test_streams_are_not_updated(tmp_path):
    line = '{"program": "2*x", "inputs": {"x": 1}, "expect": {"value": 3}}\n'
    ran, found = update(tmp_path, "p.jsonl", line)
    assert (ran.code, ran.out, found) == (2, "", line)
    assert "which is a stream" in ran.err
    assert run("batch", "-", "--update", stdin=line).code == 2


def test_a_file_that_cannot_be_written_is_as_it_was(tmp_path, monkeypatch):
    import os

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    ran, found = update(tmp_path, "p.yaml", YAML)
    assert (ran.code, found) == (2, YAML)
    assert "cannot be written" in ran.err


def test_a_value_of_another_shape_is_updated(tmp_path):
    path = tmp_path / "grown.yaml"
    path.write_text("- program: x**2\n  inputs: {x: [1, 2, 3]}\n  expect: {gradient: {x: [2, 4]}}  # grew\n")
    assert run("batch", str(path), "--update").code == 0
    assert path.read_text().endswith("expect: {gradient: {x: [2, 4, 6]}}  # grew\n")


def test_every_file_is_updated_or_none(tmp_path, monkeypatch):
    from gradcli.cli import saving

    text = "- program: x**2\n  inputs: {x: 3}\n  expect: {value: 8}\n"
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(text)
    write = saving.write_bytes

    def failing(name: str, data: bytes) -> None:
        if name.endswith("b.yaml"):
            raise saving.GradcliError(f"{name} cannot be written")
        write(name, data)

    monkeypatch.setattr(saving, "write_bytes", failing)
    assert run("batch", "--update", *(str(tmp_path / name) for name in ("a.yaml", "b.yaml"))).code == 2
    assert [(tmp_path / name).read_text() for name in ("a.yaml", "b.yaml")] == [text, text]


def test_a_pipe_is_not_updated(tmp_path):
    import os

    os.mkfifo(tmp_path / "p.yaml")
    ran = run("batch", "--update", str(tmp_path / "p.yaml"))
    assert ran.code == 2 and "which is a stream" in ran.err
