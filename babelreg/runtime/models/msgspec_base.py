"""Data as msgspec structs: frozen, fast, and without a place for what the schema does not declare.

A struct never decides whether data is valid; ``contract`` does, by the JSON Schema. So structs carry no bounds or
patterns, and tell absent (``UNSET``) from null.
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
from babelreg.schema.values import integral

__all__ = ["Date", "DateTime", "DecimalText", "Uuid", "dump", "message", "parse"]

DateTime = Annotated[datetime, Meta(tz=True)]
"""A text of format date-time."""
Date = date
"""A text of format date."""
Uuid = UUID
"""A text of format uuid."""
DecimalText = Decimal
"""A text that spells a decimal number."""

S = TypeVar("S", bound=Struct)


def parse(model: type[S], data: Any) -> S:
    """``data``, valid by its schema, as a ``model``; what the schema does not declare is dropped.

    Raises Reject for what rich types cannot hold, such as a leap second, and for structs nested in each other deeper
    than Python calls; else there is nothing of the kind.
    """
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
    """``data`` as JSON values: what is ``UNSET`` is absent."""
    found: dict[str, Any] = to_builtins(data, enc_hook=_plain)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError


def message(model: type[S], *, urn: str, schema: Mapping[str, Any], **how: Any) -> MessageType[S]:
    """The message whose data is ``model``; ``how`` as in :class:`MessageType`."""
    return register(MessageType(urn, model, schema, partial(parse, model), dump, **how))
