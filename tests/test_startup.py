"""What is loaded when, and how the real process ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

HEAVY = ("torch", "sympy", "numpy", "pydantic", "yaml", "rich")


def python(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True)


def loaded(code: str) -> set[str]:
    """Which heavy packages ``code`` has loaded when it is done."""
    ran = python(f"{code}\nimport sys\nprint([name for name in {HEAVY} if name in sys.modules])")
    assert ran.returncode == 0, ran.stderr
    return set(eval_list(ran.stdout.splitlines()[-1]))


def eval_list(text: str) -> list[str]:
    return [part.strip(" '") for part in text.strip("[]").split(",") if part.strip()]


@pytest.mark.parametrize(
    "code",
    [
        "import gradcli",
        "import gradcli.cli",
        "import gradcli.language, gradcli.ops.table, gradcli.ask, gradcli.values",
        "from gradcli.cli import main; main(['--help'])",
        "from gradcli.cli import main; main(['--version'])",
        "from gradcli.cli import main; main([])",
        "from gradcli.cli import main; main(['eval', '--help'])",
        "from gradcli.cli import main; main(['eval', '3*a + lg(c)'])",
        "from gradcli.cli import main; main(['eval', '3*a', '-i', 'a=1,,2'])",
        "from gradcli.cli import main; main(['eval', '3*a + b', '-i', 'a=1'])",
        "from gradcli.cli import main; main(['explain', '3*a + log(c)'])",
        "from gradcli.cli import main; main(['graph', '3*a + log(c)'])",
        "from gradcli.cli import main; main(['functions', 'log'])",
        "from gradcli.cli import main; main(['schema'])",
        "from gradcli.cli import main; main(['check', '3*a'])",
        "from gradcli.cli import main; main(['check', '3*a + lg(c)', '--claim', 'a=3'])",
        "from gradcli.cli import main; main(['batch', 'none.yaml'])",
        "import io; from gradcli.cli import main; from gradcli.cli.terminal import Terminal;"
        ' stdin, out = io.StringIO(\'{"progam": "x"}\'), io.StringIO();'
        " main(['batch', '-', '--list'], Terminal(stdin, out, out, {}))",
    ],
)
def test_nothing_heavy_is_loaded(code):
    assert loaded(code) == set()


def test_faults_of_a_yaml_file_need_yaml_alone(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text("progam: x\n")
    assert loaded(f"from gradcli.cli import main; main(['batch', {str(path)!r}])") == {"yaml"}


def test_help_loads_no_command():
    code = "import sys; from gradcli.cli import main; main(['--help'])"
    code += "; print('gradcli.cli.eval' in sys.modules)"
    assert python(code).stdout.endswith("False\n")


def gradcli(*args: str, **settings) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONIOENCODING": "utf-8", **settings.pop("env", {})}
    command = [sys.executable, "-m", "gradcli", *args]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=env, **settings)


def test_the_process_prints_and_exits_with_the_code():
    good = gradcli("eval", "x**2", "-i", "x=3", "-q")
    assert (good.returncode, good.stdout, good.stderr) == (0, "x = 6\n", "")
    bad = gradcli("eval", "lg(x)")
    assert bad.returncode == 2
    assert bad.stdout == ""
    assert bad.stderr.startswith("error: ")


def test_a_reader_that_leaves_early_ends_it_silently():
    for args in (["functions"], ["eval", "x", "-i", "x=zeros(100000)", "-qf", "json"]):
        process = subprocess.Popen(
            [sys.executable, "-m", "gradcli", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait() == 0


def test_an_interrupt_ends_it_with_130_and_no_traceback():
    process = subprocess.Popen(
        [sys.executable, "-m", "gradcli", "eval", "--program", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # tests that a script runs in the background are started with interrupts ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert process.stdin is not None
    # The line cannot be taken before the command reads, so that the signal meets a running command.
    process.stdin.write("x" * 1_000_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "interrupted\n")


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LANG": "C", "LC_ALL": "", "LC_CTYPE": ""}])
def test_the_c_locale_gets_ascii(locale):
    env = {**locale, "PYTHONIOENCODING": "", "PYTHONUTF8": ""}
    ran = gradcli("graph", "a*µ", env=env)
    assert ran.returncode == 0
    assert ran.stdout == "y = mul\n|- leaf a\n`- leaf mu\n"
