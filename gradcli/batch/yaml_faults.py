"""What is wrong with a YAML text, in words for people who write formulas in it."""

from __future__ import annotations

import re

import yaml

from gradcli.errors import GradcliError, Source, Span

#: what a value begins with where YAML reads a sign of its own language
_SIGNS = {
    "*": "an alias",
    "&": "an anchor",
    "|": "a block of text",
    ">": "a block of text",
    "@": "a reserved sign",
    "`": "a reserved sign",
    "%": "a directive",
    "!": "a tag",
    "[": "a list",
    "{": "a mapping",
    '"': "a quoted text",
    "'": "a quoted text",
}
#: a line that is one key and one value, perhaps the first of a problem in a list
_PAIR = re.compile(r"(?P<head>\s*(?:-\s+)*(?P<key>[^\s:#\[{-][^:#]*:)\s+)(?P<value>\S.*)")
#: keys whose values are mappings
_MAPPINGS = frozenset(("inputs", "expect", "defaults", "claims", "gradient", "jacobian"))
_FILE = re.compile(r"(?<=[\s:,\[{])@[^\s,}\]]*")
#: characters of a value that a hint repeats
_SHORT = 60
_TABS = re.compile(r" *\t[ \t]*\S")
_QUOTE = "put the expression in quotes"
_ALIKE = "indent the keys of one problem alike, each as key: value"
#: the parser's words → ours, with a hint
_WORDS: tuple[tuple[str, str, str], ...] = (
    ("mapping values are not allowed", "a colon begins a value here, where none can stand", _QUOTE),
    ("block sequence entries are not allowed", "a dash begins a list here, where none can stand", _QUOTE),
    ("found unexpected end of stream", "a quote is opened and never closed", "close it"),
    ("unexpected document separator", "a quote is opened and never closed", "close it"),
    ("found unknown escape character", "a backslash in double quotes begins an escape, and this is none",
     "use single quotes, in which a backslash is itself"),
    ("exceeded maximum nesting depth", "lists are nested too deep", "keep tensors in files: @x.npy"),
    ("did not find expected ',' or ']'", "a list is not closed, or a comma is missing",
     f"close it with ], or {_QUOTE}"),
    ("did not find expected ',' or '}'", "a mapping is not closed, or a comma is missing",
     f"close it with }}, or {_QUOTE}"),
    ("control characters are not allowed", "the file has a control character in it", "is it a text file?"),
)  # fmt: skip


def reword(error: yaml.YAMLError, source: Source) -> GradcliError:
    """The error as one of ours, at the place that a reader should mend."""
    at = _place(error, source)
    start = source.text.rfind("\n", 0, at) + 1
    line = source.text[start:].partition("\n")[0].rstrip("\r")
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)

    def fault(words: str, hint: str, begin: int = at, end: int = at + 1) -> GradcliError:
        return GradcliError(words, span=Span(begin, end), hint=hint, source=source)

    tab = _tab(problem, line, at, start, source)
    if tab is not None:
        return fault("a tab is used for indentation", "indent with spaces", tab, tab + 1)
    found = _PAIR.fullmatch(line)
    value = found["value"].strip() if found else ""
    begin = start + len(found["head"]) if found else at
    if found and found["key"].strip(": ") in _MAPPINGS:
        file = _FILE.search(value)
        if file is not None:
            begin += file.start()
            return fault("@ begins a value here, which YAML does not allow", f"put it in quotes: '{file[0]}'", begin)
        if value[0] in "{[" and "," not in problem:
            return fault("a bracket is closed once too often, or not at all", "close each [ and { once")
    elif value and value[0] in _SIGNS and 0 <= at - begin <= len(value) and "unknown escape" not in problem:
        words = f"{value[:30]} begins with {value[0]}, which means {_SIGNS[value[0]]} in YAML"
        short = found and len(value) <= _SHORT and not set(value) & {"'", '"'}
        example = f": {found['key']} '{value}'" if found and short else ""
        return fault(words, f"{_QUOTE}{example}", begin, begin + len(value))
    if "mapping values are not allowed" in problem and line.find(":") == at - start:
        return fault("this key is indented more than those before it", _ALIKE)
    for words, ours, hint in _WORDS:
        if words in problem:
            return fault(ours, hint)
    context = getattr(error, "context", None)
    return fault(f"this is no YAML: {context}: {problem}" if context else f"this is no YAML: {problem}",
                 _QUOTE if found else _ALIKE)  # fmt: skip


def _tab(problem: str, line: str, at: int, start: int, source: Source) -> int | None:
    """Where a tab stands in the indentation, when that is the fault."""
    if "tab character" in problem:
        return source.text.find("\t", at)
    indent = len(line) - len(line.lstrip())
    return start + line.index("\t") if _TABS.match(line) and at <= start + indent else None


def _place(error: yaml.YAMLError, source: Source) -> int:
    """Character offset of the fault; where a value began, when that is what went wrong."""
    if isinstance(error, yaml.reader.ReaderError):
        found = source.text.find(chr(error.character)) if isinstance(error.character, int) else -1
        return max(found, 0)
    context, problem = getattr(error, "context_mark", None), getattr(error, "problem_mark", None)
    inner = context is not None and str(getattr(error, "context", "")).startswith("while scanning a")
    mark = context if inner else problem or context
    return 0 if mark is None else min(mark.index, len(source.text))
