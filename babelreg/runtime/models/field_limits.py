"""Validators of pydantic models without the limits of their fields: for data that may be beyond them."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import SchemaValidator

_LENGTHS = frozenset(["min_length", "max_length"])
_BOUNDS = frozenset(["ge", "gt", "le", "lt", "multiple_of"])
_LIMITS = {
    "int": _BOUNDS,
    "float": _BOUNDS,
    "str": _LENGTHS | {"pattern"},
    "list": _LENGTHS,
    "dict": _LENGTHS,
}
"""The limits of values by the type of their core schema: what generated annotations state."""


@cache
def validator_without_limits(model: type[BaseModel]) -> SchemaValidator:
    """Return a validator of ``model`` for which its fields, and those of models in it, have no limits.

    It is built when the first value is beyond a limit, which is rare, so models cost nothing more until then. Models
    without a limit have it already.
    """
    schema = model.__pydantic_core_schema__
    unlimited = _unlimited(schema)
    if unlimited is schema:
        return cast(SchemaValidator, model.__pydantic_validator__)
    # The validators of other models, which pydantic would take ready-made, have limits.
    return SchemaValidator(unlimited, _use_prebuilt=False)


def _unlimited(schema: Any) -> Any:
    """Return a core schema without limits; itself if it has none."""
    if isinstance(schema, (list, tuple)):
        items = [_unlimited(item) for item in schema]
        changed = any(new is not old for new, old in zip(items, schema, strict=True))
        return type(schema)(items) if changed else schema
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")  # a dictionary of fields may have a field with this name
    limits = _LIMITS.get(kind, frozenset()) if isinstance(kind, str) else frozenset()
    copy = {
        key: value if key == "metadata" else _unlimited(value) for key, value in schema.items() if key not in limits
    }
    return copy if len(copy) < len(schema) or any(copy[key] is not schema[key] for key in copy) else schema
