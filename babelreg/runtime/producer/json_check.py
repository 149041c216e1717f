"""Python values without a JSON form, with their place."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from babelreg.schema import pointer

__all__ = ["first_beyond_double", "first_not_json"]

_MAX_EXACT = 2**53 - 1


def first_not_json(values: Any) -> tuple[str, str] | None:
    """Return the first value without a JSON form as ``(RFC 6901 pointer, sentence)``, or None."""
    return _first(values, _problem)


def first_beyond_double(values: Any) -> tuple[str, str] | None:
    """Return the first number that a double may round as ``(RFC 6901 pointer, sentence)``, or None."""
    return _first(values, _beyond_double)


def _first(values: Any, problem_of: Callable[[Any], str | None]) -> tuple[str, str] | None:
    stack: list[tuple[pointer.Pointer, Any]] = [((), values)]
    seen: set[int] = set()
    while stack:
        where, value = stack.pop()
        problem = problem_of(value)
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
    if isinstance(value, (float, Decimal)):
        return None if math.isfinite(value) else "is NaN or infinite"
    if isinstance(value, dict):
        others = [key for key in value if not isinstance(key, str)]
        if others:
            return f"has a key of type {type(others[0]).__name__}, not text"
        return "has a key with half a surrogate pair" if any(map(_halved, value)) else None
    if value is None or isinstance(value, (bool, int, list, tuple)):
        return None
    return f"is of type {type(value).__name__}, which JSON does not have"


def _beyond_double(value: Any) -> str | None:
    if isinstance(value, Decimal):
        return None if Decimal(repr(float(value))) == value else "has more digits than a double"
    return "is beyond 2**53 - 1" if isinstance(value, int) and abs(value) > _MAX_EXACT else None


def _halved(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
