"""The documents of a schema that lists them all."""

from __future__ import annotations

from typing import Any

from babelreg.schema.applicators import Anchors
from babelreg.schema.dialects import Dialect

__all__ = ["listed"]

_MOST = 1_000
_MOST_HOPS = 64


def listed(schema: Any, dialect: Dialect) -> list[Any] | None:
    """Every document that ``schema`` can allow, and some that it may not; None where they cannot be listed."""
    anchors = Anchors(schema)
    found: list[Any] = []
    waiting, hops = [schema], 0
    while waiting:
        here, hops = waiting.pop(), hops + 1
        if hops > _MOST_HOPS or not isinstance(here, dict):
            return None
        values, branches = _values(here, dialect), _branches(here, anchors)
        if values is not None:
            found += values
        elif branches is not None:
            waiting += branches
        else:
            return None
        if len(found) > _MOST:
            return None
    return found


def _values(schema: dict[str, Any], dialect: Dialect) -> list[Any] | None:
    if dialect.ref_alone and "$ref" in schema:
        return None
    # In draft 4, 1 and 1.0 are one value and two types; and it has no const.
    if not dialect.booleans:
        return None
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def _branches(schema: dict[str, Any], anchors: Anchors) -> list[Any] | None:
    """Schemas one of which holds wherever ``schema`` does."""
    target = anchors.target(schema.get("$ref"))
    if target is not None:
        return [target[1]]
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches:
            return branches
    several = schema.get("allOf")
    if isinstance(several, list):
        return next(([one] for one in several if isinstance(one, dict) and one.keys() & {"const", "enum"}), None)
    return None
