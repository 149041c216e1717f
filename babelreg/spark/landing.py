"""The landing: every message of a batch, judged, in one write. It lives in staging until the tables are made of it.

``landing/place=7/*.parquet`` holds the good messages of the URN that is number 7 in the judge's list, ``place=-1`` the
refused ones. The workers write these files themselves, straight from Arrow: the JVM would only take every message
apart and put it together again, at the price of the whole validation (measured). A file counts when the task that
wrote it says so; what a task left that failed is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark.judge import Judge
from babelreg.spark.parquet import read
from babelreg.spark.sources import Source

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["COLUMNS", "REFUSED", "Landing", "arrow_schema", "batch_of", "file_of", "write"]

REFUSED = -1
"""The ``place`` of messages for quarantine."""

_COLUMNS = {
    "source_file": "string",
    "source_offset": "bigint",
    "source_bytes": "bigint",
    "urn": "string",
    "message_id": "string",
    "trace_id": "string",
    "lang": "string",
    "queue": "string",
    "created_at": "timestamp",
    "attempts": "bigint",
    "reason": "string",
    "pointer": "string",
    "detail": "string",
    "body": "binary",
    "content": "binary",
    "data": "string",
    "typed": "string",
}

COLUMNS = ", ".join(f"{name} {type_}" for name, type_ in _COLUMNS.items())
"""The columns beside ``place``, as DDL. ``content`` is the digest that tells a repeat from a conflict; ``typed`` the
JSON that ``from_json`` reads, null where that is ``data`` itself; ``body`` the bytes, of refused messages only."""

_TOLD = "path string, rows bigint, messages bigint"
_FLUSH_BYTES = 96 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Landing:
    """What was landed below ``folder``. ``messages`` is how many the readers met, by their own count."""

    folder: Path
    messages: int

    @property
    def places(self) -> tuple[int, ...]:
        """The places that got rows, in order."""
        return tuple(sorted(int(path.name.removeprefix("place=")) for path in self.folder.glob("place=*")))

    def files(self, place: int) -> tuple[Path, ...]:
        """The files of one place."""
        return tuple(sorted((self.folder / f"place={place}").glob("*.parquet")))

    def rows(self, session: SparkSession, place: int) -> DataFrame | None:
        """The rows of one place; None when there are none."""
        path = self.folder / f"place={place}"
        return read(session, COLUMNS, [path]) if path.is_dir() else None

    def accepted(self, session: SparkSession) -> DataFrame | None:
        """The good rows of all places, with the column ``place``; None when there are none."""
        folders = [self.folder / f"place={place}" for place in self.places if place != REFUSED]
        return read(session, f"{COLUMNS}, place int", folders, self.folder) if folders else None


def write(session: SparkSession, source: Source, judge: Judge, folder: Path) -> Landing:
    """Judge every message of ``source`` and land it below ``folder``."""
    folder.mkdir()
    told = source.frame(session).mapInArrow(_landing(source, judge, str(folder)), _TOLD).collect()
    named = {row["path"] for row in told}
    for path in folder.glob("place=*/*"):
        if str(path) not in named:
            path.unlink()
    return Landing(folder, sum(row["messages"] for row in told))


def file_of(column: str) -> Column:
    """The file's own name of a ``source_file`` in the landing (see ``sources.landed_name``)."""
    from pyspark.sql import functions as F

    return F.expr(f"substring({column}, instr({column}, '/') + 1)")


def batch_of(column: str) -> Column:
    """The number of the batch that read it."""
    from pyspark.sql import functions as F

    return F.substring_index(column, "/", 1).cast("int")


def arrow_schema() -> pa.Schema:
    """All columns, ``place`` first."""
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "bigint": pa.int64(),
        "timestamp": pa.timestamp("us", "UTC"),
        "binary": pa.binary(),
    }
    return pa.schema([("place", pa.int32()), *((name, types[type_]) for name, type_ in _COLUMNS.items())])


def _landing(
    source: Source, judge: Judge, folder: str
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for ``mapInArrow``: batches that ``source`` understands in, the files that were written out."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        bench, messages, held = judge.bench(), 0, _Held(Path(folder))
        for batch in batches:
            for piece in source.pieces(batch):
                messages += len(piece.bodies)
                held.add(bench.judged(piece))
        held.flush()
        told = [{"path": path, "rows": rows, "messages": 0} for path, rows in held.written]
        told.append({"path": None, "rows": 0, "messages": messages})
        yield pa.RecordBatch.from_pylist(
            told, pa.schema([("path", pa.string()), ("rows", pa.int64()), ("messages", pa.int64())])
        )

    return run


class _Held:
    """Landing rows of one task, held until there are enough for a file a place."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows: dict[int, list[pa.RecordBatch]] = {}
        self._bytes = 0
        self.written: list[tuple[str, int]] = []

    def add(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Take rows, those of each place together."""
        for batch in batches:
            for place, start, end in _runs(batch.column("place")):
                self._rows.setdefault(place, []).append(batch.slice(start, end - start))
            self._bytes += batch.nbytes
        if self._bytes > _FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is held, one file a place, under names that no other attempt has."""
        import pyarrow as pa

        for place, batches in sorted(self._rows.items()):
            self._write(place, pa.Table.from_batches(batches).drop_columns("place"))
        self._rows, self._bytes = {}, 0

    def _write(self, place: int, rows: pa.Table) -> None:
        from uuid import uuid4

        from pyarrow import parquet

        path = self._folder / f"place={place}" / f"{uuid4().hex}.parquet"
        path.parent.mkdir(exist_ok=True)
        # Read once and soon: ids and JSON hardly repeat, so a dictionary would be built to be thrown away.
        parquet.write_table(rows, path, compression="lz4", use_dictionary=False, write_statistics=False)
        self.written.append((str(path), rows.num_rows))


def _runs(places: pa.Array) -> Iterator[tuple[int, int, int]]:
    """The place, start and end of each stretch of equal places."""
    from pyarrow import compute

    runs = compute.run_end_encode(places)
    ends = runs.run_ends.to_pylist()
    yield from zip(runs.values.to_pylist(), [0, *ends], ends, strict=False)
