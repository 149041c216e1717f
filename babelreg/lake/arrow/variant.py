"""Encoder of VARIANT, the binary JSON of Spark and parquet, byte for byte like Spark's own ``VariantUtils``.

A value is a byte of its type, then its content. Keys of objects are numbers of a dictionary, which is the metadata.
Source: apache/parquet-format, VariantEncoding.md.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate
from typing import Any

_LIMIT_BYTES = 16 * 1024 * 1024
"""Maximum size of the value and of the metadata, which every release of Spark 4 reads."""

_VERSION = 1
_SHORT_STRING, _OBJECT, _ARRAY = 1, 2, 3
_NULL, _TRUE, _FALSE, _DOUBLE, _LONG_STRING = 0, 1, 2, 7, 16
_INTEGERS = ((3, 1), (4, 2), (5, 4), (6, 8))
"""Primitive types of integers with their sizes in bytes."""

_DECIMALS = ((8, 9, 4), (9, 18, 8), (10, 38, 16))
"""Primitive types of decimals with their greatest precision and their sizes in bytes."""

_LONGEST_SHORT_STRING = 63
_MOST_SMALL = 255
"""Number of members up to which their count takes one byte; it takes four otherwise."""


class VariantError(ValueError):
    """A value that is too large for a VARIANT, or a number of too many digits."""


def encode(text: str) -> tuple[bytes, bytes]:
    """Return the value and the metadata of the JSON ``text``.

    Raises VariantError where it is too large or a number has too many digits, RecursionError where it nests too deep.
    """
    keys: dict[str, int] = {}
    value = _checked(_value(json.loads(text, parse_float=_number), keys))
    return value, _checked(_metadata(keys))


def _checked(encoded: bytes) -> bytes:
    if len(encoded) > _LIMIT_BYTES:
        raise VariantError(f"{len(encoded)} bytes of VARIANT are more than {_LIMIT_BYTES}")
    return encoded


def _number(text: str) -> Decimal | float:
    """Return a number as a decimal if it has neither an exponent nor too many digits, else as a double.

    Raises VariantError for one that neither can hold.
    """
    number = Decimal(text)
    if all(character.isdecimal() or character in "-." for character in text):
        _, digits, exponent = number.as_tuple()
        if -int(exponent) <= _DECIMALS[-1][1] and len(digits) <= _DECIMALS[-1][1]:
            return number
    double = float(text)
    if Decimal(repr(double)) != number:
        raise VariantError("a number has more digits than a VARIANT holds")
    return double


def _value(value: Any, keys: dict[str, int]) -> bytes:
    return _ENCODERS[type(value)](value, keys)


def _primitive(kind: int, content: bytes = b"") -> bytes:
    return bytes([kind << 2]) + content


def _string(value: str, keys: dict[str, int]) -> bytes:
    encoded = value.encode()
    if len(encoded) > _LONGEST_SHORT_STRING:
        return _primitive(_LONG_STRING, len(encoded).to_bytes(4, "little") + encoded)
    return bytes([len(encoded) << 2 | _SHORT_STRING]) + encoded


def _integer(value: int, keys: dict[str, int]) -> bytes:
    for kind, size in _INTEGERS:
        if -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1:
            return _primitive(kind, value.to_bytes(size, "little", signed=True))
    return _value(_number(str(value)), keys)


def _decimal(value: Decimal, keys: dict[str, int]) -> bytes:
    sign, digits, exponent = value.as_tuple()
    scale, unscaled = -int(exponent), int("".join(map(str, digits)))
    kind, size = next(
        (kind, size) for kind, precision, size in _DECIMALS if scale <= precision and len(digits) <= precision
    )
    return _primitive(kind, bytes([scale]) + (-unscaled if sign else unscaled).to_bytes(size, "little", signed=True))


def _array(value: Sequence[Any], keys: dict[str, int]) -> bytes:
    members = [_value(member, keys) for member in value]
    offsets = list(accumulate(map(len, members), initial=0))
    size = _checked_size(offsets[-1])
    large = len(members) > _MOST_SMALL
    header = (large << 2 | size - 1) << 2 | _ARRAY
    return b"".join((bytes([header]), _count(len(members), large), _numbers(offsets, size), *members))


def _object(value: Mapping[str, Any], keys: dict[str, int]) -> bytes:
    ids, members = {}, []
    for key, member in value.items():
        ids[key] = keys.setdefault(key, len(keys))
        members.append(_value(member, keys))
    offsets = list(accumulate(map(len, members), initial=0))
    starts = dict(zip(value, offsets, strict=False))
    ordered = sorted(value)
    size, id_size = _checked_size(offsets[-1]), _size(max(ids.values(), default=0))
    large = len(members) > _MOST_SMALL
    header = ((large << 2 | id_size - 1) << 2 | size - 1) << 2 | _OBJECT
    positions = _numbers([*(starts[key] for key in ordered), offsets[-1]], size)
    listed = _numbers([ids[key] for key in ordered], id_size)
    return b"".join((bytes([header]), _count(len(members), large), listed, positions, *members))


def _metadata(keys: Iterable[str]) -> bytes:
    names = [key.encode() for key in keys]
    offsets = list(accumulate(map(len, names), initial=0))
    size = _checked_size(max(offsets[-1], len(names)))
    header = bytes([_VERSION | size - 1 << 6])
    return b"".join((header, len(names).to_bytes(size, "little"), _numbers(offsets, size), *names))


def _checked_size(number: int) -> int:
    if number >= _LIMIT_BYTES:  # three bytes hold one less
        raise VariantError(f"{number} bytes of VARIANT are more than {_LIMIT_BYTES - 1}")
    return _size(number)


def _size(number: int) -> int:
    """Return the number of bytes of an unsigned integer: one to three."""
    return 1 if number <= 0xFF else 2 if number <= 0xFFFF else 3


def _count(number: int, large: bool) -> bytes:
    return number.to_bytes(4 if large else 1, "little")


def _numbers(numbers: Iterable[int], size: int) -> bytes:
    return b"".join([number.to_bytes(size, "little") for number in numbers])


_ENCODERS: dict[type, Callable[[Any, dict[str, int]], bytes]] = {
    dict: _object,
    list: _array,
    str: _string,
    int: _integer,
    Decimal: _decimal,
    float: lambda value, keys: _primitive(_DOUBLE, struct.pack("<d", value)),
    bool: lambda value, keys: _primitive(_TRUE if value else _FALSE),
    type(None): lambda value, keys: _primitive(_NULL),
}
