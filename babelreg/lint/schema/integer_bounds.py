"""Where a schema shows that an integer may be larger than some bound."""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.lint.schema.field import LISTING, SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

__all__ = ["MOST_EXACT", "beyond", "integers", "node_consumer"]

MOST_EXACT = 2**53 - 1
"""The largest integer below which JavaScript reads every one exactly."""

_UPPER = ("maximum", "exclusiveMaximum")
_LOWER = ("minimum", "exclusiveMinimum")


def integers(scope: Scope) -> Iterator[SchemaField]:
    """The fields that :func:`beyond` can say anything of."""
    yield from (field for field in scope.having("type") if "integer" in field.types)
    yield from (field for field in scope.having(*LISTING) if not field.types)


def beyond(field: SchemaField, smallest: int, largest: int, formats: tuple[str, ...]) -> Iterator[tuple[Pointer, str]]:
    """The places where ``field``, if it is an integer, says that it leaves ``smallest`` .. ``largest``, and how.

    ``formats`` are those whose values do; they count only where no bound says otherwise.
    """
    if "integer" not in field.types and (field.types or not _lists_integers(field)):
        return
    schema = field.schema
    bounded = False
    for key in (*_UPPER, *_LOWER):
        bound = schema.get(key)
        if not isinstance(bound, int | float):
            continue
        # An exclusive bound one beyond the last value is the last value.
        slack = 1 if key.startswith("exclusive") else 0
        if (key in _UPPER and bound > largest + slack) or (key in _LOWER and bound < smallest - slack):
            yield (*field.pointer, key), f"{key} is {bound}"
        bounded = bounded or key in _UPPER
    if not bounded and schema.get("format") in formats:
        yield (*field.pointer, "format"), f"format is {schema['format']}"
    for at, value in field.listed():
        if type(value) is int and not smallest <= value <= largest:
            yield at, f"{value} is listed"


def _lists_integers(field: SchemaField) -> bool:
    return any(type(value) is int for _, value in field.listed())


def node_consumer(scope: Scope, field: SchemaField) -> str | None:
    """The name of a Node service that consumes a message with ``field``; None where there is none."""
    services = scope.registry.services
    for message in scope.users(field):
        for name in scope.registry.consumers(message.urn):
            if name in services and services[name].lang == "node":
                return name
    return None
