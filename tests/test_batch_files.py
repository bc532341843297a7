"""Problem files: formats, streams, defaults, faults of the schema, and files that are none."""

from __future__ import annotations

import io
import json
import os

import numpy as np
import pytest
from command import run

from gradcli.batch import files
from gradcli.errors import GradcliError


def open_text(tmp_path, name: str, text: str | bytes) -> list:
    """The tasks of a file."""
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return tasks(files.open_file(str(path), {}, io.StringIO()))


def tasks(reading) -> list:
    return [task for block in reading.blocks for task in block]


def programs(found: list) -> list[str]:
    return [task.data["program"] for task in found]


def test_one_problem_a_list_and_a_mapping(tmp_path):
    assert programs(open_text(tmp_path, "a.yaml", "program: a\ninputs: {a: 1}\n")) == ["a"]
    assert programs(open_text(tmp_path, "b.yml", "- program: a\n- program: b\n")) == ["a", "b"]
    text = "defaults: {dtype: float32, inputs: {a: 1}}\nproblems:\n- program: a\n- {program: b, inputs: {b: 2}}\n"
    first, second = open_text(tmp_path, "c.yaml", text)
    assert first.data == {"dtype": "float32", "inputs": {"a": 1}, "program": "a"}
    assert second.data["inputs"] == {"b": 2}
    several = open_text(tmp_path, "d.yaml", "program: a\n---\n- program: b\n---\nproblems: [{program: c}]\n")
    assert programs(several) == ["a", "b", "c"]


def test_json_and_json_lines(tmp_path):
    one = {"program": "a", "inputs": {"a": [1, 2]}}
    assert programs(open_text(tmp_path, "a.json", json.dumps([one, one], indent=1))) == ["a", "a"]
    assert programs(open_text(tmp_path, "b.json", json.dumps({"problems": [one]}))) == ["a"]
    lines = f"{json.dumps(one)}\r\n\n{json.dumps({**one, 'zero-grad': True})}\n{json.dumps([one])}"
    found = open_text(tmp_path, "c.jsonl", lines)
    assert programs(found) == ["a", "a", "a"]
    assert [task.where.line for task in found] == [1, 3, 4]
    assert found[1].data["zero_grad"] is True


def test_a_byte_order_mark_is_no_fault(tmp_path):
    assert programs(open_text(tmp_path, "a.yaml", b"\xef\xbb\xbfprogram: a\n")) == ["a"]
    assert programs(open_text(tmp_path, "a.jsonl", b'\xef\xbb\xbf{"program": "a"}\n')) == ["a"]


def test_faults_of_lines_keep_their_place_in_order(tmp_path):
    good = json.dumps({"program": "a", "inputs": {"a": 1}})
    bad = ['{"program": "a", "program": "b"}', '{"program": "a"', '{"progam": "a"}', '{"program": 1e400}', "[1"]
    found = open_text(tmp_path, "a.jsonl", "\n".join([good, *bad, good]))
    errors = found[1:-1]
    assert [error.line for error in errors] == [2, 3, 4, 5, 6]
    assert [error.message for error in errors[:4]] == [
        '"program" is given twice on line 2',
        "this is no JSON: expecting ',' delimiter",
        "a problem has no key 'progam'",
        "the number is too large for float64",
    ]
    assert errors[0].column == 18
    assert errors[2].hint == "did you mean program?"


def test_lines_that_are_no_text(tmp_path):
    good = b'{"program": "a"}\n'
    found = open_text(tmp_path, "a.jsonl", good + b'{"program": "\xff"}\n' + good)
    assert "a.jsonl:2 is no text in UTF-8" in found[1].message
    assert programs([found[0], found[2]]) == ["a", "a"]


@pytest.mark.parametrize("size", [1, 7, 64])
def test_lines_come_whole_whatever_the_blocks(tmp_path, monkeypatch, size):
    monkeypatch.setattr(files, "BLOCK", size)
    lines = [json.dumps({"program": f"a + {k}", "inputs": {"a": [k, 0.5]}}) for k in range(9)]
    found = open_text(tmp_path, "a.jsonl", "\n\n".join(lines))
    assert programs(found) == [f"a + {k}" for k in range(9)]
    assert [task.where.line for task in found] == list(range(1, 19, 2))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('{"program": "a"}\n{"program": "b"}\n', 2),
        ('\n{"program": "a"}', 1),
        ('{"problems":\n [{"program": "a"}]}', 1),
        ('[{"program": "a"},\n {"program": "b"}]', 2),
        ("- program: a\n- program: b\n", 2),
        ("{program: a, inputs: {a: 1}}\n", 1),
    ],
)
def test_standard_input_in_any_format(text, count):
    stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    assert len(tasks(files.open_file("-", {}, stdin))) == count


