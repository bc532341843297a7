"""Rendering: one small module a format, found by name and loaded on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from gradcli.render.look import Look

if TYPE_CHECKING:
    from gradcli.result import Result

__all__ = ["FORMATS", "Look", "render"]

#: format → the module that has ``render(result, look) -> str``; ``--format`` takes all but html
FORMATS: dict[str, str] = {
    "text": "gradcli.render.text",
    "json": "gradcli.render.json",
    "latex": "gradcli.render.latex",
    "markdown": "gradcli.render.markdown",
    "torch": "gradcli.render.torch_session",
    "html": "gradcli.render.html",
}


def render(result: Result, form: str, look: Look) -> str:
    """``result`` in the format ``form``, ending in a newline."""
    text: str = import_module(FORMATS[form]).render(result, look)
    return text
