"""The data that goes into the columns as it stands, as a JSON Schema: nearly every message, told in one look.

``fit`` decides every case and takes a microsecond or so a value. What satisfies this schema it would not change,
save for whole numbers written with a fraction; what does not may fit all the same. So a compiled validator can be
asked first.
"""

from __future__ import annotations

from typing import Any

from babelreg.typemap.spark.types import Array, Decimal, Json, Map, Scalar, SparkType, Struct

__all__ = ["plain"]

_TIME = r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-](?:0[0-9]|1[0-7]):[0-5][0-9])"
_DAY = r"(?:1[0-9]{3}|[2-8][0-9]{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"  # in every month of every calendar
_INT64 = {"minimum": -(2**63), "maximum": 2**63 - 1}

_SCALARS: dict[Scalar, dict[str, Any]] = {
    Scalar.BIGINT: {"type": ["integer", "null"], **_INT64},
    Scalar.DOUBLE: {"type": ["number", "null"], **_INT64},  # whole bounds are compared ten times as fast (measured)
    Scalar.BOOLEAN: {"type": ["boolean", "null"]},
    Scalar.STRING: {"type": ["string", "null"]},
    Scalar.DATE: {"type": ["string", "null"], "pattern": f"^{_DAY}$"},
    Scalar.TIMESTAMP: {"type": ["string", "null"], "pattern": f"^{_DAY}{_TIME}$"},
    Scalar.BINARY: {"type": ["string", "null"], "pattern": "^(?:[A-Za-z0-9+/]{4})*$"},
    Scalar.VARIANT: {},
}


def plain(struct: Struct) -> dict[str, Any] | None:
    """The schema for the ``data`` of these columns; None where they never take a value as it stands."""
    found = _type(struct)
    return None if found is None else {**found, "type": "object"}


def _type(type_: SparkType) -> dict[str, Any] | None:
    if isinstance(type_, Scalar):
        return _SCALARS[type_]
    if isinstance(type_, Json):
        return None
    if isinstance(type_, Decimal):
        return _decimal(type_)
    if isinstance(type_, Array):
        element = _type(type_.element)
        return None if element is None else {"type": ["array", "null"], "items": element}
    if isinstance(type_, Map):
        value = _type(type_.value)
        return None if value is None else {"type": ["object", "null"], "additionalProperties": value}
    members = {column.name: _type(column.type) for column in type_.fields}
    if None in members.values():
        return None
    return {"type": ["object", "null"], "properties": members, "additionalProperties": False}


def _decimal(type_: Decimal) -> dict[str, Any]:
    """Whole numbers, and numerals as text. A float is left to ``fit``: only its text shows how many digits it has."""
    whole = min(type_.precision - type_.scale, 18)  # bounds that every reader of a schema takes as they are
    fraction = rf"(?:\.[0-9]{{1,{type_.scale}}})?" if type_.scale else ""
    return {
        "type": ["integer", "string", "null"],
        "exclusiveMinimum": -(10**whole),
        "exclusiveMaximum": 10**whole,
        "pattern": rf"^-?[0-9]{{1,{whole}}}{fraction}$" if whole else "^-?0$",
    }
