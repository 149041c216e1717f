"""Equality of JSON values."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

__all__ = ["equality_key"]

_EXACT = 2**53


def equality_key(value: Any) -> Hashable:
    """Return a key that is the same for equal JSON values only: 1 and 1.0 are equal, 1 and true are not.

    From 2^53 on, where validators differ, 9007199254740992 and 9007199254740992.0 have two keys.
    """
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, list):
        return (list, *map(equality_key, value))
    return (dict, frozenset((name, equality_key(each)) for name, each in value.items()))


def _number(value: int | float) -> Hashable:
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return (int, int(value))
    return (type(value), value)
