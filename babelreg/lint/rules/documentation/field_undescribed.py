"""Fields without a description.

A name has room for a word or two, not for the unit, the time zone, who sets the value and when it is absent. That is
what the next team asks about. The rule reports once per file, with all its fields; a field that refers to a described
schema counts as described.

Bad::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_id: {type: integer, description: "Number of the order, as on the invoice."}

Fix::

    Write a `description` if the name leaves a question open, starting with the fields that others use. Switch the rule
    off for files that describe third-party formats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.schema.field import SchemaField
from babelreg.lint.scope import Scope
from babelreg.schema.keywords import COMBINED

severity = Severity.INFO
profile = "strict"

_MOST = 5


def check(scope: Scope) -> Iterator[Problem]:
    bare: dict[str, list[SchemaField]] = {}
    counted: dict[str, int] = {}
    for field in scope.fields:
        at = field.pointer
        if len(at) < 2 or at[-2] != "properties" or at[-1] != field.name or _retired(field):
            continue
        path = field.source.path
        counted[path] = counted.get(path, 0) + 1
        if not _described(scope, field):
            bare.setdefault(path, []).append(field)
    for path, fields in bare.items():
        first = fields[0]
        names = ", ".join(f"'{field.name}'" for field in fields[:_MOST]) + (", ..." if len(fields) > _MOST else "")
        text = f"fields without a description: {names} ({len(fields)} of {counted[path]})"
        fix = "description: …, with what the name does not tell: the unit, who sets it, when it is absent"
        yield Problem(text, first.source, first.pointer, key=True, fix=fix, urn=first.urn)


def _retired(field: SchemaField) -> bool:
    return field.message is not None and field.message.status == "retired"


def _described(scope: Scope, field: SchemaField) -> bool:
    schema = field.schema
    if "const" in schema or _says(schema) or (isinstance(title := schema.get("title"), str) and title.strip()):
        return True
    if "$ref" in schema and any(_says(target) for target in scope.targets(field)):
        return True
    for key in COMBINED:
        parts = schema.get(key)
        if isinstance(parts, list) and any(isinstance(part, dict) and _says(part) for part in parts):
            return True
    return False


def _says(schema: Mapping[str, Any]) -> bool:
    return isinstance(text := schema.get("description"), str) and bool(text.strip())
