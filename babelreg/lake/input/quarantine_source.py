"""Input source of a redrive: messages of the quarantine, as raw bytes with their original positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from babelreg.lake.message_source import MessageChunk, Origin, staged_name
from babelreg.lake.storage.parquet import opened, unreadable
from babelreg.lake.storage.parquet_rows import RowPositions

if TYPE_CHECKING:
    import pyarrow as pa

_POSITION = ("batch_read", "source_file", "source_offset")
_MOST_TASKS = 64
_COMPRESSION_RATIO = 4
_CHUNK_ROWS = 1_000
"""Bodies in memory at once: each may have megabytes."""


Position = tuple[int, str, int]
"""The batch that read a message, the file that it was in, and its offset there."""


@dataclass(frozen=True, slots=True)
class RowSelection:
    """Filter of quarantine rows: any of ``reasons`` and any of ``urns``; an empty set selects all.

    ``positions`` selects rows one by one, besides; None for all.
    """

    reasons: frozenset[str] = frozenset()
    urns: frozenset[str] = frozenset()
    positions: frozenset[Position] | None = None

    @property
    def columns(self) -> list[str]:
        """The columns that decide."""
        return ["reason", "urn", *(() if self.positions is None else _POSITION)]

    def matches(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row with :attr:`columns` is selected."""
        return (
            (not self.reasons or row["reason"] in self.reasons)
            and (not self.urns or row["urn"] in self.urns)
            and (self.positions is None or tuple(row[name] for name in _POSITION) in self.positions)
        )

    def mask(self, rows: pa.Table | pa.RecordBatch) -> pa.Array:
        """Return the same for each of ``rows``."""
        import pyarrow as pa
        from pyarrow import compute

        mask = pa.repeat(True, rows.num_rows)
        for column, values in (("reason", self.reasons), ("urn", self.urns)):
            if values:
                mask = compute.and_(mask, compute.is_in(rows[column], pa.array(sorted(values), pa.string())))
        if self.positions is not None:
            places = zip(*(rows[name].to_pylist() for name in _POSITION), strict=True)
            mask = compute.and_(mask, pa.array([place in self.positions for place in places], pa.bool_()))
        return mask


@dataclass(frozen=True, slots=True)
class QuarantineSource:
    """The selected rows of the parquet ``files`` of a quarantine.

    ``origins`` are those of the files that foreign messages came from, by :func:`staged_name`.
    """

    files: tuple[str, ...]
    selection: RowSelection
    origins: Mapping[str, Origin] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(Path(name).stat().st_size * _COMPRESSION_RATIO for name in self.files)

    def splits(self, tasks: int) -> list[tuple[str, ...]]:
        """Return the files, a few for each task."""
        count = min(len(self.files), _MOST_TASKS)
        return [self.files[number::count] for number in range(count)]

    def chunks(self, split: Sequence[str]) -> Iterator[MessageChunk]:
        """Yield the selected messages of the files of ``split``."""
        for path in split:
            for rows in _rows(Path(path), ["batch_read", "source_file", "source_offset", "reason", "urn", "body"]):
                selected = [row for row in rows if self.selection.matches(row)]
                for (number, name), group in groupby(selected, lambda row: (row["batch_read"], row["source_file"])):
                    messages = list(group)
                    bodies, offsets = [row["body"] for row in messages], [row["source_offset"] for row in messages]
                    staged = staged_name(number, name)
                    yield MessageChunk(staged, bodies, offsets, self.origins.get(staged))

    def with_bodies(self, rows: pa.Table) -> Iterator[pa.Table]:
        """Yield staged ``rows`` with their ``body``, taken from the quarantine."""
        import pyarrow as pa

        names = rows["source_file"].to_pylist()
        wanted = set(zip(names, rows["source_offset"].to_pylist(), strict=True))

        def keep(table: pa.Table) -> pa.Array:
            places = zip(*(table[name].to_pylist() for name in _POSITION), strict=True)
            found = [(staged_name(batch, name), offset) in wanted for batch, name, offset in places]
            return pa.array(found, pa.bool_())

        positions = RowPositions.of([Path(name) for name in self.files], _POSITION, "body", keep)
        if positions.rows.num_rows != rows.num_rows:
            raise RuntimeError(
                f"{rows.num_rows} messages were in quarantine, but now there are {positions.rows.num_rows}"
            )
        done = 0
        for bodies in positions.read(["body"]):
            part = rows.slice(done, bodies.num_rows)
            yield part.append_column("body", bodies["body"])
            done += bodies.num_rows


def _rows(path: Path, columns: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    from pyarrow import ArrowException

    try:
        with opened(path) as file:
            for batch in file.iter_batches(_CHUNK_ROWS, columns=columns):
                yield batch.to_pylist()
    except (OSError, ArrowException) as err:
        raise unreadable(path, err) from err


class SelectionCount(NamedTuple):
    """Selected rows of a file, and the requested reasons and URNs that occur in any of its rows."""

    rows: int
    present: frozenset[str]


def count_selected(path: Path, selection: RowSelection) -> SelectionCount:
    """Count the rows of the quarantine file ``path`` that match. Raises InputError."""
    rows = 0
    present: set[str] = set()
    for batch in _rows(path, selection.columns):
        for row in batch:
            rows += selection.matches(row)
            present |= selection.reasons & {row["reason"]} | selection.urns & {row["urn"]}
    return SelectionCount(rows, frozenset(present))


def input_files(paths: Iterable[Path], selection: RowSelection) -> set[tuple[int, str]]:
    """Return the batches and files that the selected rows of ``paths`` are from. Raises InputError."""
    return {
        (row["batch_read"], row["source_file"])
        for path in paths
        for batch in _rows(path, ["batch_read", "source_file", "reason", "urn"])
        for row in batch
        if selection.matches(row)
    }