def test_every_fault_of_the_schema_is_told_with_its_place(tmp_path):
    text = """\
defaults: {devise: cpu, name: x}
problems:
  - name: one
    progam: x
    inputs: {x: 1, null: 2, 1: 3}
    grad: {y: {a: 1}}
  - program: [x**2, 3*x]
    inputs: [1, 2]
    expect: {gradient: {x: null}, notes: [kinky], error: x, vale: 3}
    jacobian: matrx
    zero-grad: on
    zero_grad: true
    wrt: [a, [b]]
    grad: 1
    loss: y
    claims: {a: [1]}
    tolerance: 2
    check: 1
  - foo
  - {name: null, program: ''}
"""
    with pytest.raises(GradcliError) as caught:
        open_text(tmp_path, "p.yaml", text)
    told = [(error.line, error.column, error.message.split(",")[0]) for error in caught.value.errors]
    assert told == [
        (1, 12, "defaults has no key 'devise'"),
        (1, 25, "defaults has no key 'name'"),
        (4, 5, "a problem has no key 'progam'"),
        (5, 20, "null is nothing"),
        (5, 29, "1 is a number"),
        (6, 15, "y is a mapping"),
        (7, 14, "program is a list"),
        (8, 13, "inputs is a list"),
        (9, 14, "a problem that is refused has no gradient"),
        (9, 28, "x has no value"),
        (9, 43, "there is no note 'kinky'"),
        (9, 61, "expect has no key 'vale'"),
        (10, 15, "there is no Jacobian view 'matrx'"),
        (11, 16, "zero-grad is text"),
        (12, 5, "'zero_grad' is given twice"),
        (13, 14, "1 is a list"),
        (15, 5, "grad and loss are both given"),
        (16, 17, "a is a list"),
        (17, 16, "tolerance is a relative difference"),
        (18, 12, "check is a number"),
        (19, 5, "a problem is text"),
        (20, 12, "name is nothing"),
        (20, 27, "program is empty"),
    ]
    hints = {error.message.split(",")[0]: error.hint for error in caught.value.errors}
    assert hints["defaults has no key 'devise'"] == "did you mean device?"
    assert hints["a problem has no key 'progam'"] == "did you mean program?"
    assert hints["null is nothing"] == 'quote it: "null"'
    assert hints["there is no note 'kinky'"] == "did you mean kink?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("problems: {}", "problems is a mapping, and should be a list"),
        ("problems: []", "there are no problems in the list"),
        ("defaults: {device: cpu}", "there are defaults and no problems"),
        ("inputs: {a: 1}", "the problem has no program"),
        ("just text", "a problem is text, and should be a mapping"),
        ("problems:\n- {program: a}\nextra: 1", "the file has no key 'extra'"),
        ("program: sum(x)\ninputs: {x: full(2, 3)}", "3) is left over from a value with a comma in it"),
    ],
)
def test_faults_of_whole_files(tmp_path, text, message):
    with pytest.raises(GradcliError) as caught:
        open_text(tmp_path, "p.yaml", text)
    assert caught.value.message == message


def test_json_has_the_same_faults_at_its_own_places(tmp_path):
    text = '[\n {"program": "a", "inputs": {"a": 1},\n  "jacobian": "matrx"}\n]\n'
    with pytest.raises(GradcliError) as caught:
        open_text(tmp_path, "p.json", text)
    assert (caught.value.line, caught.value.column) == (3, 15)
    with pytest.raises(GradcliError, match="something follows where the JSON ends") as caught:
        open_text(tmp_path, "p.json", '{"program": "a"}\n{"program": "b"}\n')
    assert caught.value.hint == "for one object a line, name the file .jsonl"


