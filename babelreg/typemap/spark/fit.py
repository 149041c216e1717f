"""Which valid data the columns can hold, asked of one document at a time.

A valid message may carry what no column takes: an integer beyond 64 bits, a leap second, a decimal of more digits, a
text where another variant of the object has a number. ``babelreg.spark`` makes columns of many documents at once and
asks here only when that fails: which one it was, which value and why. ``validate --spark`` asks without making any.
What is left unchecked is what the schema has checked already.
"""

from __future__ import annotations

from typing import Any

from babelreg.typemap.spark.types import Array, Decimal, Json, Map, Scalar, SparkType, Struct
from babelreg.typemap.spark.values import CHECKED, Fit, Unstorable, decimal, instance_of, json_text

__all__ = ["Unstorable", "fitter", "value_fit"]


def fitter(struct: Struct) -> Fit:
    """One pass over ``data``: raises Unstorable for the first value that its column cannot hold.

    The result is ``data`` itself where the columns say it as it stands; else a copy in which integral floats are
    integers, undeclared properties are gone (their depth and digits are no column's concern), and values of JSON text
    columns are text. ``data`` is never changed. Make one per struct and keep it.
    """
    return _struct(struct, certain=True)


def value_fit(type_: SparkType) -> Fit | None:
    """The check for one value of ``type_``, of any JSON type; None where every value goes in."""
    return _fit(type_, certain=False)


def _fit(type_: SparkType, certain: bool) -> Fit | None:
    """The check for one type; None where every value goes in as it is.

    ``certain``: the schema was asserted, so that the value has the JSON type the column is made for.
    """
    if isinstance(type_, Struct):
        return _struct(type_, certain)
    if isinstance(type_, Array):
        return _array(_fit(type_.element, certain), certain)
    if isinstance(type_, Map):
        return _map(_fit(type_.value, certain and type_.certain), certain)
    if isinstance(type_, Decimal):
        return decimal(type_)
    if isinstance(type_, Json):
        return json_text()
    if type_ in CHECKED:
        return CHECKED[type_]
    if certain or type_ is Scalar.VARIANT:
        return None
    return instance_of(bool if type_ is Scalar.BOOLEAN else str)


def _struct(struct: Struct, certain: bool) -> Fit:
    names = frozenset(struct.by_name)
    active = [(c.name, fit) for c in struct.fields if (fit := _fit(c.type, certain and c.certain)) is not None]

    def fit_struct(value: Any) -> Any:
        if type(value) is not dict:
            raise Unstorable("unstorable_type")
        changed: dict[str, Any] | None = None
        for name, fit in active:
            old = value.get(name)
            if old is None:
                continue
            try:
                new = fit(old)
            except Unstorable as problem:
                raise problem.within(name) from None
            if new is not old:
                changed = changed or dict(value)
                changed[name] = new
        if value.keys() <= names:
            return value if changed is None else changed
        return {name: item for name, item in (changed or value).items() if name in names}

    return fit_struct


def _array(fit: Fit | None, certain: bool) -> Fit | None:
    if fit is None and certain:
        return None

    def fit_array(value: Any) -> Any:
        if type(value) is not list:
            raise Unstorable("unstorable_type")
        if fit is None:
            return value
        changed: list[Any] | None = None
        for index, old in enumerate(value):
            if old is None:
                continue
            try:
                new = fit(old)
            except Unstorable as problem:
                raise problem.within(index) from None
            if new is not old:
                changed = changed or list(value)
                changed[index] = new
        return value if changed is None else changed

    return fit_array


def _map(fit: Fit | None, certain: bool) -> Fit | None:
    if fit is None and certain:
        return None

    def fit_map(value: Any) -> Any:
        if type(value) is not dict:
            raise Unstorable("unstorable_type")
        if fit is None:
            return value
        changed: dict[str, Any] | None = None
        for name, old in value.items():
            if old is None:
                continue
            try:
                new = fit(old)
            except Unstorable as problem:
                raise problem.within(name) from None
            if new is not old:
                changed = changed or dict(value)
                changed[name] = new
        return value if changed is None else changed

    return fit_map
