"""Everything that can be wrong with a command line is one short answer with exit code 2."""

from __future__ import annotations

import json

import pytest
from command import run
from hypothesis import given, settings
from hypothesis import strategies as st

DOCS = "3*a + 2*b*b + log(c)"


@pytest.mark.parametrize(
    ("args", "message", "hint"),
    [
        ([], "there is no program", "give one of PROGRAM, -e PROGRAM and --program FILE"),
        (["a", "-e", "b"], "the program is given more than once", "give one of"),
        (["3*a + lg(c)"], "there is no function called lg", "did you mean log?"),
        (["3*a + 2*b", "-i", "a=1"], "'b' has no value", "add -i b="),
        (["3*a", "-i", "a=1,,2"], "a value is missing", "an expression begins"),
        (["3*a", "-i", "a=1", "-i", "a=2"], "'a' is given twice", "-i a=1,2,3"),
        (["µ*3", "-i", "µ=1", "-i", "μ=2"], "'μ' is given twice", "-i μ=1,2,3"),
        (["3*a", "-i", "1,2"], "an input is NAME=VALUE", "-i a=1,2,3"),
        (["3*a", "-i", "2a=1"], "is not a name", "a name is letters"),
        (["3*a", "-i", "a=b"], "b is a name, and a value is made of numbers alone", "ones(3)"),
        (["z = 3*a; y = z", "-i", "a=1", "--of", "zz"], "the program has no statement 'zz'", "z"),
        (["loss = 3*a", "-i", "a=1", "--of", "los"], "no statement 'los'", "did you mean loss?"),
        (["3*alpha", "-i", "alpha=1", "--wrt", "alpa"], "has no leaf 'alpa'", "did you mean alpha?"),
        (["3*a", "-i", "a=1", "-g", "q=1"], "the program has no statement 'q'", "it has y"),
        (["3*a", "-i", "a=1", "-g", "1", "--loss", "y"], "an upstream gradient and a loss", "keep --loss"),
        (["3*a", "-i", "a=1", "--loss", "y*q"], "the loss speaks of 'q'", "-i q=1"),
        (["3*a", "-i", "a=1", "--loss", "lg(y)"], "there is no function called lg", "did you mean log?"),
        (["3*a", "-i", "a=@-", "-g", "@-"], "-i a=@- and -g @- would both read standard input", "in a file"),
        (["--program", "-", "-i", "a=@-"], "--program - and -i a=@-", "in a file"),
        (["--program", "/no/such/file"], "the program /no/such/file cannot be read", ""),
        (["3*a", "--dtype", "int32"], "there is no floating dtype 'int32'", "gradcli eval --help"),
        (["3*a", "--gard", "1"], "there is no option --gard", "did you mean --grad?"),
        (["3*a", "-p", "0"], "0 is not in the range", "gradcli eval --help"),
        (["3*a", "b"], "unexpected extra argument", "gradcli eval --help"),
        (["3*a", "-g"], "requires an argument", "gradcli eval --help"),
        (["-x**2"], "there is no option -x", "-e '-x**2'"),
        (["-exp(x)"], "'-exp(x)' looks like an option", "write -e '-exp(x)'"),
        (["-gelu(x)"], "'-gelu(x)' looks like an option", "write -e '-gelu(x)'"),
        (["3*a", "-o", "/no/such/folder/x"], "there is no folder /no/such/folder", "mkdir -p"),
        (["3*a", "-o", "/"], "-o / is a folder", "name a file"),
        (["3*a", "--save", "x.txt"], "--save x.txt has no format", ".npz or .pt"),
    ],
)
def test_bad_input(args, message, hint):
    ran = run("eval", *args)
    assert ran.code == 2
    assert ran.out == ""
    words = " ".join(ran.err.split())
    assert words.startswith("error: ")
    assert message in words
    assert hint in words
    assert "Traceback" not in ran.err


def test_every_missing_value_is_named_with_its_place():
    ran = run("eval", DOCS, "-i", "a=1")
    assert ran.code == 2
    assert "  3*a + 2*b*b + log(c)\n          ^  column 9\n" in ran.err
    assert "error: 'c' has no value\n" in ran.err
    assert "hint: add -i b=" in ran.err


