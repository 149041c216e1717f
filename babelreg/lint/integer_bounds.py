"""Integers in a schema that may exceed a range."""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.lint.schema.field import LISTING, SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.pointer import Pointer

MAX_SAFE_INTEGER = 2**53 - 1
"""JavaScript's Number.MAX_SAFE_INTEGER: up to it, every integer is exact."""

_UPPER = ("maximum", "exclusiveMaximum")
_LOWER = ("minimum", "exclusiveMinimum")


def integers(scope: Scope) -> Iterator[SchemaField]:
    """Yield the fields that :func:`out_of_range` applies to."""
    yield from (field for field in scope.fields_with("type") if "integer" in field.types)
    yield from (field for field in scope.fields_with(*LISTING) if not field.types)


def out_of_range(
    field: SchemaField, smallest: int, largest: int, formats: tuple[str, ...]
) -> Iterator[tuple[Pointer, str]]:
    """Yield pointers and reasons why ``field``, if it is an integer, may leave ``smallest`` .. ``largest``.

    ``formats`` are those with larger values; they count only without an upper bound.
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
