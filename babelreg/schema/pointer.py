"""JSON pointers: a tuple of keys and indexes, and its RFC 6901 spelling."""

from __future__ import annotations

from typing import Any

__all__ = ["Pointer", "find", "parse", "text", "unquoted"]

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


def unquoted(fragment: str) -> str:
    """Return the fragment of a URI without its percent escapes."""
    if "%" not in fragment:
        return fragment
    from urllib.parse import unquote

    return unquote(fragment)
