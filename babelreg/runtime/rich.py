"""Types that hold more than JSON's, for pydantic models made with ``formats: typed``.

Not lossless as texts: an instant keeps its offset but is spelled anew (``Z`` for UTC, six digits or none), digits
beyond microseconds are cut, a UUID becomes lower case, ``1e2`` becomes ``1E+2``. Equal values stay equal, and numbers
keep every digit. What a type has no room for (a leap second, the year 0) makes the message a rejected one.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, PlainSerializer

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
    return Decimal(value) if isinstance(value, int) else Decimal(repr(value))


def _number(value: Decimal) -> int | float | Decimal:
    """The JSON number that is exactly ``value``; itself where there is none, and then it is not sent."""
    if not value.is_finite() or abs(value.adjusted()) > _MAX_DIGITS:
        return value
    if value == value.to_integral_value():
        return int(value)
    found = float(value)
    return found if Decimal(repr(found)) == value else value


DateTime = Annotated[datetime, BeforeValidator(_instant), PlainSerializer(_instant_text)]
"""A text of format date-time. One without an offset is refused when it is sent."""
Date = Annotated[date, BeforeValidator(_day), PlainSerializer(date.isoformat)]
"""A text of format date."""
Uuid = Annotated[UUID, BeforeValidator(_uuid), PlainSerializer(str)]
"""A text of format uuid."""
DecimalText = Annotated[Decimal, BeforeValidator(_decimal_of_text), PlainSerializer(str)]
"""A text that spells a decimal number."""
DecimalNumber = Annotated[Decimal, BeforeValidator(_decimal_of_number), PlainSerializer(_number)]
"""A number that counts in decimal steps."""
