"""Types for dates, times, UUIDs and decimals, for pydantic models generated with ``formats: typed``.

The text of a value is not preserved: an instant keeps its offset but is formatted anew (``Z`` for UTC, six digits or
none), digits beyond microseconds are cut, a UUID becomes lower case, ``1e2`` becomes ``1E+2``. Equal values stay equal,
and numbers keep every digit. A message with a value that a type cannot represent (a leap second, the year 0) is
rejected.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, PlainSerializer
from pydantic_core import PydanticSerializationUnexpectedValue

from babelreg.schema.values import as_integer, is_integral

__all__ = ["Date", "DateTime", "DecimalNumber", "DecimalText", "Uuid"]

_MAX_DIGITS = 400  # a double has no number with more before the point


def _instant(value: Any) -> Any:
    return datetime.fromisoformat(value.upper()) if isinstance(value, str) else value


def _instant_text(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def _day(value: Any) -> Any:
    return date.fromisoformat(value) if isinstance(value, str) else value


def _uuid(value: Any) -> Any:
    return UUID(value) if isinstance(value, str) else value


def _decimal_of_text(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return Decimal(value)
    except InvalidOperation:
        raise ValueError("not a decimal number") from None


def _decimal_of_number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    # 0.07 and not the exact value of the nearest double; an integer keeps every digit.
    return Decimal(as_integer(value) if is_integral(value) else repr(value))


def _number(value: Decimal) -> int | float | Decimal:
    """Return the integer or float that equals ``value``; ``value`` itself if there is none."""
    if not value.is_finite() or abs(value.adjusted()) > _MAX_DIGITS:
        return value
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else value


def _serialiser(kind: type[Any], write: Callable[[Any], Any]) -> PlainSerializer:
    """Serialise values of ``kind`` by ``write``; for other values pydantic tries the next type of a union."""

    def serialise(value: Any) -> Any:
        if not isinstance(value, kind):
            raise PydanticSerializationUnexpectedValue(f"not a {kind.__name__}")
        return write(value)

    return PlainSerializer(serialise)


DateTime = Annotated[datetime, BeforeValidator(_instant), _serialiser(datetime, _instant_text)]
"""A text of format date-time. A producer refuses one without an offset."""
Date = Annotated[date, BeforeValidator(_day), _serialiser(date, date.isoformat)]
"""A text of format date."""
Uuid = Annotated[UUID, BeforeValidator(_uuid), _serialiser(UUID, str)]
"""A text of format uuid."""
DecimalText = Annotated[Decimal, BeforeValidator(_decimal_of_text), _serialiser(Decimal, str)]
"""A text that is a decimal number."""
DecimalNumber = Annotated[Decimal, BeforeValidator(_decimal_of_number), _serialiser(Decimal, _number)]
"""A number that is a multiple of a decimal fraction."""
