"""What a schema node says for Python's types, taken apart: the schemas that apply to it in place, and their sum.

A node is read as its *parts*: itself, what it refers to and all members of ``allOf``, flattened. Each function here
answers one question about parts, always on the wide side: what cannot be decided narrows nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from babelreg.schema import pointer
from babelreg.schema.conjuncts import conjunction
from babelreg.schema.values import json_type

__all__ = ["ListedValues"]

_KINDS = ("object", "array", "string", "integer", "number", "boolean", "null")
_ANNOTATIONS = frozenset(
    ("$comment", "$id", "$schema", "default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly")
)
_OLD = ("draft-03", "draft-04", "draft-06", "draft-07")
_MAX_PARTS = 500


@dataclass(slots=True)
class ListedValues:
    """What ``enum`` and ``const`` leave: the scalars themselves, and the types of those that no Literal can hold."""

    scalars: list[Any] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)


def resolve(reference: str, document: Any) -> Any:
    """The schema at ``#/…`` in ``document``; None where there is none (an anchor, another document)."""
    if not reference.startswith("#") or (len(reference) > 1 and reference[1] != "/"):
        return None
    try:
        return pointer.find(document, pointer.parse(reference[1:]))
    except (KeyError, ValueError):
        return None


def bare_reference(schema: Any) -> str | None:
    """The ``$ref`` of a schema that says nothing else (annotations aside), else None."""
    if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
        return None
    others = [key for key in schema if key != "$ref" and key not in _ANNOTATIONS and not key.startswith("x-")]
    return None if others else str(schema["$ref"])