def test_files_that_are_none(tmp_path):
    os.symlink("loop.yaml", tmp_path / "loop.yaml")
    (tmp_path / "empty.yaml").write_text("")
    (tmp_path / "blank.json").write_text(" \n")
    (tmp_path / "comment.yaml").write_text("# nothing\n")
    (tmp_path / "binary.yaml").write_bytes(b"\x89PNG\r\n\x1a\n\xff")
    (tmp_path / "zeros.yaml").write_bytes(b"a: b\0\0")
    with (tmp_path / "large.yaml").open("wb") as file:
        file.truncate(50_000_000)
    messages = {
        "none.yaml": "there is no file {}",
        ".": "{} is a folder, not a file",
        "loop.yaml": "{} is a symbolic link that leads back to itself",
        "empty.yaml": "{} is empty",
        "blank.json": "{} is empty",
        "comment.yaml": "{} holds no problems",
        "binary.yaml": "{} is no text in UTF-8",
        "zeros.yaml": "{} is a binary file, not text",
        "large.yaml": "{} has 48 MiB, and the limit for YAML is 16 MiB",
        "x" * 300: "the file name {} is too long",
    }
    for name, message in messages.items():
        path = str(tmp_path / name) if name != "." else str(tmp_path)
        ran = run("batch", path, env={"COLUMNS": "1000"})
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.splitlines()[0] == f"error: {message.format(path)}"
    assert run("batch", "-").err.startswith("error: standard input is empty")


