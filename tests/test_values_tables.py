"""Values in CSV and JSON: every separator, header and key, and the place of every mistake."""

import io

import pytest
import torch

from gradcli.errors import GradcliError
from gradcli.values import formats, read_value


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tensor(text, **options):
    return read_value(text, title="-i a", **options).tensor()


def refusal(text, **options):
    with pytest.raises(GradcliError) as caught:
        tensor(text, **options)
    return caught.value


# ---- CSV ----


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("1, 2, 3\n", [1, 2, 3]),
        ("1\n2\n3\n", [1, 2, 3]),
        ("5", 5),
        ("\ufeffa,b\r\n1,2\r\n3,4\r\n", [[1, 2], [3, 4]]),
        ("1;2\n3;4\n", [[1, 2], [3, 4]]),
        ("1\t2\n\n3\t4\n", [[1, 2], [3, 4]]),
        ('"1","2"\n', [1, 2]),
        ("1e-4,-inf", [1e-4, float("-inf")]),
        ("true,false\n", [True, False]),
    ],
)
def test_csv(here, text, value):
    (here / "x.csv").write_text(text, newline="")
    assert tensor("@x.csv").tolist() == value


def test_csv_takes_a_named_column(here):
    (here / "x.csv").write_text("time, price\n1,10\n2,20\n")
    assert tensor("@x.csv:price").tolist() == [10, 20]
    assert refusal("@x.csv:pric").hint == "@x.csv:price"
    (here / "y.csv").write_text("1,10\n2,20\n")
    assert refusal("@y.csv:price").message == "y.csv has no row that names its columns"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3\n", "x.csv, line 2: 1 cells, and the first row of numbers has 2"),
        ("1,2\n3,abc\n", "x.csv, line 2, cell 2: 'abc' is no number"),
        ("1,2\n3,\n", "x.csv, line 2, cell 2: the cell is empty"),
        ("1,true\n", "x.csv[1]: true and false stand among numbers"),
        ("", "x.csv holds no numbers"),
        ("a,b\n", "x.csv holds no numbers"),
        ("1_0,2\n", "x.csv, line 1, cell 1: '1_0' is no number"),
    ],
)
def test_csv_mistakes_have_a_place(here, text, message):
    (here / "x.csv").write_text(text)
    assert refusal("@x.csv").message == message


# ---- JSON ----


def test_json_and_standard_input(here):
    (here / "x.json").write_text('[[1, 2.5], ["inf", NaN]]')
    found = tensor("@x.json")
    assert found[0].tolist() == [1, 2.5] and found[1, 0] == float("inf") and torch.isnan(found[1, 1])
    (here / "k.json").write_text('{"a": [1], "b": 2}')
    assert tensor("@k.json:b").item() == 2
    assert refusal("@k.json").message == "k.json holds several tensors: a, b"
    assert tensor("@-", stdin=io.StringIO("[1, 2]")).tolist() == [1, 2]
    assert tensor("@-", stdin=io.BytesIO(b"[true]")).tolist() == [True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1,\n 2,]", "standard input, line 2, column "),
        ("[1, [2]]", "standard input[1]: the lists do not match: [1] is a list and [0] is a number"),
        ('["a"]', "standard input[0]: 'a' is text and no number"),
        ("[null]", "standard input[0]: nothing (null) stands where a number should"),
        ('[{"a": 1}]', "standard input[0]: a dict stands where a number should"),
        ("[" * 100_000, "standard input is nested too deep or holds too long a number"),
        ("[" * 70 + "1" + "]" * 70, "standard input: lists are nested more than 64 deep"),
        ("9" * 5000, "standard input is nested too deep or holds too long a number"),
        ("", "standard input is empty"),
    ],
)
def test_json_mistakes_have_a_place(text, message):
    assert refusal("@-", stdin=io.StringIO(text)).message.startswith(message)


def test_text_that_is_no_utf8_or_too_long_is_refused(here, monkeypatch):
    (here / "x.json").write_bytes(b"[\xff]")
    assert refusal("@x.json").message == "x.json is not text in UTF-8"
    monkeypatch.setattr(formats, "TEXT_BYTES", 1024**2)
    (here / "y.json").write_text(" " * 1024**2 + "[1]")
    assert refusal("@y.json").message == "y.json is larger than 1 MiB"
