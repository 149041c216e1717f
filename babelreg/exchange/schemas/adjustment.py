"""Parts of source schemas that a registry cannot hold, found before the translation: patterns, voided keywords."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from babelreg.errors import SchemaError
from babelreg.exchange.schemas.identifiers import IdentifierIndex, Target
from babelreg.exchange.schemas.units import FAULT
from babelreg.schema.dialects import Dialect, identify
from babelreg.schema.keywords import ANNOTATIONS, DEFINITIONS
from babelreg.schema.open_enums import restore_open_enum
from babelreg.schema.regex.foreign_syntax import foreign
from babelreg.schema.regex.matching import matches


class SchemaAdjustment(NamedTuple):
    """A change of a source schema at ``place``; ``changes_meaning`` where it accepts other documents afterwards."""

    place: Target
    keyword: str
    reason: str
    changes_meaning: bool
    fix: str | None = None


def adjust(index: IdentifierIndex) -> Iterator[SchemaAdjustment]:
    """Yield what of the visited schemas cannot be kept, after removing it from them."""
    for place, schema in index.schemas:
        dialect = index.files[place[0]].dialect
        if place[1] and isinstance(schema.get(dialect.identifier), str) and _is_of_another(schema, dialect):
            schema[FAULT] = f"a part of it, with its own {dialect.identifier}, has another dialect"
        void = _void_keywords(schema, dialect)
        if void:
            names = ", ".join(f"'{name}'" for name in void)
            yield SchemaAdjustment(place, "$ref", f"{names} beside it is dropped: {dialect.name} ignores it", False)
            continue
        restore_open_enum(schema)
        if isinstance(schema.get("pattern"), str):
            yield from _without_pattern(schema, place)
        named = schema.get("patternProperties")
        for pattern in named if isinstance(named, dict) else ():
            reason = _unread(pattern)
            if reason is not None:
                schema[FAULT] = f"the pattern '{pattern[:100]}' of patternProperties cannot be read: {reason}"


def _is_of_another(schema: dict[str, Any], dialect: Dialect) -> bool:
    try:
        return "$schema" in schema and identify(schema) != dialect
    except SchemaError:
        return True


def _void_keywords(schema: dict[str, Any], dialect: Dialect) -> list[str]:
    if not dialect.only_refers(schema):
        return []
    kept = {"$ref", "$schema", dialect.identifier, *DEFINITIONS, *ANNOTATIONS}
    return [keyword for keyword in schema if keyword not in kept and not keyword.startswith("x-")]


def _without_pattern(schema: dict[str, Any], place: Target) -> Iterator[SchemaAdjustment]:
    pattern = schema["pattern"]
    reason = _unread(pattern)
    if reason is None:
        return
    del schema["pattern"]
    other = foreign(pattern)
    fix = f"instead of {other[0]} write {other[1]}" if other else "write the pattern in the syntax of ECMA 262"
    yield SchemaAdjustment(place, "pattern", f"'{pattern[:100]}' is dropped: {reason}", True, fix)


def _unread(pattern: str) -> str | None:
    """Return why a pattern cannot be read; None where it can."""
    try:
        matches(pattern, "")
    except SchemaError:
        return "it is not a pattern of ECMA 262"
    return None
