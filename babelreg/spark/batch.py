"""One batch, from files to tables: every message ends in a table, among the duplicates or in quarantine.

The steps write to staging alone. Then finished files are moved into place, and the manifest, written last, makes them
count. A run that stops anywhere before that leaves nothing that counts, and the next one does the work again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark import duplicates, index, landing, output, quarantine, tables
from babelreg.spark.backlog import Backlog
from babelreg.spark.duplicates import Repeats
from babelreg.spark.index import Held
from babelreg.spark.judge import Judge
from babelreg.spark.landing import REFUSED, Landing
from babelreg.spark.manifest import Batch, Run, Table
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
    output: Path
    work: Path
    known: Sequence[Held]
    keep_duplicates: bool
    progress: Progress

    def run(self, number: int, backlog: Backlog) -> Batch:
        """Do the work of batch ``number`` and move its files into place. The caller writes the manifest."""
        self.progress(f"judging {backlog.size / 1e6:,.1f} MB in {len(backlog.ranges)} files")
        landed = landing.write(self.spark, self.source, self.judge, self.work / "landing")
        repeats = self._repeats(landed)
        self._type(landed, repeats)
        self.progress("writing quarantine")
        self._quarantine(landed, repeats)
        return self._published(number, backlog, landed, repeats)

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

    def _published(self, number: int, backlog: Backlog, landed: Landing, repeats: Repeats) -> Batch:
        written = {place: files_in(self._table(place)) for place in _good(landed)}
        rows = {place: rows_in(files) for place, files in written.items()}
        refused = files_in(self.work / "quarantine")
        reasons = quarantine.counts(refused)
        judged = {place: rows_in(landed.files(place)) for place in landed.places}
        _check_counts(landed.messages, judged, rows, repeats, sum(reasons.values()))
        name = output.batch_folder(number)
        types = {place: tables.types(self.judge.columns[place]) for place in rows}
        return Batch(
            number=number,
            kind="ingest",
            read=landed.messages,
            accepted=sum(rows.values()),
            duplicates=sum(repeats.duplicates.values()),
            quarantined=sum(reasons.values()),
            keeps_duplicates=self.keep_duplicates,
            consumed=backlog.consumed,
            tables={
                self.judge.urns[place]: Table(
                    rows[place],
                    output.publish(files, self.output, output.table_folder(self.judge.urns[place]), name),
                    types[place],
                )
                for place, files in sorted(written.items())
                if rows[place]
            },
            quarantine=Table(
                sum(reasons.values()),
                output.publish(refused if reasons else (), self.output, output.QUARANTINE, name),
            ),
            reasons=reasons,
            repeated={self.judge.urns[place]: count for place, count in repeats.duplicates.items()},
            index=self._index(repeats, name),
        )

    def _index(self, repeats: Repeats, batch: str) -> tuple[Run, ...]:
        """All runs that count from now on, the new ones in place."""
        held = index.extended(self.known, repeats.new, self.work / "ids")
        new = [one for one in held if one.name is None]
        names = output.publish([one.path for one in new], self.output, output.IDS, batch)
        published = [Run(name, one.rows) for name, one in zip(names, new, strict=True)]
        return (*(Run(one.name, one.rows) for one in held if one.name), *published)


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
