"""JSON values as SQL literals of a column's type."""

from __future__ import annotations

import json
from typing import Any

from babelreg.typemap.spark.column_check import value_check_for
from babelreg.typemap.spark.ddl import ddl_type, string
from babelreg.typemap.spark.types import Array, Decimal, Json, Map, Scalar, SparkType, Struct
from babelreg.typemap.spark.values import Unstorable


def null(type_: SparkType) -> str:
    """Return NULL of ``type_``."""
    return f"CAST(NULL AS {ddl_type(type_, comments=False)})"


def literal(value: Any, type_: SparkType) -> str:
    """Return ``value`` in SQL. Raises Unstorable if no column of ``type_`` holds it."""
    if value is None:
        return null(type_)
    if isinstance(type_, Struct):
        return _struct(value, type_)
    if isinstance(type_, Array):
        _require(value, list)
        items = ", ".join(literal(item, type_.element) for item in value)
        return f"array({items})" if value else f"CAST(array() AS {ddl_type(type_, comments=False)})"
    if isinstance(type_, Map):
        _require(value, dict)
        pairs = ", ".join(f"{string(key)}, {literal(item, type_.value)}" for key, item in value.items())
        return f"map({pairs})" if value else f"CAST(map() AS {ddl_type(type_, comments=False)})"
    return _scalar(value, type_)


def _struct(value: Any, type_: Struct) -> str:
    _require(value, dict)
    members = (f"{string(c.name)}, {literal(value.get(c.name), c.type)}" for c in type_.fields)
    return f"named_struct({', '.join(members)})"


def _require(value: Any, kind: type) -> None:
    if type(value) is not kind:
        raise Unstorable("unstorable_type")


def _scalar(value: Any, type_: SparkType) -> str:
    if isinstance(type_, Json):
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, dict | list):
            raise Unstorable("unstorable_type")  # its canonical text is written by the Arrow pass alone
        return string(json.dumps(value, ensure_ascii=False))
    if type_ is Scalar.VARIANT:
        raise Unstorable("unstorable_type")
    check = value_check_for(type_)
    fitted = value if check is None else check(value)
    if type_ is Scalar.STRING:
        return string(fitted)
    if type_ is Scalar.BOOLEAN:
        return "TRUE" if fitted else "FALSE"
    if type_ is Scalar.BINARY:
        return f"unbase64({string(fitted)})"
    if type_ is Scalar.DOUBLE:
        return f"CAST('{float(fitted)!r}' AS DOUBLE)"
    spelled = repr(fitted) if isinstance(fitted, float) else str(fitted)
    assert isinstance(type_, Decimal) or type_ in (Scalar.BIGINT, Scalar.DATE, Scalar.TIMESTAMP)
    return f"CAST({string(spelled)} AS {ddl_type(type_)})"
