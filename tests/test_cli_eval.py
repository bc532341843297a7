"""gradcli eval from flags to what it prints and writes."""

from __future__ import annotations

import json
import os
import stat

import numpy as np
import pytest
from command import run
from jsonschema import Draft202012Validator

from gradcli.render.schema import schema

DOCS = ("3*a + 2*b*b + log(c)", "-i", "a=1,2,3", "-i", "b=3,4,5", "-i", "c=6,7,8", "--grad", "0.1,1,1e-4")
VALIDATOR = Draft202012Validator(schema())


def answer(*args: str, **settings) -> dict:
    """The JSON object of ``gradcli eval ARGS``, checked against the schema."""
    ran = run("eval", "-f", "json", *args, **settings)
    assert ran.code == 0, ran.out + ran.err
    record = json.loads(ran.out)
    VALIDATOR.validate(record)
    return record


def gradients(record: dict) -> dict:
    return {leaf["name"]: leaf["gradient"] for leaf in record["leaves"]}


def test_docs_example_as_text():
    ran = run("eval", *DOCS)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "y = 3*a + 2*b*b + log(c)                                          float64 on cpu"
    assert lines[1] == "  = [22.7918, 39.9459, 61.0794]"
    assert [line.split()[0] for line in lines[4:7]] == ["a", "b", "c"]
    assert "[0.3, 3, 0.0003]" in lines[4]
    assert "[1.2, 16, 0.002]" in lines[5]
    assert "[0.0166667, 0.142857, 1.25e-05]" in lines[6]
    assert "g = [0.1, 1, 0.0001] is the upstream gradient ∂L/∂y." in ran.out
    assert "✓ torch, the closed form and finite differences agree within 1e-8\n" in ran.out


def test_docs_example_as_json():
    record = answer(*DOCS)
    assert record["passes"] == [{"of": "y", "upstream": [0.1, 1.0, 0.0001], "source": "given"}]
    assert gradients(record)["b"] == pytest.approx([1.2, 16, 0.002])
    assert record["leaves"][1]["jacobian"]["structure"] == "diagonal"
    assert record["agrees"] is True


def test_no_inputs_are_ones_and_said_on_stderr():
    ran = run("eval", DOCS[0], "--grad", "0.1,1,1e-4")
    assert ran.code == 0
    assert ran.err.startswith("note: ")
    assert "ones" in ran.err
    assert "note: No inputs" not in ran.out
    assert gradients(answer(DOCS[0], "--grad", "0.1,1,1e-4"))["b"] == pytest.approx([0.4, 4, 4e-4])


def test_no_upstream_gradient_of_a_vector_is_ones_with_a_note():
    ran = run("eval", "x**2", "-i", "x=1,2")
    assert ran.code == 0
    assert ran.err.startswith("note: ")
    assert "so this is the gradient of sum(y)." in ran.out


def test_unused_input_has_zero_gradient_and_a_note():
    ran = run("eval", "3*a", "-i", "a=1", "-i", "b=5")
    assert "b is given but the program does not use it" in ran.err
    assert gradients(answer("3*a", "-i", "a=1", "-i", "b=5")) == {"a": 3.0, "b": 0.0}


def test_quiet_is_gradients_alone():
    ran = run("eval", "x**2", "-i", "x=1,2", "-q")
    assert (ran.code, ran.out, ran.err) == (0, "x = [2, 4]\n", "")


@pytest.mark.parametrize(
    ("args", "gradient"),
    [
        (["x*x", "-i", "x=1,2", "--grad", "-0.1,1"], [-0.2, 4]),
        (["x*x", "-i", "x=1,2", "--grad=-1e-3,2"], [-0.002, 8]),
        (["x*x", "-i", "x=1,2", "--grad", "-10.,-.5"], [-20, -2]),
        (["x*x", "-i", "x=1,2", "-g", "-inf,1"], ["-inf", 4]),
        (["x*x", "-i", "x=-1,-2", "-g", "y=-1,1"], [2, -4]),
        (["-e", "-x**2", "-i", "x=1,2", "-g", "1,1"], [-2, -4]),
        (["-i", "x=1,2", "-g", "1,1", "--", "-x**2"], [-2, -4]),
    ],
)
def test_values_and_programs_may_start_with_a_minus(args, gradient):
    shown = gradients(answer("--no-check", *args))["x"]
    assert [pytest.approx(one) if isinstance(one, float) else one for one in shown] == gradient


