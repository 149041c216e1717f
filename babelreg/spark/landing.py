"""The landing: every message of a batch, judged and typed, as Arrow in staging until the tables are made of it.

A task writes one file, however many URNs it meets: segments, each the rows of one place (the number of a URN in the
judge's list, REFUSED for the quarantine) as an Arrow record batch without its schema, which the place tells. What a
task wrote counts when it says so: a second attempt writes files of its own. Beside it stand the ids of the accepted
messages (see ``identities``).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.spark.judge import Judge
from babelreg.spark.landed import Landing, Segment
from babelreg.spark.sources import Source
from babelreg.spark.spread import spread

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from babelreg.spark.tray import Tray

__all__ = ["write"]

_IDS = -2
"""What is told as the place of a file of ids."""

_TOLD = (
    "path string, place int, start bigint, length bigint, rows bigint, bytes bigint, file string, offset bigint, "
    "messages bigint"
)


def write(session: SparkSession, source: Source, judge: Judge, folder: Path) -> Landing:
    """Judge every message of ``source`` and land it below ``folder``."""
    folder.mkdir()
    shares = source.shares(session.sparkContext.defaultParallelism)
    told = spread(session, shares, _landing(source, judge, str(folder)), _TOLD)
    found: dict[int, list[Segment]] = {}
    for row in told:
        if row["path"] is not None and row["place"] != _IDS:
            members = (row[name] for name in ("path", "start", "length", "rows", "bytes", "file", "offset"))
            found.setdefault(row["place"], []).append(Segment(*members))
    ordered = {place: tuple(sorted(some, key=lambda one: (one.file, one.offset))) for place, some in found.items()}
    ids = tuple(Path(row["path"]) for row in told if row["place"] == _IDS)
    return Landing(ordered, ids, sum(row["messages"] for row in told))


def _landing(source: Source, judge: Judge, folder: str) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    """What a task does with a share of ``source``: it tells what it wrote."""

    def run(share: Any) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        from babelreg.spark.tray import Tray
        from babelreg.spark.verdict import deep

        with _uncollected(), deep(), Tray(judge, Path(folder)) as tray:
            for piece in source.pieces(share):
                tray.add(piece)
        types = {"path": pa.string(), "file": pa.string(), "place": pa.int32()}
        names = [column.split()[0] for column in _TOLD.split(", ")]
        schema = pa.schema([(name, types.get(name, pa.int64())) for name in names])
        yield pa.RecordBatch.from_pylist(_told(tray), schema)

    return run


def _told(tray: Tray) -> list[dict[str, Any]]:
    """What was written, and how many messages there were."""
    segments = [{"place": place, "messages": 0, **asdict(one)} for place, one in tray.segments]
    ids = [{"path": str(path), "place": _IDS, "rows": rows, "messages": 0} for path, rows in tray.ids]
    return [*segments, *ids, {"messages": tray.messages}]


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for cycles, of which there are none: it walks over all that is held, again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
