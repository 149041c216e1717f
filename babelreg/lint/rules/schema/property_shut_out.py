"""A property that one part of an `allOf` declares and another refuses.

`additionalProperties: false` sees the properties of its own part alone. In an `allOf`, or beside a `$ref` to a closed
schema, it refuses what the other parts declare: the property is in the schema, in the classes and in the tables,
and no producer can ever send it.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        customer:
          allOf:
            - {$ref: ../_common/person.yaml}
            - {properties: {vat_id: {type: string}}}
    # file: _common/person.yaml
    type: object
    additionalProperties: false
    properties: {given: {type: string}}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        customer:
          allOf:
            - {$ref: ../_common/person.yaml}
            - {properties: {vat_id: {type: string}}}
          unevaluatedProperties: false
    # file: _common/person.yaml
    type: object
    properties: {given: {type: string}}

Fix::

    Leave the shared part open, and close the whole with `unevaluatedProperties: false` beside `allOf`. Producers may
    send only the declared properties anyway. A message that was valid stays so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.schema.field_conjuncts import MAX_CONJUNCTS, conjuncts_of
from babelreg.lint.schema.satisfiability import never
from babelreg.lint.scope import Scope

severity = Severity.ERROR
profile = "standard"

_SHOWN = 3


def check(scope: Scope) -> Iterator[Problem]:
    budget = MAX_CONJUNCTS
    for field in scope.fields_with("allOf", "$ref"):
        if "allOf" not in field.schema and "properties" not in field.schema:
            continue
        parts = conjuncts_of(field)
        budget -= len(parts)
        if budget < 0:
            return
        names = _shut_out(parts)
        if names:
            yield _problem(field, names)


def _shut_out(parts: list[Mapping[str, Any]]) -> list[str]:
    """Return the optional properties that a part declares and a closed one refuses."""
    closed = [part for part in parts if part.get("additionalProperties") is False and not part.get("patternProperties")]
    if not closed or len(parts) < 2:
        return []
    declared = {n: below for part in parts for n, below in _properties(part).items() if not never(below)}
    required = {name for part in parts if isinstance(part.get("required"), list) for name in map(str, part["required"])}
    refused = [name for name in declared if any(name not in _properties(part) for part in closed)]
    return [] if required.intersection(refused) else refused


def _properties(part: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = part.get("properties")
    return properties if isinstance(properties, dict) else {}


def _problem(field: SchemaField, names: list[str]) -> Problem:
    keyword = "allOf" if "allOf" in field.schema else "$ref"
    shown = ", ".join(f"'{name}'" for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    text = f"{shown}{more} can never be sent: another part has additionalProperties: false"
    fix = "unevaluatedProperties: false beside allOf, instead of additionalProperties: false in a part"
    return Problem(text, field.source, (*field.pointer, keyword), key=True, fix=fix, urn=field.urn)
