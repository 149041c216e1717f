"""What Python can hold and JSON cannot: found before it is sent, with its place."""

from __future__ import annotations

import math
from typing import Any

from babelreg.schema import pointer

__all__ = ["unsendable"]


def unsendable(values: Any) -> tuple[str, str] | None:
    """The first value that has no JSON form, as ``(RFC 6901 pointer, sentence)``; None when all have one."""
    stack: list[tuple[pointer.Pointer, Any]] = [((), values)]
    seen: set[int] = set()
    while stack:
        where, value = stack.pop()
        wrong = _wrong(value)
        if wrong is not None:
            return pointer.text(where), f"{pointer.text(where) or 'data'} {wrong}"
        if isinstance(value, (dict, list, tuple)):
            if id(value) in seen:
                continue
            seen.add(id(value))
            members = value.items() if isinstance(value, dict) else enumerate(value)
            stack += reversed([((*where, step), member) for step, member in members])
    return None


def _wrong(value: Any) -> str | None:
    if isinstance(value, str):
        return "holds half a surrogate pair" if _halved(value) else None
    if isinstance(value, float):
        return None if math.isfinite(value) else "is NaN or infinite"
    if isinstance(value, dict):
        strange = [key for key in value if not isinstance(key, str)]
        if strange:
            return f"has a key that is no text but {type(strange[0]).__name__}"
        return "has a key with half a surrogate pair" if any(map(_halved, value)) else None
    if value is None or isinstance(value, (bool, int, list, tuple)):
        return None
    return f"is of type {type(value).__name__}, which JSON does not know"


def _halved(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
