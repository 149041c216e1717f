"""JSON values made fit for typed Python: integers that are spelled as fractions, lists that are tuples.

Without recursion: a message may be nested deeper than Python calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["integral", "plain"]

_MAX_DEPTH = 5_000
_SCALARS = frozenset((str, int, float, bool, type(None)))


def integral(value: Any) -> Any:
    """``value`` with every 1.0 as 1: JSON Schema calls it an integer and some encoders write it so, Python does not.

    What holds none is given back as it is, not copied.
    """
    return _rebuilt(value, int) if _has_whole(value) else value


def plain(value: Any) -> Any:
    """``value`` with every sequence a list and every mapping a dictionary; as it is where all of them are."""
    return _rebuilt(value, float) if _has_foreign(value) else value


def _has_whole(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind is dict:
            waiting.extend(item.values())
        elif kind is list:
            waiting.extend(item)
        elif kind is float and item.is_integer():
            return True
    return False


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


def _rebuilt(value: Any, whole: Callable[[float], Any]) -> Any:
    """A copy of ``value`` in lists and dictionaries, each 1.0 in it as ``whole`` makes it.

    What stands in several places, even in itself, is copied once, and stands in as many of the copy.
    """
    found: list[Any] = [value]
    copies: dict[int, tuple[Any, Any]] = {}  # with what each is of, so that its id stays its own
    waiting: list[tuple[Any, Any, int]] = [(found, 0, 0)]
    while waiting:
        into, key, depth = waiting.pop()
        item = into[key]
        if isinstance(item, float) and item.is_integer():
            into[key] = whole(item)
        elif isinstance(item, (list, tuple, Mapping)) and depth < _MAX_DEPTH:
            if id(item) in copies:
                into[key] = copies[id(item)][1]
                continue
            into[key] = made = dict(item) if isinstance(item, Mapping) else list(item)
            copies[id(item)] = (item, made)
            waiting.extend((made, step, depth + 1) for step in (made if isinstance(made, dict) else range(len(made))))
    return found[0]
