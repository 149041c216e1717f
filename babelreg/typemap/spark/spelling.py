"""How Spark types are written: as SQL, as PySpark source, as Spark's own schema JSON."""

from __future__ import annotations

import re
from typing import Any

from babelreg.typemap.spark.types import Array, Decimal, Field, Json, Map, SparkType, Struct

__all__ = ["as_json", "classes", "ddl", "name", "source", "sql", "string", "text"]

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_RESERVED = frozenset(
    """
    all and anti any array as asc at between both bucket by case cast check cluster collate column constraint
    create cross cube current current_date current_time current_timestamp current_user date day default delete
    desc describe distinct drop else end escape except exists explode external false fetch filter for foreign
    from full function global grant group grouping having hour if in index inner insert intersect interval into
    is join key lateral leading left like limit local location map minus minute month natural no not null of
    offset on only option or order out outer over overlaps partition position primary range references
    repeatable replace revoke right rollup row rows second select semi session_user set some start struct table
    tablesample then time timestamp to trailing true truncate union unique unknown update user using values view
    when where window with within year
    """.split()  # noqa: SIM905 -- ninety words are read more easily than ninety literals
)
_ESCAPED = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def name(written: str) -> str:
    """A column name in SQL, in backticks where it is no plain word or one that SQL uses itself."""
    if _PLAIN_NAME.match(written) and written.lower() not in _RESERVED:
        return written
    return "`" + written.replace("`", "``") + "`"


def string(written: str) -> str:
    """A string literal in Spark SQL."""
    return "'" + "".join(_ESCAPED.get(character, character) for character in written) + "'"


def sql(type_: SparkType) -> str:
    """The type in SQL: ``STRUCT<minor: BIGINT COMMENT 'Minor units.', currency: STRING>``."""
    if isinstance(type_, Struct):
        return f"STRUCT<{', '.join(_column(column, ': ') for column in type_.fields)}>"
    if isinstance(type_, Array):
        return f"ARRAY<{sql(type_.element)}>"
    if isinstance(type_, Map):
        return f"MAP<STRING, {sql(type_.value)}>"
    if isinstance(type_, Decimal):
        return f"DECIMAL({type_.precision},{type_.scale})"
    return "STRING" if isinstance(type_, Json) else type_.value[0]


def ddl(struct: Struct, separator: str = ", ") -> str:
    """The columns of a table in SQL, as ``from_json`` and ``CREATE TABLE`` take them."""
    return separator.join(_column(column, " ") for column in struct.fields)


def _column(column: Field, colon: str) -> str:
    comment = f" COMMENT {string(column.comment)}" if column.comment else ""
    return f"{name(column.name)}{colon}{sql(column.type)}{comment}"


def as_json(type_: SparkType) -> Any:
    """The type as Spark's schema JSON: what ``StructType.fromJson`` reads and ``jsonValue()`` gives."""
    if isinstance(type_, Struct):
        return {"type": "struct", "fields": [_field_json(column) for column in type_.fields]}
    if isinstance(type_, Array):
        return {"type": "array", "elementType": as_json(type_.element), "containsNull": True}
    if isinstance(type_, Map):
        value = as_json(type_.value)
        return {"type": "map", "keyType": "string", "valueType": value, "valueContainsNull": True}
    if isinstance(type_, Decimal):
        return f"decimal({type_.precision},{type_.scale})"
    return "string" if isinstance(type_, Json) else type_.value[1]


def _field_json(column: Field) -> dict[str, Any]:
    return {"name": column.name, "type": as_json(column.type), "nullable": True, "metadata": _metadata(column)}


def _metadata(column: Field) -> dict[str, str]:
    found = {"comment": column.comment, "sensitive": column.sensitive}
    return {key: value for key, value in found.items() if value is not None}


def classes(type_: SparkType) -> set[str]:
    """The names that :func:`source` needs from ``pyspark.sql.types``."""
    if isinstance(type_, Struct):
        return {"StructType", "StructField"}.union(*(classes(column.type) for column in type_.fields))
    if isinstance(type_, Array):
        return {"ArrayType"} | classes(type_.element)
    if isinstance(type_, Map):
        return {"MapType", "StringType"} | classes(type_.value)
    if isinstance(type_, Decimal):
        return {"DecimalType"}
    return {"StringType"} if isinstance(type_, Json) else {type_.value[2]}


def source(type_: SparkType, indent: int = 0, width: int = 88, used: int = 0) -> str:
    """The type as PySpark source, laid out as ``ruff format`` would.

    ``indent`` counts spaces before its first line, ``used`` the characters that share its first and last line.
    """
    flat = _flat(type_)
    if flat is not None and indent + used + len(flat) <= width:
        return flat
    inner = indent + 4
    if isinstance(type_, Struct):
        lines = [_field_source(column, inner, width) for column in type_.fields]
        body = "".join(f"{' ' * (inner + 4)}{line},\n" for line in lines)
        return f"StructType(\n{' ' * inner}[\n{body}{' ' * inner}]\n{' ' * indent})"
    if isinstance(type_, Array):
        return _call("ArrayType", [source(type_.element, inner, width, 1)], indent)
    if isinstance(type_, Map):
        return _call("MapType", ["StringType()", source(type_.value, inner, width, 1)], indent)
    return flat or ""


def _flat(type_: SparkType) -> str | None:
    """On one line; None for a struct, which always takes several."""
    if isinstance(type_, Struct):
        return None if type_.fields else "StructType([])"
    if isinstance(type_, Array):
        inner = _flat(type_.element)
        return None if inner is None else f"ArrayType({inner})"
    if isinstance(type_, Map):
        inner = _flat(type_.value)
        return None if inner is None else f"MapType(StringType(), {inner})"
    if isinstance(type_, Decimal):
        return f"DecimalType({type_.precision}, {type_.scale})"
    return "StringType()" if isinstance(type_, Json) else f"{type_.value[2]}()"


def _field_source(column: Field, indent: int, width: int) -> str:
    inner = indent + 4
    found = _metadata(column)
    flat = _flat(column.type)
    pairs = [f"{text(key)}: {text(value)}" for key, value in found.items()]
    metadata = f"metadata={{{', '.join(pairs)}}}"
    if flat is not None:
        line = f"StructField({', '.join([text(column.name), flat, *([metadata] if found else [])])})"
        if inner + len(line) + 1 <= width:
            return line
    if found and inner + 4 + len(metadata) + 1 > width:
        pad = " " * (inner + 8)
        metadata = "metadata={\n" + "".join(f"{pad}{pair},\n" for pair in pairs) + f"{' ' * (inner + 4)}}}"
    parts = [text(column.name), source(column.type, inner + 4, width, 1), *([metadata] if found else [])]
    return _call("StructField", parts, inner)


def _call(function: str, arguments: list[str], indent: int) -> str:
    body = "".join(f"{' ' * (indent + 4)}{argument},\n" for argument in arguments)
    return f"{function}(\n{body}{' ' * indent})"


def text(written: str) -> str:
    """A Python string literal, in double quotes where that costs no backslash."""
    spelled = repr(written)
    if spelled[0] == "'" and '"' not in spelled:
        return f'"{spelled[1:-1]}"'
    return spelled