def test_repeated_grads_add_up_unless_zeroed():
    base = ("3*a + 2*b*b + log(c)", "-i", "a=1", "-i", "b=1", "-i", "c=1", "-g", "1", "-g", "1")
    assert gradients(answer(*base)) == {"a": 6.0, "b": 8.0, "c": 2.0}
    assert gradients(answer(*base, "--zero-grad")) == {"a": 3.0, "b": 4.0, "c": 1.0}
    assert "pass 2 from y with g = 1: a.grad = 6, b.grad = 8, c.grad = 2\n" in run("eval", *base).out


def test_passes_start_from_named_statements():
    program = ("z = 2*x; loss = z.sum(dim=1)", "-i", "x=[[1,2,3,4]]")
    starts = ("-g", "z=[[1,0,0,0]]", "-g", "z=[[0,1,0,0]]", "-g", "loss=1", "--zero-grad")
    passes = answer(*program, *starts)["passes"]
    assert [one["of"] for one in passes] == ["z", "z", "loss"]
    assert [one["gradients"]["x"] for one in passes] == [[[2, 0, 0, 0]], [[0, 2, 0, 0]], [[2, 2, 2, 2]]]


def test_of_wrt_loss_and_expand():
    chain = ("y = [x**2, 3*x, exp(x)]; z = y[0]*y[1] + y[2]", "-i", "x=1")
    record = answer(*chain, "--of", "y", "-g", "1,0,0")
    assert record["root"]["name"] == "y"
    assert gradients(record) == {"x": 2.0}
    reached = answer(*chain)["intermediates"]
    assert [(one["name"], one["gradient"]) for one in reached] == [("y", [3.0, 1.0, 1.0])]
    assert list(gradients(answer("a*b", "-i", "a=2", "-i", "b=3", "--wrt", "b"))) == ["b"]
    record = answer("[w1**2, w1*w2]", "-i", "w1=2", "-i", "w2=3", "--loss", "0.1*y[0] + 2*y[1]")
    assert record["passes"] == [{"of": "y", "upstream": [0.1, 2.0], "source": "loss"}]
    assert gradients(record)["w2"] == 4.0
    refused = run("eval", "3*a", "-i", "a=0", "-g", "0.1,1,1e-4")
    assert refused.code == 2
    assert "--expand" in refused.err
    assert gradients(answer("3*a", "-i", "a=0", "-g", "0.1,1,1e-4", "--expand"))["a"] == pytest.approx(3.3003)


def test_small_matrix_equation():
    flags = ("[x1*x2*x3, x1+x2+x3, x1+x2*x3]", "-i", "x1=1", "-i", "x2=2", "-i", "x3=3", "-g", "0.1,0.2,0.3")
    shown = run("eval", *flags).out
    assert "∂y/∂(x1, x2, x3) = ⎢" in shown
    assert "⎡6 3 2⎤" in shown
    assert "g·J = [1.1, 1.4, 1]" in shown
    formulas = run("eval", *flags, "--jacobian", "formula").out
    assert "⎢" not in formulas
    assert "x2 x3 e0 + e1 + e2" in formulas
    assert "e0" not in shown, "the matrix says it already"
    assert "e0 + e1" not in run("eval", *flags, "--jacobian", "none").out
    assert "dy/d(x1, x2, x3) = [" in run("eval", *flags, encoding="ascii").out


def test_precision_and_full():
    assert "  = 0.33\n" in run("eval", "x/3", "-i", "x=1", "-p", "2").out
    assert "  = 0.3333333333333333 " in run("eval", "x/3", "-i", "x=1", "-p", "17").out.replace("\n", " ")
    many = ("x", "-i", "x=arange(40)")
    assert "…" in run("eval", *many).out
    assert "…" not in run("eval", *many, "--full").out


@pytest.mark.parametrize("cells", [40, 80, 200])
def test_columns(cells):
    shown = run("eval", *DOCS, env={"COLUMNS": str(cells)}).out
    assert max(map(len, shown.splitlines())) <= cells


