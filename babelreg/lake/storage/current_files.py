"""Files that hold the current rows of an output folder, for readers.

Batches add files; a redrive and a compaction also replace some. Replaced files stay on disk for a while, for readers
that listed them before. So readers take the files named here, not all files of a folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.errors import InputError, UsageError
from babelreg.lake.storage.log import replay
from babelreg.lake.storage.output_folder import QUARANTINE
from babelreg.lake.storage.parquet import dataset_of, footers
from babelreg.suggest import closest

if TYPE_CHECKING:
    import pyarrow.dataset

_MOST_SHOWN = 10


def files(output: str | Path, table: str) -> list[str]:
    """Return the files with the rows of ``table``, a URN or ``quarantine``, for pandas, pyarrow, DuckDB or Spark.

    Raises UsageError if ``output`` has no such table, InputError for a damaged manifest or a missing file.
    """
    folder = Path(output)
    state = replay.read(folder)
    if table == QUARANTINE and state.number:
        return _existing(folder, state.quarantine)
    if table not in state.tables:
        raise UsageError(f"{output} has no table of '{table}'", fix=_instead(table, [*state.tables]))
    return _existing(folder, state.tables[table])


def _instead(table: str, tables: list[str]) -> str:
    if (near := closest(table, [*tables, QUARANTINE])) is not None:
        return f"did you mean '{near}'?"
    shown = [*tables[:_MOST_SHOWN], *(["..."] if len(tables) > _MOST_SHOWN else [])]
    return f"name one that it has ({', '.join(shown) or 'none'}) or {QUARANTINE}"


def all_files(output: str | Path) -> dict[str, list[str]]:
    """Return :func:`files` of every table by URN, without the quarantine. Raises as it does."""
    folder = Path(output)
    state = replay.read(folder)
    if not state.number:
        raise UsageError(
            f"{output} contains no tables of `babelreg lake ingest`", fix="pass the --lake of an earlier run"
        )
    return {urn: _existing(folder, names) for urn, names in state.tables.items()}


def _existing(folder: Path, names: tuple[str, ...]) -> list[str]:
    paths = [str(folder / name) for name in names]
    if missing := next((path for path in paths if not os.path.exists(path)), None):  # noqa: PTH110 -- thousands of them
        raise InputError(
            f"{missing} is missing, but a manifest lists it",
            fix="copy the whole output folder again, or restore the file from a backup",
        )
    return paths


def dataset(output: str | Path, table: str) -> pyarrow.dataset.Dataset:
    """Return the current rows of ``table``, a URN or ``quarantine``, as a pyarrow dataset. Raises as ``files`` does.

    It has the columns of all files: pyarrow alone would use those of the first file and silently drop later columns.
    """
    import pyarrow

    paths = files(output, table)
    schemas = dict.fromkeys(footer.schema.to_arrow_schema().remove_metadata() for footer in footers(paths))
    schema = pyarrow.unify_schemas(list(schemas), promote_options="permissive") if schemas else None
    return dataset_of(paths, schema)
