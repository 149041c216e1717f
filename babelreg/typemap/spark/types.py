"""Spark types as plain frozen data."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from babelreg.schema.field_path import child
from babelreg.schema.pointer import Pointer


class Scalar(enum.Enum):
    """A type without parameters. The value is (name in SQL, name in Spark's schema JSON, class in PySpark)."""

    BIGINT = ("BIGINT", "long", "LongType")
    DOUBLE = ("DOUBLE", "double", "DoubleType")
    BOOLEAN = ("BOOLEAN", "boolean", "BooleanType")
    STRING = ("STRING", "string", "StringType")
    DATE = ("DATE", "date", "DateType")
    TIMESTAMP = ("TIMESTAMP", "timestamp", "TimestampType")
    BINARY = ("BINARY", "binary", "BinaryType")
    VARIANT = ("VARIANT", "variant", "VariantType")


@dataclass(frozen=True, slots=True)
class Json:
    """``STRING`` that holds JSON text: a text value is in quotes there.

    ``why`` is the reason for JSON text, ``pointer`` its place in the schema. Neither counts when types are compared.
    """

    why: str = field(default="", compare=False)
    pointer: Pointer = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Decimal:
    """``DECIMAL(precision, scale)``: at most 38 digits, ``scale`` of them after the point."""

    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class Array:
    """``ARRAY<element>``."""

    element: SparkType


@dataclass(frozen=True, slots=True)
class Map:
    """``MAP<STRING, value>``. ``certain`` as in :class:`StructField`, for every value."""

    value: SparkType
    certain: bool = True


@dataclass(frozen=True, slots=True)
class StructField:
    """One column of a struct. ``name`` is also the JSON key.

    ``comment`` is one line of plain text. ``sensitive`` is the category of ``x-gdpr-sensitive``. ``certain`` is False
    where a valid message may hold a value of another type there: not every variant of the object declares it.
    """

    name: str
    type: SparkType
    comment: str | None = None
    sensitive: str | None = None
    certain: bool = True


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A property that has no column. ``name`` is ``*`` for all undeclared properties."""

    name: str
    why: str
    pointer: Pointer


@dataclass(frozen=True)
class Struct:
    """``STRUCT<...>``, and as the outermost one the columns of a table."""

    fields: tuple[StructField, ...] = ()
    left_out: tuple[LeftOut, ...] = field(default=(), compare=False)

    @cached_property
    def by_name(self) -> dict[str, StructField]:
        """The fields by name, in order."""
        return {column.name: column for column in self.fields}


SparkType = Scalar | Json | Decimal | Array | Map | Struct


def leaves(type_: SparkType, path: str = "") -> Iterator[tuple[str, SparkType]]:
    """Yield every column of values as (path, type): ``("lines[].qty", Scalar.BIGINT)``; ``{}`` is any map key."""
    if isinstance(type_, Struct):
        for column in type_.fields:
            yield from leaves(column.type, child(path, column.name))
    elif isinstance(type_, Array):
        yield from leaves(type_.element, f"{path}[]")
    elif isinstance(type_, Map):
        yield from leaves(type_.value, f"{path}{{}}")
    else:
        yield path, type_