def test_formats():
    assert run("eval", *DOCS, "-f", "latex").out.startswith("% y = 3*a + 2*b*b + log(c)  (float64 on cpu)\n")
    assert run("eval", *DOCS, "-f", "markdown").out.startswith("### `y = 3*a + 2*b*b + log(c)`\n")
    assert run("eval", *DOCS, "-f", "torch").out.startswith(
        ">>> a.grad\ntensor([3.0000e-01, 3.0000e+00, 3.0000e-04], dtype=torch.float64)\n"
    )


def test_settings_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("GRADCLI_DTYPE", "float32")
    monkeypatch.setenv("GRADCLI_PRECISION", "3")
    monkeypatch.setenv("GRADCLI_INPUT", "x=5")
    ran = run("eval", "x/3", "-i", "x=1")
    assert "float32 on cpu" in ran.out
    assert "  = 0.333\n" in ran.out


def test_dtype_and_device():
    assert answer("x/3", "-i", "x=1", "--dtype", "half")["root"]["dtype"] == "float16"
    refused = run("eval", "x", "-i", "x=1", "-d", "cuda:99")
    assert refused.code == 2
    assert "devices present: cpu" in refused.err


def test_verbose_has_timings_on_stderr():
    ran = run("eval", "x**2", "-i", "x=3", "-v")
    assert ran.err.startswith("parse ")
    assert "value" in ran.out


def test_program_and_values_from_stdin_and_files(tmp_path):
    path = tmp_path / "program.txt"
    path.write_text("y = x**2\nz = sum(y)  # a comment\n")
    assert gradients(answer("--program", str(path), "-i", "x=1,2")) == {"x": [2.0, 4.0]}
    assert gradients(answer("--program", "-", "-i", "x=1,2", stdin=path.read_text())) == {"x": [2.0, 4.0]}
    assert gradients(answer("x**2", "-i", "x=@-", "-g", "1,1", stdin="[1, 2]")) == {"x": [2.0, 4.0]}


def test_output_is_written_whole(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    path.chmod(0o640)
    ran = run("eval", *DOCS, "-o", str(path), encoding="ascii")
    assert (ran.code, ran.out) == (0, "")
    assert path.read_text("utf-8") == run("eval", *DOCS).out
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_failure_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "out.txt"
    path.write_text("old")
    assert run("eval", "lg(x)", "-o", str(path)).code == 2

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    ran = run("eval", *DOCS, "-o", str(path))
    assert ran.code == 2
    assert "cannot be written: No space left on device" in ran.err
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_output_through_a_link_keeps_the_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert run("eval", *DOCS, "-q", "-o", str(tmp_path / "link")).code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text().startswith("a = ")


def test_save_npz_and_pt(tmp_path):
    import torch

    for name in ("x.npz", "x.pt"):
        assert run("eval", *DOCS, "--save", str(tmp_path / name), "--dtype", "float32").code == 0
    saved = np.load(tmp_path / "x.npz")
    assert sorted(saved) == ["a", "a.grad", "b", "b.grad", "c", "c.grad", "y", "y.grad"]
    assert saved["b.grad"].dtype == np.float32
    assert saved["b.grad"] == pytest.approx([1.2, 16, 0.002])
    tensors = torch.load(tmp_path / "x.pt", weights_only=True)
    assert torch.equal(tensors["a"], torch.tensor([1.0, 2.0, 3.0]))
    again = gradients(answer("sum(x)", "-i", f"x=@{tmp_path / 'x.npz'}:b.grad"))
    assert again == {"x": [1.0, 1.0, 1.0]}


def test_unexplained_disagreement_is_exit_1(monkeypatch):
    import results

    monkeypatch.setattr("gradcli.solve.solve", lambda problem: results.disagreeing())
    ran = run("eval", "3*a", "-i", "a=1")
    assert ran.code == 1
    assert "✗ a: the derivatives differ" in ran.out
    monkeypatch.setattr("gradcli.solve.solve", lambda problem: results.disagreeing(explained=True))
    assert run("eval", "3*a", "-i", "a=1").code == 0
