"""Everything that a report says, as plain data: gathered from manifests, quarantine, tables and registry.

What is read is bounded: of the tables only ``created_at``, the newest first, until there was enough; of the quarantine
a few narrow columns, and the bytes of the samples alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.lake.report import counts as ledger
from babelreg.lake.report import refusals, samples
from babelreg.lake.report.counts import MessageCounts
from babelreg.lake.report.redacted_message import MessageMasker
from babelreg.lake.report.refusals import Refusals
from babelreg.lake.report.samples import RefusedSample
from babelreg.lake.report.timeline import CountTimeline, TimelineBuilder
from babelreg.lake.storage.log import manifest, replay
from babelreg.lake.storage.log.manifest import Batch, SetAside
from babelreg.lake.storage.log.replay import LakeState
from babelreg.lake.storage.parquet import opened, rows_in, unreadable
from babelreg.model import Registry

_MOST_ROWS = 100_000_000
_MOST_FILES = 5_000


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a report. ``timed`` rows of the tables were looked at for ``timeline``, out of ``rows``.

    ``set_aside`` are the input files that are set aside now, whatever batch the report describes.
    """

    output: str
    registry: Registry | None
    ledger: MessageCounts
    refusals: Refusals
    samples: Mapping[str, Sequence[RefusedSample]]
    timeline: CountTimeline | None
    timed: int
    rows: int
    set_aside: tuple[SetAside, ...] = ()


def gather(output: Path, registry: Registry | None, batch: int | None = None) -> Content:
    """Return the content of a report on ``output``: on all batches, or on number ``batch``.

    Raises UsageError where there is nothing to report on, InputError for files that cannot be read.
    """
    now = replay.read(output)
    if not now.number:
        missing = "contains no batch" if output.exists() else "does not exist"
        raise UsageError(f"{output} {missing}", fix="pass the --lake of `babelreg lake ingest`")
    counts = _counts(output, now.number, batch)
    masker = MessageMasker(registry)
    files, judged = _refused(output, now, counts.batch)
    urns = frozenset({*counts.tables, *(registry.by_urn if registry else ())})
    scanned = refusals.scan(files, urns, masker.pointer, judged)
    rows = sum(table.rows for table in counts.tables.values())
    timeline, timed = _timeline(_tables(output, now, counts.batch))
    sampled = samples.read(files, scanned.groups, masker)
    return Content(str(output), registry, counts, scanned, sampled, timeline, timed, rows, _set_aside(now))


def _set_aside(now: LakeState) -> tuple[SetAside, ...]:
    return tuple(file for _, names in sorted(now.set_aside.items()) for _, file in sorted(names.items()))


def _counts(output: Path, count: int, number: int | None) -> MessageCounts:
    batches = islice(manifest.batches(output), count)
    return ledger.of_all(batches, count) if number is None else ledger.of_batch(batches, count, number)


def _refused(output: Path, now: LakeState, batch: Batch | None) -> tuple[list[Path], int | None]:
    """Return the files of the quarantine that count, and of which batch the rows in them are meant (None: of all)."""
    live = [output / name for name in now.quarantine]
    if batch is None or batch.kind == "ingest":
        return live, batch.number if batch else None
    paths: list[Path] = []
    # A redrive writes what it refused first, then what it was not asked for.
    for name in batch.quarantine.files:
        if rows_in(paths) == batch.quarantined or output / name not in live:
            break
        paths.append(output / name)
    return paths, None


def _tables(output: Path, now: LakeState, batch: Batch | None) -> list[Path]:
    """Return the files of the tables, newest batches first; for one batch those of its files that still exist."""
    if batch is not None:
        written = [output / name for table in batch.tables.values() for name in table.files]
        return [path for path in written if path.exists()]
    names = (name for files in now.tables.values() for name in files)
    # The folder of a file is called for its batch.
    return [output / name for name in sorted(names, key=lambda name: name.split("/")[-2:], reverse=True)]


def _timeline(files: Sequence[Path]) -> tuple[CountTimeline | None, int]:
    """Return the creation times of the messages in ``files``, and the number of rows read for them."""
    from pyarrow import ArrowException

    clock, rows = TimelineBuilder(), 0
    for path in files[:_MOST_FILES]:
        if rows >= _MOST_ROWS:
            break
        try:
            with opened(path) as file:
                for part in file.iter_batches(500_000, columns=["created_at"]):
                    clock.add(part.column(0))
                    rows += part.num_rows
        except (OSError, ArrowException, KeyError) as err:
            raise unreadable(path, err) from err
    return clock.timeline(), rows
