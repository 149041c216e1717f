"""Typed tables: one a URN, the envelope's columns, the position of the message, ``data`` typed and as JSON.

``data`` is typed by ``from_json`` of the JSON that the Arrow pass wrote, never of the raw line: so the document that
was judged and the one that is typed are the same. It runs in FAILFAST mode, a tripwire: a value that passed every
check and still does not fit its column ends the run with the message's position, and is never a silent null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import InputError
from babelreg.spark import landing
from babelreg.spark.manifest import Batch
from babelreg.spark.parquet import address
from babelreg.typemap import spark as typemap

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["ENVELOPE", "WRITING", "check_types", "types", "write"]

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

_FROM_JSON = {
    "mode": "FAILFAST",
    "allowSingleQuotes": "false",
    "allowNonNumericNumbers": "false",
    "maxNestingDepth": "100000",
    "maxNumLen": "1000000",
    "maxStringLen": "2147483647",
}


# Ids and whole documents never repeat: a dictionary of them is built and thrown away. Level 1 of zstd is as small here
# as the usual 3. Both together spare a fifth of the work (measured).
WRITING: Mapping[str, str] = {
    "compression": "zstd",
    "parquet.compression.codec.zstd.level": "1",
    **{f"parquet.enable.dictionary#{name}": "false" for name in ("message_id", "trace_id", "data_json")},
}
"""How the files are written."""


def write(rows: DataFrame, repeats: DataFrame | None, urn: str, columns: typemap.Struct, folder: Path) -> None:
    """Type the landed ``rows`` of ``urn``, less the ``repeats``, into ``folder``."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import StructType

    if repeats is not None:
        place = ["source_file", "source_offset"]
        rows = rows.join(repeats.select(*place), place, "left_anti")
    named = {"source_file": landing.file_of("source_file").alias("source_file")}
    selected = [F.lit(urn).alias("urn"), *(named.get(name, F.col(name)) for name in ENVELOPE)]
    if columns.fields:  # an empty struct cannot be written to parquet
        struct = StructType.fromJson(typemap.as_json(columns))
        selected.append(F.from_json(F.coalesce("typed", "data"), struct, _FROM_JSON).alias("data"))
    typed = rows.select(*selected, F.col("data").alias("data_json"))
    typed.write.options(**WRITING).parquet(address(folder))


def types(columns: typemap.Struct) -> dict[str, str]:
    """The type of each column of ``data`` (``JSON``: text that holds JSON), which older files must agree with."""
    return {
        path: "JSON" if isinstance(type_, typemap.Json) else typemap.ddl_type(type_)
        for path, type_ in typemap.leaves(columns)
    }


def check_types(batches: Iterable[Batch], wanted: Mapping[str, Mapping[str, str]]) -> None:
    """Raises InputError for a column that is in a table already, with another type than the registry now asks for.

    ``wanted`` are the :func:`types` by URN. Columns that are new or gone are no conflict.
    """
    parts = ((urn, table) for batch in batches for urn, table in batch.tables.items())
    there = {(urn, path): type_ for urn, table in parts for path, type_ in table.types.items()}
    for (urn, path), type_ in there.items():
        now = wanted.get(urn, {}).get(path, type_)
        if now != type_:
            raise InputError(
                f"the table of {urn} holds 'data.{path}' as {type_}, and the registry now makes it {now}",
                fix=f"mint a new version (`babelreg mint {urn}`), or ingest into a new output folder",
            )
