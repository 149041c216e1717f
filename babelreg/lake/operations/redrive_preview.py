"""Preview of a redrive: the quarantine validated again in this process, in streams, and counted.

Nothing is written, locked or started. Ids are not searched for: of the messages that pass, the run may find some to be
duplicates. A message of a conflicting id that passes stays, since the id is still taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.lake.ingest import redrive, schema_check
from babelreg.lake.ingest.quarantine import CONFLICT
from babelreg.lake.input.quarantine_source import RowSelection
from babelreg.lake.message_source import Origin, staged_name
from babelreg.lake.storage import output_folder as folder
from babelreg.lake.storage.log import replay
from babelreg.lake.storage.parquet import opened, unreadable
from babelreg.model import Registry

if TYPE_CHECKING:
    import pyarrow as pa

    from babelreg.lake.tasks.validated_batches import ValidatedBatches

Outcome = tuple[str, str | None, str | None]
"""Of a row: its present reason, and its URN if it passes, else None and its new reason."""

_COLUMNS = ["batch_read", "source_file", "source_offset", "reason", "urn", "body"]
_ROWS_AT_ONCE = 1_000
"""Bodies in memory at once: each may have megabytes."""


@dataclass(frozen=True, slots=True)
class RedrivePreview:
    """Number of ``messages`` that would be validated again: ``passing`` of them by URN, the others by new reason.

    ``reasons`` counts by present reason how many pass and how many stay.
    """

    messages: int
    passing: Mapping[str, int]
    staying: Mapping[str, int]
    reasons: Mapping[str, tuple[int, int]]

    def as_json(self) -> dict[str, Any]:
        """Return the preview as one JSON object."""
        reasons = {
            reason: {"passing": passing, "staying": staying} for reason, (passing, staying) in self.reasons.items()
        }
        return {**asdict(self), "reasons": reasons}


def preview(
    output: str | Path, registry: Registry, *, reasons: Collection[str] = (), urns: Collection[str] = ()
) -> RedrivePreview:
    """Return what :func:`redrive` would find. Raises UsageError, InputError, RegistryError as it does."""
    counts: Counter[Outcome] = Counter()
    for _, outcomes in validated_rows(output, registry, reasons=reasons, urns=urns):
        counts.update(outcomes)
    return _preview(counts)


def validated_rows(
    output: str | Path, registry: Registry, *, reasons: Collection[str] = (), urns: Collection[str] = ()
) -> Iterator[tuple[pa.RecordBatch, list[Outcome]]]:
    """Yield the selected rows of the quarantine, with their bodies, and the outcome of each; see :func:`preview`."""
    from babelreg.lake.tasks.validated_batches import ValidatedBatches

    target = Path(output)
    folder.check_written(target)
    so_far = replay.read(target)
    spec = schema_check.spec_of(registry, digests=False)
    schema_check.check(registry, spec, so_far, so_far.keeps_duplicates)
    selection = RowSelection(frozenset(reasons), registry.names(urns))
    plan = redrive.plan_of(target, so_far.quarantine, selection, registry)
    files = [target / name for name in plan.names]
    origins = redrive.origins_of(target, so_far, files, selection)
    if files:
        validator = ValidatedBatches(spec)
        for rows in _selected(files, selection):
            yield rows, list(_outcomes(rows, validator, origins))


def _selected(files: Sequence[Path], selection: RowSelection) -> Iterator[pa.RecordBatch]:
    from pyarrow import ArrowException

    for path in files:
        try:
            with opened(path) as file:
                for rows in file.iter_batches(_ROWS_AT_ONCE, columns=_COLUMNS):
                    wanted = rows.filter(selection.mask(rows))
                    if wanted.num_rows:
                        yield wanted
        except (OSError, ArrowException) as err:
            raise unreadable(path, err) from err


def _outcomes(rows: pa.RecordBatch, validator: ValidatedBatches, origins: Mapping[str, Origin]) -> Iterator[Outcome]:
    names = [
        staged_name(*pair) for pair in zip(rows["batch_read"].to_pylist(), rows["source_file"].to_pylist(), strict=True)
    ]
    reasons = rows["reason"].to_pylist()
    validated: list[tuple[str | None, str | None]] = [(None, None)] * len(reasons)
    foreign = [number for number, name in enumerate(names) if name in origins]
    own = [number for number, name in enumerate(names) if name not in origins]
    for numbers, given in ((own, None), (foreign, [origins[names[number]] for number in foreign])):
        if numbers:
            results = validator.validated(rows["body"].take(numbers), given)
            pairs = zip(results.field("urn").to_pylist(), results.field("reason").to_pylist(), strict=True)
            for number, pair in zip(numbers, pairs, strict=True):
                validated[number] = pair
    for present, (urn, reason) in zip(reasons, validated, strict=True):
        now = CONFLICT if reason is None and present == CONFLICT else reason
        yield present, urn if now is None else None, now


def _preview(counts: Counter[Outcome]) -> RedrivePreview:
    passing: Counter[str] = Counter()
    staying: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    stayed: Counter[str] = Counter()
    for (present, urn, now), count in counts.items():
        if now is None:
            passing[urn or ""] += count
            passed[present] += count
        else:
            staying[now] += count
            stayed[present] += count
    return RedrivePreview(
        counts.total(),
        dict(passing.most_common()),
        dict(staying.most_common()),
        {reason: (passed[reason], stayed[reason]) for reason, _ in (passed + stayed).most_common()},
    )
