"""A pattern that the services of this message cannot all compile.

JSON Schema uses the patterns of ECMA 262, and not every engine supports all of it: Go has no look-around and no
back-references, Java, .NET and PHP no `\\u{...}`, Node no unknown escapes. A service then refuses to start, or its
validator ignores the pattern. The rule uses the languages of the services that produce or consume the message; Python
services check with the engine that babelreg itself uses. A pattern that is not even ECMA 262 is schema-invalid.

Bad::

    urn: urn:babel:orders:created
    consumers: [billing-worker]
    data:
      type: object
      properties:
        sku: {type: string, pattern: "^(?!X-)[A-Z-]+$"}

Good::

    urn: urn:babel:orders:created
    consumers: [billing-worker]
    data:
      type: object
      properties:
        sku: {type: string, pattern: "^[A-Z-]+$", not: {pattern: "^X-"}}

Fix::

    Use only what all engines support: two patterns below `allOf` instead of a look-ahead, `not` instead of a negative
    one, `[A-Za-z]` instead of a flag, the character itself instead of its number. Texts that were valid stay valid.
"""

from __future__ import annotations

from collections.abc import Iterator

from babelreg.finding import Severity
from babelreg.lint.patterns import patterns
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope

severity = Severity.WARNING
profile = "standard"

_CALLED = {"php": "PHP", "go": "Go", "java": "Java", "dotnet": ".NET", "node": "Node"}
# Constructs of ECMA 262, languages without them, and alternatives. Sources: RE2's syntax page; java.util.regex.Pattern;
# "Regular expression language" of .NET; pcre2pattern(3); ECMA 262, 22.2.1 (Ajv compiles patterns with the flag u, which
# refuses escapes that mean nothing).
_LACKING = {
    "inline-flag": (("node",), "write the letters of both cases: [Aa]"),
    "lookahead": (("go",), "two patterns below allOf; not: {pattern: ...} for a negative one"),
    "lookbehind": (("go",), "write the preceding text into the pattern"),
    "backreference": (("go",), "write both parts out, or check it in code"),
    "count": (("go",), "maxLength for lengths; Go repeats at most 1000 times"),
    "code-point": (("go", "java", "php", "dotnet"), "write the character itself"),
    "unicode-escape": (("go", "php"), "write the character itself"),
    "control": (("go",), "write the character as an escape of YAML"),
    "script": (("go", "dotnet"), "write the ranges of characters"),
    "long-property": (("java", "dotnet"), r"the short name, such as \p{L}"),
    "identity-escape": (("node",), "remove the backslash"),
    "nested-set": (("java",), r"put a backslash before it: \[ or \&"),
}


def check(scope: Scope) -> Iterator[Problem]:
    for pattern in patterns(scope):
        languages: tuple[str, ...] | None = None
        for use in pattern.regex.uses:
            lacking, advice = _LACKING.get(use.kind, ((), ""))
            if not lacking or (use.kind == "inline-flag" and ":" not in use.text):
                continue  # ECMA 262 has only flags of a group
            if languages is None:
                languages = _languages(scope, pattern.field)
            refusing = [_CALLED[language] for language in lacking if language in languages]
            if refusing:
                text = f"{' and '.join(refusing)} cannot compile '{use.text}', but a service of this message uses it"
                yield pattern.problem(text, use.at, advice)
                break


def _languages(scope: Scope, field: SchemaField) -> tuple[str, ...]:
    """Return the languages of the services that produce or consume messages with ``field``."""
    services = scope.registry.services
    languages: dict[str, None] = {}
    for message in scope.users(field):
        for name in (*message.producers, *scope.registry.consumers(message.urn)):
            service = services.get(name)
            if service is not None and service.lang is not None:
                languages[service.lang] = None
    return tuple(languages)
