"""Spark's part of the pipeline in this process: partitions one after the other, no JVM, so that a batch takes a moment.

What Spark itself does is little: it hands rows to functions of ``mapInArrow``, which are the real ones here, and joins
and sorts the few rows of the quarantine, which is done anew here (``patch``). Tests with a real session hold the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from babelreg.spark.ingest import quarantine
from babelreg.spark.sources.message_files import FileSource

_ORDER = ("batch_read", "source_file", "source_offset")
_TYPES = {"batch_read": pa.int32(), "source_offset": pa.int64(), "body": pa.binary()}
_SCHEMA = pa.schema([(n.split()[0], _TYPES.get(n.split()[0], pa.string())) for n in quarantine.COLUMNS.split(", ")])


class Frame:
    """Partitions, and what is to be done with each when somebody asks for the rows."""

    def __init__(self, partitions: Sequence[Callable[[], Iterator[pa.RecordBatch]]]) -> None:
        self._partitions = partitions

    def mapInArrow(self, function: Callable[..., Any], columns: str) -> Frame:
        return Frame([partial(_mapped, function, rows) for rows in self._partitions])

    def toArrow(self) -> pa.Table:
        return pa.Table.from_batches([batch for rows in self._partitions for batch in rows()])


class Session:
    """What ``ingest`` and the others ask of a session."""

    def __init__(self) -> None:
        self.conf = SimpleNamespace(set=lambda key, value: None)
        self.sparkContext = SimpleNamespace(defaultParallelism=2)

    def newSession(self) -> Session:
        return self

    def range(self, start: int, end: int, step: int, parts: int) -> Frame:
        return _frame([[{"id": number}] for number in range(start, end, step)])


def _frame(shares: Sequence[Sequence[dict[str, Any]]]) -> Frame:
    return Frame([partial(_batch, share) for share in shares if share])


def _batch(rows: Sequence[dict[str, Any]]) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pylist(list(rows))


def _mapped(function: Callable[..., Any], rows: Callable[[], Any]) -> Iterator[pa.RecordBatch]:
    yield from function(rows())


def patch(monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session in this process, and the quarantine done without Spark."""
    for function in (write_conflicts, copy_unselected, differ):
        monkeypatch.setattr(quarantine, function.__name__, function)
    return Session()


def write_conflicts(session: object, source: Any, told: Sequence[Path], folder: Path) -> None:
    """Stand in for ``quarantine.write_conflicts``."""
    if not told:
        return
    rows = sorted(_rows(told), key=lambda row: (row["source_file"], row["source_offset"]))
    if isinstance(source, FileSource):
        batch = pa.RecordBatch.from_pylist(rows)
        rows = [row for read in source._reread([batch]) for row in read.to_pylist()]
    else:
        kept = {(f"{row['batch_read']:08d}/{row['source_file']}", row["source_offset"]): row["body"]
                for row in _rows(map(Path, source.files)) if source.selection.matches(row["reason"], row["urn"])}  # fmt: skip
        rows = [{**row, "body": kept[row["source_file"], row["source_offset"]]} for row in rows]
    for row in rows:
        number, _, name = row["source_file"].partition("/")
        row |= {"batch_read": int(number), "source_file": name, "reason": quarantine.CONFLICT, "pointer": "/meta/id"}
    _write(rows, folder)


def copy_unselected(files: Iterable[Path], selection: Any, session: object, folder: Path) -> None:
    """Stand in for ``quarantine.copy_unselected``."""
    _write([row for row in _rows(files) if not selection.matches(row["reason"], row["urn"])], folder)


def differ(session: object, new: Iterable[Path], old: Iterable[Path], selection: Any) -> bool:
    """Stand in for ``quarantine.differ``."""

    def told(rows: Iterable[dict[str, Any]]) -> list[str]:
        return sorted(str({key: value for key, value in row.items() if key != "body"}) for row in rows)

    return told(_rows(new)) != told(row for row in _rows(old) if selection.matches(row["reason"], row["urn"]))


def _rows(files: Iterable[Path]) -> list[dict[str, Any]]:
    return [row for path in files for row in pq.ParquetFile(path).read().to_pylist()]


def _write(rows: list[dict[str, Any]], folder: Path) -> None:
    folder.mkdir()
    ordered = sorted(rows, key=lambda row: tuple(row[name] for name in _ORDER))
    pq.write_table(pa.Table.from_pylist(ordered, _SCHEMA), folder / "part.parquet")
