"""A table's columns against those that are written: types must agree, new columns are added, absent ones are null."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from babelreg.errors import InputError
from babelreg.schema.field_path import child
from babelreg.spark.platform.formats.table_format import StoredTable
from babelreg.spark.platform.formats.table_layout import JSON_COLUMNS, SENSITIVE_COLUMNS, TableLayout
from babelreg.spark.platform.frame_columns import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType


def check_types(table: StoredTable, layout: TableLayout) -> None:
    """Raise InputError for a column whose type is not that of the table. New and removed columns are no conflict."""
    wanted = _types(layout.schema, json.loads(layout.properties.get(JSON_COLUMNS, "[]")))
    existing = _types(table.schema.jsonValue(), json.loads(table.properties.get(JSON_COLUMNS, "[]")))
    for path, type_ in existing.items():
        now = wanted.get(path, type_)
        if now != type_:
            raise _changed(layout, path, type_, now)


def merged_properties(table: StoredTable, layout: TableLayout) -> dict[str, str]:
    """Return babelreg's properties of ``layout`` that the table has otherwise; removed columns keep theirs."""
    merged = dict(layout.properties)
    if JSON_COLUMNS in merged:
        paths = {*json.loads(merged[JSON_COLUMNS]), *json.loads(table.properties.get(JSON_COLUMNS, "[]"))}
        merged[JSON_COLUMNS] = json.dumps(sorted(paths))
    if SENSITIVE_COLUMNS in merged:
        tags = {**json.loads(table.properties.get(SENSITIVE_COLUMNS, "{}")), **json.loads(merged[SENSITIVE_COLUMNS])}
        merged[SENSITIVE_COLUMNS] = json.dumps(tags, sort_keys=True)
    return {
        key: value for key, value in merged.items() if key[:9] == "babelreg." and table.properties.get(key) != value
    }


def lacks(table: StoredTable, layout: TableLayout) -> bool:
    """Return whether ``layout`` has columns that the table lacks."""
    return not _types(layout.schema).keys() <= _types(table.schema.jsonValue()).keys()


def conformed(frame: DataFrame, table: StructType) -> DataFrame:
    """Return ``frame`` with exactly the columns of ``table``, in its order; those that the frame lacks are null."""
    from pyspark.sql import functions as F

    have = {field.name: field.dataType for field in frame.schema.fields}
    columns = []
    for field in table.fields:
        if field.name in have:
            columns.append(_value(F.col(quoted(field.name)), have[field.name], field.dataType).alias(field.name))
        else:
            columns.append(F.lit(None).cast(field.dataType).alias(field.name))
    return frame.select(*columns)


def described(frame: DataFrame, schema: StructType) -> DataFrame:
    """Return ``frame``, which has the columns of ``schema``, with the comments of these, also within structs."""
    from pyspark.sql import functions as F

    return frame.select(
        *(F.col(quoted(f.name)).cast(f.dataType).alias(f.name, metadata=f.metadata) for f in schema.fields)
    )


def _value(column: Column, have: DataType, want: DataType) -> Column:
    """Return ``column`` as a value of type ``want``: the same, with null for the members that ``have`` lacks."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, MapType, StructType

    if have.simpleString() == want.simpleString():
        return column
    if isinstance(have, StructType) and isinstance(want, StructType):
        types = {field.name: field.dataType for field in have.fields}
        members = [
            (
                _value(column.getField(field.name), types[field.name], field.dataType)
                if field.name in types
                else F.lit(None).cast(field.dataType)
            ).alias(field.name)
            for field in want.fields
        ]
        return F.when(column.isNotNull(), F.struct(*members))
    if isinstance(have, ArrayType) and isinstance(want, ArrayType):
        return F.transform(column, lambda item: _value(item, have.elementType, want.elementType))
    if isinstance(have, MapType) and isinstance(want, MapType):
        return F.transform_values(column, lambda _, value: _value(value, have.valueType, want.valueType))
    return column


def _types(type_: Any, text: Any = (), path: str = "") -> dict[str, str]:
    """Return the type of each column, also of those in others, by path; ``text`` are the paths of JSON text."""
    return dict(_nodes(type_, frozenset(text), path))


def _nodes(type_: Any, text: frozenset[str], path: str) -> Iterator[tuple[str, str]]:
    kind = type_.get("type") if isinstance(type_, Mapping) else None
    if kind == "struct":
        yield path, "STRUCT"
        for field in type_["fields"]:
            yield from _nodes(field["type"], text, child(path, field["name"]))
    elif kind == "array":
        yield path, "ARRAY"
        yield from _nodes(type_["elementType"], text, f"{path}[]")
    elif kind == "map":
        yield path, "MAP"
        yield from _nodes(type_["valueType"], text, f"{path}{{}}")
    else:
        yield path, "JSON" if path in text else _SQL.get(type_, str(type_).upper())


_SQL = {"long": "BIGINT"}


def _changed(layout: TableLayout, path: str, was: str, now: str) -> InputError:
    return InputError(
        f"the table of {layout.holds} has '{path}' as {was}, but the registry now defines it as {now}",
        fix=f"mint a new version (`babelreg mint {shlex.quote(layout.holds)}`), or write to a new schema or folder",
    )
