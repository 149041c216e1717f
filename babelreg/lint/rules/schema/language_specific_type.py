"""A type that only one programming language understands.

Data is read in six languages. A class name in the data, a serialised PHP, Java or Python object, or a keyword
that tells one generator which class to use, ties the message to one of them; the last also makes generators
import whatever module is named. Describe the value in JSON Schema, and leave classes to each service.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        total: {type: string, x-php-type: App\\Money}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        total: {$ref: ../_common/money.yaml}
    # file: _common/money.yaml
    type: object
    properties:
      minor: {type: integer}
      currency: {type: string}

Fix::

    Remove the keyword, or describe the value in JSON Schema. A class name does no harm in a generator's settings, only
    in the contract.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lazy_pattern import LazyPattern
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.dialects import SENSITIVITY
from babelreg.schema.pointer import Pointer

severity = Severity.ERROR
profile = "standard"

_KEYWORD = LazyPattern(
    r"x-(?:php|java|jvm|kotlin|scala|python|py|go|golang|dotnet|net|csharp|cs|node|js|javascript|ts|typescript|ruby|rust|swift)"
    r"-(?:type|class|classname|class-name|import|package|module|namespace|custom-type)(?:-[a-z]+)*\Z",
    re.IGNORECASE,
)
_KEYWORDS = {
    *("javaType", "existingJavaType", "javaInterfaces", "tsType", "goJSONSchema", "phpType", "pythonType"),
    *("customTypePath", "customBasePath"),
}
_FORMATS = LazyPattern(
    r"(?:php[-_]?serialized?|pickled?|java[-_]?(?:object|serialized?)|java\.|System\.|python[-_]?object|marshal)",
    re.IGNORECASE,
)
_MEDIA = LazyPattern(
    r"application/(?:x-)?(?:java-serialized-object|php-serialized|vnd\.php\.serialized|(?:x-)?python-pickle|pickle|ruby-marshal)",
    re.IGNORECASE,
)
# O:8:"stdClass":0:{}  a:1:{i:0;...}; Java's stream header in base64; pickle protocol 4 and 5 in base64
_PHP = LazyPattern(r'(?:O:[0-9]+:"[^"]+":[0-9]+:\{|a:[0-9]+:\{(?:i:[0-9]+|s:[0-9]+:"|\}))')
_SERIALIZED = ("rO0AB", "gASV", "gAWV")
_CLASS = LazyPattern(
    r"\\?[A-Z]\w*(?:\\[A-Z]\w*)+\Z|(?:com|org|net|io|java|javax|System)(?:\.[a-z]\w*)*(?:\.[A-Z]\w*)+\Z"
)
# Error messages for people may contain class names.
_FAILURE = frozenset({"exception", "error", "trace", "stack", "stacktrace", "cause"})
_LISTING = frozenset({"enum", "examples", "const", "default"})


def check(scope: Scope) -> Iterator[Problem]:
    for field, at, key, fault in _faults(scope):
        text = f"{field.shown} {fault}"
        fix = "remove it; describe the value in JSON Schema, so that every language can read it"
        yield Problem(text, field.source, (*field.pointer, *at), key=key, fix=fix, urn=field.urn)


def _faults(scope: Scope) -> Iterator[tuple[SchemaField, Pointer, bool, str]]:
    for key in scope.keywords:
        if key in _KEYWORDS or (key.startswith("x-") and key != SENSITIVITY and _KEYWORD.match(key)):
            for field in scope.fields_with(key):
                yield field, (key,), True, f"has a keyword for one language only, '{key}'"
    for key, pattern in (("format", _FORMATS), ("contentMediaType", _MEDIA)):
        for field in scope.fields_with(key):
            value = field.schema[key]
            if isinstance(value, str) and pattern.match(value):
                yield field, (key,), False, f"has a value that only one language can read: {key} {value}"
    for field in scope.fields:
        if "string" in field.types and (field.values or not _LISTING.isdisjoint(field.schema)):
            what = next((what for value in field.samples() if (what := _in_value(value, field))), None)
            if what:
                yield field, (), False, what


def _in_value(value: object, field: SchemaField) -> str | None:
    if not isinstance(value, str):
        return None
    if value.startswith(_SERIALIZED) or (":" in value and _PHP.match(value)):
        return f"has a serialised object of one language: '{value[:40]}'"
    if ("." in value or "\\" in value) and _CLASS.match(value) and _FAILURE.isdisjoint(field.words):
        return f"has the name of a class: '{value[:80]}'"
    return None
