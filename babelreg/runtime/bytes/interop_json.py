"""Data as the bytes that the SDKs of all six languages write alike, and where that cannot be.

A message is passed on by services in other languages, which decode and encode it. It stays the same bytes only within
a subset of JSON: keys sorted and not like integers, integers up to 2**53 - 1, fractions between 1e-3 and 1e7 in
magnitude, no empty object within data, and text that every encoder writes as it is. Source: runs of the six encoders.
What has a form in the subset is written in it: keys are sorted, and 1.0 is written as 1, which JSON holds to be the
same. What has none is written as ``babelqueue.EnvelopeCodec`` writes it, and :func:`deviations` names it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import orjson

from babelreg.schema import pointer

__all__ = ["DEVIATIONS", "deviations", "encode"]

DEVIATIONS = {
    "integer_beyond_double": "beyond 2**53 - 1 Node, and Go within data, round integers",
    "float_notation": "fractions below 1e-3, and numbers from 1e7 on that are no such integer, have many spellings",
    "negative_zero": "-0.0 is 0 in Node",
    "integer_like_key": "Node moves keys like 12 to the front, and PHP takes an object of them for a list",
    "empty_object": "PHP makes a list of an empty object within data",
    "text_beyond_bmp": ".NET escapes characters beyond U+FFFF",
    "text_escaped": "Go, PHP or .NET escape control characters, separators and unassigned characters in their own ways",
}
"""Why data may not stay the same bytes when another service passes it on: name and sentence."""

_MAX_INTEGER = 2**53 - 1
_MIN_FRACTION, _END_FRACTION = 1e-3, 1e7
_PLAIN = (
    orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_SORT_KEYS
)
_EXPONENT = re.compile(rb"e(?<=[0-9]e)[-0-9]")  # begins with what is searched for fastest
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True).encode
_INTEGER_LIKE = re.compile(r"-?(0|[1-9][0-9]*)\Z", re.ASCII)
_WHOLE_OR_SMALL = re.compile(rb"\.0(?:[,\]}]|000)")
_SHORT_ESCAPES = str.maketrans("", "", "\t\n\r")


def encode(data: dict[str, Any]) -> str:
    """``data`` as JSON text, in the subset as far as it can be.

    Raises ValueError, TypeError or RecursionError for what has no JSON form. Half a surrogate pair is left in the text.
    """
    try:
        encoded = orjson.dumps(data, option=_PLAIN)
        if not _doubtful(encoded):
            return encoded.decode("utf-8")
    except TypeError:
        pass  # integers beyond 64 bits, deep nesting, or no JSON at all
    return _ENCODE(_with_integers(data))


def deviations(data: Any) -> Iterator[tuple[str, str]]:
    """Where ``data``, JSON values, leaves the subset: RFC 6901 pointer and a name of :data:`DEVIATIONS`."""
    waiting: list[tuple[pointer.Pointer, Any]] = [((), data)]
    while waiting:
        where, value = waiting.pop()
        found = list(_named(value, inner=bool(where)))
        if isinstance(value, dict):
            for key in value:
                found += _named(key, inner=True)
                if _INTEGER_LIKE.match(key):
                    found.append("integer_like_key")
            waiting += [((*where, key), member) for key, member in reversed(value.items())]
        elif isinstance(value, (list, tuple)):
            waiting += [((*where, str(index)), value[index]) for index in reversed(range(len(value)))]
        for name in dict.fromkeys(found):
            yield pointer.text(where), name


def _named(value: Any, *, inner: bool) -> Iterator[str]:
    if isinstance(value, str):
        if value and max(value) > "\uffff":
            yield "text_beyond_bmp"
        if not value.translate(_SHORT_ESCAPES).isprintable():
            yield "text_escaped"
    elif isinstance(value, float):
        if value == 0.0 and math.copysign(1.0, value) < 0:
            yield "negative_zero"
        elif not _is_integer(value) and not _MIN_FRACTION <= abs(value) < _END_FRACTION:
            yield "float_notation"
    elif isinstance(value, int) and abs(value) > _MAX_INTEGER:
        yield "integer_beyond_double"
    elif isinstance(value, dict) and not value and inner:
        yield "empty_object"


def _is_integer(value: float) -> bool:
    """True for a float that an integer of the subset spells as well."""
    return value.is_integer() and abs(value) <= _MAX_INTEGER and (value != 0.0 or math.copysign(1.0, value) > 0)


def _doubtful(encoded: bytes) -> bool:
    """True where orjson may have written null for NaN, a number in its own notation, or 1.0."""
    if b".0" in encoded and _WHOLE_OR_SMALL.search(encoded):
        return True
    return b"null" in encoded or _EXPONENT.search(encoded) is not None


def _with_integers(value: Any) -> Any:
    # Loops where comprehensions would be shorter: those take a frame of their own, and nesting may be deep.
    if isinstance(value, float):
        return int(value) if _is_integer(value) else value
    if isinstance(value, dict):
        members = {}
        for key, member in value.items():
            members[key] = _with_integers(member)
        return members
    if isinstance(value, (list, tuple)):
        items = []
        for item in value:
            items.append(_with_integers(item))
        return items
    return value
