"""Spark types as PySpark source, formatted as by ``ruff format``."""

from __future__ import annotations

from babelreg.typemap.python.names import in_lines, literal
from babelreg.typemap.spark.ddl import metadata as metadata_of
from babelreg.typemap.spark.types import Array, Decimal, Json, Map, SparkType, Struct, StructField

_LONGEST = 120


def classes(type_: SparkType) -> set[str]:
    """Return the names that :func:`source` needs from ``pyspark.sql.types``."""
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
    """Return the type as PySpark source.

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
    """Return the source on one line; None for a struct, which always takes several."""
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


def _field_source(column: StructField, indent: int, width: int) -> str:
    inner = indent + 4
    entries = metadata_of(column)
    flat = _flat(column.type)
    pairs = [f"{text(key)}: {text(value)}" for key, value in entries.items()]
    metadata = f"metadata={{{', '.join(pairs)}}}"
    if flat is not None:
        line = f"StructField({', '.join([text(column.name), flat, *([metadata] if entries else [])])})"
        if inner + len(line) + 1 <= width:
            return line
    if entries and inner + 4 + len(metadata) + 1 > width:
        pad = " " * (inner + 8)
        pairs = [f"{text(key)}: {_text(value, len(pad), len(text(key)) + 2)}" for key, value in entries.items()]
        metadata = "metadata={\n" + "".join(f"{pad}{pair},\n" for pair in pairs) + f"{' ' * (inner + 4)}}}"
    parts = [text(column.name), source(column.type, inner + 4, width, 1), *([metadata] if entries else [])]
    return _call("StructField", parts, inner)


def _text(value: str, indent: int, used: int) -> str:
    """Return ``value`` as a literal, or as several that Python joins where one would be too long."""
    spelled = text(value)
    return spelled if indent + used + len(spelled) + 1 <= _LONGEST else in_lines(value, indent)


def _call(function: str, arguments: list[str], indent: int) -> str:
    body = "".join(f"{' ' * (indent + 4)}{argument},\n" for argument in arguments)
    return f"{function}(\n{body}{' ' * indent})"


def text(written: str) -> str:
    """Return a Python string literal, in the quotes that cost the fewest backslashes."""
    spelled = literal(written)
    if written.count('"') <= written.count("'"):
        return spelled
    return "'" + spelled[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"
