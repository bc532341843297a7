"""The parts of README.md that are made rather than written: what commands print, and lists that come from the code.

``python tests/test_readme.py --write`` makes them anew; read the differences before you commit them.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from transcripts import is_complete, output, steady

from gradcli.language import limits
from gradcli.ops import table
from gradcli.ops.row import Kind, Row

README = Path(__file__).resolve().parent.parent / "README.md"
#: the widest line of the JSON object
WIDTH = 100
CONSOLE = re.compile(r"(^```console\n)(.*?)(^```$)", re.DOTALL | re.MULTILINE)


def text() -> str:
    """README.md as it stands."""
    return README.read_text(encoding="utf-8")


def made(readme: str) -> str:
    """``readme`` with all that is made put in its place."""
    readme = _between(readme, "operations", operations())
    readme = _between(readme, "limits", refusals())
    readme = _between(readme, "json", f"```json\n{contract()}```\n")
    return CONSOLE.sub(lambda found: found[1] + rerun(found) + found[3], readme)


def between(readme: str, name: str) -> str:
    """What stands between ``<!-- name -->`` and ``<!-- /name -->``."""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", readme, re.DOTALL)
    assert found is not None, name
    return found[1]


def _between(readme: str, name: str, body: str) -> str:
    head, tail = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    return readme.replace(head + between(readme, name) + tail, head + body + tail)


# -- what commands print ---------------------------------------------------------------


def rerun(console: re.Match[str]) -> str:
    """The body of a console block as its commands print it now; those that show the new row have it in the table."""
    before = console.string[: console.start()]
    with in_folder(console.string):
        if "<!-- new row -->" not in before.rpartition("\n## ")[2]:
            return _rerun(console[2])
        with in_table(new_row(console.string)):
            return _rerun(console[2])


@contextmanager
def in_folder(readme: str) -> Iterator[None]:
    """While it lasts the current folder has the files that the README shows, and ``samples``."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        for name, body in re.findall(r"<!-- ([\w-]+\.yaml) -->\n```yaml\n(.*?)```", readme, re.DOTALL):
            Path(folder, name).write_text(body, encoding="utf-8")
        Path(folder, "samples").symlink_to(README.parent / "samples")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _rerun(body: str) -> str:
    shown = ""
    for piece in body.removeprefix("$ ").split("\n$ "):
        lines = piece.rstrip("\n").split("\n")
        size = next(k for k in range(1, len(lines) + 1) if is_complete("\n".join(lines[:k]) + "\n"))
        command = "\n".join(lines[:size])
        shown += f"$ {command}\n{steady(output(command))}"
    return shown


# -- the recipe for a new operation ----------------------------------------------------


def new_row(readme: str) -> Row:
    """The row that the recipe adds."""
    found = re.search(r"<!-- new row -->\n```python\n(.*?),\n```", readme, re.DOTALL)
    assert found is not None
    row: Row = eval(found[1], {"Row": Row, "Kind": Kind, "_SPECIAL": "Special functions"})
    return row


@contextmanager
def in_table(row: Row) -> Iterator[None]:
    """While it lasts the table has one row more."""
    with patch.object(table, "_ALL", (*table._ALL, row)), patch.dict(table._BY_NAME, {row.name: row}):
        yield


# -- lists that come from the code -----------------------------------------------------


def operations() -> str:
    """The operations, a line for each section of the table."""
    sections: dict[str, list[str]] = {}
    for row in table.rows():
        sections.setdefault(row.section, []).append(f"`{_spelling(row)}`")
    return "".join(f"- **{section}:** {' '.join(spelt)}\n" for section, spelt in sections.items())


def _spelling(row: Row) -> str:
    return "-x" if row.name == "neg" else row.operator or row.name


def refusals() -> str:
    """The limits, each with its number."""
    lines = (
        f"a program of more than {limits.PROGRAM_LENGTH:,} characters or {limits.OPERATIONS:,} operations, or nested "
        f"more than {limits.DEPTH} deep",
        f"a value of more than {limits.VALUE_LENGTH:,} characters (a file may be longer)",
        f"a number of more than {limits.DIGITS} digits, a whole-number exponent beyond {limits.EXPONENT:,}, "
        f"a constant of more than {limits.CONSTANT_DIGITS} digits such as `9**9**9`",
        f"a tensor of more than {limits.ELEMENTS:,} elements",
    )
    return "".join(f"- {line}.\n" for line in lines)


def contract() -> str:
    """The object that the README explains, over several lines."""
    printed = json.loads(output("gradcli eval '3*a' -i a=1,2 --grad 1,10 -f json"))
    return _pretty(printed, "") + "\n"


def _pretty(value: Any, indent: str) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(flat) <= WIDTH or not isinstance(value, (dict, list)):
        return flat
    deeper = indent + "  "
    if isinstance(value, list):
        body = [deeper + _pretty(part, deeper) for part in value]
        return "[\n" + ",\n".join(body) + f"\n{indent}]"
    body = [f"{deeper}{json.dumps(key)}: {_pretty(part, deeper)}" for key, part in value.items()]
    return "{\n" + ",\n".join(body) + f"\n{indent}}}"
