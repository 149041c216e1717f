"""A schema that no value satisfies.

Contradicting bounds, listed values that all have another type than the declared one, two parts of an `allOf` with
different types, a required property that a closed object refuses: each of these refuses every message, and nobody
notices before the first one is sent. The rule reports only certain contradictions, and a forbidden property (`false`)
only if it is also required.

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

    Correct one of the two parts that the finding names. No valid message becomes invalid, since none was valid before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.schema.field_conjuncts import MAX_CONJUNCTS, conjuncts_of
from babelreg.lint.schema.satisfiability import SIZES, contradiction, never
from babelreg.lint.scope import Scope
from babelreg.schema.keywords import ANNOTATIONS, DEFINITIONS

severity = Severity.ERROR
profile = "minimal"

_PAIRS = (
    *SIZES,
    *((low, high) for low in ("minimum", "exclusiveMinimum") for high in ("maximum", "exclusiveMaximum")),
)
# Keywords beside a $ref that refuse nothing.
_SILENT = frozenset({"$ref", "$schema", "$id", *ANNOTATIONS, *DEFINITIONS})


def check(scope: Scope) -> Iterator[Problem]:
    for field in {id(field): field for field in _suspects(scope)}.values():
        conflict = contradiction([field.schema])
        if conflict is not None:
            yield _problem(field, conflict.keyword, conflict.why, conflict.fix)
    alone: dict[int, bool] = {}
    budget = MAX_CONJUNCTS
    for field in scope.fields_with("allOf", "$ref"):
        if "allOf" in field.schema or not field.schema.keys() <= _SILENT:
            parts = conjuncts_of(field)
            budget -= len(parts)
            if budget < 0:
                return
            yield from _together(field, parts, alone)


def _suspects(scope: Scope) -> Iterator[SchemaField]:
    """Yield the fields for which a cheap check does not exclude a contradiction."""
    for low, high in _PAIRS:
        for field in scope.fields_with(low):
            if high in field.schema and not _orderly(field.schema[low], field.schema[high]):
                yield field
    for keyword in ("enum", "const"):
        for field in scope.fields_with(keyword):
            values = field.schema.get("enum")
            some = isinstance(values, list) and len(values) > 0 and isinstance(values[0], str)
            if keyword == "const" or not (some and field.types in ((), ("string",))):
                yield field
    for field in scope.fields_with("required"):
        schema = field.schema
        if "maxProperties" in schema or _missing(schema):
            yield field
    yield from (field for field in scope.fields_with("not") if never(field.schema) and len(field.pointer) < 2)


def _orderly(low: Any, high: Any) -> bool:
    # there is an integer between bounds at least two apart
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
    """Yield the contradiction between the parts, if no part contradicts itself.

    ``alone`` caches whether a part contradicts itself: many fields may refer to one part.
    """
    for part in parts:
        if id(part) not in alone:
            alone[id(part)] = contradiction([part]) is not None
    if len(parts) < 2 or any(alone[id(part)] for part in parts):
        return
    conflict = contradiction(parts)
    if conflict is not None:
        keyword = "allOf" if "allOf" in field.schema else "$ref"
        yield _problem(field, keyword, f"taken together, {conflict.why}", conflict.fix)


def _problem(field: SchemaField, keyword: str, why: str, fix: str) -> Problem:
    text = f"nothing satisfies {field.shown}: {why}"
    return Problem(text, field.source, (*field.pointer, keyword), fix=fix, urn=field.urn)
