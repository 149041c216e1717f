"""``redrive``: the quarantine judged again, after the registry was mended.

What passes lands in its table once; what does not stays, with the reason it has now. Both are one batch: its manifest
adds the rows and says which files of the quarantine no longer count. Judging again what stays as it is changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.contract.reason import REASONS
from babelreg.errors import UsageError
from babelreg.model import Registry
from babelreg.spark.ingest import quarantine, schema_check
from babelreg.spark.ingest.batch import BatchJob, Progress
from babelreg.spark.ingest.spark_errors import disk_errors, translated
from babelreg.spark.ingest.summary import Summary, summary_of
from babelreg.spark.ingest.validation_job import progress_folder
from babelreg.spark.lake import current_files
from babelreg.spark.lake import output_folder as folder
from babelreg.spark.lake.commit import (
    Replacement,
    Rows,
    StagedBatch,
    commit,
)
from babelreg.spark.lake.log import replay
from babelreg.spark.lake.log.replay import History
from babelreg.spark.lake.parquet import files_in, rows_in
from babelreg.spark.session import local
from babelreg.spark.sources.quarantine_source import QuarantineSource, RowSelection, count_selected
from babelreg.spark.tasks.message_counter import Count, CountedStep
from babelreg.spark.tasks.validation_spec import ValidationSpec
from babelreg.suggest import closest
from babelreg.typemap import spark as typemap

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["GRACE_SECONDS", "pending", "redrive"]

GRACE_SECONDS = 3600
"""How long files that no longer count stay for readers that looked before."""


def redrive(
    spark: SparkSession | Callable[[], SparkSession],
    registry: Registry,
    output: str | Path,
    *,
    reasons: Collection[str] = (),
    urns: Collection[str] = (),
    grace_seconds: int = GRACE_SECONDS,
    progress: Progress = lambda step: None,
) -> Summary:
    """Judge the quarantine of ``output`` again: the rows with any of ``reasons`` and ``urns``, all where none is named.

    ``spark`` is as for ``ingest``. Files that no longer count are removed by a later run, ``grace_seconds`` after this
    one. The summary counts what was judged; its ``batch`` is None when nothing changed.

    Raises UsageError (also for a reason or a URN that there is not), InputError and RegistryError; after any exception
    the output is what it was before the call.
    """
    target = Path(output)
    folder.check_written(target)
    local.check_installed()
    with folder.locked(target), disk_errors(target):
        so_far = folder.opened_written(target)
        keeps = so_far.keeps_duplicates
        spec = schema_check.spec_of(registry, digests=not keeps)
        schema_check.check(registry, spec, so_far, keeps)
        again = _again(target, so_far.quarantine, RowSelection(frozenset(reasons), frozenset(urns)), registry)
        source = str(target / folder.QUARANTINE)
        if not again.rows:
            return Summary(source, str(output))
        with folder.staging(target, so_far.number) as work, translated(target):
            given = local.configured(spark() if callable(spark) else spark)
            text = f"validating {again.rows:,} message{'' if again.rows == 1 else 's'} again"
            progress(CountedStep(text, progress_folder(work), Count(messages=again.rows)))
            written = _judged(given, spec, target, so_far, again, work.resolve(), progress)
            if written is None:
                return Summary(source, str(output), files=len(again.names), read=again.rows)
            replaced = Replacement(again.names, grace_seconds)
            batch = commit(target, so_far, "redrive", written, keeps_duplicates=keeps, replaced=replaced)
    return summary_of(batch, source, output, len(again.names))


def pending(
    output: str | Path, registry: Registry, *, reasons: Collection[str] = (), urns: Collection[str] = ()
) -> int:
    """Return how many messages :func:`redrive` would validate again; nothing is written, locked or started.

    Raises UsageError, InputError.
    """
    target = Path(output)
    folder.check_written(target)
    return _again(
        target, replay.read(target).quarantine, RowSelection(frozenset(reasons), frozenset(urns)), registry
    ).rows


@dataclass(frozen=True, slots=True)
class _RedrivePlan:
    """What is to be judged again: ``rows`` rows in the files ``names``, which hold ``others`` as well."""

    names: tuple[str, ...]
    rows: int
    others: int
    wanted: RowSelection


def _again(target: Path, refused: Iterable[str], wanted: RowSelection, registry: Registry) -> _RedrivePlan:
    found = {name: count_selected(target / name, wanted) for name in refused}
    met = frozenset().union(*(one.met for one in found.values()))
    reasons = {*REASONS, *typemap.UNSTORABLE, quarantine.CONFLICT}
    _check_known(wanted.reasons - met, reasons, "no message is ever refused for '{}'", "--reason")
    _check_known(wanted.urns - met, registry.by_urn, "neither the quarantine nor the registry knows '{}'", "--urn")
    names = tuple(name for name, one in found.items() if one.rows)
    rows = sum(one.rows for one in found.values())
    return _RedrivePlan(names, rows, rows_in([target / name for name in names]) - rows, wanted)


def _check_known(asked: Iterable[str], known: Collection[str], text: str, option: str) -> None:
    """Raises UsageError for a name that no row has and none could have: it is misspelt, and nothing to do no answer."""
    for name in sorted(asked):
        if name not in known:
            near = closest(name, known)
            fix = f"did you mean '{near}'?" if near else f"without {option} the whole quarantine is judged again"
            raise UsageError(text.format(name), fix=fix)


def _judged(
    spark: SparkSession,
    spec: ValidationSpec,
    target: Path,
    so_far: History,
    again: _RedrivePlan,
    work: Path,
    progress: Progress,
) -> StagedBatch | None:
    """What a batch must hold; None when every row would stay as it is."""
    files = [target.resolve() / name for name in again.names]
    source = QuarantineSource(tuple(map(str, files)), again.wanted)
    known = current_files.known(target, so_far, work)
    rebuilt = partial(current_files.known_anew, target, so_far, work)
    job = BatchJob(spark, spec, source, work, known, so_far.keeps_duplicates, progress, rebuilt)
    written = job.run()
    if written.read != again.rows:
        raise RuntimeError(f"{again.rows} rows were to be judged again and {written.read} were; nothing was changed")
    if written.quarantine.rows == written.read and not quarantine.differ(
        spark, written.quarantine.files, files, again.wanted
    ):
        return None
    if not again.others:
        return written
    quarantine.keep(files, again.wanted, spark, work / "kept")
    kept = files_in(work / "kept")
    if rows_in(kept) != again.others:
        raise RuntimeError(f"{again.others} rows of the quarantine were to stay and {rows_in(kept)} did")
    return replace(written, kept=Rows(again.others, kept))
