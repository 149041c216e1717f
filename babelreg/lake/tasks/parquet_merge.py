"""Merge of small parquet files of one table: rows and their order unchanged, memory bounded by a row group.

Files of one table may differ: a column of ``data`` that was added to the registry later is in the newer files only.
The merged files have all columns, null where a row's file had none; no column changes its type (see ``schema_check``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
from pyarrow import parquet

from babelreg.errors import InputError
from babelreg.lake.arrow.table_schema import writer
from babelreg.lake.storage.log.manifest import RESTORE
from babelreg.lake.storage.parquet import metadata_of, opened

_GROUP_BYTES = 64 * 1024 * 1024
"""Arrow data of one row group, which is in memory at once."""

_READ_BYTES = 8 * 1024 * 1024
_SPARK_COLUMNS = b"org.apache.spark.sql.parquet.row.metadata"


@dataclass(frozen=True, slots=True)
class MergedFiles:
    """Files written by a merge, and their number of rows."""

    files: tuple[Path, ...]
    rows: int


def merge(files: Sequence[Path], folder: Path, *, file_bytes: int) -> MergedFiles:
    """Write the rows of ``files``, in order, to new files in ``folder``, each of about ``file_bytes`` at most.

    Raises InputError for a file that cannot be read or has a column of another type than the files before.
    """
    footers = [_footer(path) for path in files]
    rows = sum(footer.num_rows for footer in footers)
    schema = _merged_schema(
        [footer.schema.to_arrow_schema().with_metadata(footer.metadata) for footer in footers], files
    )
    written: list[Path] = []
    counted = 0
    groups = _groups(
        table for path, footer in zip(files, footers, strict=True) for table in _read(path, footer, schema)
    )
    group = next(groups, None)
    while group is not None:
        path = folder / f"{len(written):05d}-{uuid4().hex}.parquet"
        with writer(path, schema) as target:
            full = False
            while group is not None and not full:
                target.write_table(group, row_group_size=group.num_rows)
                group = next(groups, None)
                full = path.stat().st_size >= file_bytes
        counted += parquet.read_metadata(path).num_rows
        written.append(path)
    if counted != rows:
        raise RuntimeError(f"{rows} rows were to be merged and {counted} were; nothing was changed")
    return MergedFiles(tuple(written), rows)


def _footer(path: Path) -> parquet.FileMetaData:
    try:
        return metadata_of(path)
    except (OSError, pa.ArrowException) as err:
        raise _unreadable(path, err) from err


def _unreadable(path: Path, err: Exception) -> InputError:
    return InputError(f"cannot read {path}, which a manifest lists: {err}", fix=RESTORE)


def _read(path: Path, footer: parquet.FileMetaData, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of a file as ``schema``, a few MiB at a time."""
    try:
        with opened(path, metadata=footer) as file:
            for number in range(footer.num_row_groups):
                group = footer.row_group(number)
                at_once = max(1, _READ_BYTES * group.num_rows // max(1, group.total_byte_size))
                if at_once >= group.num_rows:
                    yield _conform(file.read_row_group(number, use_threads=False), schema)
                    continue
                for batch in file.iter_batches(at_once, row_groups=[number], use_threads=False):
                    yield _conform(pa.Table.from_batches([batch]), schema)
    except (OSError, pa.ArrowException) as err:
        raise _unreadable(path, err) from err


def _conform(table: pa.Table, schema: pa.Schema) -> pa.Table:
    if table.schema.equals(schema):
        return table.replace_schema_metadata(schema.metadata)
    columns = [
        table[field.name].cast(field.type) if field.name in table.schema.names else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def _groups(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Collect the tables into groups large enough for a row group."""
    group: list[pa.Table] = []
    size = 0
    for table in tables:
        group.append(table)
        size += table.nbytes
        if size >= _GROUP_BYTES:
            yield pa.concat_tables(group)
            group, size = [], 0
    if group:
        yield pa.concat_tables(group)


def _merged_schema(schemas: Sequence[pa.Schema], files: Sequence[Path]) -> pa.Schema:
    """Return the schema with all columns, in the order of the newest. Raises InputError where types differ."""
    if all(schema.equals(schemas[-1], check_metadata=True) for schema in schemas):
        return schemas[-1]
    types: dict[str, pa.DataType] = {}
    for schema, path in zip(reversed(schemas), reversed(files), strict=True):
        for name, type_ in _leaves(schema):
            if types.setdefault(name, type_) != type_:
                raise InputError(f"{path} has '{name}' as {type_}, newer files have it as {types[name]}", fix=RESTORE)
    schema = pa.unify_schemas(list(reversed(schemas)), promote_options="permissive")
    descriptions = [_spark_schema(schema) for schema in reversed(schemas)]
    if not all(descriptions):
        return schema.remove_metadata()
    struct = descriptions[0]
    for description in descriptions[1:]:
        struct = _merged_type(struct, description)
    newest = {**(schemas[-1].metadata or {}), _SPARK_COLUMNS: json.dumps(struct, ensure_ascii=False).encode()}
    return schema.with_metadata(newest)


def _leaves(type_: pa.Schema | pa.DataType, path: str = "") -> Iterator[tuple[str, pa.DataType]]:
    """Yield the columns that hold values, and each container with its kind, so that a kind cannot change either."""
    if isinstance(type_, pa.Schema) or pa.types.is_struct(type_):
        yield path, pa.struct([])
        for field in type_:
            yield from _leaves(field.type, f"{path}.{field.name}" if path else field.name)
    elif pa.types.is_map(type_):
        yield path, pa.map_(pa.string(), pa.null())
        yield from _leaves(type_.item_type, f"{path}{{}}")
    elif pa.types.is_list(type_):
        yield path, pa.list_(pa.null())
        yield from _leaves(type_.value_type, f"{path}[]")
    else:
        yield path, type_


def _spark_schema(schema: pa.Schema) -> Any:
    """Return Spark's description of the columns in the file's metadata, which takes precedence; None if absent."""
    text = (schema.metadata or {}).get(_SPARK_COLUMNS)
    return json.loads(text) if text else None


def _merged_type(newer: Any, older: Any) -> Any:
    """Merge two of Spark's type descriptions; the members of both are kept."""
    if not isinstance(newer, Mapping) or not isinstance(older, Mapping) or newer.get("type") != older.get("type"):
        return newer
    if newer.get("type") == "struct":
        older_fields = {field["name"]: field for field in older["fields"]}
        fields = [
            {**field, "type": _merged_type(field["type"], older_fields.pop(field["name"], field)["type"])}
            for field in newer["fields"]
        ]
        return {**newer, "fields": [*fields, *older_fields.values()]}
    inner = {"array": "elementType", "map": "valueType"}.get(str(newer.get("type")))
    return {**newer, inner: _merged_type(newer[inner], older[inner])} if inner else newer