def test_tensor_files_are_relative_to_the_problem_file(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    np.save(tmp_path / "data" / "x.npy", np.array([1.0, 2.0]))
    path = tmp_path / "p.yaml"
    path.write_text("program: x**2\ninputs: {x: '@data/x.npy'}\nexpect: {gradient: {x: [2, 4]}}\n")
    monkeypatch.chdir("/")
    assert run("batch", str(path)).code == 0
    path.write_text("program: x**2\ninputs: {x: '@none.npy'}\n")
    ran = run("batch", str(path), env={"COLUMNS": "200"})
    assert ran.code == 2
    assert "there is no file none.npy" in ran.out
    assert f"{path}:2:14" in ran.out
    assert f"relative names start in {tmp_path}" in ran.out


@pytest.mark.parametrize(
    ("value", "gradient"),
    [
        ("1e-4", 2e-4),
        ("-.5", -1.0),
        ("010", 20.0),
        ("1_000", 2000.0),
        ("0x10", 32.0),
        ("pi/2", np.pi),
        ("'1,2'", [2.0, 4.0]),
        ("[pi, 1]", [2 * np.pi, 2.0]),
        ("[[1], [2]]", [[2.0], [4.0]]),
        ("ones(2)", [2.0, 2.0]),
        ("'full(2, 3)'", [6.0, 6.0]),
    ],
)
def test_values(tmp_path, value, gradient):
    path = tmp_path / "p.yaml"
    path.write_text(f"program: sum(x**2)\ninputs: {{x: {value}}}\n")
    ran = run("batch", str(path), "-f", "json")
    assert ran.code == 0, ran.out
    assert np.allclose(json.loads(ran.out)["leaves"][0]["gradient"], gradient)


@pytest.mark.parametrize(
    ("value", "message", "column"),
    [
        ("1:30", "':' stands only inside [ ]", 14),
        ("2024-01-31", "2024-01-31 looks like a date, and should be a number", 13),
        ("1e400", "1e400 is too large for a float64", 13),
        ("[1, null]", "nothing (null) stands where a number should", 17),
        ("[[1, 2], [3]]", "the lists do not match: [1] has length 1 and [0] has length 2", 22),
        ("[1, true]", "true and false stand among numbers", 17),
        ("[a, 1]", "a is a name, and a value is made of numbers alone", 13),
        ("'1,,2'", "a value is missing before ','", 16),
        ("'@-'", "a problem file cannot take values from standard input", 13),
        ("''", "the value is empty", 13),
    ],
)
def test_values_at_fault(tmp_path, value, message, column):
    path = tmp_path / "p.yaml"
    path.write_text(f"program: sum(x**2)\ninputs: {{x: {value}}}\n")
    ran = run("batch", str(path), "-f", "json")
    record = json.loads(ran.out)
    assert (ran.code, record["kind"], record["message"]) == (2, "error", message)
    assert (record["line"], record["column"]) == (2, column)


def test_names_that_yaml_1_1_takes_away(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text("program: on*off*yes*no*y*n\ninputs: {on: 1, off: 2, yes: 3, no: 4, y: 5, n: 6}\n")
    ran = run("batch", str(path), "-f", "json")
    assert {leaf["name"]: leaf["gradient"] for leaf in json.loads(ran.out)["leaves"]} == {
        "on": 720.0, "off": 360.0, "yes": 240.0, "no": 180.0, "y": 144.0, "n": 120.0,
    }  # fmt: skip
    path.write_text('program: "null*2"\ninputs: {"null": 3}\n')
    assert run("batch", str(path)).code == 0


def test_errors_of_programs_point_into_the_file(tmp_path):
    path = tmp_path / "p.yaml"
    cases = {
        "program: 3*a + lg(c)\ninputs: {a: 1, c: 1}\n": (1, 16),
        "program: '3*a + lg(c)'\ninputs: {a: 1, c: 1}\n": (1, 17),
        "program: |\n  z = 2*a\n  y = z + lg(c)\ninputs: {a: 1, c: 1}\n": (3, 11),
        'program: "3*a +\\\n  lg(c)"\ninputs: {a: 1, c: 1}\n': (1, 10),
        "program: a*b\ninputs: {a: 1}\n": (1, 12),
        "program: a*a\ninputs: {a: [1, 2]}\ngrad: [1, 2, 3]\n": (3, 7),
        "program: a @ b\ninputs: {a: [1, 2], b: [1, 2, 3]}\n": (1, 10),
        "program: a*a\ninputs: {a: [1, 2]}\nloss: sum(y*q)\n": (3, 13),
        "program: a*a\ninputs: {a: [1, 2]}\nof: z\n": (3, 5),
        "program: a*a\ninputs: {a: [1, 2]}\nwrt: b\n": (3, 6),
        "program: a*a\ninputs: {a: [1, 2]}\ngrad: {z: 1}\n": (3, 7),
        "defaults: {device: nowhere}\nproblems:\n- program: a\n  inputs: {a: 1}\n": (1, 20),
    }
    for text, (line, column) in cases.items():
        path.write_text(text)
        record = json.loads(run("batch", str(path), "-f", "json").out)
        assert (record["line"], record["column"]) == (line, column), (text, record)
        assert record["source"] == str(path)
        assert "--" not in (record["hint"] or ""), record


def test_the_problems_of_a_document_share_its_tree(tmp_path):
    text = json.dumps([{"program": "x", "inputs": {"x": k}} for k in range(50)], indent=0)
    found = open_text(tmp_path, "many.json", text)
    assert len({id(task.where.tree()) for task in found}) == 1
    assert [task.where.line for task in found] == [2 + 6 * k for k in range(50)]


def test_a_line_that_is_nested_too_deep_stops_no_other(tmp_path):
    good = '{"program": "3*a", "inputs": {"a": 1}}'
    lines = [good, good.replace("1", "[" * 90 + "1" + "]" * 90), good.replace("1", "[" * 78 + "1" + "]" * 78)]
    first, second, third = open_text(tmp_path, "deep.jsonl", "\n".join(lines))
    assert isinstance(second, GradcliError)
    assert (second.message, second.line) == ("lists are nested more than 80 deep", 2)
    assert programs([first, third]) == ["3*a", "3*a"]


def test_the_schema_holds_for_the_plainest_lines_too(tmp_path):
    line = '{"name": "n", "program": "a", "inputs": {"a": 1}, "grad": 1}'
    for odd in (line.replace('"n"', '""'), line.replace('"n"', "null"), line.replace('"grad": 1', '"grad": null')):
        longer = odd.replace("}", '}, "tolerance": 0.1', 1)
        ours, theirs = open_text(tmp_path, "x.jsonl", odd) + open_text(tmp_path, "y.jsonl", longer)
        assert type(ours) is type(theirs)
        if isinstance(ours, GradcliError):
            assert ours.message == theirs.message


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("inputs: {a: @x.npy}", "@ begins a value here, which YAML does not allow", "put it in quotes: '@x.npy'"),
        ("inputs: {a: [1, 2]}}", "a bracket is closed once too often, or not at all", "close each [ and { once"),
        ("inputs: {a: 1,2}", "2 is left over from a value with a comma in it",
         "put the whole value in quotes, or in brackets"),
    ],
)  # fmt: skip
def test_values_of_flow_mappings_that_are_no_yaml(tmp_path, line, message, hint):
    with pytest.raises(GradcliError) as caught:
        open_text(tmp_path, "p.yaml", f"- program: 3*a\n  {line}\n")
    assert (caught.value.message, caught.value.hint, caught.value.line) == (message, hint, 2)
