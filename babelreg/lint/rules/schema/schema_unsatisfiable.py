"""A schema that no value satisfies.

Bounds that cross, a list of values none of which has the declared type, two parts of an `allOf` that want
different types, a required property that a closed object refuses: each of them refuses every message, and nobody
notices before the first one is sent. Only contradictions that are certain are reported; a property that is
forbidden outright (`false`) is not, unless it is also required.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        qty: {type: integer, minimum: 10, maximum: 1}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        qty: {type: integer, minimum: 1, maximum: 10}

Fix::

    Correct the side that is wrong; the finding names both. No valid message becomes invalid, since none was valid
    before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.conjuncts import MOST_PARTS, parts_of
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.schema.satisfiability import SIZES, contradiction, never
from babelreg.lint.scope import Scope
from babelreg.schema.keywords import ANNOTATIONS, DEFINITIONS

severity = Severity.ERROR
profile = "minimal"

_PAIRS = (
    *SIZES,
    *((low, high) for low in ("minimum", "exclusiveMinimum") for high in ("maximum", "exclusiveMaximum")),
)
# Beside a $ref these judge nothing, or only what the part itself already shows.
_SILENT = frozenset({"$ref", "$schema", "$id", *ANNOTATIONS, *DEFINITIONS})


def check(scope: Scope) -> Iterator[Problem]:
    """See Rule."""
    for field in {id(field): field for field in _suspects(scope)}.values():
        found = contradiction([field.schema])
        if found is not None:
            yield _problem(field, found.keyword, found.why, found.fix)
    alone: dict[int, bool] = {}
    left = MOST_PARTS
    for field in scope.having("allOf", "$ref"):
        if "allOf" in field.schema or not field.schema.keys() <= _SILENT:
            parts = parts_of(field)
            left -= len(parts)
            if left < 0:
                return
            yield from _together(field, parts, alone)


def _suspects(scope: Scope) -> Iterator[SchemaField]:
    """The fields for which a single look cannot exclude a contradiction."""
    for low, high in _PAIRS:
        for field in scope.having(low):
            if high in field.schema and not _orderly(field.schema[low], field.schema[high]):
                yield field
    for keyword in ("enum", "const"):
        for field in scope.having(keyword):
            values = field.schema.get("enum")
            some = isinstance(values, list) and len(values) > 0 and isinstance(values[0], str)
            if keyword == "const" or not (some and field.types in ((), ("string",))):
                yield field
    for field in scope.having("required"):
        schema = field.schema
        if "maxProperties" in schema or _missing(schema):
            yield field
    yield from (field for field in scope.having("not") if never(field.schema) and len(field.pointer) < 2)


def _orderly(low: Any, high: Any) -> bool:
    # an integer lies between bounds that are one apart or more
    return type(low) is int and type(high) is int and low < high - 1


def _missing(schema: Mapping[str, Any]) -> bool:
    properties, required = schema.get("properties"), schema["required"]
    if not isinstance(properties, dict) or not isinstance(required, list):
        return True
    closed = schema.get("additionalProperties") is False
    return any(
        isinstance(name, str) and (never(properties[name]) if name in properties else closed) for name in required
    )


def _together(field: SchemaField, parts: list[Mapping[str, Any]], alone: dict[int, bool]) -> Iterator[Problem]:
    """What the parts say together and none of them alone.

    ``alone`` keeps, for each part, whether it contradicts itself: many fields may refer to one.
    """
    for part in parts:
        if id(part) not in alone:
            alone[id(part)] = contradiction([part]) is not None
    if len(parts) < 2 or any(alone[id(part)] for part in parts):
        return
    found = contradiction(parts)
    if found is not None:
        keyword = "allOf" if "allOf" in field.schema else "$ref"
        yield _problem(field, keyword, f"taken together, {found.why}", found.fix)


def _problem(field: SchemaField, keyword: str, why: str, fix: str) -> Problem:
    text = f"nothing satisfies {field.shown}: {why}"
    return Problem(text, field.source, (*field.pointer, keyword), fix=fix, urn=field.urn)
