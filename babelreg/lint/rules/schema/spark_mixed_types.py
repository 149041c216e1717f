"""A field of several types, for which Spark has no column type.

A column has one type. A value that may be text or a number, or a list whose items have different types, becomes a
STRING column of JSON text that every query has to parse. `null` beside a type is fine, and so are alternatives that are
all objects, or integers beside numbers.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        reference: {type: [string, integer]}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        reference: {type: string}

Fix::

    Choose one type (text can hold numbers, too), or use two optional properties. On a published message, that needs a
    new version. If you want JSON text, declare it: `x-spark-type: json`, or `variant`.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema import pointer
from babelreg.schema.conjuncts import (
    Conjunct,
    ConjunctWalker,
    Recursion,
)
from babelreg.schema.keywords import COMBINED, UNIONS
from babelreg.schema.types import KINDS

severity = Severity.WARNING
profile = "standard"

_NUMBERS = frozenset({"integer", "fraction"})
_SOME = KINDS - {"null"}
_MOST_STEPS = 100  # for each field
_MOST_LOST = 50  # fields of one schema that need more steps; then the others are skipped


def check(scope: Scope) -> Iterator[Problem]:
    lost: dict[int, int] = {}
    for field in scope.fields_with("type", "anyOf", "oneOf"):
        schema = field.schema
        several = len(field.types) > 1 and not {*field.types} <= {"integer", "number"}
        if not several and "anyOf" not in schema and "oneOf" not in schema:
            continue
        if "x-spark-type" in schema or _in_place(field):
            continue
        kinds = _kinds(field) if lost.get(id(field.root), 0) < _MOST_LOST else None
        if kinds is None:
            lost[id(field.root)] = lost.get(id(field.root), 0) + 1
            continue
        if len(kinds) > 1 and not kinds <= _NUMBERS and kinds != _SOME:
            named = sorted((kinds - _NUMBERS) | {"number"} if "fraction" in kinds else kinds)
            keyword = "type" if several else next(key for key in UNIONS if key in schema)
            text = f"{field.shown} may be {', '.join(named[:-1])} or {named[-1]}: in Spark a column of JSON text"
            fix = "choose one type, or set x-spark-type: json if you want JSON text"
            yield Problem(text, field.source, (*field.pointer, keyword), fix=fix, urn=field.urn)
    for field in scope.fields_with("prefixItems", "items"):
        keyword = "prefixItems" if "prefixItems" in field.schema else "items"
        if isinstance(field.schema[keyword], list) and "x-spark-type" not in field.schema:
            text = f"{field.shown} is a tuple, whose items are typed one by one: in Spark a list of JSON texts"
            fix = "an object with a property for each item, or items: {...} if all are alike"
            yield Problem(text, field.source, (*field.pointer, keyword), key=True, fix=fix, urn=field.urn)


def _in_place(field: SchemaField) -> bool:
    """Return True for a part of another schema of the same value, which is checked as a whole."""
    return not set(COMBINED).isdisjoint(map(str, field.pointer[-2:])) or field.pointer[-1:] in (("then",), ("else",))


def _kinds(field: SchemaField) -> frozenset[str] | None:
    """Return the kinds of value that a field admits, without null: all if unknown, None if it takes too many steps."""
    bundled, at = field.bundled, field.inside
    if not isinstance(bundled, dict):
        return _SOME
    schemas = ConjunctWalker(bundled, _MOST_STEPS)
    try:
        conjuncts, followed = schemas.flat([Conjunct(pointer.find(bundled, at), at)], frozenset())
        if any(isinstance(node.schema, dict) and "x-spark-type" in node.schema for node in conjuncts):
            return _SOME  # declared on purpose
        return schemas.kinds(conjuncts, followed) - {"null"}
    except (KeyError, Recursion):
        return _SOME
    except OverflowError:
        return None
