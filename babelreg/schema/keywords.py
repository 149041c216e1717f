"""The keywords of JSON Schema: which there are, and what kind of value each of them judges."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["APPLIES_TO", "FORMATS", "KNOWN", "PARTNERS"]

_TEXT = ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema")
_NUMBER = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_ARRAY = (
    *("items", "additionalItems", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems"),
    *("uniqueItems", "unevaluatedItems"),
)
_OBJECT = (
    *("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"),
    *("maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"),
)
_ANY = (
    *("$schema", "$id", "id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"),
    *("$vocabulary", "$comment", "$defs", "definitions", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
    *("type", "enum", "const", "title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples"),
)

APPLIES_TO: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_TEXT, frozenset({"string"})),
    **dict.fromkeys(_NUMBER, frozenset({"integer", "number"})),
    **dict.fromkeys(_ARRAY, frozenset({"array"})),
    **dict.fromkeys(_OBJECT, frozenset({"object"})),
}
"""The ``type`` that each keyword is about; beside any other it is void. The other keywords are about every value."""

KNOWN = frozenset({*_TEXT, *_NUMBER, *_ARRAY, *_OBJECT, *_ANY})

PARTNERS: Mapping[str, str] = {
    "then": "if",
    "else": "if",
    "minContains": "contains",
    "maxContains": "contains",
    "contentSchema": "contentMediaType",
}
"""What a keyword needs beside it; without that it is void."""

FORMATS = frozenset(
    {
        *("date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"),
        *("uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer"),
        *("relative-json-pointer", "regex"),
    }
)
"""The formats that JSON Schema defines. All are about text."""
