"""All keywords of JSON Schema by the type of value that they are about, and all formats."""

from __future__ import annotations

from collections.abc import Mapping

from babelreg.schema.dialects import DIALECTS
from babelreg.schema.keywords import (
    ANNOTATIONS,
    DEPENDENT,
    IDENTIFIERS,
    ITEM_KEYWORDS,
    PROPERTY_KEYWORDS,
    REFERENCES,
    VALUES,
)

EXTENSIONS = frozenset({"x-gdpr-sensitive", "x-open-enum", "x-spark-type", "x-unit"})
"""The keywords of babelreg itself."""

_TEXT = ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema")
_NUMBER = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_ARRAY = (*ITEM_KEYWORDS, "minContains", "maxContains", "minItems", "maxItems", "uniqueItems")
_OBJECT = (
    *(*PROPERTY_KEYWORDS, *DEPENDENT),
    *("propertyNames", "required", "minProperties", "maxProperties"),
)

APPLIES_TO: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(sorted(_TEXT), frozenset({"string"})),
    **dict.fromkeys(sorted(_NUMBER), frozenset({"integer", "number"})),
    **dict.fromkeys(sorted(_ARRAY), frozenset({"array"})),
    **dict.fromkeys(sorted(_OBJECT), frozenset({"object"})),
}
"""The ``type`` that each keyword is about; it has no effect on others. The other keywords are about every value."""

KNOWN = frozenset(
    {
        *(keyword for dialect in DIALECTS.values() for keyword in dialect.keywords),
        *(*REFERENCES, *IDENTIFIERS, *ANNOTATIONS, *VALUES, *APPLIES_TO),
        *("$schema", "$vocabulary", "type"),
    }
)

PARTNERS: Mapping[str, str] = {
    "then": "if",
    "else": "if",
    "minContains": "contains",
    "maxContains": "contains",
    "contentSchema": "contentMediaType",
}
"""The keyword that each of these needs beside it; without that it has no effect."""

FORMATS = frozenset(
    {
        *("date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
        *("uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer"),
        *("relative-json-pointer", "regex"),
    }
)
"""The formats that JSON Schema defines. All are about text."""
ASSERTED_FORMATS = FORMATS | {"color", "host-name", "ip-address"}
"""Formats that some validator asserts, with those of draft-03; any other is a note for people and generators."""


def keywords_about(type_: str) -> frozenset[str]:
    """Return the keywords that are about values of the JSON type ``type_``."""
    return frozenset(keyword for keyword, types in APPLIES_TO.items() if type_ in types)
