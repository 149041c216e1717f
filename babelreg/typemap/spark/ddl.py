"""Spark types as SQL and as Spark's own schema JSON."""

from __future__ import annotations

import re
from typing import Any

from babelreg.typemap.spark.types import Array, Decimal, Json, Map, SparkType, Struct, StructField

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
    """Return a column name in SQL, in backticks where it is not a plain word or is a reserved one."""
    if _PLAIN_NAME.match(written) and written.lower() not in _RESERVED:
        return written
    return "`" + written.replace("`", "``") + "`"


def string(written: str) -> str:
    """Return a string literal in Spark SQL. Variables (``${env:HOME}``) are escaped, which Spark would substitute."""
    spelled = "".join(_ESCAPED.get(character, character) for character in written)
    return "'" + spelled.replace("${", "$\\{") + "'"


def ddl_type(type_: SparkType, *, comments: bool = True) -> str:
    """Return the type in SQL: ``STRUCT<minor: BIGINT COMMENT 'Minor units.', currency: STRING>``."""
    if isinstance(type_, Struct):
        return f"STRUCT<{', '.join(_column(column, ': ', comments) for column in type_.fields)}>"
    if isinstance(type_, Array):
        return f"ARRAY<{ddl_type(type_.element, comments=comments)}>"
    if isinstance(type_, Map):
        return f"MAP<STRING, {ddl_type(type_.value, comments=comments)}>"
    if isinstance(type_, Decimal):
        return f"DECIMAL({type_.precision},{type_.scale})"
    return "STRING" if isinstance(type_, Json) else type_.value[0]


def ddl(struct: Struct, *, comments: bool = True) -> str:
    """Return the columns of a table in SQL, as ``from_json`` and ``CREATE TABLE`` take them."""
    return ", ".join(_column(column, " ", comments) for column in struct.fields)


def _column(column: StructField, colon: str, comments: bool) -> str:
    return f"{name(column.name)}{colon}{ddl_type(column.type, comments=comments)}{_comment(column) if comments else ''}"


def _comment(column: StructField) -> str:
    return f" COMMENT {string(column.comment)}" if column.comment else ""


def layout(struct: Struct, indent: int = 4, *, comments: bool = True) -> str:
    """Return the columns of a table in SQL, one per line, nested ones below their struct, for people to read."""
    return ",\n".join(f"{' ' * indent}{_laid_out(column, ' ', indent, comments)}" for column in struct.fields)


def _laid_out(column: StructField, colon: str, indent: int, comments: bool) -> str:
    type_ = _laid_out_type(column.type, indent, comments)
    return f"{name(column.name)}{colon}{type_}{_comment(column) if comments else ''}"


def _laid_out_type(type_: SparkType, indent: int, comments: bool) -> str:
    if isinstance(type_, Struct) and type_.fields:
        inner = indent + 4
        lines = ",\n".join(f"{' ' * inner}{_laid_out(column, ': ', inner, comments)}" for column in type_.fields)
        return f"STRUCT<\n{lines}\n{' ' * indent}>"
    if isinstance(type_, Array):
        return f"ARRAY<{_laid_out_type(type_.element, indent, comments)}>"
    if isinstance(type_, Map):
        return f"MAP<STRING, {_laid_out_type(type_.value, indent, comments)}>"
    return ddl_type(type_)


def as_json(type_: SparkType) -> Any:
    """Return the type as Spark's schema JSON, as ``StructType.fromJson`` reads and ``jsonValue()`` writes it."""
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


def _field_json(column: StructField) -> dict[str, Any]:
    return {"name": column.name, "type": as_json(column.type), "nullable": True, "metadata": metadata(column)}


def metadata(column: StructField) -> dict[str, str]:
    """Return the metadata of a column: its comment, and ``sensitive`` where its values are personal data."""
    values = {"comment": column.comment, "sensitive": column.sensitive}
    return {key: value for key, value in values.items() if value is not None}
