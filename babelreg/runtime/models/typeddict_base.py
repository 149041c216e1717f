"""The runtime of generated typed dictionaries: plain JSON values, with types for type checkers alone.

Parsing changes 1.0, an integer in JSON Schema, to 1, so that a value that is annotated as an integer is one; and a
Decimal, which no float returns, to the nearest float. Nothing recurses: a message may nest deeper than Python's stack.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeVar

from babelreg.runtime.message import MessageType, register
from babelreg.schema.values import integral, rebuilt

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


__all__ = ["dump", "message", "parse"]

T = TypeVar("T")

dump = plain
"""Return a typed dictionary as JSON values, with lists and dictionaries for all sequences and mappings."""


def parse(data: Any) -> Any:
    """Return ``data``, valid by its schema, as its typed dictionary."""
    return rounded(integral(data))


def message(model: type[T], *, urn: str, schema: Mapping[str, Any], **facts: Any) -> MessageType[T]:
    """Register and return the message whose data is ``model``; ``facts`` are the other fields of MessageType."""
    return register(MessageType(urn, model, schema, parse, dump, instance=dict, **facts))
