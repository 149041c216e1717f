"""Parquet files of a lake: paths for Spark, row counts, and reading with the check sums of pages verified.

Without them a flipped bit gives another value, or another number of them, without a word. Files that an earlier version
wrote have none, and are read as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow.dataset
    import pyarrow.parquet

__all__ = ["address", "dataset_of", "files_in", "opened", "rows_in", "table_of"]


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


def opened(path: Path | str, **options: Any) -> pyarrow.parquet.ParquetFile:
    """Return the file ``path``; ``options`` are those of pyarrow. Opening and reading raise OSError, ArrowException."""
    from pyarrow import parquet

    return parquet.ParquetFile(path, page_checksum_verification=True, **options)


def table_of(path: Path, columns: Sequence[str] | None = None, **options: Any) -> pyarrow.Table:
    """Return the rows of ``path``. Raises OSError, ArrowException."""
    with opened(path, **options) as file:
        return file.read(columns=None if columns is None else list(columns))


def dataset_of(paths: Sequence[str], schema: pyarrow.Schema | None) -> pyarrow.dataset.Dataset:
    """Return the rows of ``paths`` as a dataset with the columns of ``schema``."""
    from pyarrow import dataset as datasets

    verified = datasets.ParquetFragmentScanOptions(page_checksum_verification=True)
    of_parquet = datasets.ParquetFileFormat(default_fragment_scan_options=verified)
    return datasets.dataset(paths, schema=schema, format=of_parquet)
