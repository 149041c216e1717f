"""Producer view of plain schemas, without locations: the fast path of ``views`` for most schemas.

A schema is plain when one mapping applies to each value: properties, items, and bare references to definitions at the
root, without combinations, conditions or patterns. The names declared at an object are then those in it, and it is
closed by ``additionalProperties: false``. All other schemas take the way of locations.
"""

from __future__ import annotations

import re
from typing import Any

from babelreg.schema.dialects import DIALECTS, Dialect

MOST_OBJECTS = 500
"""Well within what ``locations`` bounds, so that no schema is accepted here that is refused there."""
_DEEPEST = 50
_PLAIN_KEYWORDS = frozenset({"properties", "additionalProperties", "items"})
_OTHER_KEYWORDS = frozenset(word for dialect in DIALECTS.values() for word in dialect.keywords) - _PLAIN_KEYWORDS | {
    "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$id", "id", "$schema",
    "dependentRequired",
}  # fmt: skip
_ANNOTATIONS = frozenset({"$ref", "$comment", "title", "description", "default", "examples", "deprecated"})
_NAME = re.compile(r"[A-Za-z0-9_.-]+\Z")


class _NotPlain(Exception):
    pass


def closed(schema: Any, dialect: Dialect) -> Any:
    """Return the producer view, the same object where nothing closes; None for a schema that is not plain."""
    if not isinstance(schema, dict) or "$ref" in schema:
        return None
    folder = "$defs" if "$defs" in dialect.keywords else "definitions"
    definitions = schema.get(folder, {})
    if type(definitions) is not dict:
        return None
    tree = _Tree(definitions, f"#/{folder}/", dialect.anything)
    head = {"$schema": schema["$schema"]} if "$schema" in schema else {}
    try:
        root = tree.closed({key: value for key, value in schema.items() if key not in (folder, "$schema")}, 0)
        made = tree.definitions()
    except _NotPlain:
        return None
    if not tree.closes:
        return schema
    return {**head, **root, folder: made} if made else {**head, **root}


class _Tree:
    def __init__(self, definitions: dict[str, Any], start: str, anything: Any) -> None:
        self._definitions = definitions
        self._start = start
        self._anything = anything
        self._names: dict[str, None] = {}
        self._objects = 0
        self.closes = False

    def closed(self, schema: Any, depth: int) -> Any:
        if type(schema) is bool:
            return schema
        if type(schema) is not dict or depth > _DEEPEST or not _OTHER_KEYWORDS.isdisjoint(schema):
            raise _NotPlain
        if "$ref" in schema:
            return self._reference(schema)
        if _PLAIN_KEYWORDS.isdisjoint(schema) and "required" not in schema:
            return schema
        return self._object(schema, depth)

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        self._objects += 1
        if self._objects > MOST_OBJECTS:
            raise _NotPlain
        copy = dict(schema)
        for word in ("items", "additionalProperties"):
            if word in schema:
                copy[word] = self.closed(schema[word], depth + 1)
        listed = schema.get("properties")
        if listed is None:
            return copy
        if type(listed) is not dict:
            raise _NotPlain
        below = {name: self.closed(subschema, depth + 1) for name, subschema in listed.items()}
        if "additionalProperties" not in schema:
            self.closes = True
            required = schema.get("required")
            for name in required if type(required) is list else ():
                if type(name) is str:
                    below.setdefault(name, self._anything)
            copy["additionalProperties"] = False
        copy["properties"] = below
        return copy

    def _reference(self, schema: dict[str, Any]) -> dict[str, Any]:
        reference = schema["$ref"]
        if type(reference) is not str or not reference.startswith(self._start):
            raise _NotPlain
        if not all(key in _ANNOTATIONS or key.startswith("x-") for key in schema):
            raise _NotPlain
        name = reference[len(self._start) :]
        if name not in self._definitions or not _NAME.match(name):
            raise _NotPlain
        self._names[name] = None
        return schema

    def definitions(self) -> dict[str, Any]:
        """Return every definition, closed."""
        made: dict[str, Any] = {}
        while len(made) < len(self._names):
            for name in list(self._names)[len(made) :]:
                definition = self._definitions[name]
                if type(definition) is dict and "$ref" in definition:
                    raise _NotPlain
                made[name] = self.closed(definition, 1)
        if len(made) < len(self._definitions):
            raise _NotPlain  # an unused definition is not visited here, and may be beyond the bounds
        return made
