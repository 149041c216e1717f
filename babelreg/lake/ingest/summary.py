"""Result of one ``lake ingest`` or ``lake redrive``, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from babelreg.errors import BabelregError
from babelreg.lake.ingest import notebook
from babelreg.lake.ingest.refused_examples import RefusedExample
from babelreg.lake.ingest.thresholds import ExceededThreshold, UrnCounts
from babelreg.lake.input.input_discovery import InputBacklog
from babelreg.lake.input.set_aside import explained
from babelreg.lake.storage import output_folder as folder
from babelreg.lake.storage.commit import StagedBatch
from babelreg.lake.storage.log.manifest import Batch
from babelreg.model.thresholds import TOTAL


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of one run: ``read == accepted + duplicates + quarantined``.

    ``batch`` is None if there was nothing new. ``files`` counts the files that were read, ``known_files`` those that an
    earlier run had read. By URN: ``tables`` counts new rows, ``repeated`` dropped duplicates, and ``folders`` names the
    tables that got rows. ``reasons`` counts the quarantined messages, the most frequent first.

    ``refused`` counts them by URN and reason; ``other`` are those without a URN of the registry. ``exceeded`` are the
    thresholds that the batch exceeds. With ``held`` nothing of it was committed: the counts are those of the messages
    that will be read again, and ``examples`` shows where some of the refused ones are.

    ``moved`` counts files that earlier runs read under other names. ``copies`` are new files that were not read because
    they contain only data that was read from another file. ``set_aside`` explains by name which files are no longer
    read, because they no longer contain the data that was read from them.
    """

    input: str
    output: str
    batch: int | None = None
    files: int = 0
    known_files: int = 0
    read: int = 0
    accepted: int = 0
    duplicates: int = 0
    quarantined: int = 0
    tables: Mapping[str, int] = field(default_factory=dict)
    repeated: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    quarantine: str | None = None
    moved: int = 0
    set_aside: Mapping[str, str] = field(default_factory=dict)
    exceeded: tuple[ExceededThreshold, ...] = ()
    held: bool = False
    examples: tuple[RefusedExample, ...] = ()
    copies: tuple[str, ...] = ()

    @property
    def counts(self) -> UrnCounts:
        """The messages by URN."""
        return UrnCounts(self.tables, self.repeated, self.refused)

    def as_json(self) -> dict[str, Any]:
        """Return the summary as one JSON object."""
        return asdict(self)

    def _repr_html_(self) -> str:
        return _html(self)


class BatchHeld(BabelregError):
    """A batch above its ``hold_above`` threshold. Nothing of it was committed; the next run reads its input again.

    ``exceeded`` are the thresholds, ``summary`` has the counts of an ingest.
    """

    exit_code = 1

    def __init__(self, exceeded: Sequence[ExceededThreshold], summary: Summary | None = None) -> None:
        first = exceeded[0]
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in list(first.reasons.items())[:3])
        share = f"{first.share} of {first.read:,} messages" + ("" if first.scope == TOTAL else f" of {first.scope}")
        super().__init__(
            f"the batch is held: {share} would go to quarantine, above {first.limit} ({reasons})",
            fix="fix the registry or the producer and run it again, or raise hold_above",
        )
        self.exceeded = tuple(exceeded)
        self.summary = summary


def empty_summary(todo: InputBacklog, source: str | Path, output: str | Path) -> Summary:
    """Return the summary of a run that read nothing."""
    return Summary(
        str(source),
        str(output),
        known_files=todo.known_files,
        moved=todo.moved,
        copies=todo.copies,
        set_aside=_set_aside(todo),
    )


def summary_of(
    batch: Batch,
    staged: StagedBatch,
    source: str | Path,
    output: str | Path,
    files: int,
    todo: InputBacklog | None = None,
) -> Summary:
    """Return the summary of a batch that was committed to ``output``; ``todo`` is the input that an ingest found."""
    return Summary(
        input=str(source),
        output=str(output),
        batch=batch.number,
        files=files,
        known_files=todo.known_files if todo else 0,
        read=batch.read,
        accepted=batch.accepted,
        duplicates=batch.duplicates,
        quarantined=batch.quarantined,
        tables={urn: table.rows for urn, table in batch.tables.items()},
        repeated=batch.repeated,
        reasons=batch.reasons,
        refused=staged.refused,
        folders={urn: str(Path(output) / folder.table_folder(urn)) for urn in batch.tables},
        quarantine=str(Path(output) / folder.QUARANTINE) if batch.quarantined else None,
        moved=todo.moved if todo else 0,
        copies=todo.copies if todo else (),
        set_aside=_set_aside(todo) if todo else {},
    )


def held_summary(staged: StagedBatch, source: str | Path, output: str | Path, todo: InputBacklog) -> Summary:
    """Return the summary of a batch that is not committed."""
    return Summary(
        input=str(source),
        output=str(output),
        files=len(todo.ranges),
        known_files=todo.known_files,
        read=staged.read,
        accepted=sum(rows.rows for rows in staged.tables.values()),
        duplicates=staged.duplicates,
        quarantined=staged.quarantine.rows,
        tables={urn: rows.rows for urn, rows in staged.tables.items() if rows.rows},
        repeated=staged.repeated,
        reasons=staged.reasons,
        refused=staged.refused,
        moved=todo.moved,
        copies=todo.copies,
        set_aside=_set_aside(todo),
        held=True,
    )


def _set_aside(todo: InputBacklog) -> Mapping[str, str]:
    return {file.name: explained(file) for file in todo.set_aside}


def _html(summary: Summary) -> str:
    if summary.held:
        title = "Batch held: nothing was committed"
    elif summary.batch is None:
        title = "Nothing new" if not summary.read else "Nothing changed"
    else:
        title = f"Batch {summary.batch}"
    counts = (
        f"{summary.read:,} read = {summary.accepted:,} accepted + {summary.duplicates:,} duplicates + "
        f"{summary.quarantined:,} quarantined"
    )
    urns = sorted({*summary.tables, *summary.repeated}, key=lambda urn: (-summary.tables.get(urn, 0), urn))
    rows = [(urn, summary.tables.get(urn, 0), summary.repeated.get(urn, 0)) for urn in urns]
    above = [(one.scope, f"{one.share} of {one.read:,}", one.limit) for one in summary.exceeded]
    return notebook.page(
        title,
        [f"{summary.input} to {summary.output}", counts],
        notebook.table(("table", "rows", "duplicates"), rows),
        notebook.table(("refused for", "messages"), list(summary.reasons.items())),
        notebook.table(("above a threshold", "quarantined", "limit"), above),
        notebook.table(("copies that were not read again",), [(name,) for name in summary.copies]),
        notebook.table(("set aside", "why"), list(summary.set_aside.items())),
    )
