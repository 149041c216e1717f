"""Local parquet files: paths for Spark, and row counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["address", "files_in", "read", "rows_in"]


def address(path: Path) -> str:
    """Return ``path`` as a URL for Spark, local even if the default file system is another one."""
    return f"file://{path.absolute()}"  # not as_uri(): Hadoop does not decode percent signs


def read(session: SparkSession, columns: str, paths: Sequence[Path]) -> DataFrame:
    """Read the rows below ``paths``, folders or files. ``columns`` is their DDL."""
    # Characters of glob patterns in a path (`[1]`, `{a}`, `*`) are literal.
    return session.read.schema(columns).option("__globPaths__", "false").parquet(*map(address, paths))


def files_in(folder: Path) -> tuple[Path, ...]:
    """Return the parquet files directly in ``folder``, sorted by name; none if there is no folder."""
    return tuple(sorted(path for path in folder.glob("*.parquet") if not path.name.startswith((".", "_"))))


def rows_in(files: Sequence[Path]) -> int:
    """Return the number of rows in ``files``."""
    from pyarrow import parquet

    return sum(parquet.read_metadata(path).num_rows for path in files)
