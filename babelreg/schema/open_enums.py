"""Open enums in the spelling of exports, which every validator reads as open, and back.

In the registry an ``enum`` beside ``x-open-enum: true`` lists known values, and readers accept others of the same JSON
types. Validators of other tools would refuse them, so an export has no ``enum`` there: the values are in ``examples``,
which generators and people read, and in ``x-known-values``, from which an import restores the enum.
"""

from __future__ import annotations

from typing import Any

from babelreg.schema.dialects import Dialect, Reach
from babelreg.schema.local_references import LocalReferences, references
from babelreg.schema.subschemas import with_subschemas
from babelreg.schema.types import declared_types
from babelreg.schema.values import json_type, mappings
from babelreg.schema.walk import children

_KNOWN = "x-known-values"
_ONE_OF = "x-one-of"


def is_open_enum(schema: dict[str, Any]) -> bool:
    """Return True where ``schema`` has an ``enum`` to which values may be added."""
    return schema.get("x-open-enum") is True and isinstance(schema.get("enum"), list) and bool(schema["enum"])


def types_of(values: list[Any], *, integers: bool = True) -> list[str]:
    """Return the JSON Schema types of ``values``, each once. 1.0 is an integer, except in draft 4."""
    types = dict.fromkeys(map(json_type, values))
    if "number" in types or not integers:
        types = dict.fromkeys("number" if name == "integer" else name for name in types)
    return list(types)


def with_known_values(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return ``schema`` with its open enums in the spelling of exports; the same object where it has none.

    A ``oneOf`` whose branches become wider is spelled as ``anyOf``, because two of them may now admit one value; beside
    it ``x-one-of`` lets an import restore it. Enums below ``not`` and ``if`` stay, where a wider schema refuses more.
    """
    if not any(is_open_enum(node) for node in mappings(schema)):
        return schema
    opening = _Opening(schema, dialect)
    opening.keep_below_conditions()
    spelled: dict[str, Any] = opening.spelled(schema)
    return spelled


def restore_open_enum(schema: dict[str, Any]) -> None:
    """Turn the spelling of exports in ``schema`` itself, not below it, into that of the registry."""
    known = schema.get(_KNOWN)
    if isinstance(known, list) and known and "enum" not in schema and {"type", "x-open-enum"} & schema.keys():
        schema["enum"] = schema.pop(_KNOWN)
        schema["x-open-enum"] = True
        if schema.get("examples") == known:
            del schema["examples"]
    if schema.get(_ONE_OF) is True and "anyOf" in schema and "oneOf" not in schema:
        schema["oneOf"] = schema.pop("anyOf")
        del schema[_ONE_OF]


class _Opening:
    def __init__(self, root: dict[str, Any], dialect: Dialect) -> None:
        self._dialect = dialect
        self._root = root
        self._references = LocalReferences(root, dialect)
        self._closed: set[int] = set()  # ids of the subschemas that keep their enum

    def keep_below_conditions(self) -> None:
        """Find what is reached through a keyword below which a wider schema would refuse more."""
        into_one_of = any("/oneOf/" in reference for reference in references(self._root))
        for node in mappings(self._root):
            for keyword, _, below, reach in children(node, self._dialect):
                narrows = reach is Reach.CONDITION or (keyword == "contains" and "maxContains" in node)
                fixed = keyword == "oneOf" and ("anyOf" in node or into_one_of)
                if narrows or fixed:
                    self._closed.update(map(id, self._reached(below)))

    def spelled(self, schema: Any) -> Any:
        """Return the copy of a subschema."""
        if not isinstance(schema, dict):
            return schema
        copy = with_subschemas(schema, self.spelled)
        if self._opens(schema):
            copy = _with_known_values(copy)
        branches = schema.get("oneOf")
        if isinstance(branches, list) and any(self._opens(node) for each in branches for node in self._reached(each)):
            copy = {"anyOf" if keyword == "oneOf" else keyword: value for keyword, value in copy.items()}
            copy[_ONE_OF] = True
        return copy

    def _opens(self, schema: dict[str, Any]) -> bool:
        return is_open_enum(schema) and id(schema) not in self._closed

    def _reached(self, schema: Any) -> list[dict[str, Any]]:
        """Return the subschemas at or below ``schema``, those that references lead to included."""
        seen: dict[int, dict[str, Any]] = {}
        waiting = [schema]
        while waiting:
            node = waiting.pop()
            if not isinstance(node, dict) or id(node) in seen:
                continue
            seen[id(node)] = node
            waiting += [below for _, _, below, reach in children(node, self._dialect) if reach is not Reach.NOWHERE]
            waiting += [target[1] for target in self._references.targets(node) if target is not None]
        return list(seen.values())


def _with_known_values(schema: dict[str, Any]) -> dict[str, Any]:
    declared = declared_types(schema)
    values = [value for value in schema["enum"] if declared is None or _is_of(value, declared)]
    types = types_of(values) if values else list(declared or ())
    known = {"examples": schema.get("examples", schema["enum"]), _KNOWN: schema["enum"]}
    copy: dict[str, Any] = {}
    if declared is None:
        copy["type"] = types if len(types) != 1 else types[0]
    for keyword, value in schema.items():
        if keyword == "enum":
            copy |= known
        elif keyword == "type":
            copy[keyword] = value if set(types) == set(declared or ()) else types if len(types) != 1 else types[0]
        elif keyword not in ("x-open-enum", "examples"):
            copy[keyword] = value
    return copy


def _is_of(value: Any, types: tuple[str, ...]) -> bool:
    name = json_type(value)
    return name in types or (name == "integer" and "number" in types)
