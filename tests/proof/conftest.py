"""One thread, as all tensors here are small and threads would only wait for each other; and a summary of counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

#: heading → lines that the terminal shows at the end
REPORT: dict[str, list[str]] = {}


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for heading, lines in REPORT.items():
        terminalreporter.section(heading)
        for line in lines:
            terminalreporter.write_line(line)
