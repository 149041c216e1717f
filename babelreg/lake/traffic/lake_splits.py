"""Messages of a lake as the input of a sketch: the rows of its tables, and the quarantine.

Duplicates are not stored, so they do not count. ``data_json`` is canonical: a table has 1.0 as 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from babelreg.contract.envelope import Envelope
from babelreg.contract.parse import bare
from babelreg.lake.storage import current_files
from babelreg.lake.storage.output_folder import QUARANTINE
from babelreg.lake.storage.parquet import opened, unreadable

_COMPRESSION_RATIO = 4
_CHUNK_ROWS = 1_000
_NO_BOUND = 2**40
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_COLUMNS = ["urn", "lang", "queue", "created_at", "data_json"]


@dataclass(frozen=True, slots=True)
class LakeSplit:
    """The rows of one file of a table, or of the quarantine. ``size`` is the approximate number of bytes."""

    path: str
    is_quarantine: bool
    size: int
    is_pipe: bool = False

    def messages(self) -> Iterator[bytes | Envelope]:
        """Yield accepted messages as envelopes, refused ones as their bytes. Raises InputError."""
        from pyarrow import ArrowException

        columns = ["body"] if self.is_quarantine else _COLUMNS
        try:
            with opened(self.path) as file:
                for batch in file.iter_batches(_CHUNK_ROWS, columns=columns, use_threads=False):
                    for row in batch.to_pylist():
                        yield (row["body"] or b"") if self.is_quarantine else _envelope(row)
        except (OSError, ArrowException) as err:
            raise unreadable(self.path, err) from err


def lake_splits(lake: Path) -> list[LakeSplit]:
    """Return the splits of a lake, its tables first. Raises UsageError, InputError."""
    accepted = [path for paths in current_files.all_files(lake).values() for path in paths]
    refused = current_files.files(lake, QUARANTINE)
    return [
        LakeSplit(path, is_quarantine, Path(path).stat().st_size * _COMPRESSION_RATIO)
        for paths, is_quarantine in ((accepted, False), (refused, True))
        for path in paths
    ]


def _envelope(row: dict[str, Any]) -> Envelope:
    created_at = row["created_at"]
    meta = {
        "queue": row["queue"],
        "lang": row["lang"],
        "created_at": None if created_at is None else (created_at - _EPOCH) // _MILLISECOND,
    }
    return Envelope(row["urn"], {"meta": meta, "data": bare(row["data_json"].encode(), _NO_BOUND)})
