"""Problems that are run together give, to the last bit, what each gives alone."""

from __future__ import annotations

import gc
import io
import json
import random

import numpy as np
import pytest
import torch

from gradcli.batch import grouping, stacks
from gradcli.batch.entries import Entry
from gradcli.batch.files import _problems
from gradcli.batch.grouping import run_together
from gradcli.batch.running import Manner, run
from gradcli.batch.sketches import sketch
from gradcli.batch.templates import written
from gradcli.language import parse
from gradcli.numeric.differences import quotients
from gradcli.numeric.plain import _EXACT, _TRIED, Plain, is_plain, is_steady
from gradcli.numeric.side_by_side import quotients_together
from gradcli.ops.table import find
from gradcli.render.look import Look

DOCS = "3*a + 2*b*b + log(c)"
#: (program, leaves)
PROGRAMS = [
    (DOCS, "abc"),
    ("a", "a"),
    ("-a/b", "ab"),
    ("(a - b)**2/(2*c**2)", "abc"),
    ("exp(-(a - b)**2)", "ab"),
    ("t = tanh(a*b); t*t + sqrt(c)", "abc"),
    ("z = a*b; w = sin(z)*z; w/c + w", "abc"),
    ("1/a + 2/(b + pi) - a**-1*b**3 + a**0.5", "ab"),
    ("sum(a*b)", "ab"),
    ("relu(a - b) + abs(c)", "abc"),
    ("sigmoid(a)*softplus(b)", "ab"),
    ("a**b", "ab"),
    ("log(a)*b + log(b + 1)", "ab"),
]


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Plans and models of no other test."""
    monkeypatch.setattr(grouping, "_PLANS", grouping.Plans())


def entries(program: str, leaves: str, count: int, length: int | None, seed: int = 0, **settings) -> list[Entry]:
    draw = random.Random(seed)

    def value():
        numbers = [round(draw.uniform(0.1, 4), draw.randrange(1, 17)) for _ in range(length or 1)]
        return numbers if length else numbers[0]

    problems = []
    for k in range(count):
        data = {"name": f"p{k}", "program": program, "inputs": {leaf: value() for leaf in leaves}}
        grad = settings.get("grad", True)
        rest = {key: one for key, one in settings.items() if key != "grad"}
        problems.append(Entry({**data, **({"grad": value()} if grad else {}), **rest}))
    return problems


def same(problems: list[Entry], manner: Manner | None = None) -> list[str]:
    """The texts, which are those of one by one."""
    manner = manner or Manner()
    together, alone = list(run_together(problems, manner)), [run(one, manner) for one in problems]
    for ours, theirs in zip(together, alone, strict=True):
        assert ours.text == theirs.text
        assert (ours.status, ours.difference, ours.expected) == (theirs.status, theirs.difference, theirs.expected)
        assert ours.notes == theirs.notes
        assert ours.failures == theirs.failures
    return [one.text.decode() for one in together]


def stacked(monkeypatch) -> list[int]:
    """How many problems each stack has held so far."""
    counts: list[int] = []
    build = stacks.Stack.__init__

    def counting(self, plan, sketches):
        counts.append(len(sketches))
        build(self, plan, sketches)

    monkeypatch.setattr(stacks.Stack, "__init__", counting)
    return counts


@pytest.mark.parametrize(("program", "leaves"), PROGRAMS)
@pytest.mark.parametrize("length", [None, 3])
def test_the_same_texts(program, leaves, length):
    same(entries(program, leaves, 11, length))


@pytest.mark.parametrize(
    "settings",
    [
        {"jacobian": "formula"},
        {"jacobian": "matrix"},
        {"jacobian": "values"},
        {"jacobian": "none"},
        {"jacobian": "none", "check": True},
        {"check": False},
        {"check": True, "grad": False},
        {"grad": False},
        {"jacobian": "none", "grad": False},
        {"dtype": "float64", "device": "cpu"},
    ],
)
def test_the_same_texts_whatever_is_asked(settings, monkeypatch):
    counts = stacked(monkeypatch)
    same(entries(DOCS, "abc", 10, 2, **settings))
    assert counts == [10]
    same(entries("z = a*b; sin(z)*c", "abc", 9, 3, **settings))


def test_plain_programs_are_stacked_and_others_not(monkeypatch):
    counts = stacked(monkeypatch)
    same(entries(DOCS, "abc", 20, 3))
    assert counts == [20]
    same(entries("sum(a*b)", "ab", 9, 3))
    same(entries(DOCS, "abc", 5, 3))
    assert counts == [20]


def test_long_stacks_are_split(monkeypatch):
    counts = stacked(monkeypatch)
    monkeypatch.setattr(stacks, "ELEMENTS", 64)
    monkeypatch.setattr(grouping, "ELEMENTS", 64)
    same(entries(DOCS, "abc", 40, 3))
    assert counts == [16, 16, 8]


def test_unusual_points_are_left_to_solve():
    problems = entries(DOCS, "abc", 12, 2)
    problems[3].data["inputs"]["c"] = [-1.0, 2.0]
    problems[5].data["inputs"]["c"] = [0.0, 2.0]
    problems[6].data["inputs"]["b"] = [0.0, -0.0]
    problems[7].data["grad"] = [0.0, -1.0]
    problems[8].data["inputs"]["a"] = [float("nan"), 1.0]
    problems[9].data["inputs"]["a"] = [1e300, 1e308]
    problems[10].data["inputs"]["b"] = [1e-300, 1e9]
    texts = same(problems)
    assert '"domain"' in texts[3]
    assert '"pole"' in texts[5]


@pytest.mark.parametrize("program", ["sqrt(a)*b*c", "log(a)*b/c", "a/b + c"])
def test_neighbours_change_no_bit(program):
    usual = entries(program, "abc", 12, 2, seed=4)
    odd = entries(program, "abc", 12, 2, seed=4)
    for k, value in enumerate([[0.0, 0.5], [-1.0, 1.0], [float("nan"), 2.0]]):
        odd[3 * k].data["inputs"]["a"] = odd[3 * k].data["inputs"]["b"] = value
    texts, beside = same(usual), same(odd)
    assert [texts[k] for k in (1, 2, 4, 5, 7, 8, 11)] == [beside[k] for k in (1, 2, 4, 5, 7, 8, 11)]


def test_zeros_keep_their_sign():
    flat = [Entry({"program": "-a*b", "inputs": {"a": 0.0, "b": -1.0}, "grad": 0.0}) for _ in range(9)]
    assert "-0.0" in same(flat)[0]


@pytest.mark.parametrize("seed", range(4))
def test_different_programs_share_a_backward_pass(seed):
    draw = random.Random(seed)
    problems = []
    for k in range(25):
        first, second = draw.sample(["sin(a)", "a*b", "exp(-a)", "b/a", "sqrt(b)", "(a + 1)**3", "log(b)"], 2)
        program = draw.choice([f"{k}.5*a + {first}*{second}*b", f"t = {first} + b; {k}*t/({second}*a)"])
        problems += entries(program, "ab", 1, draw.choice([None, 3]), seed=k, jacobian="none", grad=bool(k % 3))
    scalar = isinstance(problems[7].data["inputs"]["b"], float)
    problems[7].data["inputs"]["b"] = -1.0 if scalar else [-1.0, 0.0, 2.0]
    same(problems)


def test_expectations_and_other_formats_on_what_is_stacked():
    problems = entries(DOCS, "abc", 10, 3)
    for k, one in enumerate(problems):
        one.data["expect"] = {"gradient": {"b": "4*b*g" if k else "2*b*g"}, "jacobian": {"b": "diag(4*b)"}}
    statuses = [one.status for one in run_together(problems, Manner())]
    assert statuses == ["failed"] + ["passed"] * 9
    same(problems)
    plain = entries(DOCS, "abc", 9, 2)
    same(plain, Manner(None))
    same(plain, Manner("json", Look(unicode=False)))
    for form in ("text", "markdown", "latex", "torch"):
        same(plain, Manner(form, Look(verbose=True, precision=17)))


def test_names_are_written_as_json_writes_them():
    problems = entries(DOCS, "abc", 9, 1)
    for one, name in zip(problems, ['"', "%s", "100%", "é𝟙", "\n", "\\", "\u2028", "\x7f", "\ud800"], strict=True):
        one.data["name"] = name
    texts = same(problems)
    assert [json.loads(text)["name"] for text in texts] == [one.data["name"] for one in problems]


def test_numbers_are_written_as_json_writes_them():
    draw = np.random.default_rng(3)
    anything = draw.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    usual = draw.uniform(-1, 1, 20_000) * 10.0 ** draw.integers(-20, 20, 20_000)
    edges = [
        f"{sign}{digits}e{power}"
        for power in range(-12, 20)
        for digits in (1, 1.5, 9.999999999999999)
        for sign in ("", "-")
    ]
    odd = [0.0, -0.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 2.0**53, 0.1 + 0.2]
    numbers = np.array([*anything[np.isfinite(anything)], *usual, *map(float, edges), *odd])
    assert b", ".join(written(numbers)).decode() == json.dumps(numbers.tolist())[1:-1]
    assert written(numbers[:0]) == []


def test_whole_numbers_beyond_float64_are_refused_one_by_one():
    problems = entries("2*a + 0*b", "ab", 10, 2)
    problems[4].data["inputs"]["a"] = [10**400, 1]
    problems[6].data["inputs"]["a"] = [10**300, 2**63]
    outcomes = list(run_together(problems, Manner()))
    assert [one.status for one in outcomes] == ["refused" if k == 4 else "passed" for k in range(10)]
    assert "too large" in str(outcomes[4].error)
    assert json.loads(outcomes[6].text)["leaves"][0]["value"] == [1e300, 2.0**63]


def test_inputs_in_any_order():
    problems = entries("a/b", "ab", 10, 2, jacobian="none") + entries("a/b + a", "ab", 3, 2, jacobian="none")
    for k, one in enumerate(problems):
        if k % 2:
            one.data["inputs"] = dict(reversed(one.data["inputs"].items()))
    same(problems)


def test_lines_are_sketched_while_they_are_read():
    line = '{"program": "a*b", "inputs": {"a": [1, 2], "b": [3.5, 4]}, "grad": [1, 1]}'
    (entry,) = _problems(line, 1, "x.jsonl", ".", {"jacobian": "none"})
    assert entry.sketch == sketch(entry.data)
    assert entry.data["jacobian"] == "none"
    for other in (
        line.replace('"a": [1, 2]', '"a": [1, true]'),
        line.replace('"a": [1, 2]', '"a": "1,2"'),
        line.replace('"a": [1, 2]', '"a": [[1, 2]]'),
        line.replace('"a": [1, 2]', '"a": [1, 2, 3]'),
        line.replace('"a": [1, 2]', '"a": [1, Infinity]'),
        line.replace('"grad": [1, 1]', '"wrt": "a"'),
        line.replace('"grad": [1, 1]', '"grad": {"y": [1, 1]}'),
    ):
        (entry,) = _problems(other, 1, "x.jsonl", ".", {})
        assert isinstance(entry, Entry) and entry.sketch is None
    for twice in ('"a": [3.5', '"a" : [3.5', '"\\u0061":[3.5'):
        (error,) = _problems(line.replace('"b": [3.5', twice), 7, "x.jsonl", ".", {})
        assert error.message.endswith('" is given twice on line 7') and error.line == 7
    (error,) = _problems(line.replace("3.5", "1e400"), 7, "x.jsonl", ".", {})
    assert error.message == "the number is too large for float64"


def test_which_programs_are_plain():
    def plain(text: str, length: int = 3) -> bool:
        program = parse(text)
        return is_plain(program, program.root.node, length)

    assert all(plain(text) for text in (DOCS, "-a/b", "a**2 + b**-1", "t = a*b; t*t", "2/a", "pi*a"))
    refused = ["a", "sum(a)", "relu(a)", "a**b", "a**4", "2**a", "a @ b", "a[0]*b", "1 + 2", "where(a > 0, a, b)",
               "exp(1)*a", "t = a*b; u = a; t*u", "unused = a*b; a + b"]  # fmt: skip
    assert not any(plain(text) for text in refused)


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 9, 16, 31])
@pytest.mark.parametrize("op", sorted(_EXACT))
def test_arithmetic_gives_the_same_bits_wherever_an_element_stands(op, length):
    row = find(op)
    draw = torch.Generator().manual_seed(length)
    points = [0.1 + 5 * torch.rand(53, length, generator=draw, dtype=torch.float64) for _ in row.operands]
    sign = row.operator if row.operator and len(points) == 2 else ""
    program = parse(f"a {sign} b" if sign else f"{op}(a)")
    plain, names = Plain.of(program), "ab"[: len(points)]

    def both(rows: list[torch.Tensor]) -> list[torch.Tensor]:
        leaves = {name: one.clone().requires_grad_() for name, one in zip(names, rows, strict=True)}
        value = plain.values(leaves)[program.root.node]
        return [value.detach(), *torch.autograd.grad(value.sum(), list(leaves.values()))]

    together = both([one.reshape(-1) for one in points])
    for k in range(53):
        for whole, alone in zip(together, both([one[k] for one in points]), strict=True):
            assert torch.equal(whole.reshape(53, length)[k], alone)


def test_functions_are_trusted_only_after_a_trial(monkeypatch):
    assert {op for op in _TRIED if find(op) is None} == set()
    program = parse("log(a)")
    assert is_plain(program, program.root.node, 3) is is_steady("log", 3)
    is_steady.cache_clear()
    monkeypatch.setattr(torch, "equal", lambda one, other: False)
    assert not is_steady("log", 3)
    is_steady.cache_clear()


@pytest.mark.parametrize("program", ["3*a + 2*b*b + log(c)", "a*b/c", "exp(a)*tanh(b) + sqrt(c)"])
def test_quotients_side_by_side_are_those_one_by_one(program):
    parsed = parse(program)
    plain, root = Plain.of(parsed), parsed.root.node
    draw = torch.Generator().manual_seed(5)
    leaves = {name: 0.2 + 3 * torch.rand(24, generator=draw, dtype=torch.float64) for name in parsed.leaves}
    upstream = torch.randn(24, generator=draw, dtype=torch.float64)
    forward = plain.forward({name: leaf.clone().requires_grad_() for name, leaf in leaves.items()})
    known = plain.values(leaves)
    for name in leaves:
        ours, good = quotients_together(plain, root, known, upstream, name)
        theirs = quotients(forward, root, upstream, name)
        assert int(good.sum()) > 12
        for key in ("central", "error", "left", "right", "step"):
            assert torch.equal(getattr(ours, key)[good], getattr(theirs, key)[good]), key


def test_nothing_piles_up(monkeypatch, tmp_path):
    from gradcli.batch import queue
    from gradcli.batch.files import open_file
    from gradcli.numeric.forward import Forward

    monkeypatch.setattr(queue, "TOGETHER", 10)
    monkeypatch.setattr(queue, "PAUSE", 0.0)
    lines = [json.dumps({"program": DOCS, "inputs": {"a": [k], "b": [2], "c": [3]}, "grad": [1]}) for k in range(100)]
    lines += [json.dumps({"program": "sum(a)", "inputs": {"a": [k, 2]}}) for k in range(40)]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    alive = []
    gc.collect()
    gc.disable()
    try:
        reading = open_file(str(tmp_path / "p.jsonl"), {}, io.StringIO())
        for at, _ in enumerate(queue.run_all([reading], Manner(), lambda entry: True, 1)):
            if at % 10 == 9:
                alive.append(sum(isinstance(one, Forward) for one in gc.get_objects()))
    finally:
        gc.enable()
        gc.unfreeze()
    assert len(alive) == 14
    assert max(alive[3:10]) <= 3
    assert alive[-1] <= alive[-2] + 1
