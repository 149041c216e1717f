"""Python values without a JSON form, with their place."""

from __future__ import annotations

import math
from typing import Any

from babelreg.schema import pointer

__all__ = ["first_not_json"]


def first_not_json(values: Any) -> tuple[str, str] | None:
    """Return the first value without a JSON form as ``(RFC 6901 pointer, sentence)``, or None."""
    stack: list[tuple[pointer.Pointer, Any]] = [((), values)]
    seen: set[int] = set()
    while stack:
        where, value = stack.pop()
        problem = _problem(value)
        if problem is not None:
            return pointer.text(where), f"{pointer.text(where) or 'data'} {problem}"
        if isinstance(value, (dict, list, tuple)):
            if id(value) in seen:
                continue
            seen.add(id(value))
            members = value.items() if isinstance(value, dict) else enumerate(value)
            stack += reversed([((*where, step), member) for step, member in members])
    return None


def _problem(value: Any) -> str | None:
    if isinstance(value, str):
        return "has half a surrogate pair" if _halved(value) else None
    if isinstance(value, float):
        return None if math.isfinite(value) else "is NaN or infinite"
    if isinstance(value, dict):
        others = [key for key in value if not isinstance(key, str)]
        if others:
            return f"has a key of type {type(others[0]).__name__}, not text"
        return "has a key with half a surrogate pair" if any(map(_halved, value)) else None
    if value is None or isinstance(value, (bool, int, list, tuple)):
        return None
    return f"is of type {type(value).__name__}, which JSON does not have"


def _halved(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
