"""A misspelt or foreign keyword that JSON Schema ignores.

JSON Schema ignores every keyword it does not know: with `requried` or `maxlength` the schema is valid, but the limit is
missing. The same holds for keywords of other languages (`nullable`, `optional`) and for properties written without
`properties:` above them. Your own keywords are not reported; prefix them with `x-` to avoid clashes.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      requried: [order_id]
      properties:
        order_id: {type: integer}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      required: [order_id]
      properties:
        order_id: {type: integer}
    examples: [{order_id: 1}]

Fix::

    Write the intended keyword, or prefix your own with `x-`. A keyword that takes effect may refuse messages that are
    sent today, so `babelreg breaking` may ask for a new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField, words
from babelreg.lint.schema.foreign_type_names import TYPES, shown_list
from babelreg.lint.scope import Scope
from babelreg.schema.keywords_by_type import KNOWN

severity = Severity.WARNING
profile = "standard"

# Keywords of other languages, with the type of their values and the equivalent in JSON Schema.
_FOREIGN: dict[str, tuple[type | tuple[type, ...], str]] = {
    "minSize": (int, "minLength for text, minItems for a list"),
    "maxSize": (int, "maxLength for text, maxItems for a list"),
    "min": ((int, float), "minimum for a number, minLength for text, minItems for a list"),
    "max": ((int, float), "maximum for a number, maxLength for text, maxItems for a list"),
    "regex": (str, "pattern"),
    "regexp": (str, "pattern"),
    "values": (list, "enum"),
    "options": (list, "enum"),
    "fields": (dict, "properties"),
    "attributes": (dict, "properties"),
}
# Annotations of others that look like a misspelt keyword.
_OWN = frozenset({"example", "defaults", "titles", "descriptions", "constant", "schema"})
# Keywords that are not suggested: without effect, or similar to too many words.
_NEVER_MEANT = frozenset({"not", "id", "$id", "if", "then", "else", "$comment", "$vocabulary", "examples", "$anchor"})
# Whether a property must be there, by the value that says so.
_NEEDS = {"optional": False, "mandatory": True, "isRequired": True}
_CANDIDATES = KNOWN - _NEVER_MEANT
_FOLDED = {keyword.lower().replace("_", "").replace("-", ""): keyword for keyword in _CANDIDATES}
_MARKS = frozenset({"type", "$ref", "properties", "enum", "anyOf", "oneOf", "allOf", "const"})


def check(scope: Scope) -> Iterator[Problem]:
    for keyword in scope.keywords:
        if keyword in KNOWN or keyword.startswith(("x-", "X-")):
            continue
        suggestion = _suggestion(scope, keyword)
        for field in scope.fields_with(keyword):
            if suggestion is not None:
                fix = f"did you mean '{suggestion}'?" if suggestion not in field.schema else None
            else:
                fix = _foreign(field, keyword) or _as_property(field, keyword)
            if fix is not None:
                text = f"'{keyword}' is not a keyword of JSON Schema, which ignores it"
                yield Problem(text, field.source, (*field.pointer, keyword), key=True, fix=fix, urn=field.urn)


def _suggestion(scope: Scope, keyword: str) -> str | None:
    """Return the likely keyword of JSON Schema; None for a custom keyword."""
    if keyword in _OWN or keyword in _FOREIGN or keyword in _NEEDS or keyword == "nullable":
        return None
    folded = _FOLDED.get(keyword.lower().replace("_", "").replace("-", ""))
    near = folded or scope.nearest(keyword, _CANDIDATES)
    if near is not None and keyword.lstrip("x_") == near:
        return None  # disabled on purpose
    # more words than the keyword, such as tsAdditionalProperties: a custom keyword
    return near if near is not None and (folded or len(words(near)) == len(words(keyword))) else None


def _foreign(field: SchemaField, keyword: str) -> str | None:
    types, advice = _FOREIGN.get(keyword, ((), ""))
    value = field.schema[keyword]
    if keyword in _NEEDS and isinstance(value, bool):
        return _needed(field, needed=value is _NEEDS[keyword])
    if keyword == "nullable" and isinstance(value, bool):
        return _nullable(field, allowed=value)
    return advice if isinstance(value, types) and (types is bool or not isinstance(value, bool)) else None


def _needed(field: SchemaField, *, needed: bool) -> str:
    name = field.name or "name"
    if needed:
        return f"remove it, and list the property in its object: required: [{name}]"
    return f"remove it: a property is optional unless the object's 'required' lists it ('{name}' does not belong there)"


def _nullable(field: SchemaField, *, allowed: bool) -> str:
    if not allowed:
        return "remove it: null is refused unless 'null' is one of the types"
    if not set(TYPES).issuperset(field.types):
        return "add null to the types: type: [string, 'null']"
    if not field.types:
        return "add null to the alternatives: anyOf: [{...}, {type: 'null'}]"
    return f"add null to the types: type: {shown_list([*field.types, 'null'])}"


def _as_property(field: SchemaField, keyword: str) -> str | None:
    """Return the fix for a property that is beside ``type``, where keywords belong, or None."""
    schema = field.schema
    value = schema[keyword]
    if schema.get("type") != "object" or not isinstance(value, dict) or not _MARKS & value.keys():
        return None
    return f"if '{keyword}' is a property, move it below 'properties:'"
