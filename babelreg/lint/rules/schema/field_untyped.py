"""A field that may hold anything at all.

It has no type, or is a list without items or an object without properties. It is not checked, generated classes and
pages do not describe it, and in Spark it is a column of JSON text. If that is intended, for a payload of a third party,
declare it with `x-spark-type: json`.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        tags: {type: array}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        tags: {type: array, items: {type: string}}

Fix::

    Describe what is sent. On a published message a type that refuses what is sent today needs a new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.keywords import BRANCHES, COMBINED, CONDITIONS, ITEM_KEYWORDS, PROPERTY_KEYWORDS

severity = Severity.INFO
profile = "strict"

_SAYING = frozenset({"type", "enum", "const", "$ref", *COMBINED, *CONDITIONS, "x-spark-type"})
_OBJECT = PROPERTY_KEYWORDS | {"propertyNames"}
_ARRAY = ITEM_KEYWORDS
_LOOSE = (("array",), ("object",))


def check(scope: Scope) -> Iterator[Problem]:
    for field in scope.fields:
        if (field.types and field.types not in _LOOSE) or not field.name or "$ref" in field.schema:
            continue
        untyped = None if _is_part(field) else _untyped(field)
        if untyped is not None:
            state, fix = untyped
            text = f"{field.shown} {state}: in Spark a column of JSON text"
            yield Problem(text, field.source, field.pointer, fix=fix, urn=field.urn)


def _untyped(field: SchemaField) -> tuple[str, str] | None:
    keywords = field.schema.keys()
    if not keywords & (_SAYING | _OBJECT | _ARRAY):
        return "has no type", "type: string, or the type of the values that are sent"
    if len(keywords & _SAYING) > 1:
        return None
    if field.types == ("array",) and not keywords & _ARRAY:
        return "is a list of anything", "items: {type: string}, or the type of the items"
    if field.types == ("object",) and not keywords & _OBJECT:
        return (
            "is an object with any properties",
            "properties: {...}, or additionalProperties: {type: string} for a map",
        )
    return None


def _is_part(field: SchemaField) -> bool:
    """Return True for one of several schemas of a value: another one may have the type."""
    return not BRANCHES.isdisjoint(map(str, field.pointer[-2:])) and field.pointer[-2] != "properties"
