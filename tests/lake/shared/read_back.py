"""A row of a table held against the data that was sent, column by column, by rules that are not those of the writer."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal as Number
from typing import Any

from babelreg.typemap.spark import Array, Decimal, Json, Map, Scalar, SparkType, Struct

__all__ = ["EXPLAINED", "differences", "number"]

EXPLAINED = {
    "undeclared": "the schema does not declare the property: it stands in data_json alone",
    "absent": "a property that is not there is null in its column",
    "null": "so is one that is null; data_json tells the two apart",
    "instant": "a date-time with an offset or another fraction is the same instant, in UTC and microseconds",
    "json text": "where Spark has no type for what a value may be, its column holds the JSON text of it",
}
"""How a row may differ from what was sent, and why."""

_MEANT: Mapping[SparkType, Callable[[Any], Any]] = {
    Scalar.BIGINT: int,
    Scalar.DOUBLE: float,
    Scalar.BOOLEAN: lambda sent: sent,
    Scalar.STRING: lambda sent: sent,
    Scalar.DATE: date.fromisoformat,
    Scalar.BINARY: base64.b64decode,
    Scalar.TIMESTAMP: lambda sent: datetime.fromisoformat(sent.upper()),
}
"""What a value that was sent is in its column, as Python reads it by itself."""


def number(text: str) -> float | Number:
    """A number as it is written: a float where that is the same number."""
    return float(text) if Number(repr(float(text))) == Number(text) else Number(text)


def exact(value: Any) -> Any:
    """``value`` with its numbers as Decimal: a float stands for the shortest text that it is read from."""
    if isinstance(value, dict):
        return {name: exact(member) for name, member in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    return Number(str(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value


def differences(type_: SparkType, sent: Any, read: Any, path: str) -> Iterator[tuple[str, str]]:
    """How what was read differs from what was sent, value by value; fails where no explanation is known."""
    if sent is None:
        assert read is None, path
        yield "null", path
    elif isinstance(type_, Struct):
        yield from _in_struct(type_, sent, read, path)
    elif isinstance(type_, Array):
        assert len(read) == len(sent), path
        for index, (one, other) in enumerate(zip(sent, read, strict=True)):
            yield from differences(type_.element, one, other, f"{path}/{index}")
    elif isinstance(type_, Map):
        members = dict(read)
        assert members.keys() == sent.keys(), path
        for name, value in sent.items():
            yield from differences(type_.value, value, members[name], f"{path}/{name}")
    else:
        yield _of_scalar(type_, sent, read, path), path


def _in_struct(type_: Struct, sent: Any, read: Any, path: str) -> Iterator[tuple[str, str]]:
    assert read.keys() == type_.by_name.keys(), path
    for name in sent.keys() - type_.by_name.keys():
        yield "undeclared", f"{path}/{name}"
    for name, column in type_.by_name.items():
        if name in sent:
            yield from differences(column.type, sent[name], read[name], f"{path}/{name}")
        else:
            assert read[name] is None, f"{path}/{name}"
            yield "absent", f"{path}/{name}"


def _of_scalar(type_: SparkType, sent: Any, read: Any, path: str) -> str:
    if isinstance(type_, Json):
        assert exact(json.loads(read, parse_float=number)) == exact(sent), path
        return "json text"
    meant = Number(str(sent)) if isinstance(type_, Decimal) else _MEANT[type_](sent)
    assert (type(read), read) == (type(meant), meant), path
    spelled = read.isoformat().replace("+00:00", "Z") if type_ is Scalar.TIMESTAMP else sent
    return "the same" if spelled == sent else "instant"
