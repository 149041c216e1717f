"""Quarantine rows: every refused message with all its bytes, the reason and its position."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.lake.ingest.thresholds import OTHER
from babelreg.lake.input.quarantine_source import RowSelection
from babelreg.lake.message_source import MessageSource
from babelreg.lake.storage.parquet import opened, table_of
from babelreg.lake.storage.parquet_rows import RowPositions

if TYPE_CHECKING:
    import pyarrow as pa

CONFLICT = "id_conflict"
TAKEN = "a message with the same meta.id and different content was accepted before"

_POSITION = ("batch_read", "source_file", "source_offset")
_DIGEST_BYTES = 32
_READ_ROWS = 10_000


def schema() -> pa.Schema:
    """Return the columns of the quarantine. ``batch_read`` is the number of the batch that read the message."""
    import pyarrow as pa

    from babelreg.lake.arrow.table_schema import REFUSED_SCHEMA

    return REFUSED_SCHEMA.insert(0, pa.field("batch_read", pa.int32()))


def write_conflicts(source: MessageSource, listed: Sequence[Path], folder: Path) -> None:
    """Write messages whose id was accepted with other content to ``folder``, with their bytes read again.

    ``listed`` are the files in which ``table_writer`` lists them.
    """
    import pyarrow as pa

    if not listed:
        return
    rows = pa.concat_tables([table_of(path) for path in listed])
    ordered = rows.sort_by([("source_file", "ascending"), ("source_offset", "ascending")])
    _write(map(_conflicting, source.with_bodies(ordered)), folder)


def _conflicting(rows: pa.Table) -> pa.Table:
    """Return listed rows with their bodies as rows of the quarantine."""
    import pyarrow as pa
    from pyarrow import compute

    number, name = compute.split_pattern(rows["source_file"], "/", max_splits=1), "source_file"
    constant = {"reason": CONFLICT, "pointer": "/meta/id", "detail": TAKEN}
    columns = {column: rows[column] for column in rows.schema.names}
    columns |= {column: pa.chunked_array([pa.repeat(text, rows.num_rows)]) for column, text in constant.items()}
    columns["batch_read"] = compute.list_element(number, 0).cast(pa.int32())
    columns[name] = compute.list_element(number, 1)
    return pa.table([columns[column] for column in schema().names], schema=schema())


def copy_unselected(files: Iterable[Path], selection: RowSelection, folder: Path) -> None:
    """Copy the rows of quarantine ``files`` that are not selected to ``folder``. Raises InputError."""
    from pyarrow import compute

    rows = RowPositions.of(list(files), _POSITION, "body", lambda table: compute.invert(selection.mask(table)))
    _write(rows.read(schema().names), folder)


def _write(tables: Iterable[pa.Table], folder: Path) -> None:
    """Write ``tables``, in order, to one file in the new ``folder``."""
    from babelreg.lake.arrow.table_schema import writer

    folder.mkdir()
    with writer(folder / "part-00000.parquet", schema()) as target:
        for table in tables:
            target.write_table(table.cast(schema()), row_group_size=max(1, table.num_rows))


def differ(new: Iterable[Path], old: Iterable[Path], selection: RowSelection) -> bool:
    """Return whether the ``new`` rows differ from the selected ``old`` ones, bodies apart."""
    return _digest(_without_bodies(new, RowSelection())) != _digest(_without_bodies(old, selection))


def _without_bodies(files: Iterable[Path], selection: RowSelection) -> Iterator[tuple[object, ...]]:

    names = [name for name in schema().names if name != "body"]
    for path in files:
        with opened(path) as file:
            for batch in file.iter_batches(_READ_ROWS, columns=names):
                rows = batch.filter(selection.mask(batch))
                yield from zip(*(rows[name].to_pylist() for name in names), strict=True)


def _digest(rows: Iterable[tuple[object, ...]]) -> int:
    """Return a number that equal rows have in any order: there may be more than fit into memory."""
    total = 0
    for row in rows:
        total += int.from_bytes(blake2b(repr(row).encode(), digest_size=_DIGEST_BYTES).digest())
    return total


def count_refused(files: Iterable[Path], urns: Collection[str]) -> Mapping[str, Mapping[str, int]]:
    """Return the number of rows in ``files`` by URN and reason; URNs that are not among ``urns`` are one, OTHER.

    Messages may have any number of other URNs.
    """

    counts: dict[str, dict[str, int]] = {}
    for path in files:
        rows = table_of(path, ["urn", "reason"], read_dictionary=["urn", "reason"]).unify_dictionaries()
        for row in rows.group_by(["urn", "reason"]).aggregate([([], "count_all")]).to_pylist():
            of_urn = counts.setdefault(row["urn"] if row["urn"] in urns else OTHER, {})
            of_urn[row["reason"]] = of_urn.get(row["reason"], 0) + row["count_all"]
    return {urn: dict(sorted(reasons.items())) for urn, reasons in sorted(counts.items())}
