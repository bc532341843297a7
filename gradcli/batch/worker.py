"""What a process of ``--jobs`` loads before it is forked, and does before its first work."""

from __future__ import annotations

import gradcli.batch.grouping
import gradcli.render.json
import gradcli.solve

__all__ = ["prepare"]

_LOADED = (gradcli.batch.grouping, gradcli.render.json, gradcli.solve)


def prepare() -> None:
    """Leave interrupts to the process that waits, and the other cores to the other processes."""
    import signal

    import torch

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(1)
