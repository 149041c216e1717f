"""Output folders as ``lake ingest`` leaves them, made without Spark: manifests, quarantine, ``created_at`` of tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from babelreg import load
from babelreg.contract import Contract
from babelreg.lake.storage import output_folder
from babelreg.lake.storage.log import manifest
from babelreg.lake.storage.log.manifest import Batch, TableRows
from babelreg.load.service.starter import example_folder
from babelreg.model import Registry

Ingest = Callable[..., Batch]

QUARANTINE = pa.schema(
    [
        ("batch_read", pa.int32()),
        ("source_file", pa.string()),
        ("source_offset", pa.int64()),
        *((name, pa.string()) for name in ("reason", "pointer", "detail", "urn", "message_id", "trace_id", "lang")),
        ("body", pa.binary()),
    ]
)
ACCEPTED = pa.schema([("message_id", pa.string()), ("created_at", pa.timestamp("us", "UTC"))])


def _row(number: int, source: str, offset: int, body: bytes, verdict: Any) -> dict[str, Any]:
    envelope = verdict.envelope
    return {
        "batch_read": number,
        "source_file": source,
        "source_offset": offset,
        "reason": verdict.reason,
        "pointer": verdict.pointer or "",
        "detail": verdict.detail or "",
        "urn": envelope.urn if envelope else None,
        "message_id": envelope.id if envelope else None,
        "trace_id": envelope.trace_id if envelope else None,
        "lang": envelope.lang if envelope else None,
        "body": body,
    }


def ingest(folder: Path, registry: Registry, bodies: Iterable[bytes], source: str = "messages.jsonl") -> Batch:
    """One more batch in the output ``folder``: what an ingest of ``bodies`` writes that a report reads."""
    contract, seen = Contract(registry.schemas), set[str]()
    number = len(manifest.numbers(folder)) + 1
    good: dict[str, list[dict[str, Any]]] = {}
    refused: list[dict[str, Any]] = []
    repeated: Counter[str] = Counter()
    offset = read = 0
    for body in bodies:
        read += 1
        verdict = contract.verdict(body)
        if verdict.ok:
            envelope = verdict.envelope
            if envelope.id in seen:
                repeated[envelope.urn] += 1
            else:
                seen.add(envelope.id)
                created = None if envelope.created_at is None else envelope.created_at * 1000
                good.setdefault(envelope.urn, []).append({"message_id": envelope.id, "created_at": created})
        else:
            refused.append(_row(number, source, offset, body, verdict))
        offset += len(body) + 1
    return commit(folder, number, read, good, refused, repeated)


def commit(
    folder: Path,
    number: int,
    read: int,
    good: dict[str, list[dict[str, Any]]],
    refused: Sequence[dict[str, Any]],
    repeated: Counter[str],
    kind: Any = "ingest",
    replaced: tuple[str, ...] = (),
) -> Batch:
    name = output_folder.batch_folder(number)
    tables = {
        urn: TableRows(len(rows), (_write(folder, f"{output_folder.table_folder(urn)}/{name}", rows, ACCEPTED),))
        for urn, rows in sorted(good.items())
    }
    kept = (_write(folder, f"{output_folder.QUARANTINE}/{name}", list(refused), QUARANTINE),) if refused else ()
    batch = Batch(
        number=number,
        kind=kind,
        read=read,
        accepted=sum(table.rows for table in tables.values()),
        duplicates=repeated.total(),
        quarantined=len(refused),
        keeps_duplicates=False,
        consumed=(),
        tables=tables,
        quarantine=TableRows(len(refused), kept),
        reasons=dict(Counter(row["reason"] for row in refused).most_common()),
        repeated=dict(repeated),
        index=(),
        replaced=replaced,
    )
    (folder / manifest.FOLDER).mkdir(parents=True, exist_ok=True)
    manifest.write(folder, batch)
    return batch


def _write(folder: Path, name: str, rows: list[dict[str, Any]], schema: pa.Schema) -> str:
    (folder / name).mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows, schema), folder / name / "part-00000.parquet", row_group_size=1_000)
    return f"{name}/part-00000.parquet"


@pytest.fixture(scope="session")
def example() -> Registry:
    """The example registry."""
    return load.registry(example_folder())


@pytest.fixture(scope="session")
def ingested() -> Ingest:
    return ingest


@pytest.fixture(scope="session")
def committed() -> Callable[..., Batch]:
    return commit
