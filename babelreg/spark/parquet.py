"""What a write left behind: its parquet files, and how many rows are in them by their own footers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["files_in", "rows_in"]


def files_in(folder: Path) -> tuple[Path, ...]:
    """The parquet files directly in ``folder``, in the order of their names; none where there is no folder."""
    return tuple(sorted(path for path in folder.glob("*.parquet") if not path.name.startswith((".", "_"))))


def rows_in(files: Sequence[Path]) -> int:
    """How many rows ``files`` hold."""
    from pyarrow import parquet

    return sum(parquet.read_metadata(path).num_rows for path in files)
