"""Check that the columns of a table can hold the data of one valid message.

A valid message may have a value that no column takes: an integer beyond 64 bits, a leap second, a decimal with more
digits, a text where another variant of the object has a number. ``babelreg.spark`` builds columns of many documents at
once and uses this check only when that fails, to find the document, the value and the reason. ``validate --spark`` uses
it without building any. What the schema has checked already is not checked again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from babelreg.typemap.spark.types import Array, Decimal, Json, Map, Scalar, SparkType, Struct
from babelreg.typemap.spark.values import CHECKED, Fit, Unstorable, decimal, instance_of, writable

__all__ = ["Unstorable", "column_check", "value_check_for"]

_Check = Callable[[Any], object]
"""Takes a value that is not None, and raises Unstorable unless its column can hold it."""


def column_check(struct: Struct) -> _Check:
    """Return a check of ``data`` that raises Unstorable for the first value that its column cannot hold.

    Undeclared properties are not visited: they have no column. Create one per struct and reuse it.
    """
    return _struct(struct, certain=True)


def value_check_for(type_: SparkType) -> Fit | None:
    """Return the check for a value of any JSON type in a column of ``type_``; None where all are accepted."""
    return _value(type_, certain=False)


def _check(type_: SparkType, certain: bool) -> _Check | None:
    """Return the check for one type; None where every value is accepted.

    ``certain``: the schema was asserted, so the value has the JSON type of the column.
    """
    if isinstance(type_, Struct):
        return _struct(type_, certain)
    if isinstance(type_, Array):
        return _array(_check(type_.element, certain), certain)
    if isinstance(type_, Map):
        return _map(_check(type_.value, certain and type_.certain), certain)
    return _value(type_, certain)


def _value(type_: SparkType, certain: bool) -> Fit | None:
    if isinstance(type_, Decimal):
        return decimal(type_)
    if isinstance(type_, Json):
        return writable
    if type_ in CHECKED:
        return CHECKED[type_]
    if certain or type_ is Scalar.VARIANT:
        return None
    return instance_of(bool if type_ is Scalar.BOOLEAN else str)


def _struct(struct: Struct, certain: bool) -> _Check:
    active = [(c.name, check) for c in struct.fields if (check := _check(c.type, certain and c.certain)) is not None]

    def check_struct(value: Any) -> None:
        if type(value) is not dict:
            raise Unstorable("unstorable_type")
        for name, check in active:
            _at(name, value.get(name), check)

    return check_struct


def _array(check: _Check | None, certain: bool) -> _Check | None:
    if check is None and certain:
        return None

    def check_array(value: Any) -> None:
        if type(value) is not list:
            raise Unstorable("unstorable_type")
        if check is not None:
            for index, item in enumerate(value):
                _at(index, item, check)

    return check_array


def _map(check: _Check | None, certain: bool) -> _Check | None:
    if check is None and certain:
        return None

    def check_map(value: Any) -> None:
        if type(value) is not dict:
            raise Unstorable("unstorable_type")
        if check is not None:
            for name, item in value.items():
                _at(name, item, check)

    return check_map


def _at(step: str | int, item: Any, check: _Check) -> None:
    """Check a value one level down; every column accepts null."""
    if item is not None:
        try:
            check(item)
        except Unstorable as problem:
            raise problem.within(step) from None
