"""TypeScript type aliases of a schema.

JSON is parsed as it is and kept, so a type changes no document: undeclared properties, absent properties and null stay
what they are. A type is never narrower than the reader view, except for integers beyond 2^53, which JavaScript's
numbers do not hold. Aliases, not interfaces: they are assignable to ``Record<string, unknown>``, which SDKs take.

An enum that may grow is ``"web" | (string & {})``: every text is allowed, and editors still suggest the known ones. An
object to which a producer may add properties has an index signature; any other refuses misspelt ones at compile time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from babelreg.schema.values import json_type
from babelreg.typemap.schema_facets import ListedValues, TypeSpelling
from babelreg.typemap.shapes import Attribute, Class, Shape, shape
from babelreg.typemap.typescript.names import RESERVED, jsdoc, key, literal

_EXACT = 2**53
_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_OPEN = "  readonly [property: string]: unknown;\n"


def _listed(listed: ListedValues) -> tuple[list[Any], list[str]]:
    """Return the values with literal types, and the JSON types of the others; of those that grow, both."""
    scalars = [value for value in listed.values if _has_literal_type(value)]
    wide = listed.values if listed.grows else [value for value in listed.values if not _has_literal_type(value)]
    return scalars, list(dict.fromkeys(json_type(value) for value in wide))


def _has_literal_type(value: Any) -> bool:
    if value is None or isinstance(value, (str, bool)):
        return True
    return isinstance(value, int) and abs(value) < _EXACT


def _attributes(properties: Iterable[str], _: Set[str]) -> dict[str, str]:
    return {name: name for name in properties}  # any text is a property key


_TYPESCRIPT = TypeSpelling(RESERVED, _listed, _attributes)


def shape_of(schema: Any, name: str, *, strict: bool = False) -> Shape:
    """Return the object types of the bundled ``schema``; see :func:`shapes.shape`."""
    return shape(schema, name, _TYPESCRIPT, strict=strict)


def alias(class_: Class, paragraphs: Sequence[str | None], tags: tuple[str, ...] = ()) -> str:
    """Return the exported type alias of ``class_``, with a comment of ``paragraphs`` and JSDoc ``tags``."""
    head = jsdoc(paragraphs, tags)
    members = "".join(_member(attribute) for attribute in class_.attributes)
    if not members:
        return f"{head}export type {class_.name} = {{ readonly [property: string]: unknown }};\n"
    return f"{head}export type {class_.name} = {{\n{members}{_OPEN if class_.open else ''}}};\n"


def _member(attribute: Attribute) -> str:
    head = jsdoc([attribute.description, attribute.limits], ("@deprecated",) if attribute.deprecated else (), "  ")
    optional = "" if attribute.required else "?"
    return f"{head}  readonly {key(attribute.wire)}{optional}: {_expression(attribute.shape)};\n"


def _expression(node: Mapping[str, Any]) -> str:
    options = node.get("anyOf", [node])
    kinds = {option.get("type") for option in options}
    terms: list[str] = []
    for option in options:
        terms += _literals(option["enum"], kinds) if "enum" in option else [_term(option, options)]
    return " | ".join(dict.fromkeys(terms))


def _literals(values: list[Any], kinds: set[Any]) -> list[str]:
    """Return the literal types of ``values``, but those that ``kinds`` beside them make pointless."""
    known = []
    for value in values:
        kind = json_type(value)
        if isinstance(value, str):
            known.append(literal(value))  # kept beside `string`, as suggestions
        elif kind not in kinds and not (kind == "integer" and "number" in kinds):
            known.append("null" if value is None else str(value).lower())
    return known


def _term(node: Mapping[str, Any], beside: list[Mapping[str, Any]]) -> str:
    if "$ref" in node:
        return str(node["$ref"]).rpartition("/")[2]
    kind = node.get("type")
    if kind == "string":
        suggested = any(isinstance(value, str) for option in beside for value in option.get("enum", ()))
        return "(string & {})" if suggested else "string"
    if kind == "array":
        items = _expression(node["items"]) if "items" in node else "unknown"
        return f"readonly ({items})[]" if " " in items else f"readonly {items}[]"
    if kind == "object":
        values = node.get("additionalProperties")
        return f"{{ readonly [property: string]: {_expression(values) if values else 'unknown'} }}"
    return _SCALARS.get(str(kind), "unknown")
