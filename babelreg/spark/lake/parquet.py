"""Local parquet files: paths for Spark, and row counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["address", "files_in", "rows_in"]


def address(path: Path) -> str:
    """Return ``path`` as a URL for Spark, local even if the default file system is another one."""
    return f"file://{path.absolute()}"  # not as_uri(): Hadoop does not decode percent signs


def files_in(folder: Path) -> tuple[Path, ...]:
    """Return the parquet files directly in ``folder``, sorted by name; none if there is no folder."""
    return tuple(sorted(path for path in folder.glob("*.parquet") if not path.name.startswith((".", "_"))))


def rows_in(files: Sequence[Path]) -> int:
    """Return the number of rows in ``files``."""
    from pyarrow import parquet

    return sum(parquet.read_metadata(path).num_rows for path in files)
