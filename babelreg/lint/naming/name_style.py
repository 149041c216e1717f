"""New names in the style of those that stand there: snake_case, camelCase, kebab-case."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["suffixed"]

_CAMEL = re.compile(r"[a-z0-9][A-Z]")


def suffixed(name: str, word: str, siblings: Iterable[str] = ()) -> str:
    """``name`` with ``word``, which is in lower case, at its end: ``totalAmount`` gives ``totalAmountMinor``.

    Where the name is a single word, ``siblings``, the names beside it, show the style.
    """
    letters = "".join(letter for letter in name if letter.isalpha())
    if _separator(name) is None and not _CAMEL.search(name):
        if len(letters) > 1 and letters.isupper():
            return f"{name}_{word.upper()}"
        camel = sum(1 for other in siblings if _CAMEL.search(other))
        separators = [found for other in siblings if (found := _separator(other))]
        if camel > len(separators) or name[:1].isupper():
            return name + word.capitalize()
        return name + (max(sorted(set(separators)), key=separators.count) if separators else "_") + word
    separator = _separator(name)
    if separator is None:
        return name + word.capitalize()
    return name + separator + (word.upper() if letters.isupper() else word)


def _separator(name: str) -> str | None:
    return next((separator for separator in ("_", "-", ".", " ") if separator in name.strip(separator)), None)
