"""What is loaded when: values are checked without torch, and numbers are worked out without sympy."""

import subprocess
import sys


def loaded(code):
    script = f"import sys\n{code}\nprint(*sorted({{'torch', 'numpy', 'sympy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_values_are_read_before_torch_is_loaded():
    assert loaded("from gradcli.values import read_value\nread_value('[[1,2],[3,4]]', title='-i a')") == []
    assert loaded("from gradcli.values import read_value\nread_value('rand(3, seed=1)', title='-i a')") == []
    assert loaded("from gradcli.values import from_python\nfrom_python([1, 2], 'a')") == []


def test_numbers_need_no_sympy():
    code = """
from gradcli.language import parse
from gradcli.numeric.backward import backward, jacobian
from gradcli.numeric.differences import quotients
from gradcli.numeric.forward import evaluate
from gradcli.values import read_value
program = parse("3*a + 2*b*b + log(c)")
forward = evaluate(program, {name: read_value("1,2", title=name).tensor() for name in "abc"})
root, grad = program.root.node, read_value("1,2", title="-g").tensor()
backward(forward, [(root, grad)])
jacobian(forward, root, "a")
quotients(forward, root, grad, "a")
"""
    assert loaded(code) == ["numpy", "torch"]
