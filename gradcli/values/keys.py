"""Keys: which tensor of a file that holds several is meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from gradcli.errors import GradcliError

#: keys listed in an error
_KEYS_SHOWN = 8


def pick(keys: Iterable[str], key: str | None, name: str) -> str:
    """The key to take from a file of several tensors.

    Raises:
        GradcliError: it is not there, or there are several and none is named; with the list of keys.
    """
    names = list(keys)
    if key is None and len(names) == 1:
        return names[0]
    if key in names and key is not None:
        return key
    more = f", … ({len(names)} in all)" if len(names) > _KEYS_SHOWN else ""
    shown = ", ".join(names[:_KEYS_SHOWN]) + more
    if not names:
        raise GradcliError(f"{name} holds no tensor")
    if key is None:
        raise GradcliError(f"{name} holds several tensors: {shown}", hint=f"name one: @{name}:{names[0]}")
    near = get_close_matches(key, names, 1) or names[:1]
    raise GradcliError(f"{name} has no key {key!r}; its keys are {shown}", hint=f"@{name}:{near[0]}")


def no_key(key: str | None, name: str) -> None:
    if key is not None:
        raise GradcliError(f"{name} holds one tensor and has no keys", hint=f"leave the key out: @{name}")
