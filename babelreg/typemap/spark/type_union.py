"""Union and intersection of Spark types: :func:`either` holds values of both types, :func:`both` is narrower."""

from __future__ import annotations

from dataclasses import replace

from babelreg.typemap.spark.column_names import folded
from babelreg.typemap.spark.types import Array, Decimal, Json, LeftOut, Map, Scalar, SparkType, Struct, StructField

_TEXT = (Scalar.STRING, Scalar.DATE, Scalar.TIMESTAMP, Scalar.BINARY)
_BIGINT = Decimal(19, 0)
_NARROWER = {Scalar.BIGINT: 1, Scalar.DOUBLE: 2, Scalar.DATE: 1, Scalar.TIMESTAMP: 1, Scalar.STRING: 2}


def either(first: SparkType, second: SparkType, mixed: Json) -> SparkType:
    """Return the type of a value of type ``first`` or ``second``; ``mixed`` where only JSON text holds both."""
    if isinstance(first, Struct) and isinstance(second, Struct):
        return _joined(first, second, mixed)
    if first == second:
        return first
    if isinstance(first, Array) and isinstance(second, Array):
        return Array(either(first.element, second.element, mixed))
    if isinstance(first, Map) and isinstance(second, Map):
        return Map(either(first.value, second.value, mixed), first.certain and second.certain)
    if first in _TEXT and second in _TEXT:
        return Scalar.STRING
    if {first, second} == {Scalar.BIGINT, Scalar.DOUBLE}:
        return Scalar.DOUBLE
    for this, that in ((first, second), (second, first)):
        if isinstance(this, Decimal) and (isinstance(that, Decimal) or that is Scalar.BIGINT):
            return _wider(this, that if isinstance(that, Decimal) else _BIGINT) or mixed
    for this in (first, second):
        if isinstance(this, Json) or this is Scalar.VARIANT:
            return this
    return mixed


def _wider(first: Decimal, second: Decimal) -> Decimal | None:
    scale = max(first.scale, second.scale)
    precision = max(first.precision - first.scale, second.precision - second.scale) + scale
    return Decimal(precision, scale) if precision <= 38 else None


def _joined(first: Struct, second: Struct, mixed: Json) -> Struct:
    """Return the fields of both; what only one declares may hold anything in a message of the other kind."""
    fields: list[StructField] = []
    for column in first.fields:
        twin = second.by_name.get(column.name)
        fields.append(_uncertain(column) if twin is None else _joined_field(column, twin, mixed))
    lower = {folded(column.name) for column in first.fields}
    fields += [_uncertain(column) for column in second.fields if folded(column.name) not in lower]
    return Struct(tuple(fields), _all_left_out(first, second))


def _uncertain(column: StructField) -> StructField:
    # the same object where nothing changes: thousands of alternatives are joined one by one
    return replace(column, certain=False) if column.certain else column


def _joined_field(first: StructField, second: StructField, mixed: Json) -> StructField:
    return StructField(
        first.name,
        either(first.type, second.type, mixed),
        first.comment or second.comment,
        first.sensitive or second.sensitive,
        first.certain and second.certain,
    )


def _all_left_out(first: Struct, second: Struct) -> tuple[LeftOut, ...]:
    return tuple(dict.fromkeys(first.left_out + second.left_out))


def both(first: SparkType, second: SparkType) -> SparkType:
    """Return the type of a value of type ``first`` and ``second``: the more specific one."""
    if isinstance(first, Json) or first is Scalar.VARIANT:
        return second
    if isinstance(first, Struct) and isinstance(second, Struct):
        twins = [(column, second.by_name.get(column.name)) for column in first.fields]
        fields = [column if twin is None else _both_fields(column, twin) for column, twin in twins]
        lower = {folded(column.name) for column in first.fields}
        fields += [column for column in second.fields if folded(column.name) not in lower]
        return Struct(tuple(fields), _all_left_out(first, second))
    if isinstance(first, Array) and isinstance(second, Array):
        return Array(both(first.element, second.element))
    if isinstance(first, Map) and isinstance(second, Map):
        return Map(both(first.value, second.value), first.certain or second.certain)
    if isinstance(first, Scalar) and isinstance(second, Scalar) and _NARROWER.get(second, 9) < _NARROWER.get(first, 9):
        return second
    return first


def _both_fields(first: StructField, second: StructField) -> StructField:
    if first.certain and not second.certain:
        kind = first.type
    elif second.certain and not first.certain:
        kind = second.type
    else:
        kind = both(first.type, second.type)
    certain = first.certain or second.certain
    return StructField(first.name, kind, first.comment or second.comment, first.sensitive or second.sensitive, certain)
