"""Keywords that the SDKs of BabelQueue enforce, and a spelling in which they never refuse a valid document.

Their validators know nine keywords: ``type`` with one name, ``required``, ``properties``, ``additionalProperties``
with false, ``items`` with one schema, ``enum``, ``const``, ``minLength`` and ``minimum``. They ignore the others, and
what stands below them. Source: ``babelqueue.schema`` of the Python SDK 1.24, and its mirrors in the other languages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from babelreg.schema.keywords import ANNOTATIONS, DEFINITIONS
from babelreg.schema.pointer import Pointer
from babelreg.schema.subschemas import with_subschemas

_NOTHING: dict[str, Any] = {"not": {}}
_BY_TYPE = {
    "object": frozenset({"required", "properties", "additionalProperties"}),
    "array": frozenset({"items"}),
    "string": frozenset({"minLength"}),
    "integer": frozenset({"minimum"}),
    "number": frozenset({"minimum"}),
    "boolean": frozenset[str](),
    "null": frozenset[str](),
}
_ALWAYS = frozenset({"type", "enum", "const"})
_SILENT = {*ANNOTATIONS, *DEFINITIONS, "$schema", "$id"}


def safe_spelling(schema: Any) -> Any:
    """Return ``schema``, which is of draft-07, in a spelling with the same meaning that the SDKs read alike.

    They take a property with the schema true for an undeclared one, do not know ``patternProperties``, which also
    declares properties, and tell 1 from 1.0 in ``enum`` and ``const``, which JSON Schema does not.
    """
    if not isinstance(schema, dict):
        return schema
    result = with_subschemas(schema, safe_spelling)
    properties = result.get("properties")
    if isinstance(properties, dict):
        spelled = {True: {}, False: dict(_NOTHING)}
        result["properties"] = {
            name: spelled[below] if isinstance(below, bool) else below for name, below in properties.items()
        }
    if result.get("additionalProperties") is False and result.get("patternProperties"):
        result["additionalProperties"] = dict(_NOTHING)
    for keyword in ("enum", "const"):
        if keyword in result and _has_number(result[keyword]):
            result["allOf"] = [*result.get("allOf", ()), {keyword: result.pop(keyword)}]
    return result


def not_enforced(schema: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, str]]:
    """Yield the keywords of ``schema``, in :func:`safe_spelling`, that the SDKs ignore, each with its schema's pointer.

    A keyword that is ignored is yielded once, and not what stands below it.
    """
    if not isinstance(schema, dict):
        return
    kind = schema.get("type")
    known = _ALWAYS | _BY_TYPE.get(kind, frozenset()) if isinstance(kind, str) else frozenset({"enum", "const"})
    for keyword, value in schema.items():
        if keyword in _SILENT or keyword.startswith("x-") or _is_void(keyword, value):
            continue
        if keyword not in known or not _is_read(keyword, value):
            yield pointer, keyword
        elif keyword == "properties":
            for name, below in value.items():
                yield from not_enforced(below, (*pointer, "properties", name))
        elif keyword == "items":
            yield from not_enforced(value, (*pointer, "items"))


def _is_read(keyword: str, value: Any) -> bool:
    if keyword == "additionalProperties":
        return value is False
    return not (keyword == "items" and not isinstance(value, dict))


def _is_void(keyword: str, value: Any) -> bool:
    """Return True for a keyword that refuses nothing with this value."""
    return keyword in ("additionalProperties", "items") and (value is True or value == {})


def _has_number(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_number(below) for below in value.values())
    if isinstance(value, list):
        return any(map(_has_number, value))
    return isinstance(value, (int, float)) and not isinstance(value, bool)
