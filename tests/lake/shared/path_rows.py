"""Rows of an input by one of its paths: a lake, or tables of a stream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import input_kinds
from lakehouse import Lakehouse

from babelreg.spark import all_files, files

__all__ = ["of_lake", "of_place", "streamed"]


def of_lake(lake: Path) -> input_kinds.Rows:
    """The rows of a lake."""
    import pyarrow.parquet as pq

    rows = input_kinds.Rows()
    for paths in all_files(lake).values():
        for path in paths:
            rows.add(pq.ParquetFile(path).read())
    for path in files(lake, "quarantine"):
        rows.add_refused(pq.ParquetFile(path).read())
    return rows


def of_place(place: Lakehouse) -> input_kinds.Rows:
    """The rows of tables; a stream makes those that it has rows for."""
    from babelreg.spark.platform.formats.table_names import QUARANTINE, table_name

    rows = input_kinds.Rows()
    for urn in input_kinds.registry().schemas:
        if place.exists(table_name(urn)):
            rows.add(place.arrow(table_name(urn)))
    rows.add_refused(place.arrow(QUARANTINE))
    return rows


def streamed(session: Any, source: str, to: str, folder: Path) -> Lakehouse:
    """Stream the source to its end; return where the tables are."""
    from babelreg.spark.platform.stream import spark_jars, stream, stream_settings

    own, at = session.newSession(), folder / "tables"
    for key, value in session.conf.getAll.items():
        if key.startswith("spark.sql.catalog."):
            own.conf.set(key, value)
    if to == "iceberg":
        for key, value in spark_jars.settings(to, at.as_uri()).items():
            own.conf.set(key, value)
    stream(own, input_kinds.registry(), stream_settings(source, to, str(at), str(folder / "checkpoint")))
    return Lakehouse.in_folder(to, at if to == "delta" else at / "messages")
