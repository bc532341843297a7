"""Rendering: one small module a format, found by name and loaded on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.render.look import Look
    from gradcli.result import Result

#: what ``--format`` accepts → the module that has ``render(result, look) -> str``
FORMATS: dict[str, str] = {
    "text": "gradcli.render.text",
    "json": "gradcli.render.json",
    "latex": "gradcli.render.latex",
    "markdown": "gradcli.render.markdown",
    "torch": "gradcli.render.torch_session",
}


def render(result: Result, form: str, look: Look) -> str:
    """``result`` in the format ``form``, ending in a newline."""
    text: str = import_module(FORMATS[form]).render(result, look)
    return text
