"""A few refused messages for each reason, the newest of the largest groups, read from the quarantine one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelreg.lake.report.redacted_message import Line, MessageMasker
from babelreg.lake.report.redaction import shown_id
from babelreg.lake.report.refusals import RefusalGroup
from babelreg.lake.storage.parquet import metadata_of, opened, unreadable

_COLUMNS = ["source_file", "source_offset", "message_id", "body"]
_BYTES_AT_ONCE = 16 * 1024 * 1024
_BUFFER_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class RefusedSample:
    """One refused message of ``group``: where it is from, and what of it may be shown."""

    group: RefusalGroup
    source_file: str
    source_offset: int
    message_id: str | None
    lines: tuple[Line, ...]


def read(
    files: Sequence[Path], groups: Sequence[RefusalGroup], masker: MessageMasker, *, per_reason: int = 3, most: int = 60
) -> dict[str, list[RefusedSample]]:
    """Return the newest message of the ``per_reason`` largest groups of every reason, by reason; ``most`` in all.

    ``files`` are those that were scanned, in the same order. Raises InputError for one that cannot be read.
    """
    chosen: dict[str, list[RefusalGroup]] = {}
    for place in range(per_reason):
        for reason in dict.fromkeys(group.key.reason for group in groups):
            alike = [group for group in groups if group.key.reason == reason]
            if place < len(alike) and sum(map(len, chosen.values())) < most:
                chosen.setdefault(reason, []).append(alike[place])
    chosen_groups = [group for alike in chosen.values() for group in alike]
    rows = dict(rows_at(files, {(group.newest.file, group.newest.row) for group in chosen_groups}))
    return {
        reason: [_sample(group, rows[group.newest.file, group.newest.row], masker) for group in alike]
        for reason, alike in chosen.items()
    }


def _sample(group: RefusalGroup, row: Mapping[str, Any], masker: MessageMasker) -> RefusedSample:
    lines = masker.lines(row["body"] or b"", group.urn, group.newest.pointer)
    return RefusedSample(group, row["source_file"], row["source_offset"], shown_id(row["message_id"]), tuple(lines))


def rows_at(files: Sequence[Path], places: set[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    """Yield the rows at ``places``; reads only the row groups that have one, a few megabytes at a time."""
    from pyarrow import ArrowException

    for number in sorted({file for file, _ in places}):
        row_numbers = sorted(row for file, row in places if file == number)
        try:
            repeated = _repeated(files[number])
            with opened(files[number], read_dictionary=repeated, buffer_size=_BUFFER_BYTES) as file:
                start = 0
                for group in range(file.num_row_groups):
                    end = start + file.metadata.row_group(group).num_rows
                    offsets = [row - start for row in row_numbers if start <= row < end]
                    for row, values in _from_group(file, group, offsets):
                        yield (number, start + row), values
                    start = end
        except (OSError, ArrowException, KeyError) as err:
            raise unreadable(files[number], err) from err


def _repeated(path: Path) -> list[str]:
    """Return ``body`` if it is dictionary-encoded: decoded, a large value could be copied into every row."""
    metadata = metadata_of(path)
    at = metadata.schema.names.index("body") if "body" in metadata.schema.names else None
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return (
        ["body"] if at is not None and any("RLE_DICTIONARY" in group.column(at).encodings for group in groups) else []
    )


def _from_group(file: Any, group: int, rows: Sequence[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    if not rows:
        return
    metadata = file.metadata.row_group(group)
    at_once = max(1, min(4_096, _BYTES_AT_ONCE * metadata.num_rows // max(1, metadata.total_byte_size)))
    start = 0
    for part in file.iter_batches(at_once, row_groups=[group], columns=_COLUMNS, use_threads=False):
        for row in rows:
            if start <= row < start + part.num_rows:
                yield row, part.slice(row - start, 1).to_pylist()[0]
        start += part.num_rows
        if start > rows[-1]:
            return
