"""The landing: every message of a batch, judged and typed, as Arrow in staging until the tables are made of it.

A task writes one file, however many URNs it meets: segments, each the rows of one place (the number of a URN in the
judge's list, REFUSED for the quarantine) as an Arrow record batch without its schema, which the place tells. What a
task wrote counts when it says so: a second attempt writes files of its own. Beside it stand the ids of the accepted
messages (see ``identities``).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from uuid import uuid4

from babelreg.spark.identities import Identities
from babelreg.spark.judge import Judge
from babelreg.spark.sources import Piece, Source

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from babelreg.spark.verdict import Refused

__all__ = ["REFUSED", "Landing", "Segment", "segments", "write"]

REFUSED = -1
"""The ``place`` of messages for quarantine."""

_IDS = -2
"""What is told as the place of a file of ids."""

_TOLD = (
    "path string, place int, start bigint, length bigint, rows bigint, bytes bigint, file string, offset bigint, "
    "messages bigint"
)
_FLUSH_BYTES = 32 * 1024 * 1024
"""How much JSON is held as Python values: enough for Arrow to be worth its while with a thousand URNs."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Some rows of one place: where they stand, how large they are unpacked, and where the first one comes from."""

    path: str
    start: int
    length: int
    rows: int
    bytes: int
    file: str
    offset: int


@dataclass(frozen=True)
class Landing:
    """What was landed. ``segments`` are by place, in the order of the input; ``ids`` are files of ids.

    ``messages`` is how many the readers met, by their own count.
    """

    segments: dict[int, tuple[Segment, ...]]
    ids: tuple[Path, ...]
    messages: int

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The places that got rows, in order."""
        return tuple(sorted(self.segments))

    def rows(self, place: int) -> int:
        """How many rows ``place`` got."""
        return sum(one.rows for one in self.segments.get(place, ()))


def write(session: SparkSession, source: Source, judge: Judge, folder: Path) -> Landing:
    """Judge every message of ``source`` and land it below ``folder``."""
    folder.mkdir()
    told = _collected(source.frame(session).mapInArrow(_landing(source, judge, str(folder)), _TOLD))
    found: dict[int, list[Segment]] = {}
    for row in told:
        if row["path"] is not None and row["place"] != _IDS:
            members = (row[name] for name in ("path", "start", "length", "rows", "bytes", "file", "offset"))
            found.setdefault(row["place"], []).append(Segment(*members))
    ordered = {place: tuple(sorted(some, key=lambda one: (one.file, one.offset))) for place, some in found.items()}
    ids = tuple(Path(row["path"]) for row in told if row["place"] == _IDS)
    return Landing(ordered, ids, sum(row["messages"] for row in told))


def segments(found: Iterable[Segment], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of some segments, one after the other, as batches of ``schema``."""
    import pyarrow as pa

    name, file = "", None
    with ExitStack() as held:
        for one in found:
            if file is None or one.path != name:
                held.close()
                name, file = one.path, held.enter_context(pa.memory_map(one.path))
            file.seek(one.start)
            yield pa.ipc.read_record_batch(file.read_buffer(one.length), schema)


def _collected(frame: DataFrame) -> list[dict[str, Any]]:
    return list(frame.toArrow().to_pylist())


def _landing(
    source: Source, judge: Judge, folder: str
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for ``mapInArrow``: batches that ``source`` understands in, what was written out."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        from babelreg.spark.verdict import deep

        tray = _Tray(judge, Path(folder))
        with _uncollected(), deep(), tray:
            for batch in batches:
                for piece in source.pieces(batch):
                    tray.add(piece)
        types = {"path": pa.string(), "file": pa.string(), "place": pa.int32()}
        names = [column.split()[0] for column in _TOLD.split(", ")]
        yield pa.RecordBatch.from_pylist(
            tray.told(), pa.schema([(name, types.get(name, pa.int64())) for name in names])
        )

    return run


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for cycles, of which there are none: it walks over all that is held, again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class _Tray:
    """The rows of one task: held as Python values until they are worth a segment each, then written."""

    def __init__(self, judge: Judge, folder: Path) -> None:
        self._bench, self._folder = judge.bench(), folder
        self._ids = Identities(folder) if judge.digests else None
        self._path = folder / f"{uuid4().hex}.arrow"
        self._file: BinaryIO | None = None
        self._rows: dict[int, list[tuple[Any, ...]]] = {}
        self._refused: list[Refused] = []
        self._bytes = self._messages = 0
        self._told: list[dict[str, Any]] = []

    def __enter__(self) -> _Tray:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._flush()
                if self._ids:
                    self._ids.flush()
        finally:
            if self._file:
                self._file.close()

    def add(self, piece: Piece) -> None:
        """Judge the messages of ``piece``."""
        read, name, rows, held = self._bench.read, piece.name, self._rows, 0
        for body, offset in zip(piece.bodies, piece.offsets, strict=True):
            row = read(body, offset, name)
            held += len(body)
            if type(row) is tuple:
                if row[0] in rows:
                    rows[row[0]].append(row)
                else:
                    rows[row[0]] = [row]
            else:
                self._refused.append(row)  # type: ignore[arg-type]
        self._messages += len(piece.bodies)
        self._bytes += held
        if self._bytes > _FLUSH_BYTES:
            self._flush()

    def told(self) -> list[dict[str, Any]]:
        """What was written, and how many messages there were."""
        ids = self._ids.written if self._ids else []
        files = [{"path": str(path), "place": _IDS, "rows": rows, "messages": 0} for path, rows in ids]
        return [*self._told, *files, {"messages": self._messages}]

    def _flush(self) -> None:
        from babelreg.spark.verdict import refused_batch

        for place, rows in sorted(self._rows.items()):
            batch, refused = self._bench.batch(place, rows)
            self._refused += refused
            if batch is not None:
                self._write(place, batch)
                if self._ids:
                    gone = {(one.source_file, one.source_offset) for one in refused}
                    self._ids.add(rows if not gone else [row for row in rows if (row[1], row[2]) not in gone])
        if self._refused:
            self._refused.sort(key=lambda one: one[:2])
            self._write(REFUSED, refused_batch(self._refused))
        self._rows, self._refused, self._bytes = {}, [], 0

    def _write(self, place: int, batch: pa.RecordBatch) -> None:
        if self._file is None:
            self._file = self._path.open("xb")
        start = self._file.tell()
        self._file.write(batch.serialize())
        self._told.append(
            {
                "path": str(self._path),
                "place": place,
                "start": start,
                "length": self._file.tell() - start,
                "rows": batch.num_rows,
                "bytes": batch.nbytes,
                "file": batch["source_file"][0].as_py(),
                "offset": batch["source_offset"][0].as_py(),
                "messages": 0,
            }
        )
