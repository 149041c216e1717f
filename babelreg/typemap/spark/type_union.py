"""Union and intersection of Spark types: :func:`either` holds values of both types, :func:`both` is narrower."""

from __future__ import annotations

from dataclasses import replace

from babelreg.typemap.spark.types import Array, Decimal, Json, LeftOut, Map, Scalar, SparkType, Struct, StructField

__all__ = ["both", "either"]

_TEXT = (Scalar.STRING, Scalar.DATE, Scalar.TIMESTAMP, Scalar.BINARY)
_BIGINT = Decimal(19, 0)
_NARROWER = {Scalar.BIGINT: 1, Scalar.DOUBLE: 2, Scalar.DATE: 1, Scalar.TIMESTAMP: 1, Scalar.STRING: 2}


def either(one: SparkType, other: SparkType, mixed: Json) -> SparkType:
    """Return the type of a value of type ``one`` or ``other``; ``mixed`` where only JSON text holds both."""
    if isinstance(one, Struct) and isinstance(other, Struct):
        return _joined(one, other, mixed)
    if one == other:
        return one
    if isinstance(one, Array) and isinstance(other, Array):
        return Array(either(one.element, other.element, mixed))
    if isinstance(one, Map) and isinstance(other, Map):
        return Map(either(one.value, other.value, mixed), one.certain and other.certain)
    if one in _TEXT and other in _TEXT:
        return Scalar.STRING
    if {one, other} == {Scalar.BIGINT, Scalar.DOUBLE}:
        return Scalar.DOUBLE
    for this, that in ((one, other), (other, one)):
        if isinstance(this, Decimal) and (isinstance(that, Decimal) or that is Scalar.BIGINT):
            return _wider(this, that if isinstance(that, Decimal) else _BIGINT) or mixed
    for this in (one, other):
        if isinstance(this, Json) or this is Scalar.VARIANT:
            return this
    return mixed


def _wider(one: Decimal, other: Decimal) -> Decimal | None:
    scale = max(one.scale, other.scale)
    precision = max(one.precision - one.scale, other.precision - other.scale) + scale
    return Decimal(precision, scale) if precision <= 38 else None


def _joined(one: Struct, other: Struct, mixed: Json) -> Struct:
    """Return the fields of both; what only one declares may hold anything in a message of the other kind."""
    fields: list[StructField] = []
    for column in one.fields:
        twin = other.by_name.get(column.name)
        fields.append(_uncertain(column) if twin is None else _joined_field(column, twin, mixed))
    lower = {column.name.lower() for column in one.fields}
    fields += [_uncertain(column) for column in other.fields if column.name.lower() not in lower]
    return Struct(tuple(fields), _all_left_out(one, other))


def _uncertain(column: StructField) -> StructField:
    # the same object where nothing changes: thousands of alternatives are joined one by one
    return replace(column, certain=False) if column.certain else column


def _joined_field(one: StructField, other: StructField, mixed: Json) -> StructField:
    return StructField(
        one.name,
        either(one.type, other.type, mixed),
        one.comment or other.comment,
        one.sensitive or other.sensitive,
        one.certain and other.certain,
    )


def _all_left_out(one: Struct, other: Struct) -> tuple[LeftOut, ...]:
    return tuple(dict.fromkeys(one.left_out + other.left_out))


def both(one: SparkType, other: SparkType) -> SparkType:
    """Return the type of a value of type ``one`` and ``other``: the more specific one."""
    if isinstance(one, Json) or one is Scalar.VARIANT:
        return other
    if isinstance(one, Struct) and isinstance(other, Struct):
        twins = [(column, other.by_name.get(column.name)) for column in one.fields]
        fields = [column if twin is None else _both_fields(column, twin) for column, twin in twins]
        lower = {column.name.lower() for column in one.fields}
        fields += [column for column in other.fields if column.name.lower() not in lower]
        return Struct(tuple(fields), _all_left_out(one, other))
    if isinstance(one, Array) and isinstance(other, Array):
        return Array(both(one.element, other.element))
    if isinstance(one, Map) and isinstance(other, Map):
        return Map(both(one.value, other.value), one.certain or other.certain)
    if isinstance(one, Scalar) and isinstance(other, Scalar) and _NARROWER.get(other, 9) < _NARROWER.get(one, 9):
        return other
    return one


def _both_fields(one: StructField, other: StructField) -> StructField:
    if one.certain and not other.certain:
        kind = one.type
    elif other.certain and not one.certain:
        kind = other.type
    else:
        kind = both(one.type, other.type)
    certain = one.certain or other.certain
    return StructField(one.name, kind, one.comment or other.comment, one.sensitive or other.sensitive, certain)
