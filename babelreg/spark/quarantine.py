"""Quarantine: what was refused, every byte of it, with the reason and where it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from babelreg.spark.parquet import address
from babelreg.spark.sources import Source

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["CONFLICT", "conflicts", "counts", "write"]

CONFLICT = "id_conflict"
_DETAIL = "another message with this meta.id and other content was accepted before"

_COLUMNS = (
    "source_file",
    "source_offset",
    "reason",
    "pointer",
    "detail",
    "urn",
    "message_id",
    "trace_id",
    "lang",
    "body",
)


def write(refused: Iterable[DataFrame], folder: Path) -> None:
    """Write landed rows of refused messages to ``folder``, in the order of their files and positions."""
    from pyspark.sql import DataFrame

    frames = [rows.select(*_COLUMNS) for rows in refused]
    if frames:
        together = frames[0]
        for more in frames[1:]:
            together = DataFrame.unionByName(together, more)
        together.coalesce(1).sortWithinPartitions("source_file", "source_offset").write.parquet(address(folder))


def conflicts(rows: DataFrame, repeats: DataFrame, urn: str, source: Source) -> DataFrame:
    """Accepted ``rows`` of ``urn`` whose id belongs to other content, as refused rows, with their bytes read again."""
    from pyspark.sql import functions as F

    place = ["source_file", "source_offset", "source_bytes"]
    found = rows.join(repeats.where("conflict").select(*place), place, "left_semi")
    bare = found.select(
        *place,
        F.lit(CONFLICT).alias("reason"),
        F.lit("/meta/id").alias("pointer"),
        F.lit(_DETAIL).alias("detail"),
        F.lit(urn).alias("urn"),
        "message_id",
        "trace_id",
        "lang",
    )
    types = ", ".join(f"{name} {'binary' if name == 'body' else 'string'}" for name in _COLUMNS)
    return bare.mapInArrow(_with_bytes(source), types.replace("source_offset string", "source_offset bigint"))


def counts(files: Iterable[Path]) -> dict[str, int]:
    """How many rows ``files`` hold for each reason, the most frequent first."""
    from collections import Counter

    from pyarrow import parquet

    found: Counter[str] = Counter()
    for path in files:
        found.update(parquet.read_table(path, columns=["reason"])["reason"].to_pylist())
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _with_bytes(source: Source) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for ``mapInArrow`` that reads the body of each row again."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            rows = batch.to_pylist()
            bodies = [source.body(row["source_file"], row["source_offset"], row["source_bytes"]) for row in rows]
            columns = [pa.array(bodies, pa.binary()) if name == "body" else batch.column(name) for name in _COLUMNS]
            yield pa.RecordBatch.from_arrays(columns, names=list(_COLUMNS))

    return run
