"""Members of a message by their paths, such as ``meta.type``: in the settings of ``wires.json``.

A dot in a name is written ``\\.``, as in the paths of ``upcast``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

_STEP = re.compile(r"((?:[^.\\]|\\.)+)(?:\.|$)", re.DOTALL)


@lru_cache(maxsize=256)
def steps(path: str) -> tuple[str, ...]:
    """Return the names of a path."""
    return tuple(re.sub(r"\\(.)", r"\1", name, flags=re.DOTALL) for name in _STEP.findall(path)) or (path,)


def member(value: Any, path: str) -> Any:
    """Return the member of a message; None where it is absent or null."""
    for name in steps(path):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def pointer(path: str) -> str:
    """Return a path as RFC 6901 has it."""
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in steps(path))


def without_member(value: dict[str, Any], path: str) -> dict[str, Any]:
    """Return a copy of ``value`` without the member, whose parents are there."""
    first, *rest = steps(path)
    copy = dict(value)
    holder = copy
    for name in rest:
        holder[first] = dict(holder[first])
        holder, first = holder[first], name
    del holder[first]
    return copy


def with_member(value: dict[str, Any], path: str, item: Any) -> dict[str, Any]:
    """Return a copy of ``value`` with the member; parents that are absent are made.

    Raises TypeError where a parent is not an object.
    """
    first, *rest = steps(path)
    copy = dict(value)
    holder = copy
    for name in rest:
        parent = holder.get(first)
        if parent is not None and not isinstance(parent, dict):
            raise TypeError(first)
        holder[first] = dict(parent or {})
        holder, first = holder[first], name
    holder[first] = item
    return copy
