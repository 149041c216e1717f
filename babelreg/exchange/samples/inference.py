"""A schema that accepts given samples, and says no more than they show.

Nothing is required, no object is closed, no value is bounded: what a few samples lack is not forbidden. Types are those
seen; formats are those that the validator finds in every text of a field. No value of a sample is copied: where the
names in an object are data, such as addresses or numbers, they are the keys of a map.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from babelreg.schema.dialects import DEFAULT
from babelreg.schema.types import TYPES
from babelreg.schema.values import json_type

if TYPE_CHECKING:
    from jsonschema_rs import Validator

__all__ = ["Detectors", "inferred_schema"]

_FORMATS = ("date-time", "date", "uuid", "email", "ipv4", "ipv6", "uri")
_SAFE_INTEGER = 2**53 - 1
_MAX_DEPTH = 40
"""Levels below which only the types of values are inferred: YAML nests less deeply than JSON."""


@dataclass(frozen=True, slots=True)
class Detectors:
    """Detection of what does not belong in a registry.

    ``category_of`` takes the name of a field, and returns its likely category of personal data or None. ``is_value``
    tells whether the name in an object is data, such as the key of a map. ``may_keep`` takes the names that lead to a
    value and the value, and tells whether it may be published.
    """

    category_of: Callable[[str], str | None]
    is_value: Callable[[str], bool]
    may_keep: Callable[[tuple[str, ...], Any], bool]


def inferred_schema(samples: Sequence[Any], detectors: Detectors) -> dict[str, Any]:
    """Return the schema of ``samples``, which are objects. Personal fields are marked."""
    return _schema(samples, "", detectors, 0)


def _schema(values: Sequence[Any], name: str, detectors: Detectors, depth: int) -> dict[str, Any]:
    types = _types(values)
    schema: dict[str, Any] = {}
    if types:
        schema["type"] = types[0] if len(types) == 1 else types
    if (found := _format([value for value in values if isinstance(value, str)])) is not None:
        schema["format"] = found
    if "integer" in types:
        schema |= _bounds([value for value in values if json_type(value) == "integer"])
    if name:
        if types == ["null"]:
            schema["$comment"] = "Only null was seen: add the type."
        if (category := detectors.category_of(name)) is not None and types and types[0] not in ("object", "array"):
            schema["x-gdpr-sensitive"] = category
    if depth < _MAX_DEPTH:
        schema |= _members([value for value in values if isinstance(value, dict)], detectors, depth)
        lists = [value for value in values if isinstance(value, list)]
        items = [item for value in lists for item in value]
        if lists:
            schema["items"] = _schema(items, "", detectors, depth + 1) if items else {}
    return schema


def _members(objects: Sequence[dict[str, Any]], detectors: Detectors, depth: int) -> dict[str, Any]:
    """Return the keywords for the members of ``objects``: names that are data become additional properties."""
    named: dict[str, list[Any]] = {}
    keyed: list[Any] = []
    for value in objects:
        for key, below in value.items():
            if _is_data(key, detectors):
                keyed.append(below)
            else:
                named.setdefault(key, []).append(below)
    members: dict[str, Any] = {}
    if named or (objects and not keyed):
        below = {key: _schema(values, key, detectors, depth + 1) for key, values in named.items()}
        members["properties"] = below
    if keyed:
        members["additionalProperties"] = _schema(keyed, "", detectors, depth + 1)
    return members


def _is_data(name: str, detectors: Detectors) -> bool:
    return any(_has_format(name, each) for each in _FORMATS) or detectors.is_value(name)


def _types(values: Sequence[Any]) -> list[str]:
    """Return the JSON types of ``values``. A sender of 1.0 or 1e3 means a number, which need not be integral."""
    types = {"number" if isinstance(value, float | Decimal) else json_type(value) for value in values}
    if "number" in types:
        types.discard("integer")
    return [name for name in TYPES if name in types]


def _bounds(integers: Sequence[int | float]) -> dict[str, int]:
    """Return the bounds of integers that every language reads without loss, if ``integers`` are within them."""
    if any(abs(value) > _SAFE_INTEGER for value in integers):
        return {}
    return {"minimum": 0 if min(integers) >= 0 else -_SAFE_INTEGER, "maximum": _SAFE_INTEGER}


def _format(texts: Sequence[str]) -> str | None:
    return next((name for name in _FORMATS if texts and all(_has_format(text, name) for text in texts)), None)


def _has_format(text: str, name: str) -> bool:
    """Return True where the validator of messages finds the format. ``a:b`` is a URI by its grammar, rarely meant."""
    if name == "uri" and "://" not in text:
        return False
    try:
        return _validator(name).is_valid(text)
    except ValueError:  # half a surrogate pair
        return False


@cache
def _validator(name: str) -> Validator:
    return DEFAULT.validator_for({"type": "string", "format": name})
