"""YAML as people write formulas in it: numbers, keys, and every trap with its place and its way out."""

from __future__ import annotations

import math
import time

import pytest

from gradcli.batch.scalars import resolve
from gradcli.batch.yaml_text import read_yaml
from gradcli.errors import GradcliError, GradcliErrors, Source


def plain(text: str):
    (document,) = read_yaml(Source(text, "p.yaml"))
    return document.plain()


def fault(text: str) -> GradcliError:
    with pytest.raises(GradcliError) as caught:
        read_yaml(Source(text, "p.yaml"))
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-4", 1e-4),
        ("1e6", 1e6),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("+1", 1),
        ("010", 10),
        ("0o17", 15),
        ("0x1F", 31),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("", None),
        ("1:30", "1:30"),
        ("2024-01-31", "2024-01-31"),
        ("1_000", "1_000"),
        ("on", "on"),
        ("no", "no"),
        ("y", "y"),
        ("0b1", "0b1"),
        ("0o8", "0o8"),
        ("1e400", "1e400"),
        ("1.2.3", "1.2.3"),
        ("e5", "e5"),
    ],
)
def test_plain_scalars_by_the_core_schema(text, value):
    found = resolve(text)
    assert found == value
    assert type(found) is type(value)


def test_nan_is_a_number():
    assert math.isnan(resolve(".nan"))


def test_keys_that_yaml_1_1_reads_as_truth_values_are_text():
    keys = ["on", "off", "yes", "no", "y", "n", "Y", "Off"]
    assert list(plain("".join(f"{key}: 1\n" for key in keys))) == keys
    assert list(plain('"null": 1\n"1": 2\n')) == ["null", "1"]


def test_quotes_make_text_of_anything():
    assert plain("a: '1e-4'\nb: \"true\"\nc: !!str 5\n") == {"a": "1e-4", "b": "true", "c": "5"}


def test_duplicate_keys_are_refused_with_both_lines():
    error = fault("a: 1\nb: 2\na: 3\nb: 4\n")
    assert isinstance(error, GradcliErrors)
    told = [(one.message, one.line, one.column) for one in error.errors]
    assert told == [("a is given twice, on lines 1 and 3", 3, 1), ("b is given twice, on lines 2 and 4", 4, 1)]
    assert fault("{a: 1, a: 2}").message == "a is given twice on line 1"
    assert fault("{1: 1, 1: 2}").message == "1 is given twice on line 1"
    assert plain('{1: 1, "1": 2}') == {1: 1, "1": 2}


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("program: *a+b", 1, 10, "alias"),
        ("program: *a", 1, 10, "alias"),
        ("- name: x\n  program: |x|", 2, 12, "block of text"),
        ("program: > x", 1, 10, "block of text"),
        ("program: [1,2] + a", 1, 10, "a list"),
        ("program: {x} + 1", 1, 10, "a mapping"),
        ("program: @a", 1, 10, "a reserved sign"),
        ("program: `a`", 1, 10, "a reserved sign"),
        ("program: %a", 1, 10, "a directive"),
        ("program: &a+b", 1, 10, "an anchor"),
        ("program: 'a' * 2", 1, 10, "a quoted text"),
        ("program: !x a", 1, 10, "the tag !x"),
        ("program: !!python/object:os.system x", 1, 10, "the tag"),
        ("program: a: b", 1, 11, "a colon"),
        ("program: - x", 1, 10, "a dash"),
        ("- {program: [x] + 1, inputs: {x: 1}}", 1, 17, "a comma is missing"),
    ],
)
def test_unquoted_expressions_are_told_to_be_quoted(text, line, column, words):
    error = fault(text)
    assert (error.line, error.column) == (line, column)
    assert words in error.message
    assert "put the expression in quotes" in error.hint
    quoted = text.replace("program: ", 'program: "', 1) + '"' if "'" not in text and "{" not in text else "a: 1"
    assert read_yaml(Source(quoted))


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("\tprogram: a", 1, 1, "a tab is used for indentation"),
        ("a:\n\t- b", 2, 1, "a tab is used for indentation"),
        ("a:\n  x: 1\n \ty: 2", 3, 2, "a tab is used for indentation"),
        ("a: b\n b: c", 2, 3, "this key is indented more than those before it"),
        ("a: [1, 2\nb: 3\n", 2, 2, "a list is not closed, or a comma is missing"),
        ('a: "x\\y"', 1, 6, "a backslash in double quotes begins an escape, and this is none"),
        ("a: \x07b", 1, 4, "the file has a control character in it"),
        ("a: &x [1, *x]", 1, 11, "'*x' stands inside what it stands for"),
        ("<<: 3\na: 1", 1, 5, "what << merges is no mapping"),
        ("? [a]\n: b", 1, 3, "a list or a mapping stands where a key should"),
        ("é: 1\nä: [x\n", 3, 1, "a list is not closed, or a comma is missing"),
    ],
)
def test_faults_of_the_text(text, line, column, message):
    error = fault(text)
    assert (error.message, error.line, error.column) == (message, line, column)
    assert error.hint or message.startswith("'*x'")


@pytest.mark.parametrize("text", ["[" * 200, "[" * 100_000, "{a: " * 300])
def test_deep_nesting_is_refused(text):
    assert "nested" in fault(text).message


def test_a_bomb_of_aliases_answers_at_once():
    lines = ["a0: &a0 [1,1,1,1,1,1,1,1,1,1]"]
    lines += [f"a{k}: &a{k} [{','.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 10)]
    began = time.perf_counter()
    error = fault("\n".join(lines))
    assert time.perf_counter() - began < 2
    assert "aliases stand for more than 100,000 values" in error.message
    assert error.line == 5


def test_aliases_and_merge_keys_that_are_meant_work():
    text = "base: &b {q: 1, r: 2}\none: {<<: *b, r: 3}\ntwo: {r: 4, <<: [*b, {s: 5}]}\nlist: [*b]\n"
    found = plain(text)
    assert found["one"] == {"q": 1, "r": 3}
    assert found["two"] == {"q": 1, "r": 4, "s": 5}
    assert found["list"] == [{"q": 1, "r": 2}]


def test_documents_and_empty_ones():
    documents = read_yaml(Source("a: 1\n---\n---\nb: 2\n...\n"))
    assert [one.plain() for one in documents] == [{"a": 1}, {"b": 2}]
    assert read_yaml(Source("# only a comment\n")) == []


def test_places_are_counted_in_characters():
    text = "# 𝟙é\nprogram: 'ä𝟙b'\r\ninputs: {µ: [1, 25]}\n"
    (document,) = read_yaml(Source(text))
    assert text[slice(*document.find(("program",)).span)] == "'ä𝟙b'"
    assert text[slice(*document.find(("inputs", "µ", 1)).span)] == "25"
    assert text[slice(*document.find(("inputs", "µ"), key=True).span)] == "µ"
