"""A schema that accepts given samples, and says no more than they show.

Nothing is required, no object is closed, no value is bounded: what a few samples lack is not forbidden. Types are those
seen; formats are those that every text of a field has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any

from babelreg.schema.types import TYPES
from babelreg.schema.values import json_type

__all__ = ["CategoryOf", "inferred_schema", "masked"]

CategoryOf = Callable[[str], str | None]
"""Function that returns the likely category of personal data of a field by its name, or None."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+\Z")
_URI = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[!-~]*)?\Z")
_DATE_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_SAFE_INTEGER = 2**53 - 1
_EXAMPLES = {"email": "ada@example.com"}


def inferred_schema(samples: Sequence[Any], category_of: CategoryOf) -> dict[str, Any]:
    """Return the schema of ``samples``, which are objects. Personal fields are marked, all get a draft description."""
    return _schema(samples, "", category_of)


def _schema(values: Sequence[Any], name: str, category_of: CategoryOf) -> dict[str, Any]:
    types = _types(values)
    schema: dict[str, Any] = {}
    if types:
        schema["type"] = types[0] if len(types) == 1 else types
    texts = [value for value in values if isinstance(value, str)]
    if texts and (found := _format(texts)):
        schema["format"] = found
    integers = [value for value in values if json_type(value) == "integer"]
    if integers and "number" not in types and all(abs(value) <= _SAFE_INTEGER for value in integers):
        schema |= {"minimum": 0 if min(integers) >= 0 else -_SAFE_INTEGER, "maximum": _SAFE_INTEGER}
    if name:
        schema["description"] = f"Say what {name} is."
        if (category := category_of(name)) is not None and types and types[0] not in ("object", "array"):
            schema["x-gdpr-sensitive"] = category
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        members: dict[str, list[Any]] = {}
        for value in objects:
            for key, below in value.items():
                members.setdefault(key, []).append(below)
        schema["properties"] = {key: _schema(below, key, category_of) for key, below in members.items()}
    items = [item for value in values if isinstance(value, list) for item in value]
    if any(isinstance(value, list) for value in values):
        schema["items"] = _schema(items, "", category_of) if items else {}
    return schema


def _types(values: Sequence[Any]) -> list[str]:
    """Return the JSON types of ``values``; a value that is only ever null may be a text, too."""
    types = {json_type(value) for value in values}
    if "number" in types:
        types.discard("integer")
    if types == {"null"}:
        types.add("string")
    return [name for name in TYPES if name in types]


def _format(texts: Sequence[str]) -> str | None:
    for name, matches in _FORMATS.items():
        if all(map(matches, texts)):
            return name
    return None


def _is_date_time(text: str) -> bool:
    if not _DATE_TIME.match(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_date(text: str) -> bool:
    if not _DATE.match(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


_FORMATS: dict[str, Callable[[str], object]] = {
    "date-time": _is_date_time,
    "date": _is_date,
    "uuid": _UUID.match,
    "email": _EMAIL.match,
    "uri": _URI.match,
}


def masked(value: Any, schema: Any) -> Any:
    """Return a sample without the values of personal fields, for a registry that everybody reads."""
    if not isinstance(schema, dict):
        return value
    if "x-gdpr-sensitive" in schema and isinstance(value, str):
        return value if schema.get("format") not in (None, "email") else _EXAMPLES.get(schema.get("format", ""), "...")
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return {key: masked(below, properties.get(key)) for key, below in value.items()}
    if isinstance(value, list):
        return [masked(item, schema.get("items")) for item in value]
    return value
