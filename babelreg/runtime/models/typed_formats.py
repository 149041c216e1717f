"""Types that hold more than JSON's, for pydantic models made with ``formats: typed``.

Not lossless as texts: an instant keeps its offset but is spelled anew (``Z`` for UTC, six digits or none), digits
beyond microseconds are cut, a UUID becomes lower case, ``1e2`` becomes ``1E+2``. Equal values stay equal, and numbers
keep every digit. What a type has no room for (a leap second, the year 0) makes the message a rejected one.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, PlainSerializer
from pydantic_core import PydanticSerializationUnexpectedValue

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
    # 0.07 is what was written, not the double next to it; of a whole number every digit counts.
    return Decimal(value) if isinstance(value, int) or value.is_integer() else Decimal(repr(value))


def _number(value: Decimal) -> int | float | Decimal:
    """The JSON number that is exactly ``value``; itself where there is none, and then it is not sent."""
    if not value.is_finite() or abs(value.adjusted()) > _MAX_DIGITS:
        return value
    if value == value.to_integral_value():
        return int(value)
    found = float(value)
    return found if Decimal(repr(found)) == value else value


def _written(kind: type[Any], write: Callable[[Any], Any]) -> PlainSerializer:
    """``write`` for values of ``kind`` alone: in a union pydantic goes on to the next type then."""

    def written(value: Any) -> Any:
        if not isinstance(value, kind):
            raise PydanticSerializationUnexpectedValue(f"not a {kind.__name__}")
        return write(value)

    return PlainSerializer(written)


DateTime = Annotated[datetime, BeforeValidator(_instant), _written(datetime, _instant_text)]
"""A text of format date-time. One without an offset is refused when it is sent."""
Date = Annotated[date, BeforeValidator(_day), _written(date, date.isoformat)]
"""A text of format date."""
Uuid = Annotated[UUID, BeforeValidator(_uuid), _written(UUID, str)]
"""A text of format uuid."""
DecimalText = Annotated[Decimal, BeforeValidator(_decimal_of_text), _written(Decimal, str)]
"""A text that spells a decimal number."""
DecimalNumber = Annotated[Decimal, BeforeValidator(_decimal_of_number), _written(Decimal, _number)]
"""A number that counts in decimal steps."""
