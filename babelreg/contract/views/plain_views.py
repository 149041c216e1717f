"""Views of plain schemas, without locations: the fast path of ``views`` for most schemas.

A schema is plain when one mapping applies to each value: properties, items, and bare references to definitions at the
root, without combinations, conditions or patterns. The names declared at an object are then those in it, so the
producer view closes it by ``additionalProperties: false``, and the reader view opens it by leaving that out. All other
schemas take the way of locations.
"""

from __future__ import annotations

import re
from typing import Any

from babelreg.schema.dialects import DIALECTS, Dialect
from babelreg.schema.open_enums import is_open_enum, types_of

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
    return _view(schema, dialect, _Closed)


def opened(schema: Any, dialect: Dialect) -> Any:
    """Return the reader view, the same object where nothing opens; None for a schema that is not plain."""
    return _view(schema, dialect, _Opened)


def _view(schema: Any, dialect: Dialect, view: type[_PlainView]) -> Any:
    if not isinstance(schema, dict) or "$ref" in schema:
        return None
    folder = "$defs" if "$defs" in dialect.keywords else "definitions"
    definitions = schema.get(folder, {})
    if type(definitions) is not dict:
        return None
    tree = view(definitions, f"#/{folder}/", dialect)
    head = {"$schema": schema["$schema"]} if "$schema" in schema else {}
    try:
        root = tree.of({key: value for key, value in schema.items() if key not in (folder, "$schema")}, 0)
        made = tree.definitions()
    except _NotPlain:
        return None
    if not tree.differs:
        return schema
    return {**head, **root, folder: made} if made else {**head, **root}


class _PlainView:
    """Copy of a plain schema, with what a kind of view changes in each mapping of it."""

    def __init__(self, definitions: dict[str, Any], start: str, dialect: Dialect) -> None:
        self._definitions = definitions
        self._start = start
        self._dialect = dialect
        self._names: dict[str, None] = {}
        self._objects = 0
        self.differs = False

    def of(self, schema: Any, depth: int) -> Any:
        """Return the view of a subschema."""
        if type(schema) is bool:
            return schema
        if type(schema) is not dict or depth > _DEEPEST or not _OTHER_KEYWORDS.isdisjoint(schema):
            raise _NotPlain
        if "$ref" in schema:
            return self._reference(schema)
        if _PLAIN_KEYWORDS.isdisjoint(schema) and "required" not in schema and "x-open-enum" not in schema:
            return schema
        return self._mapping(schema, depth)

    def change(self, schema: dict[str, Any], copy: dict[str, Any]) -> None:
        """Change ``copy``, which has the views of the subschemas in ``schema``, to the view of it."""
        raise NotImplementedError

    def _mapping(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        self._objects += 1
        if self._objects > MOST_OBJECTS:
            raise _NotPlain
        copy = dict(schema)
        for word in ("items", "additionalProperties"):
            if word in schema:
                copy[word] = self.of(schema[word], depth + 1)
        if "properties" in schema:
            listed = schema["properties"]
            if type(listed) is not dict:
                raise _NotPlain
            copy["properties"] = {name: self.of(subschema, depth + 1) for name, subschema in listed.items()}
        self.change(schema, copy)
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
        """Return the view of every definition."""
        made: dict[str, Any] = {}
        while len(made) < len(self._names):
            for name in list(self._names)[len(made) :]:
                definition = self._definitions[name]
                if type(definition) is dict and "$ref" in definition:
                    raise _NotPlain
                made[name] = self.of(definition, 1)
        if len(made) < len(self._definitions):
            raise _NotPlain  # an unused definition is not visited here, and may be beyond the bounds
        return made


class _Closed(_PlainView):
    def change(self, schema: dict[str, Any], copy: dict[str, Any]) -> None:
        if "properties" not in schema or "additionalProperties" in schema:
            return
        self.differs = True
        _declare(_only_required(schema), self._dialect.anything, copy)
        copy["additionalProperties"] = False


class _Opened(_PlainView):
    def change(self, schema: dict[str, Any], copy: dict[str, Any]) -> None:
        refuses = schema.get("additionalProperties") is False
        if refuses:
            del copy["additionalProperties"]
            _declare(_only_required(schema), self._dialect.nothing, copy)
        lists = "properties" in schema and "additionalProperties" not in schema
        if counts := "maxProperties" in schema and (refuses or lists):
            del copy["maxProperties"]
        if opens := is_open_enum(schema):
            types = types_of(copy.pop("enum"), integers=self._dialect.booleans)
            copy["allOf"] = [{"type": types if len(types) != 1 else types[0]}]
        self.differs |= refuses or counts or opens


def _only_required(schema: dict[str, Any]) -> list[str]:
    """Return the names that ``schema`` requires and does not list."""
    required, listed = schema.get("required"), schema.get("properties", ())
    return [name for name in required if type(name) is str and name not in listed] if type(required) is list else []


def _declare(names: list[str], subschema: Any, copy: dict[str, Any]) -> None:
    if names:
        copy["properties"] = {**copy.get("properties", {}), **dict.fromkeys(names, subschema)}
