"""The landing: every message of a batch, judged, in one write. It lives in staging until the tables are made of it.

A row is a message, or the end of a stretch of input (``place`` is PIECES), which says how many messages were in it.
``place`` of a good message is the position of its URN in the judge's list, of a refused one REFUSED.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelreg.spark.sources import Source
from babelreg.typemap import spark as typemap

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from babelreg.spark.verdict import Bench

__all__ = ["COLUMNS", "PIECES", "REFUSED", "Judge", "arrow_schema", "rows_at", "write"]

REFUSED, PIECES = -1, -2

_COLUMNS = {
    "source_file": "string",
    "source_offset": "bigint",
    "source_bytes": "bigint",
    "messages": "bigint",
    "urn": "string",
    "message_id": "string",
    "trace_id": "string",
    "lang": "string",
    "queue": "string",
    "created_at": "timestamp",
    "attempts": "bigint",
    "reason": "string",
    "pointer": "string",
    "detail": "string",
    "body": "binary",
    "content": "binary",
    "data": "string",
    "typed": "string",
}

COLUMNS = ", ".join(f"{name} {type_}" for name, type_ in _COLUMNS.items())
"""The columns beside ``place``, as DDL. ``content`` is the digest that tells a repeat from a conflict; ``typed`` the
JSON that ``from_json`` reads, null where that is ``data`` itself; ``body`` the bytes, of refused messages only."""

_BENCHES: dict[str, Bench] = {}


@dataclass(frozen=True)
class Judge:
    """What a message must satisfy to become a row. Plain data, so that it travels to the workers.

    ``schemas`` is what ``Contract`` takes, in the order of ``place``; ``columns`` are those of each URN's ``data``.
    """

    schemas: Mapping[str, Any]
    columns: tuple[typemap.Struct, ...]
    strict: tuple[str, ...]
    key: str

    @classmethod
    def of(cls, schemas: Mapping[str, Any], strict: Iterable[str] = ()) -> Judge:
        """The judge for bundled schemas by URN; ``strict`` are the URNs whose readers are strict."""
        ordered, strict = dict(sorted(schemas.items())), tuple(sorted(strict))
        key = hashlib.sha256(json.dumps([ordered, strict]).encode()).hexdigest()
        return cls(ordered, tuple(typemap.columns(schema) for schema in ordered.values()), strict, key)

    def check(self) -> None:
        """Raises SchemaError when one of the schemas cannot be used: here, not on a worker at its first message."""
        from babelreg.contract import Contract

        contract = Contract(self.schemas, strict=self.strict)
        for urn in self.schemas:
            contract.validator(urn)

    @property
    def urns(self) -> tuple[str, ...]:
        """The URNs in the order of ``place``."""
        return tuple(self.schemas)

    def rows(self, source: Source) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
        """The function for ``mapInArrow``: batches that ``source`` understands in, landing rows out."""

        def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            bench = _bench(self)
            for batch in batches:
                for piece in source.pieces(batch):
                    yield from bench.judged(piece)

        return run


def write(session: SparkSession, source: Source, judge: Judge, folder: Path) -> None:
    """Judge every message of ``source`` and write it to ``folder``, partitioned by ``place``."""
    judged = source.frame(session).mapInArrow(judge.rows(source), f"place int, {COLUMNS}")
    # Read once and soon: ids and JSON hardly repeat, so a dictionary would be built to be thrown away.
    options = {"compression": "lz4", "parquet.enable.dictionary": "false"}
    judged.write.partitionBy("place").options(**options).parquet(str(folder))


def rows_at(session: SparkSession, folder: Path, place: int) -> DataFrame | None:
    """The landed rows of one place; None when there are none."""
    path = folder / f"place={place}"
    return session.read.schema(COLUMNS).parquet(str(path)) if path.is_dir() else None


def arrow_schema() -> pa.Schema:
    """All columns, ``place`` first."""
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "bigint": pa.int64(),
        "timestamp": pa.timestamp("us", "UTC"),
        "binary": pa.binary(),
    }
    return pa.schema([("place", pa.int32()), *((name, types[type_]) for name, type_ in _COLUMNS.items())])


def _bench(judge: Judge) -> Bench:
    from babelreg.spark.verdict import Bench

    if judge.key not in _BENCHES:
        # A worker serves many tasks: validators are built for the first, and kept for the newest registry alone.
        _BENCHES.clear()
        _BENCHES[judge.key] = Bench(judge.schemas, judge.columns, judge.strict)
    return _BENCHES[judge.key]
