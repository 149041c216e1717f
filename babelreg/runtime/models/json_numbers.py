"""Python values made fit for JSON: tuples and mappings of others as lists and dictionaries.

Without recursion: a message may be nested deeper than Python calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelreg.schema.values import rebuilt

__all__ = ["plain"]

_SCALARS = frozenset((str, int, float, bool, type(None)))


def plain(value: Any) -> Any:
    """``value`` with every sequence a list and every mapping a dictionary; as it is where all of them are."""
    return rebuilt(value, float) if _has_foreign(value) else value


def _has_foreign(value: Any) -> bool:
    waiting, seen = [value], set()
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind in _SCALARS:
            continue
        if kind is dict or kind is list:
            if id(item) not in seen:
                seen.add(id(item))  # what a producer was given may hold itself; that is told later
                waiting.extend(item.values() if kind is dict else item)
        elif isinstance(item, (tuple, Mapping, list)):
            return True
    return False
