"""Attacks and malformed texts are refused, with a column, before anything is evaluated or loaded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from gradcli.errors import BAD_INPUT, GradcliError
from gradcli.language import Program, parse, parse_value

ATTACKS = [
    # reaching for Python
    '__import__("os").system("id")',
    "().__class__.__bases__",
    "().__class__.__mro__[1].__subclasses__()",
    "x.__class__",
    "x.__init__.__globals__",
    "open('x')",
    "eval('1')",
    "exec('import os')",
    "compile('1', '', 'eval')",
    "getattr(x, '__class__')",
    "globals()",
    "breakpoint()",
    "os.system('id')",
    "torch.load('x.pt')",
    "torch.ops.aten.add(x, x)",
    "torch._C._jit_clear_class_registry()",
    "np.load('x.npy', allow_pickle=True)",
    "torch.linalg.__loader__",
    "math.__dict__",
    "import os",
    "from os import system",
    "lambda: 0",
    "(lambda x: x)(3)",
    "[i for i in x]",
    "{i: i for i in x}",
    "sum(i for i in x)",
    "f'{x}'",
    "f'{().__class__}'",
    "b'x'",
    "x if y else z",
    "(x := 3)",
    "def f(x): return x",
    "class A: pass",
    "while True: pass",
    "for i in x: i",
    "del x",
    "assert x",
    "raise x",
    "global x",
    "async def f(): pass",
    "await x",
    "yield x",
    "f(*x)",
    "f(**x)",
    "@staticmethod",
    "x.__setattr__('a', 1)",
    "'%s' % x",
    "'{0.__class__}'.format(x)",
    '"""x"""',
    # exhausting the machine
    "9**9**9**9",
    "9**9**9",
    "10**10**10*x",
    "((1/3)**999)**999",
    "(" * 10_000 + "x" + ")" * 10_000,
    "[" * 5_000,
    "-" * 15_000 + "x",
    "2^" * 9_000 + "2",
    "x" + ".T" * 9_000,
    "+".join(["x"] * 9_000),
    "9" * 15_000,
    "1e" + "9" * 5_000,
    "x" * 15_000,
    "'" * 15_000,
    "x²" * 5_000,
    ";".join(["y[0] = x + x", *(f"y[{k}] = y[{k - 1}] + y[{k - 1}]" for k in range(1, 300))]),
    "ones(10**6, 10**6)",
    "zeros(99999999999999999999)",
    "x " * 9_000,
    "(" * 60 + "(x),(y)" + ")" * 60 + "]",
    # malformed
    "",
    "   \n# nothing",
    "\x00",
    "x\x00",
    "\x1b[31mx",
    "x + \udcff",
    "\u202ex + y",
    "x +",
    "+",
    "(",
    ")",
    "[1, 2",
    "x[",
    "x.",
    ".x",
    "1..2.3",
    "1e5e5",
    "1__",
    "x == ",
    "= x",
    "x = ",
    "a, b = 1, 2",
    "x y z",
    "$x",
    "x?",
    "#\n;",
    "\\",
    "…",
    "½x",
    "nan()",
    "1 if",
    "sum(x, dim=)",
    "sum(x, =1)",
    "x[1:2:3:4]",
    "x[0 1]",
    "stack([x, [y])",
    "y[0] = x; y[99999999] = x",
    "y[-1] = x",
    "y[1e400] = x",
]


@pytest.mark.parametrize("read", [parse, parse_value], ids=["program", "value"])
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda text: ascii(text[:30]))
def test_attacks_are_refused_with_a_column(read: Callable[[str], Program], attack: str) -> None:
    with pytest.raises(GradcliError) as caught:
        read(attack)
    error = caught.value
    assert error.exit_code == BAD_INPUT
    assert error.message and not error.message.endswith(".")
    assert error.message.isprintable() and (error.hint or "").isprintable()
    assert error.line is not None and error.column is not None
    assert error.span is not None and 0 <= error.span.start <= len(attack) < 10**6
    assert len(error.message) < 300 and len(error.hint or "") < 300


def test_nothing_is_evaluated_or_loaded() -> None:
    """All attacks in one fresh interpreter: no module is loaded and no audited action happens."""
    script = f"""
import sys
from gradcli.language import Program, parse, parse_value
from gradcli.errors import GradcliError
import difflib, unicodedata

seen = []
sys.addaudithook(lambda event, args: seen.append(event))
before = set(sys.modules)
for attack in {ATTACKS!r}:
    for read in (parse, parse_value):
        try:
            read(attack)
        except GradcliError:
            pass
watched = ("exec", "compile", "open", "import", "os.", "subprocess.", "socket.", "ctypes.", "pickle.")
print(sorted(set(e for e in seen if e.startswith(watched))), sorted(set(sys.modules) - before))
print([name for name in ("torch", "numpy", "sympy") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-"], input=script.encode("utf-8", "surrogatepass"), capture_output=True)
    assert done.stderr.decode() == ""
    assert done.stdout.decode().split("\n") == ["[] []", "[]", ""]
