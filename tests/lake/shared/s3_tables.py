"""Tables in S3, read by engines that are not Spark."""

from __future__ import annotations

from typing import Any

from s3_server import S3Server

__all__ = ["iceberg_table", "rows"]

WAREHOUSE_SCHEMA = "messages"
"""The folder below which ``spark stream`` puts tables of Iceberg."""


def rows(s3: S3Server, to: str, place: str, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table that a stream wrote to ``place``, a bucket and a folder."""
    from deltalake import DeltaTable

    if to == "iceberg":
        stored = iceberg_table(s3, f"{place}/{WAREHOUSE_SCHEMA}/{name}").scan().to_arrow()
    else:
        table = DeltaTable(f"s3://{place}/{name}", storage_options=dict(s3.storage_options))
        stored = table.to_pyarrow_table()
    found: list[dict[str, Any]] = stored.to_pylist()
    return found


def iceberg_table(s3: S3Server, place: str) -> Any:
    """Return a table of a Hadoop catalog, whose newest metadata has the greatest number."""
    from pyiceberg.table import StaticTable

    files = (s3.folder / place / "metadata").glob("v*.metadata.json")
    newest = max(int(path.name[1:].partition(".")[0]) for path in files)
    return StaticTable.from_metadata(f"s3a://{place}/metadata/v{newest}.metadata.json", dict(s3.catalog_properties))
