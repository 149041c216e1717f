"""The operations ``cast`` and ``map`` on one value of a tree of symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from babelreg.contract.upcast import UpcastError, compiled
from babelreg.schema.values import as_integer, is_integral
from babelreg.typemap.spark.ddl import ddl_type, string
from babelreg.typemap.spark.types import Array, Decimal, Map, Scalar, SparkType, Struct
from babelreg.typemap.spark.upcast.sql_literals import literal
from babelreg.typemap.spark.upcast.value_tree import (
    ArrayItems,
    ColumnSql,
    ConstantValue,
    ObjectValue,
    RowFailure,
    UntranslatableUpcast,
    ValueNode,
)
from babelreg.typemap.spark.values import Unstorable

_DIGITS = Decimal(38, 0)
_EXACT_DOUBLE = 2**53


def cast(node: ValueNode, kind: str, path: str, why: str, failures: list[RowFailure]) -> ValueNode:
    """Return ``node`` after a cast of ``contract.upcast.CASTS``; ``why`` begins the reason of rows that fail."""
    if isinstance(node, ConstantValue):
        return _constant(node, {"cast": {"value": kind}}, path)
    source = "string" if kind == "string->integer" else "integer"
    if isinstance(node, ColumnSql):
        column, type_ = node.sql, node.type
        if kind == "string->integer" and type_ is Scalar.STRING:
            number = f"try_cast({column} AS {ddl_type(_DIGITS)})"
            exact = f"coalesce(CAST({number} AS STRING) = {column}, FALSE) OR {column} = '-0'"
            failures.append(
                RowFailure(
                    f"({column} IS NOT NULL AND NOT ({exact}))", f"{why}: {path} is not a string of an integer's digits"
                )
            )
            return ColumnSql(number, _DIGITS)
        if source == "integer" and (type_ is Scalar.BIGINT or (isinstance(type_, Decimal) and type_.scale == 0)):
            return ColumnSql(f"CAST({column} AS STRING)", Scalar.STRING) if kind == "integer->string" else node
    raise UntranslatableUpcast(f"{path} is not a column of type {source}")


def mapped_values(
    node: ValueNode, table: Mapping[str, Any], path: str, why: str, failures: list[RowFailure]
) -> ValueNode:
    """Return ``node`` with the values that ``table`` lists replaced."""
    if isinstance(node, ConstantValue):
        return _constant(node, {"map": {"value": dict(table)}}, path)
    if "null" in table:
        raise UntranslatableUpcast(f"{path}: a column does not distinguish null, which is mapped, from an absent value")
    if isinstance(node, ObjectValue | ArrayItems):
        return node
    if not isinstance(node, ColumnSql):
        raise UntranslatableUpcast(f"{path} has no column")
    if isinstance(node.type, Array | Map | Struct):
        return node
    column, type_ = node.sql, node.type
    if type_ is Scalar.DATE:
        column, type_ = f"CAST({column} AS STRING)", Scalar.STRING
    keys = {key: spelled for key in table if (spelled := _key(key, type_, path)) is not None}
    if not keys:
        return node
    return _cases(column, type_, {spelled: table[key] for key, spelled in keys.items()}, path, why, failures)


def _constant(node: ConstantValue, operation: Mapping[str, Any], path: str) -> ConstantValue:
    try:
        return ConstantValue(compiled([operation]).apply({"value": node.value})["value"])
    except UpcastError as err:
        raise UntranslatableUpcast(f"{path}: {err.message}") from None


def _key(key: str, type_: SparkType, path: str) -> str | None:
    """Return a key of a table in SQL, or None if no value of ``type_`` has it."""
    if type_ is Scalar.STRING:
        return string(key)
    if type_ is Scalar.BOOLEAN:
        return {"true": "TRUE", "false": "FALSE"}.get(key)
    if type_ is Scalar.BIGINT or (isinstance(type_, Decimal) and type_.scale == 0):
        try:
            return literal(int(key), type_) if len(key) < 40 and str(int(key)) == key else None
        except (ValueError, Unstorable):
            return None
    if type_ is Scalar.DOUBLE:
        return _double_key(key, path)
    raise UntranslatableUpcast(f"{path} is of type {ddl_type(type_)}, whose JSON is not in the column")


def _double_key(key: str, path: str) -> str | None:
    try:
        number = float(key)
    except ValueError:
        return None
    if not math.isfinite(number) or key != (str(as_integer(number)) if is_integral(number) else str(number)):
        return None
    if abs(number) > _EXACT_DOUBLE:
        raise UntranslatableUpcast(f"{path}: a double does not distinguish {key} from other integers")
    return literal(number, Scalar.DOUBLE)


def _cases(
    column: str, type_: SparkType, values: Mapping[str, Any], path: str, why: str, failures: list[RowFailure]
) -> ColumnSql:
    for result in dict.fromkeys((type_, Scalar.STRING, Scalar.BIGINT, Scalar.DOUBLE, Scalar.BOOLEAN)):
        try:
            whens = " ".join(f"WHEN {key} THEN {literal(value, result)}" for key, value in values.items())
        except Unstorable:
            continue
        if result == type_:
            return ColumnSql(f"CASE {column} {whens} ELSE {column} END", result)
        if type_ is Scalar.BIGINT and result is Scalar.DOUBLE:
            return ColumnSql(f"CASE {column} {whens} ELSE CAST({column} AS DOUBLE) END", result)
        listed = ", ".join(values)
        failures.append(
            RowFailure(
                f"({column} IS NOT NULL AND {column} NOT IN ({listed}))",
                f"{why}: {path} has an unlisted value of a different type than the listed ones",
            )
        )
        return ColumnSql(f"CASE {column} {whens} END", result)
    raise UntranslatableUpcast(f"{path}: the table's values have several types")
