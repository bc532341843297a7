"""Names, numbers and functions in LaTeX, for amsmath and for MathJax alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon "
    "phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
GREEK = frozenset(_LETTERS.split())
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip
_OWN = frozenset(("exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "max", "min", "det"))
_RENAMED = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "trace": "tr"}
_AROUND = {
    "sqrt": r"\sqrt{%s}", "abs": r"\left\lvert %s \right\rvert", "floor": r"\left\lfloor %s \right\rfloor",
    "ceil": r"\left\lceil %s \right\rceil", "norm": r"\left\lVert %s \right\rVert",
}  # fmt: skip


def words(text: str) -> str:
    r"""``text`` for the inside of ``\text{…}``."""
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def name(text: str) -> str:
    """A variable: ``x1`` has a subscript, ``alpha`` and ``α`` are Greek, longer ones are upright, y_ is y'.

    >>> name("x1"), name("alpha"), name("loss"), name("W_q")
    ('x_{1}', '\\\\alpha', '\\\\mathrm{loss}', 'W_{q}')
    """
    stem, *rest = [part for part in text.split("_") if part] or [""]
    found = re.fullmatch(r"(.*?[^\W\d])(\d+)", stem)
    if found and (len(found[1]) == 1 or found[1] in GREEK):
        stem, rest = found[1], [found[2], *rest]
    below = ",".join(map(_stem, rest))
    primes = "'" * (len(text) - len(text.rstrip("_")))
    return _stem(stem) + (f"_{{{below}}}" if below else "") + primes


def _stem(text: str) -> str:
    spelled = unicodedata.name(text, "") if len(text) == 1 else ""
    if spelled.startswith("GREEK"):
        word = spelled.rpartition(" ")[2]
        text = word.capitalize() if "CAPITAL" in spelled else word.lower()
        text = {"lamda": "lambda", "Lamda": "Lambda"}.get(text, text)
    if text in GREEK:
        return "\\" + text
    if not text.isascii():
        return rf"\text{{{text}}}"
    return text if len(text) == 1 or text.isdigit() else rf"\mathrm{{{text}}}"


def value(text: str) -> str:
    r"""A number as printed elsewhere: ``1.25e-05`` is ``1.25 \times 10^{-5}``."""
    if text in ("nan", "inf", "-inf"):
        return {"nan": r"\mathrm{NaN}", "inf": r"\infty", "-inf": r"-\infty"}[text]
    mantissa, mark, exponent = text.lower().partition("e")
    if not mark:
        return text
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa in ("1", "1.") else rf"{mantissa} \times {power}"


def function(name: str, arguments: Sequence[str]) -> str:
    r"""A function application: ``\exp\left(x\right)``, ``\sqrt{x}``, ``\operatorname{softmax}\left(x\right)``."""
    inner = ", ".join(arguments)
    if name in _AROUND and len(arguments) == 1:
        return _AROUND[name] % inner
    word = _RENAMED.get(name, name)
    head = rf"\{word}" if word in _OWN else rf"\operatorname{{{words(word)}}}"
    return rf"{head}\left({inner}\right)"


def keyword(key: str, text: str) -> str:
    r"""A keyword argument: ``\mathrm{dim}{=}1``."""
    return rf"\mathrm{{{words(key)}}}{{=}}{text}"


def static(given: object) -> str:
    """A static argument: numbers and tuples of them as they are, all else upright."""
    if isinstance(given, tuple):
        return "(" + ",".join(map(static, given)) + ")"
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        return rf"\text{{{words(str(given))}}}"
    return value(str(given))


def verbatim(text: str) -> str:
    """Source text as it stands."""
    return rf"\texttt{{{words(text)}}}"