def conjuncts(schema: Any, document: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of ``schema``. Those of a ``$ref`` circle are taken once."""
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    old = any(name in str(document.get("$schema", "")) for name in _OLD)

    def gather(node: Any) -> None:
        if not isinstance(node, dict) or len(found) >= _MAX_PARTS:
            return
        own, reference, members = conjunction(node, ref_alone=old)
        if own:
            found.append(node)
        if isinstance(reference, str) and reference not in seen:
            seen.add(reference)
            gather(resolve(reference, document))
        for member in members:
            gather(member)

    gather(schema)
    return found


def types(parts: list[dict[str, Any]]) -> list[str] | None:
    """The JSON types that all parts allow, in a fixed order; None when no part names one."""
    allowed: set[str] | None = None
    for part in parts:
        named = part.get("type")
        listed = {named} if isinstance(named, str) else set(map(str, _list(named)))
        if not listed:
            continue
        if "number" in listed:
            listed.add("integer")
        allowed = listed if allowed is None else allowed & listed
    if allowed is None:
        return None
    return [kind for kind in _KINDS if kind in allowed and not (kind == "integer" and "number" in allowed)]


def is_class(parts: list[dict[str, Any]]) -> bool:
    """True for an object, by its ``type``, that names properties."""
    kinds = types(parts)
    return kinds is not None and "object" in kinds and bool(properties(parts))


def properties(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The schema of every property that some part declares, in document order."""
    found: dict[str, list[Any]] = {}
    for part in parts:
        for name, schema in _mapping(part.get("properties")).items():
            found.setdefault(name, []).append(schema)
    return {name: schemas[0] if len(schemas) == 1 else {"allOf": schemas} for name, schemas in found.items()}


def required(parts: list[dict[str, Any]]) -> dict[str, None]:
    """The names that some part requires, in order."""
    return {name: None for part in parts for name in _list(part.get("required")) if isinstance(name, str)}


def conditional_names(parts: list[dict[str, Any]], document: dict[str, Any]) -> list[str]:
    """The names of properties that only a branch declares: anyOf, oneOf, then, else, dependentSchemas."""
    found: dict[str, None] = {}
    for part in parts:
        branches = [*_list(part.get("anyOf")), *_list(part.get("oneOf")), part.get("then"), part.get("else")]
        branches += [*_mapping(part.get("dependentSchemas")).values(), *_mapping(part.get("dependencies")).values()]
        for branch in branches:
            inner = conjuncts(branch, document)
            found.update(dict.fromkeys(properties(inner)))
            for deeper in (one for piece in inner for key in ("anyOf", "oneOf") for one in _list(piece.get(key))):
                found.update(dict.fromkeys(properties(conjuncts(deeper, document))))
    return list(found)


def alternatives(parts: list[dict[str, Any]]) -> list[Any]:
    """The branches of the first ``anyOf`` or ``oneOf``; a document matches at least one. Empty when there is none."""
    for part in parts:
        for key in ("anyOf", "oneOf"):
            if _list(part.get(key)):
                return _list(part[key])
    return []


def without_alternatives(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts without ``anyOf`` and ``oneOf``; those left with annotations alone fall away."""
    dropped = {"anyOf", "oneOf", "allOf", "$ref", "$defs", "definitions", *_ANNOTATIONS}
    kept = ({key: value for key, value in part.items() if key not in dropped} for part in parts)
    return [part for part in kept if part]


def items(parts: list[dict[str, Any]]) -> tuple[list[Any], Any]:
    """The schemas of the leading items, and the schema of the rest (False: no more may follow)."""
    leading: list[Any] = []
    rest: list[Any] = []
    for part in parts:
        listed = part.get("prefixItems", part.get("items"))
        if isinstance(listed, list):
            leading += listed
            after = part.get("items") if "prefixItems" in part else part.get("additionalItems")
            rest.append(True if after is None or isinstance(after, list) else after)
        elif "items" in part:
            rest.append(part["items"])
    if leading and False in [one for one in rest if isinstance(one, bool)]:
        return leading, False
    schemas = [one for one in rest if isinstance(one, dict)]
    return leading, True if not schemas else schemas[0] if len(schemas) == 1 else {"allOf": schemas}


def map_values(parts: list[dict[str, Any]]) -> list[Any]:
    """The schemas one of which each value of a free-form object satisfies; empty when a value may be anything.

    A closed object counts as one: readers ignore names that it does not declare.
    """
    for part in parts:
        if isinstance(part.get("additionalProperties"), dict):
            return [part["additionalProperties"], *_mapping(part.get("patternProperties")).values()]
    return []


def tag(parts: list[dict[str, Any]]) -> str | None:
    """The value of the first property that is a constant text: what tells this branch from its brothers."""
    for schema in properties(parts).values():
        value = schema.get("const") if isinstance(schema, dict) else None
        if isinstance(value, str) and value and len(value) <= 60:
            return value
    return None


def description(schemas: Iterable[Any]) -> str | None:
    """The first description that is a text."""
    for schema in schemas:
        text = schema.get("description") if isinstance(schema, dict) else None
        if isinstance(text, str) and text.strip():
            return text
    return None


def deprecated(schema: Any) -> bool:
    """True where the schema itself says so."""
    return isinstance(schema, dict) and schema.get("deprecated") is True


def rich_format(kind: str, parts: list[dict[str, Any]]) -> str | None:
    """The format of :data:`python_names.RICH` that values of ``kind`` have by some part, else None.

    A number is a decimal where it counts in powers of ten or the lake is to store one.
    """
    for part in parts:
        named = part.get("format")
        if kind == "string" and named in ("date-time", "date", "uuid", "decimal"):
            return str(named)
        asked = str(part.get("x-spark-type", "")).lower().startswith("decimal")
        if kind == "number" and (asked or named == "decimal" or _is_decimal_step(part.get("multipleOf"))):
            return "decimal"
    return None


def _is_decimal_step(step: Any) -> bool:
    return isinstance(step, float) and 0 < step < 1 and step == float(f"1e{round(math.log10(step))}")


def values(parts: list[dict[str, Any]]) -> ListedValues | None:
    """What ``enum`` and ``const`` leave; None when no part has one."""
    listed: list[Any] | None = None
    grows = False
    for part in parts:
        for key in ("const", "enum"):
            if key not in part or (key == "enum" and not isinstance(part[key], list)):
                continue
            mine = [part["const"]] if key == "const" else part["enum"]
            grows = grows or (key == "enum" and part.get("x-open-enum") is True)
            same = {_identity(value) for value in mine}
            listed = mine if listed is None else [value for value in listed if _identity(value) in same]
    if listed is None:
        return None
    allowed = types(parts)
    fitting = [value for value in listed if allowed is None or _fits(json_type(value), allowed)]
    return _sorted_out(fitting, grows)


def _sorted_out(listed: list[Any], grows: bool) -> ListedValues:
    found = ListedValues()
    seen = set()
    for value in listed:
        kind = json_type(value)
        # Python's True is 1: a Literal of one takes the other and gives back itself.
        alike = kind == "boolean" or (kind == "integer" and value in (0, 1))
        if grows or alike or kind in ("object", "array", "number"):
            found.kinds += [] if kind in found.kinds else [kind]
        elif _identity(value) not in seen:
            seen.add(_identity(value))
            found.scalars.append(int(value) if kind == "integer" else value)
    if "integer" in found.kinds:
        found.scalars = [value for value in found.scalars if not isinstance(value, int)]
    return found


def _fits(kind: str, allowed: list[str]) -> bool:
    return kind in allowed or (kind == "integer" and "number" in allowed)


def _identity(value: Any) -> str:
    # JSON equality: 1 is 1.0, true is not 1.
    if json_type(value) == "integer":
        return str(int(value))
    return json.dumps(value, sort_keys=True, default=repr)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
