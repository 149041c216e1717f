"""Interop JSON: the subset of JSON that the SDKs of all six languages encode to the same bytes.

Services in other languages decode and encode a message when they pass it on. Its bytes stay the same only within a
subset of JSON: keys sorted and not like integers, integers up to 2**53 - 1, fractions between 1e-3 and 1e7 in
magnitude, no empty object within data, and text that no encoder escapes. Source: runs of the six encoders. A value that
has a form in the subset is written in that form: keys are sorted, and 1.0 is written as 1, an equal number. Other
values are written as ``babelqueue.EnvelopeCodec`` writes them, and :func:`deviations` names them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import orjson

from babelreg.contract.exact_numbers import dumps
from babelreg.schema import pointer

DEVIATIONS = {
    "integer_beyond_double": "beyond 2**53 - 1 Node, and Go within data, round integers",
    "decimal_beyond_double": "every language rounds decimals to a double by default",
    "float_notation": "fractions below 1e-3, and numbers from 1e7 on that are not such integers, have many notations",
    "negative_zero": "-0.0 is 0 in Node",
    "integer_like_key": "Node moves keys like 12 to the front, and PHP reads an object of them as a list",
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
_EXPONENT = re.compile(rb"e(?<=[0-9]e)[-0-9]")  # begins with a literal, which is searched fastest
_INTEGER_LIKE = re.compile(r"-?(0|[1-9][0-9]*)\Z", re.ASCII)
_WHOLE_OR_SMALL = re.compile(rb"\.0(?:[,\]}]|000)")
_SHORT_ESCAPES = str.maketrans("", "", "\t\n\r")


def encode(data: dict[str, Any]) -> str:
    """Return ``data`` as JSON text, in the subset as far as possible.

    Raises ValueError, TypeError or RecursionError for values without a JSON form. An unpaired surrogate stays in the
    text.
    """
    try:
        encoded = orjson.dumps(data, option=_PLAIN)
        if not _doubtful(encoded):
            return encoded.decode("utf-8")
    except TypeError:
        pass  # integers beyond 64 bits, decimals, deep nesting, or a value without a JSON form
    return dumps(_with_integers(data), sort_keys=True)


def deviations(data: Any) -> Iterator[tuple[str, str]]:
    """Yield the deviations of ``data``, JSON values: RFC 6901 pointer and a name of :data:`DEVIATIONS`."""
    stack: list[tuple[pointer.Pointer, Any]] = [((), data)]
    while stack:
        where, value = stack.pop()
        names = list(_deviations_of(value, inner=bool(where)))
        if isinstance(value, dict):
            for key in value:
                names += _deviations_of(key, inner=True)
                if _INTEGER_LIKE.match(key):
                    names.append("integer_like_key")
            stack += [((*where, key), member) for key, member in reversed(value.items())]
        elif isinstance(value, (list, tuple)):
            stack += [((*where, str(index)), value[index]) for index in reversed(range(len(value)))]
        for name in dict.fromkeys(names):
            yield pointer.text(where), name


def _deviations_of(value: Any, *, inner: bool) -> Iterator[str]:
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
    elif isinstance(value, Decimal):
        yield "decimal_beyond_double"
    elif isinstance(value, int) and abs(value) > _MAX_INTEGER:
        yield "integer_beyond_double"
    elif isinstance(value, dict) and not value and inner:
        yield "empty_object"


def _is_integer(value: float) -> bool:
    """Return True for a float that equals an integer of the subset."""
    return value.is_integer() and abs(value) <= _MAX_INTEGER and (value != 0.0 or math.copysign(1.0, value) > 0)


def _doubtful(encoded: bytes) -> bool:
    """Return True if orjson may have written null for NaN, a number in its own notation, or 1.0."""
    if b".0" in encoded and _WHOLE_OR_SMALL.search(encoded):
        return True
    return b"null" in encoded or _EXPONENT.search(encoded) is not None


def _with_integers(value: Any) -> Any:
    # Loops instead of comprehensions, which use a stack frame each: nesting may be deep.
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
