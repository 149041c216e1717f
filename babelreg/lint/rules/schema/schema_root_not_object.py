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

    Write `type: object` and move what is there now below a property. On a published message that is a new version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.finding import Severity
from babelreg.lint.rule import Problem
from babelreg.lint.scope import Scope
from babelreg.schema import pointer

severity = Severity.ERROR
profile = "minimal"

_MAX_HOPS = 32


def check(scope: Scope) -> Iterator[Problem]:
    """See Rule."""
    for message in scope.messages:
        if message.data is None or message.schema is None or _is_object(message.schema, message.schema, _MAX_HOPS):
            continue
        types = message.data.get("type") if isinstance(message.data, dict) else None
        text = f"data is {_spelled(types)}, not an object" if types else "data does not say that it is an object"
        at = ("data", "type") if types else ("data",)
        fix = "wrap it: type: object, with a property that holds what is here now" if types else "type: object"
        yield Problem(text, message.source, at, fix=fix, urn=message.urn)


def _spelled(types: Any) -> str:
    return " or ".join(f"'{t}'" for t in types) if isinstance(types, list) else f"'{types}'"


def _is_object(schema: Any, root: Any, hops: int) -> bool:
    """True when ``schema`` admits objects alone, by ``type`` or through references and compositions."""
    if not isinstance(schema, dict) or hops == 0:
        return False
    types = schema.get("type")
    if types is not None:
        return types in ("object", ["object"])
    target = schema.get("$ref")
    if isinstance(target, str) and target.startswith("#"):
        try:
            if _is_object(pointer.find(root, pointer.parse(target[1:])), root, hops - 1):
                return True
        except (KeyError, ValueError):
            return False
    if any(_is_object(part, root, hops - 1) for part in _parts(schema, "allOf")):
        return True
    choices = [_parts(schema, key) for key in ("anyOf", "oneOf")]
    return any(parts and all(_is_object(part, root, hops - 1) for part in parts) for parts in choices)


def _parts(schema: dict[str, Any], key: str) -> list[Any]:
    parts = schema.get(key)
    return parts if isinstance(parts, list) else []
