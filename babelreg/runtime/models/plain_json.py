"""Conversion of tuples and other mappings to the lists and dictionaries of JSON, and of Decimals to floats.

Without recursion: a message may nest deeper than Python's stack.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from babelreg.schema.values import rebuilt

_SCALARS = frozenset((str, int, float, bool, Decimal, type(None)))


def plain(value: Any) -> Any:
    """Return ``value`` with lists and dictionaries for all sequences and mappings; itself if it has no others."""
    return rebuilt(value, lambda number: number) if _has_foreign(value) else value


def rounded(value: Any) -> Any:
    """Return ``value`` with the nearest float for each Decimal; itself if it has none."""
    if not _has_decimal(value):
        return value
    return rebuilt(value, lambda item: float(item) if isinstance(item, Decimal) else item)


def _has_decimal(value: Any) -> bool:
    stack = [value]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is dict:
            stack.extend(item.values())
        elif kind is list:
            stack.extend(item)
        elif kind is Decimal:
            return True
    return False


def _has_foreign(value: Any) -> bool:
    stack, seen = [value], set()
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind in _SCALARS:
            continue
        if kind is dict or kind is list:
            if id(item) not in seen:
                seen.add(id(item))  # a value may contain itself; a later check reports that
                stack.extend(item.values() if kind is dict else item)
        elif isinstance(item, (tuple, Mapping, list)):
            return True
    return False
