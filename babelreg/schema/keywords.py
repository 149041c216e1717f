"""Keywords of JSON Schema by how they apply. Nothing outside ``schema/`` has lists of its own.

Where subschemas are, and what they apply to, is in the tables of :mod:`babelreg.schema.dialects`; sets of such
keywords are derived from these. ``tests/schema/test_keyword_sets.py`` finds other lists.
"""

from __future__ import annotations

from babelreg.schema.dialects import DIALECTS, KeywordShape, Reach

_TABLES = {
    name: keyword for dialect in reversed(tuple(DIALECTS.values())) for name, keyword in dialect.keywords.items()
}
"""Of all dialects. Where they differ, the oldest one counts, which allows most: ``items`` may be a list."""


def _reaching(*reaches: Reach) -> frozenset[str]:
    return frozenset(name for name, keyword in _TABLES.items() if keyword.reach in reaches)


REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
DEFINITIONS = ("$defs", "definitions")
"""The keywords that only hold subschemas to refer to, the newer one first."""
IDENTIFIERS = frozenset({"$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"})

UNIONS = ("anyOf", "oneOf")
COMBINED = ("allOf", *UNIONS)
BRANCHES = _reaching(Reach.IN_PLACE)
"""The keywords whose subschemas apply to the same value, and refuse it when they fail or all of them fail."""
DEPENDENT = ("dependentSchemas", "dependencies", "dependentRequired")
"""The keywords that hold, by the name of a property, what must hold where it is there."""
CONDITIONAL = ("then", "else", *DEPENDENT[:2])
"""The keywords whose subschemas apply to some values only: those that meet a condition, or have a property."""
CONDITIONS = _reaching(Reach.CONDITION)
"""``not`` and ``if``: their subschemas apply to the same value, and failing is not a refusal."""
IN_PLACE = BRANCHES | CONDITIONS
NEGATING = IN_PLACE - {"allOf"}
"""The keywords in which a subschema need not hold for the value to be valid."""

PROPERTY_KEYWORDS = _reaching(Reach.PROPERTY)
ADDITIONAL_PROPERTIES = ("additionalProperties", "unevaluatedProperties")
ITEM_KEYWORDS = _reaching(Reach.ITEM)
UNEVALUATED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
KEYED = frozenset(
    name for name, keyword in _TABLES.items() if keyword.shape in (KeywordShape.MAP, KeywordShape.MAP_OR_NAMES)
)
"""The keywords that hold subschemas by a name: of a property, a pattern, a definition."""

VALUES = frozenset({"enum", "const", "default", "examples"})
"""The keywords that hold values of data, in which nothing is a keyword."""
ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly"}
)
"""The keywords that refuse nothing. So do those of extensions, which begin with ``x-``."""
