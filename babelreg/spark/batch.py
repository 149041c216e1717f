"""One batch, from files to tables: every message ends in a table, among the duplicates or in quarantine.

The steps write to staging alone, and ``commit`` makes that count. A run that stops anywhere before leaves nothing that
counts, and the next one does the work again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark import duplicates, index, landing, quarantine, tables
from babelreg.spark.commit import Rows, Written
from babelreg.spark.duplicates import Repeats
from babelreg.spark.index import Held
from babelreg.spark.judge import Judge
from babelreg.spark.landing import REFUSED, Landing
from babelreg.spark.parquet import files_in, rows_in
from babelreg.spark.sources import Source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Job", "Progress"]

Progress = Callable[[str], None]
"""Is told in a few words what happens now."""

_LOST = "messages would be lost or counted twice; nothing was written to the tables"


@dataclass(frozen=True)
class Job:
    """What one batch needs. ``work`` is its folder in staging, ``known`` the index of all batches before."""

    spark: SparkSession
    judge: Judge
    source: Source
    work: Path
    known: Sequence[Held]
    keep_duplicates: bool
    progress: Progress

    def run(self) -> Written:
        """Do the work of one batch, in staging alone: :func:`commit.commit` makes it count."""
        landed = landing.write(self.spark, self.source, self.judge, self.work / "landing")
        repeats = self._repeats(landed)
        self._type(landed, repeats)
        self.progress("writing quarantine")
        self._quarantine(landed, repeats)
        return self._written(landed, repeats)

    def _table(self, place: int) -> Path:
        return self.work / "tables" / str(place)

    def _repeats(self, landed: Landing) -> Repeats:
        if self.keep_duplicates:
            return Repeats()
        self.progress("telling duplicates")
        return duplicates.find(self.spark, landed, [one.path for one in self.known], self.work)

    def _type(self, landed: Landing, repeats: Repeats) -> None:
        """Write every table that got rows, several at a time: most are too small to keep all cores busy."""
        places = sorted(_good(landed), key=lambda place: -sum(path.stat().st_size for path in landed.files(place)))
        done = 0

        def type_one(place: int) -> None:
            nonlocal done
            rows = landed.rows(self.spark, place)
            if rows is not None:
                urn = self.judge.urns[place]
                tables.write(rows, repeats.rows(self.spark, place), urn, self.judge.columns[place], self._table(place))
            done += 1
            self.progress(f"writing tables: {done} of {len(places)}")

        with ThreadPoolExecutor(self.spark.sparkContext.defaultParallelism + 1) as threads:
            for _ in threads.map(type_one, places):
                pass

    def _quarantine(self, landed: Landing, repeats: Repeats) -> None:
        refused = landed.rows(self.spark, REFUSED)
        frames = [] if refused is None else [refused]
        for place in repeats.conflicts:
            rows, repeated = landed.rows(self.spark, place), repeats.rows(self.spark, place)
            if rows is not None and repeated is not None:
                frames.append(quarantine.conflicts(rows, repeated, self.judge.urns[place], self.source))
        quarantine.write(frames, self.work / "quarantine")

    def _written(self, landed: Landing, repeats: Repeats) -> Written:
        files = {place: files_in(self._table(place)) for place in _good(landed)}
        rows = {place: rows_in(found) for place, found in files.items()}
        refused = files_in(self.work / "quarantine")
        reasons = quarantine.counts(refused)
        judged = {place: rows_in(landed.files(place)) for place in landed.places}
        _check_counts(landed.messages, judged, rows, repeats, sum(reasons.values()))
        urns, columns = self.judge.urns, self.judge.columns
        return Written(
            read=landed.messages,
            duplicates=sum(repeats.duplicates.values()),
            tables={urns[place]: Rows(rows[place], files[place], tables.types(columns[place])) for place in rows},
            quarantine=Rows(sum(reasons.values()), refused if reasons else ()),
            reasons=reasons,
            repeated={urns[place]: count for place, count in repeats.duplicates.items()},
            index=index.extended(self.known, repeats.new, self.work / "ids"),
        )


def _good(landed: Landing) -> tuple[int, ...]:
    return tuple(place for place in landed.places if place != REFUSED)


def _check_counts(
    read: int, landed: Mapping[int, int], rows: Mapping[int, int], repeats: Repeats, quarantined: int
) -> None:
    """The tripwire against silent loss: footers of the files written, against what was read."""
    if sum(landed.values()) != read:
        raise RuntimeError(f"{read} messages were read and {sum(landed.values())} judged: {_LOST}")
    for place, count in rows.items():
        dropped = repeats.duplicates.get(place, 0) + repeats.conflicts.get(place, 0)
        if count + dropped != landed[place]:
            raise RuntimeError(f"table {place}: {landed[place]} landed, {count} typed, {dropped} repeated: {_LOST}")
    if quarantined != landed.get(REFUSED, 0) + sum(repeats.conflicts.values()):
        raise RuntimeError(f"{quarantined} rows are in quarantine, not what was refused: {_LOST}")
