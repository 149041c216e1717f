"""Which files of an output folder hold its rows now: what the manifests of all batches say together.

Batches add files; a redrive and a compaction also replace some. What was replaced stays on the disk for a while, for
readers that looked before: so a reader takes the files that are named here, not all that lie in a folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from babelreg.errors import UsageError
from babelreg.spark import index, manifest
from babelreg.spark.manifest import Batch
from babelreg.spark.output import QUARANTINE

__all__ = ["files", "known", "quarantined", "tables"]


def files(output: str | Path, table: str) -> list[str]:
    """The files that hold the rows of ``table``, a URN or ``quarantine``: what pandas, pyarrow, DuckDB and Spark take.

    Raises UsageError where ``output`` has no such table, InputError for a manifest that cannot be understood.
    """
    folder = Path(output)
    batches = manifest.read(folder)
    if table == QUARANTINE and batches:
        return [str(folder / name) for name in quarantined(batches)]
    found = tables(batches)
    if table not in found:
        known = ", ".join(sorted(found)) or "none"
        raise UsageError(f"{output} has no table of '{table}'", fix=f"name one that it has ({known}) or {QUARANTINE}")
    return [str(folder / name) for name in found[table]]


def tables(batches: Sequence[Batch]) -> Mapping[str, tuple[str, ...]]:
    """The files of every table, by URN, the oldest first; paths are relative to the output."""
    urns = sorted({urn for batch in batches for urn in batch.tables})
    gone = _replaced(batches)
    named = {
        urn: [name for batch in batches if urn in batch.tables for name in batch.tables[urn].files] for urn in urns
    }
    return {urn: tuple(name for name in names if name not in gone) for urn, names in named.items()}


def known(output: Path, batches: Sequence[Batch], work: Path) -> tuple[index.Held, ...]:
    """The index of ids after ``batches``; what must be written for it goes to the folder ``work``.

    Raises InputError.
    """
    if not batches or batches[0].keeps_duplicates:
        return ()
    root = output.resolve()
    names = (name for files in tables(batches).values() for name in files)
    return index.prepared(root, batches[-1].index, (root / name for name in names), work.resolve() / "ids")


def quarantined(batches: Sequence[Batch]) -> tuple[str, ...]:
    """The files of the quarantine, the oldest first."""
    gone = _replaced(batches)
    return tuple(name for batch in batches for name in batch.quarantine.files if name not in gone)


def _replaced(batches: Iterable[Batch]) -> set[str]:
    return {name for batch in batches for name in batch.replaced}
