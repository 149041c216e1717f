"""Conversion of JSON values for columns: unchanged, converted, or refused as unstorable."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal as Number
from types import MappingProxyType
from typing import Any

from babelreg.contract.exact_numbers import json_text
from babelreg.schema import pointer
from babelreg.schema.values import as_integer, is_integral
from babelreg.typemap.spark.types import Decimal, Scalar, SparkType

Fit = Callable[[Any], Any]
"""Function from a value that is not None to the value of its column: the same object if unchanged.

Raises Unstorable.
"""

_INT64 = 2**63
_PLAIN_INSTANT = re.compile(  # certainly an instant: day to 28, offset below 18 hours, no year at an end
    r"(?!000[01]|9999)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-](?:0[0-9]|1[0-7]):[0-5][0-9])\Z"
)
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(\.[0-9]+)?(Z|[+-][0-9:]{5})\Z"
)
_NUMERAL = re.compile(r"-?[0-9]+(\.[0-9]+)?\Z")


UNSTORABLE: Mapping[str, str] = MappingProxyType(
    {
        "unstorable_integer": "an integer that does not fit into 64 bits",
        "unstorable_number": "a number that exceeds the range of a double",
        "unstorable_decimal": "a number with more digits than its DECIMAL column",
        "unstorable_timestamp": "a leap second, or an instant outside the years 1 to 9999",
        "unstorable_date": "a day outside the years 1 to 9999",
        "unstorable_binary": "a string that is not base64",
        "unstorable_type": "a value of another type, where another variant declares the same property",
        "unstorable_string": "an unpaired surrogate, which UTF-8 cannot encode",
        "unstorable_depth": "data nested too deeply to be written as JSON text",
        "unstorable_variant": "a value that exceeds the limits of Spark's VARIANT: its size, or the digits of a number",
        "unstorable_size": "numbers with too many digits in total",
    }
)
"""Reason codes of valid messages that the columns of their table cannot hold, each with its meaning."""


class Unstorable(Exception):
    """A valid value that a column cannot hold: ``code`` is in UNSTORABLE, ``pointer`` says where (RFC 6901)."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
        self._steps: list[str | int] = []

    def within(self, step: str | int) -> Unstorable:
        """Return the same, with the step of the level above added to its pointer."""
        self._steps.append(step)
        return self

    @property
    def pointer(self) -> str:
        return pointer.text(tuple(reversed(self._steps)))


def instance_of(kind: type) -> Fit:
    def fit_instance(value: Any) -> Any:
        if type(value) is not kind:
            raise Unstorable("unstorable_type")
        return value

    return fit_instance


def _bigint(value: Any) -> Any:
    if is_integral(value):  # 1.0 and 1e2 are integers in JSON Schema
        value = as_integer(value)
    if type(value) is not int:
        raise Unstorable("unstorable_type")
    if not -_INT64 <= value < _INT64:
        raise Unstorable("unstorable_integer")
    return value


def _double(value: Any) -> Any:
    if type(value) is not float and type(value) is not int and type(value) is not Number:
        raise Unstorable("unstorable_type")
    try:
        finite = math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise Unstorable("unstorable_number")
    return value


def _timestamp(value: Any) -> Any:
    if type(value) is not str:
        raise Unstorable("unstorable_type")
    if _PLAIN_INSTANT.match(value):
        return value
    match = _INSTANT.match(value.upper())
    if not match:
        raise Unstorable("unstorable_timestamp")
    fraction = (match[2] or "")[:7]
    try:
        instant = datetime.fromisoformat(match[1] + fraction.ljust(7, "0") * bool(fraction) + match[3]).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Unstorable("unstorable_timestamp") from None
    return instant.isoformat().replace("+00:00", "Z")


def _date(value: Any) -> Any:
    if type(value) is not str:
        raise Unstorable("unstorable_type")
    try:
        if len(value) == 10 and value[4] == value[7] == "-":
            date.fromisoformat(value)
            return value
    except ValueError:
        pass
    raise Unstorable("unstorable_date")


def _binary(value: Any) -> Any:
    if type(value) is not str:
        raise Unstorable("unstorable_type")
    try:
        base64.b64decode(value, validate=True)
    except (ValueError, binascii.Error):
        raise Unstorable("unstorable_binary") from None
    return value


CHECKED: dict[SparkType, Fit] = {
    Scalar.BIGINT: _bigint,
    Scalar.DOUBLE: _double,
    Scalar.TIMESTAMP: _timestamp,
    Scalar.DATE: _date,
    Scalar.BINARY: _binary,
}


def decimal(type_: Decimal) -> Fit:
    integer_digits, scale = type_.precision - type_.scale, type_.scale
    limit = 10**integer_digits

    def fit_decimal(value: Any) -> Any:
        if type(value) is int:
            if -limit < value < limit:
                return value
            raise Unstorable("unstorable_decimal")
        if type(value) is str:
            if not _NUMERAL.match(value):
                raise Unstorable("unstorable_decimal")
        elif type(value) is not float and type(value) is not Number:
            raise Unstorable("unstorable_type")
        if not _digits_fit(Number(repr(value) if type(value) is float else value), integer_digits, scale):
            raise Unstorable("unstorable_decimal")
        return value

    return fit_decimal


def _digits_fit(number: Number, integer_digits: int, scale: int) -> bool:
    _, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        return False  # NaN, Infinity
    text = "".join(map(str, digits)).lstrip("0")
    significant = text.rstrip("0")
    exponent += len(text) - len(significant)
    return not significant or (-exponent <= scale and len(significant) + exponent <= integer_digits)


def writable(value: Any) -> Any:
    """Check a value for a column of JSON text: every value that can be written is accepted."""
    import orjson

    try:
        orjson.dumps(value)
    except TypeError:  # an integer that does not fit into 64 bits, a Decimal, or deeper than orjson goes
        try:
            json_text(value)
        except RecursionError:
            raise Unstorable("unstorable_depth") from None
    return value
