"""JSON pointers: a tuple of keys and indexes, and its RFC 6901 spelling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["Pointer", "find", "located", "parse", "text", "unquoted"]

Pointer = tuple[str | int, ...]


def text(pointer: Pointer) -> str:
    """Return the RFC 6901 spelling: ``("a/b", 0)`` is ``/a~1b/0``; the root is the empty string."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in pointer)


def parse(spelled: str) -> Pointer:
    """Return the steps of an RFC 6901 pointer. Every step is a string; :func:`find` reads digits as indexes in lists.

    Raises ValueError when it is neither empty nor starts with a slash.
    """
    if not spelled:
        return ()
    if not spelled.startswith("/"):
        raise ValueError(f"{spelled!r} is not a JSON pointer: it must start with '/'")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in spelled[1:].split("/"))


def find(document: Any, pointer: Pointer) -> Any:
    """Return the value at ``pointer``.

    Raises KeyError when there is none.
    """
    value = document
    for step in pointer:
        if isinstance(value, list):
            index = str(step)
            if not (index.isascii() and index.isdigit()) or int(index) >= len(value):
                raise KeyError(step)
            value = value[int(index)]
        elif isinstance(value, dict):
            value = value[str(step)]
        else:
            raise KeyError(step)
    return value


def located(document: Any, path: Iterable[str | int]) -> Pointer:
    """Return the pointer into ``document`` that an error of jsonschema-rs gives as ``path``.

    jsonschema-rs reads a name of digits as an index: ``012`` becomes 12, ``+1`` becomes 1.
    """
    steps: list[str | int] = []
    value = document
    for step in path:
        if isinstance(value, Mapping):
            step = step if isinstance(step, str) else _name(value, step)
            value = value.get(step)
        else:
            value = value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None
        steps.append(step)
    return tuple(steps)


def _name(members: Mapping[str, Any], number: int) -> str:
    """Return the name that was read as ``number``."""
    if str(number) in members:
        return str(number)
    digits = (name for name in members if name.isascii() and name.removeprefix("+").isdigit())
    return next((name for name in digits if int(name) == number), str(number))


def unquoted(fragment: str) -> str:
    """Return the fragment of a URI without its percent escapes."""
    if "%" not in fragment:
        return fragment
    from urllib.parse import unquote

    return unquote(fragment)
