"""A `data` whose root is not an object.

The envelope's `data` is a JSON object, always: six languages decode it into a map, and only an object can get a
new optional field later. Wrap a list or a single value into a property.

Bad::

    urn: urn:babel:orders:created
    data: {type: array, items: {type: integer}}

Good::

    urn: urn:babel:orders:created
    data:
      type: object
      properties:
        order_ids: {type: array, items: {type: integer}}

Fix::

    Write `type: object` and move the current schema below a property. On a published message, that needs a new version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.schema.conjuncts import listed
from babelreg.schema.keywords import UNIONS
from babelreg.schema.local_references import LocalReferences
from babelreg.schema.simplify import without_ref_siblings

severity = Severity.ERROR
profile = "minimal"

_MAX_HOPS = 32


def check(scope: Scope) -> Iterator[Problem]:
    for message in scope.messages:
        if message.data is None or message.schema is None:
            continue
        schema = without_ref_siblings(message.schema)
        if _is_object(schema, LocalReferences(schema), _MAX_HOPS):
            continue
        types = schema.get("type") if isinstance(schema, dict) else None
        text = f"data is {_spelled(types)}, not an object" if types else "data is not declared as an object"
        at = ("data", "type") if types else ("data",)
        fix = "wrap it: type: object, with a property for the present value" if types else "type: object"
        yield Problem(text, message.source, at, fix=fix, urn=message.urn)


def _spelled(types: Any) -> str:
    return " or ".join(f"'{t}'" for t in types) if isinstance(types, list) else f"'{types}'"


def _is_object(schema: Any, references: LocalReferences, hops: int) -> bool:
    """Return True when ``schema`` admits only objects, by ``type`` or through references and compositions."""
    if not isinstance(schema, dict) or hops == 0:
        return False
    types = schema.get("type")
    if types is not None:
        return types in ("object", ["object"])
    if "$ref" in schema:
        target = references.target(schema["$ref"])
        if target is not None and _is_object(target[1], references, hops - 1):
            return True
    if any(_is_object(part, references, hops - 1) for part in listed(schema, "allOf")):
        return True
    choices = [listed(schema, keyword) for keyword in UNIONS]
    return any(parts and all(_is_object(part, references, hops - 1) for part in parts) for parts in choices)