@pytest.mark.parametrize("flag", [["-f", "json"], ["-fjson"], ["-qf", "json"], ["--format", "json"], ["--format=json"]])
def test_errors_are_json_on_stdout_when_json_is_asked(flag):
    for args in (["3*a + lg(c)"], ["3*a", "--gard", "1"]):
        ran = run("eval", *args, *flag)
        record = json.loads(ran.out)
        assert (ran.code, ran.err) == (2, "")
        assert record["kind"] == "error"
    assert run("eval", "3*a + lg(c)", *flag).out.count('"column": 7') == 1


def test_errors_are_json_when_the_environment_asks(monkeypatch):
    monkeypatch.setenv("GRADCLI_FORMAT", "json")
    ran = run("eval", "3*a + lg(c)", env={"GRADCLI_FORMAT": "json"})
    assert json.loads(ran.out)["column"] == 7


def test_unknown_commands_are_put_right():
    assert "hint: did you mean eval?" in run("evl", "x").err
    ran = run("3*a+b", "-i", "a=1")
    assert ran.code == 2
    assert "hint: to evaluate a program: gradcli eval '3*a+b'" in ran.err


def test_colour_of_errors():
    assert "\x1b" not in run("eval", "lg(c)").err
    assert "\x1b[1;31merror:" in run("eval", "lg(c)", tty=True).err
    assert "\x1b" not in run("eval", "lg(c)", tty=True, env={"NO_COLOR": "1"}).err
    assert "\x1b" not in run("eval", "lg(c)", "--color", "never", tty=True).err
    assert "\x1b[1;31merror:" in run("eval", "lg(c)", "--color=always").err


def test_errors_in_ascii():
    for ran in (run("eval", "漢+lg(c)", encoding="ascii"), run("eval", "漢+lg(c)", env={"LC_ALL": "C"})):
        assert "  \\u6f22+lg(c)\n         ^^  column 3\n" in ran.err
        assert ran.err.isascii()


def test_a_bug_is_one_line_and_a_traceback_only_on_request(monkeypatch):
    import gradcli.ask

    def broken(*args, **kwargs):
        raise ZeroDivisionError("a bug\nof two lines")

    monkeypatch.setattr(gradcli.ask, "split_name", broken)
    monkeypatch.setattr("gradcli.cli.given.split_name", broken)
    ran = run("eval", "3*a", "-i", "a=1", "-g", "1")
    assert ran.code == 1
    assert ran.err.startswith("error: this is a bug in gradcli: ZeroDivisionError: a bug of two lines\n")
    assert "Traceback" not in ran.err
    assert "Traceback" in run("eval", "3*a", "-i", "a=1", "-g", "1", "--debug").err


def test_interrupts_and_broken_pipes_are_quiet(monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    def broken(*args, **kwargs):
        raise BrokenPipeError

    monkeypatch.setattr("gradcli.cli.given.problem", interrupted)
    ran = run("eval", "3*a")
    assert (ran.code, ran.out, ran.err) == (130, "", "interrupted\n")
    monkeypatch.setattr("gradcli.cli.given.problem", broken)
    ran = run("eval", "3*a")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


SNIPPETS = st.lists(
    st.sampled_from(
        ["x", "y", "z1", "2", "0.5", "1e-4", "+", "-", "*", "/", "**", "^", "@", "(", ")", "[", "]", ",", ";", "=", ":",
         ".", "²", "·", "sin", "sum(", "softmax(", "max(", "x.T", "dim=", "0", "None", "\n", "#", "'", '"', "_", "if",
         "lambda", "inf", "nan", "\x00", "é", "[1,2]", "x[0]", " ", "where(", "<", "==", "%", "//", "|", "\\"]
    ),
    max_size=12,
).map("".join)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(SNIPPETS, SNIPPETS, st.sampled_from(["text", "json"]))
def test_no_text_escapes_as_a_traceback_or_a_bug(program, value, form):
    ran = run("eval", "-e", program, "-i", f"x={value}", "-g", "1", "-f", form, "--jacobian", "none", "--no-check")
    assert ran.code in (0, 2), ran
    assert "Traceback" not in ran.err
    if ran.code == 2:
        assert json.loads(ran.out)["kind"] == "error" if form == "json" else ran.err.startswith("error: ")
