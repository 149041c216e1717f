"""The runtime of generated msgspec structs: frozen and fast; they drop properties that the schema does not declare.

Structs do not validate; ``contract`` does, by the JSON Schema. So they have no bounds or patterns, and distinguish
absent (``UNSET``) from null.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, TypeVar
from uuid import UUID

from msgspec import Meta, Struct, ValidationError, convert, to_builtins

from babelreg.runtime.errors import Reject
from babelreg.runtime.message import MessageType, register
from babelreg.runtime.models.plain_json import rounded
from babelreg.schema.values import integral

__all__ = ["Date", "DateTime", "DecimalText", "Uuid", "dump", "message", "parse"]

DateTime = Annotated[datetime, Meta(tz=True)]
"""A text of format date-time."""
Date = date
"""A text of format date."""
Uuid = UUID
"""A text of format uuid."""
DecimalText = Decimal
"""A text that is a decimal number."""

S = TypeVar("S", bound=Struct)


def parse(model: type[S], data: Any) -> S:
    """Return ``data``, valid by its schema, as a ``model`` without undeclared properties.

    A number that no float returns becomes the nearest float. Raises Reject only for values that typed formats cannot
    represent, such as a leap second, and for structs that nest deeper than Python's stack.
    """
    data = rounded(data)
    try:
        return convert(data, model)
    except (ValidationError, RecursionError):
        pass
    try:
        return convert(integral(data), model)
    except RecursionError:
        raise Reject(f"{model.__name__} has no room for data that nests so deep") from None
    except ValidationError as err:
        where = str(err).rpartition(" - at ")[2].strip("`")
        raise Reject(f"{model.__name__} has no room for the value at {where[:200]}") from None


def dump(data: Struct) -> dict[str, Any]:
    """Return ``data`` as JSON values, without ``UNSET`` properties."""
    values: dict[str, Any] = to_builtins(data, enc_hook=_plain)
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError


def message(model: type[S], *, urn: str, schema: Mapping[str, Any], **facts: Any) -> MessageType[S]:
    """Register and return the message whose data is ``model``; ``facts`` are the other fields of MessageType."""
    return register(MessageType(urn, model, schema, partial(parse, model), dump, **facts))
