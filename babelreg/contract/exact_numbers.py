"""JSON numbers that a double does not return exactly, and JSON text of all numbers.

A double returns a number exactly if its shortest text equals what was read: 0.30000000000000004 is such a number, and
12345678901234567.89 is not. The exact path reads those others as Decimal, or as an integer where they have no fraction.
Decimals of up to 15 digits are always returned, unless they are too small for a full double.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

import orjson

from babelreg.schema.values import as_integer, is_integral, rebuilt

RUN = 16
"""Digits and points in a row, from which on a number may have more digits than a double returns."""

_MAX_DIGITS = 4_000
"""Limit of digits, and of zeros beside the point: int() takes quadratic time, and no double comes near."""

_SHAPE = bytes.maketrans(b"123456789.E+", b"0000000000e-")
_RUN, _TINY_SHAPE = b"0" * RUN, b"e-000"
_RUN_END = re.compile(rb"0+(?:e-?0+)?").match
_BEFORE, _AFTER = frozenset(b"[:, \t\r\n"), frozenset(b",]} \t\r\n")
_TINY = re.compile(rb"(?<![^-\[:,\s])[0-9.]+[eE]-[0-9]{3,}(?![^,\]}\s])")
"""Numbers near the end of a double's range, where it has fewer digits."""

_MOST_PLACES = 38
"""Places behind the point up to which a small number is written without an exponent, as a DECIMAL is."""

_ENCODE = {
    sort_keys: json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=sort_keys).encode
    for sort_keys in (False, True)
}


def may_be_inexact(body: bytes) -> bool:
    """Return True if ``body``, which is JSON, may have a number that orjson does not read exactly.

    What looks like such a number within a string costs a second parse, no more.
    """
    shape = body.translate(_SHAPE)
    if _RUN in shape and not all(_runs_exact(body, shape)):
        return True
    return _TINY_SHAPE in shape and not all(returned_exactly(match[0]) for match in _TINY.finditer(body))


def _runs_exact(body: bytes, shape: bytes) -> Iterator[bool]:
    start = shape.find(_RUN)
    while start >= 0:
        match = _RUN_END(shape, start)
        end = match.end() if match else start + RUN
        first = start - (start > 0 and body[start - 1] == ord("-"))
        before = first - 1
        if before >= 0 and body[before] in b"eE+":
            yield False  # the digits of an exponent
        elif (before < 0 or body[before] in _BEFORE) and (end == len(body) or body[end] in _AFTER):
            yield returned_exactly(body[first:end])
        start = shape.find(_RUN, end)


def returned_exactly(token: bytes) -> bool:
    """Return True if orjson reads ``token`` exactly, a number; also for text that is not a number."""
    try:
        value = orjson.loads(token)
    except orjson.JSONDecodeError:
        return True
    if type(value) is int or orjson.dumps(value) == token:
        return True
    if token.lstrip(b"-").isdigit():
        return False  # 10**23 became 1e23
    text = token.decode()
    return _bounded(text) and Decimal(repr(value)) == Decimal(text)


def _bounded(text: str) -> bool:
    """Return False for a number with thousands of digits, or of zeros beside its point."""
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > _MAX_DIGITS:
        return False
    digits = exponent.lstrip("+-").lstrip("0")
    return len(digits) <= len(str(_MAX_DIGITS)) and int(digits or 0) <= _MAX_DIGITS


def number(text: str) -> float | Decimal:
    """Return a JSON number with a fraction or an exponent: a float where that is exact.

    Infinity when it is beyond a double, has more than 4,000 digits, or more than 4,000 places behind the point.
    """
    value = float(text)
    if not math.isfinite(value) or (value == 0.0 and not text.lower().partition("e")[0].strip("-0.")):
        return value
    if not _bounded(text):
        return math.inf
    exact = Decimal(text)
    return value if Decimal(repr(value)) == exact else exact


def integer(text: str) -> int | float:
    """Return a JSON number without fraction and exponent; infinity when it has more than 4,000 digits."""
    return int(text) if len(text) <= _MAX_DIGITS else math.inf


def with_integers(value: Any) -> Any:
    """Return ``value`` with an integer for every Decimal without a fraction, as JSON Schema calls it."""
    return rebuilt(value, lambda item: as_integer(item) if type(item) is Decimal and is_integral(item) else item)


def number_text(value: Decimal) -> str:
    """Return the JSON text of a finite number, the same for equal ones: without zeros at the end."""
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    significant = text.rstrip("0")
    if not significant:
        return "0"
    scale = int(exponent) + len(text) - len(significant)
    point = len(significant) + scale
    minus = "-" * sign
    if scale >= 0:
        return minus + significant + "0" * scale
    if point > 0:
        return f"{minus}{significant[:point]}.{significant[point:]}"
    if -scale <= _MOST_PLACES:
        return f"{minus}0.{'0' * -point}{significant}"
    fraction = f".{significant[1:]}" if len(significant) > 1 else ""
    return f"{minus}{significant[0]}{fraction}e{point - 1}"


def dumps(value: Any, *, sort_keys: bool = False) -> str:
    """Return compact JSON of ``value``, in which a number may be a Decimal.

    Raises TypeError, ValueError or RecursionError for what JSON cannot express. An unpaired surrogate stays as it is.
    """
    try:
        return _ENCODE[sort_keys](value)
    except TypeError:
        return json_text(value, sort_keys=sort_keys)


def json_text(value: Any, *, sort_keys: bool = False) -> str:
    """Return :func:`dumps` of ``value``, with numbers as orjson writes them."""
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict):
        members = []
        for name in sorted(value) if sort_keys else value:
            if not isinstance(name, str):
                raise TypeError("a property name is not a string")
            members.append(f"{encode_basestring(name)}:{json_text(value[name], sort_keys=sort_keys)}")
        return f"{{{','.join(members)}}}"
    if isinstance(value, (list, tuple)):
        items = []
        for item in value:  # a comprehension would take another frame for each level
            items.append(json_text(item, sort_keys=sort_keys))
        return f"[{','.join(items)}]"
    if isinstance(value, Decimal):
        if not math.isfinite(float(value)) or value.adjusted() < -2 * _MAX_DIGITS:
            raise ValueError("a number exceeds the range of a double")
        return number_text(value)
    if isinstance(value, float) and math.isfinite(value):
        return orjson.dumps(float(value)).decode()
    if value is None or isinstance(value, (int, float)):
        return _ENCODE[False](value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")
