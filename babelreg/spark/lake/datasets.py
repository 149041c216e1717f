"""A table for pyarrow, and through it for pandas, polars and DuckDB: the files that count, with the columns of all.

A column that was added later is in the later files alone, and pyarrow takes the columns of the first one for those of
all, in silence. So the columns of all files are put together here.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark.lake import current_files

if TYPE_CHECKING:
    import pyarrow.dataset

__all__ = ["dataset"]

_AT_ONCE = 8


def dataset(output: str | Path, table: str) -> pyarrow.dataset.Dataset:
    """The rows of ``table``, a URN or ``quarantine``, that ``output`` has now. Raises as ``files`` does."""
    import pyarrow
    from pyarrow import dataset as datasets
    from pyarrow import parquet

    paths = current_files.files(output, table)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        found = dict.fromkeys(schema.remove_metadata() for schema in threads.map(parquet.read_schema, paths))
    schema = pyarrow.unify_schemas(list(found), promote_options="permissive") if found else None
    return datasets.dataset(paths, schema=schema, format="parquet")
