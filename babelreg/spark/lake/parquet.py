"""Parquet files on this machine: to and from Spark whatever their path looks like, and what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["address", "files_in", "read", "rows_in"]


def address(path: Path) -> str:
    """``path`` as Spark takes it: on this machine, also where the default file system is another one."""
    return f"file://{path.absolute()}"  # Hadoop does not decode percent signs, so this is no as_uri()


def read(session: SparkSession, columns: str, paths: Sequence[Path]) -> DataFrame:
    """The rows below ``paths``, folders or files. ``columns`` is their DDL."""
    # Signs that would be a pattern in a path (`[1]`, `{a}`, `*`) are just signs.
    return session.read.schema(columns).option("__globPaths__", "false").parquet(*map(address, paths))


def files_in(folder: Path) -> tuple[Path, ...]:
    """The parquet files directly in ``folder``, in the order of their names; none where there is no folder."""
    return tuple(sorted(path for path in folder.glob("*.parquet") if not path.name.startswith((".", "_"))))


def rows_in(files: Sequence[Path]) -> int:
    """How many rows ``files`` hold."""
    from pyarrow import parquet

    return sum(parquet.read_metadata(path).num_rows for path in files)
