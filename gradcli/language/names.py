"""Names: which characters make one, how it is folded, which ones are taken."""

from __future__ import annotations

import unicodedata

from gradcli.errors import GradcliError, Source, Span
from gradcli.language import limits
from gradcli.language.refusals import KEYWORDS

CONSTANTS = ("pi", "e", "inf", "nan")
#: words that stand for values of their own
WORDS: dict[str, bool | None] = {"True": True, "False": False, "true": True, "false": False, "None": None}
#: dotted paths that may stand before the name of a function
PREFIXES = frozenset(
    [
        "torch",
        "F",
        "nn",
        "nn.functional",
        "torch.nn",
        "torch.nn.functional",
        "torch.linalg",
        "torch.special",
        "torch.Tensor",
        "math",
        "np",
        "numpy",
        "np.linalg",
        "numpy.linalg",
        "linalg",
        "special",
    ]
)
_PREFIX_ROOTS = frozenset(prefix.split(".")[0] for prefix in PREFIXES)
#: Unicode lets these stand inside identifiers; here they multiply
_DOTS = "·\u0387"


def is_prefix_root(name: str) -> bool:
    """Whether ``name`` may begin a dotted path such as ``torch.linalg``."""
    return name in _PREFIX_ROOTS


def is_superscript(char: str) -> bool:
    """Whether ``char`` is a raised sign, such as ² or ⁿ."""
    return char > "\x7f" and unicodedata.decomposition(char).startswith("<super>")


def end_of_name(text: str, start: int) -> int:
    """Where the name that begins at ``start`` ends; ``start`` itself when none begins there.

    Letters of any script and lowered digits (x₁ is x1) belong to a name; raised signs do not.
    """
    if start >= len(text) or not text[start].isidentifier() or is_superscript(text[start]):
        return start
    end = start + 1
    while end < len(text) and _continues(text[end]):
        end += 1
    return end


def _continues(char: str) -> bool:
    if char <= "\x7f":
        return char.isalnum() or char == "_"
    if char in _DOTS or is_superscript(char):
        return False
    return ("a" + char).isidentifier() or unicodedata.decomposition(char).startswith("<sub>")


def fold(text: str) -> str:
    """The name as compared: NFKC, so that µ (micro) and μ (mu), x₁ and x1 are one."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def check_name(name: str, span: Span) -> None:
    """Refuse a folded name that no leaf or statement may have.

    Raises:
        GradcliError: it is too long, a word of the language, or not a name at all.
    """
    if len(name) > limits.NAME_LENGTH:
        raise GradcliError(
            f"a name has at most {limits.NAME_LENGTH} characters and this one has {len(name):,}",
            span=span,
            hint="use a shorter name",
        )
    if name in KEYWORDS or name in WORDS:
        example = "lam or λ" if name == "lambda" else f"{name}_"
        raise GradcliError(f"'{name}' is a word of its own and cannot be a name", span=span, hint=f"call it {example}")


def fold_name(text: str) -> str:
    """The name ``text`` as programs, flags and YAML compare it (NFKC).

    Raises:
        GradcliError: ``text`` is not one usable name.
    """
    stripped = text.strip()
    source = Source(text, "name")
    span = Span(0, max(len(text), 1))
    name = fold(stripped)
    if not stripped or end_of_name(stripped, 0) != len(stripped) or not name.isidentifier():
        raise GradcliError(
            f"{ascii(text) if not text.isprintable() else repr(text)} is not a name",
            span=span,
            hint="a name is letters, digits and _, and begins with a letter: x, x1, w_out, α",
            source=source,
        )
    try:
        check_name(name, span)
    except GradcliError as error:
        error.source = source
        raise
    return name
