"""Parquet schemas of tables and of the quarantine, and the writer of their files.

A table has the envelope's columns, the position of the message, ``data`` typed and ``data_json``; that of a message
with aliases also ``sent_urn``. Files carry Spark's
own description of these columns, so that Spark reads VARIANT and comments from them without a given schema; other
engines read the parquet types, which say the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
from pyarrow import parquet

from babelreg.lake.arrow.struct import arrow_type
from babelreg.typemap import spark as typemap

ENVELOPE = (
    "message_id",
    "trace_id",
    "created_at",
    "lang",
    "queue",
    "attempts",
    "source_file",
    "source_offset",
)

SENT_URN = typemap.SENT_URN.name

REFUSED_SCHEMA = pa.schema(
    [
        ("source_file", pa.string()),
        ("source_offset", pa.int64()),
        *((name, pa.string()) for name in ("reason", "pointer", "detail", "urn", "message_id", "trace_id", "lang")),
        ("body", pa.binary()),
    ]
)
"""The quarantine, less the number of the batch (see ``quarantine``)."""

_SPARK_NAMES = {"string": "string", "int64": "long", "timestamp[us, tz=UTC]": "timestamp"}
_ENVELOPE_TYPES = {
    "created_at": pa.timestamp("us", "UTC"),
    "attempts": pa.int64(),
    "source_offset": pa.int64(),
}

SPARK_VERSION = "4.1.0"
"""The Spark whose calendar and types the files follow, whatever writes them."""

_ZSTD_LEVEL = 1
"""As small here as the usual 3, for less work (measured)."""

_FEW_ROWS, _FEW_BYTES = 1_000, 8 * 1024 * 1024
_JSON = "data_json"
_NEVER_REPEAT = {"message_id", "trace_id", _JSON}
"""Ids and whole documents: a dictionary of them is built and thrown away. For numbers zstd does as well (measured)."""


def table_schema(columns: typemap.Struct, *, aliased: bool = False) -> pa.Schema:
    """Return the Arrow schema of a table whose ``data`` has these ``columns``, with what Spark wants to know of it.

    ``aliased`` says that its message has aliases.
    """
    envelope = [("urn", pa.string()), *((name, _ENVELOPE_TYPES.get(name, pa.string())) for name in ENVELOPE)]
    data = [("data", arrow_type(columns))] if columns.fields else []  # an empty struct cannot be written to parquet
    last = (_JSON, SENT_URN) if aliased else (_JSON,)
    fields = [pa.field(name, type_) for name, type_ in [*envelope, *data, *((name, pa.string()) for name in last)]]
    return pa.schema(fields, _spark_metadata(fields, columns))


def types(columns: typemap.Struct) -> dict[str, str]:
    """Return the type of each column of ``data`` (``JSON``: JSON text), with which older files must agree."""
    return {
        path: "JSON" if isinstance(type_, typemap.Json) else typemap.ddl_type(type_)
        for path, type_ in typemap.leaves(columns)
    }


def writer(path: Path, schema: pa.Schema) -> parquet.ParquetWriter:
    """Return a new file for rows of ``schema``."""
    return _writer(path, schema)


@contextmanager
def sized_writer(path: Path, schema: pa.Schema, rows: int, size: int) -> Iterator[parquet.ParquetWriter]:
    """Write a new file of at most ``rows`` rows of ``schema``, which take ``size`` bytes in memory.

    A file of few rows is written at once, without dictionaries, and by snappy: zstd prepares tables for each column,
    which is half of the cost of such a file, and makes it smaller by a fifth (measured). Compaction writes them anew.
    """
    if rows > _FEW_ROWS or size > _FEW_BYTES:
        with writer(path, schema) as file:
            yield file
        return
    buffer = pa.BufferOutputStream()
    with _writer(buffer, schema, few_rows=True) as file:
        yield file
    with path.open("wb") as target:
        target.write(buffer.getvalue())


def _writer(where: Path | pa.NativeFile, schema: pa.Schema, *, few_rows: bool = False) -> parquet.ParquetWriter:
    file = parquet.ParquetWriter(
        where,
        schema,
        compression="snappy" if few_rows else "zstd",
        compression_level=None if few_rows else _ZSTD_LEVEL,
        use_dictionary=[] if few_rows else list(_repeating(schema)),
        store_schema=False,
        write_page_checksum=True,
    )
    file.add_key_value_metadata(schema.metadata or {})  # which goes with the schema otherwise
    return file


def _repeating(schema: pa.Schema) -> Iterator[str]:
    """Yield the columns of texts that a dictionary is made of."""
    for field in schema:
        for name, type_ in _leaves(field.name, field.type):
            if pa.types.is_string(type_) and name not in _NEVER_REPEAT:
                yield name


def _leaves(path: str, type_: pa.DataType) -> Iterator[tuple[str, pa.DataType]]:
    """Yield the columns of a parquet file, as parquet names them, with the types of their values."""
    if pa.types.is_struct(type_):
        for field in type_:
            yield from _leaves(f"{path}.{field.name}", field.type)
    elif pa.types.is_map(type_):
        yield f"{path}.key_value.key", type_.key_type
        yield from _leaves(f"{path}.key_value.value", type_.item_type)
    elif pa.types.is_list(type_):
        yield from _leaves(f"{path}.list.element", type_.value_type)
    else:
        yield path, type_


def _spark_metadata(fields: list[pa.Field], columns: typemap.Struct) -> Mapping[str, str]:
    def member(field: pa.Field) -> dict[str, Any]:
        type_: Any = typemap.as_json(columns) if field.name == "data" else _SPARK_NAMES[str(field.type)]
        return {"name": field.name, "type": type_, "nullable": True, "metadata": {}}

    struct = {"type": "struct", "fields": [member(field) for field in fields]}
    return {
        # Without a version Spark has to guess which calendar old dates are in.
        "org.apache.spark.version": SPARK_VERSION,
        "org.apache.spark.sql.parquet.row.metadata": orjson.dumps(struct).decode(),
    }
