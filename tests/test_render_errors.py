"""Errors drawn with a caret, and as JSON."""

from __future__ import annotations

import json

import pytest

from gradcli.errors import GradcliError, GradcliErrors, Source, Span
from gradcli.render.cells import width
from gradcli.render.errors import render, render_json
from gradcli.render.look import Look


def fault(text, start, end, title="program", hint="did you mean log?"):
    return GradcliError("there is no function called lg", span=Span(start, end), source=Source(text, title), hint=hint)


def test_caret_under_the_column():
    assert render(fault("3*a + lg(c)", 6, 8), Look()) == (
        "error: there is no function called lg\n  3*a + lg(c)\n        ^^  column 7\n  hint: did you mean log?\n"
    )


@pytest.mark.parametrize(
    ("text", "title", "where"),
    [
        ("x = 3\ny = lg(x)", "program", "line 2, column 5"),
        ("x = lg(3)", "-i a", "column 5 of -i a"),
        ("a: 1\nb: lg(3)", "problems.yaml", "problems.yaml:2:4"),
    ],
)
def test_place_in_words(text, title, where):
    start = text.index("lg")
    assert f"^^  {where}\n" in render(fault(text, start, start + 2, title), Look())


def test_carets_count_cells():
    shown = render(fault("漢字*lg(x)", 3, 5), Look()).splitlines()
    assert shown[1:3] == ["  漢字*lg(x)", "       ^^  column 4"]


@pytest.mark.parametrize("cells", [40, 80])
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("start", [0, 100, 1000, 1990])
def test_long_lines_are_cut_around_the_place(cells, ascii_only, start):
    text = "a+" * 500 + "b+" * 500
    text = text[:start] + "lg" + text[start + 2 :]
    error = GradcliError("wrong", span=Span(start, start + 2), source=Source(text))
    lines = render(error, Look(width=cells, unicode=not ascii_only)).splitlines()
    assert all(width(line) <= cells for line in lines)
    at = lines[2].index("^")
    assert lines[1][at : at + 2] == "lg"


def test_a_place_at_the_end_and_past_it():
    assert render(fault("2*", 2, 2), Look()).splitlines()[1:3] == ["  2*", "    ^  column 3"]
    assert "\n  2*\n    ^  column 3\n" in render(fault("2*\n", 2, 9), Look())


def test_control_characters_are_escaped_everywhere():
    error = GradcliError("\x1b[2J", span=Span(1, 2), source=Source("\x1b[31mx"), hint="\x07")
    shown = render(error, Look())
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "  \\x1b[31mx\n      ^  column 2\n" in shown


def test_several_faults_are_all_shown():
    both = GradcliErrors([fault("lg(a)", 0, 2), fault("b+lg(a)", 2, 4, hint=None)])
    assert render(both, Look()).count("error: ") == 2
    record = json.loads(render_json(both, Look()))
    assert [one["column"] for one in record["errors"]] == [1, 3]


def test_plain_without_colour_and_coloured_with():
    assert "\x1b" not in render(fault("lg", 0, 2), Look())
    assert "\x1b[1;31merror:\x1b[0m" in render(fault("lg", 0, 2), Look(colour=True))


def test_json_has_message_place_and_hint():
    assert json.loads(render_json(fault("x = 3\ny = lg(x)", 10, 12), Look())) == {
        "schema": 1,
        "kind": "error",
        "message": "there is no function called lg",
        "line": 2,
        "column": 5,
        "hint": "did you mean log?",
        "source": "program",
    }
    assert json.loads(render_json(GradcliError("no"), Look()))["column"] is None


def test_json_in_ascii_keeps_its_meaning():
    shown = render_json(GradcliError("δ"), Look(unicode=False))
    assert shown.isascii()
    assert json.loads(shown)["message"] == "δ"
