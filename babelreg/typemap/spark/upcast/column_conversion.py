"""Conversion of a column to another type, for values that JSON spells the same way.

An integer is also a number, a day and an instant are text that follows a format. A value that the new type does not
hold makes the row fail, as it makes a message unstorable. Pairs that JSON spells differently, such as an integer where
text is wanted, are refused: the upcast lacks a ``cast``.
"""

from __future__ import annotations

from collections.abc import Callable

from babelreg.typemap.spark.ddl import ddl_type, string
from babelreg.typemap.spark.types import Decimal, Json, Scalar, SparkType
from babelreg.typemap.spark.upcast.value_tree import RowFailure, UntranslatableUpcast

# (?!.) in place of $, which also matches before a newline at the end
_INSTANT = (
    "(?s)^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?"
    "(Z|[+-](0[0-9]|1[0-7]):[0-5][0-9])(?!.)"
)


def converted(sql: str, have: SparkType, want: SparkType, path: str, failures: list[RowFailure]) -> str:
    """Return ``sql`` as a value of type ``want``; neither type is nested. Adds to ``failures``.

    Raises UntranslatableUpcast if the types do not agree.
    """
    if have == want:
        return sql
    if have is Scalar.DATE and want is Scalar.STRING:
        return f"CAST({sql} AS STRING)"
    if want is Scalar.DOUBLE and (have is Scalar.BIGINT or _is_integer(have)):
        return f"CAST({sql} AS DOUBLE)"
    conversion = _conversion(have, want)
    if conversion is None:
        raise UntranslatableUpcast(f"{path} is {_spelled(have)} before and {_spelled(want)} after it")
    kind, convert = conversion
    new, exact = convert(sql, ddl_type(want))
    failures.append(
        RowFailure(
            f"({sql} IS NOT NULL AND NOT coalesce({exact}, FALSE))",
            f"unstorable_{kind}: no column holds this {kind}: {path}",
        )
    )
    return new


_Conversion = Callable[[str, str], tuple[str, str]]
"""Function that returns the converted value, null where it fails, and the condition that it is exact."""


def _conversion(have: SparkType, want: SparkType) -> tuple[str, _Conversion] | None:
    if want is Scalar.BIGINT and _is_integer(have):
        return "integer", _number
    if isinstance(want, Decimal) and (have is Scalar.BIGINT or isinstance(have, Decimal)):
        return "decimal", _number
    if have is Scalar.STRING and want is Scalar.DATE:
        return "date", _day
    if have is Scalar.STRING and want is Scalar.TIMESTAMP:
        return "timestamp", _instant
    return None


def _is_integer(type_: SparkType) -> bool:
    return isinstance(type_, Decimal) and type_.scale == 0


def _number(sql: str, type_: str) -> tuple[str, str]:
    new = f"try_cast({sql} AS {type_})"
    return new, f"{new} = {sql}"


def _day(sql: str, type_: str) -> tuple[str, str]:
    new = f"try_cast({sql} AS {type_})"
    return new, f"CAST({new} AS STRING) = {sql} AND {sql} >= '0001'"


def _instant(sql: str, type_: str) -> tuple[str, str]:
    new = f"try_cast(upper({sql}) AS {type_})"
    return new, f"{new} IS NOT NULL AND upper({sql}) RLIKE {string(_INSTANT)} AND {sql} >= '0001'"


def _spelled(type_: SparkType) -> str:
    return "JSON text" if isinstance(type_, Json) else ddl_type(type_, comments=False)
