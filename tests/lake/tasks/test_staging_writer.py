"""What one task does with its messages, without Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from babelreg.lake.arrow.table_schema import REFUSED_SCHEMA
from babelreg.lake.message_source import MessageChunk
from babelreg.lake.tasks.staged_segments import REFUSED, StagingReader
from babelreg.lake.tasks.staging_writer import TaskWriter
from babelreg.lake.tasks.validation_spec import ValidationSpec

URN = "urn:babel:orders:created"
SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "at": {"type": "string", "format": "date-time"},
        "price": {"type": "number", "x-spark-type": "decimal(10,2)"},
    },
}
LEAP = "2016-12-31T23:59:60Z"


def message(data: Any) -> bytes:
    meta = {"id": "m", "queue": "q", "lang": "php", "schema_version": 1, "created_at": 1749132727000}
    return json.dumps({"job": URN, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode()


@pytest.mark.parametrize("digests", [True, False], ids=["duplicates are looked for", "duplicates are kept"])
@pytest.mark.parametrize(
    "bodies, rows",
    [
        pytest.param([message({"id": 10**30})], {REFUSED: 1}, id="nothing but a valid message that no column can hold"),
        pytest.param([message({"id": 10**30}), b"{"], {REFUSED: 2}, id="and one that is none"),
        pytest.param([message({"at": LEAP})], {REFUSED: 1}, id="nothing but a leap second"),
        pytest.param([message({"price": 1.125})] * 3, {REFUSED: 3}, id="nothing but digits that a column lacks"),
        pytest.param([b"{"], {REFUSED: 1}, id="nothing valid"),
        pytest.param([message({"id": 10**30}), message({"id": 1})], {REFUSED: 1, 0: 1}, id="and one that is stored"),
        pytest.param([], {}, id="nothing"),
    ],
)
def test_every_message_lands(bodies: list[bytes], rows: dict[int, int], digests: bool, tmp_path: Path) -> None:
    with TaskWriter(ValidationSpec.of({URN: SCHEMA}, digests=digests), tmp_path) as writer:
        writer.add(MessageChunk("00000001/a.jsonl", bodies, list(range(len(bodies)))))
    assert writer.messages == len(bodies)
    assert {table_id: segment.rows for table_id, segment in writer.segments} == rows
    assert sum(pa.ipc.open_file(path).read_all().num_rows for path in writer.ids) == (rows.get(0, 0) if digests else 0)


def test_messages_of_many_urns_land_as_those_of_few_do(tmp_path: Path) -> None:
    """Chunks are validated together where there are many URNs: of one file, and never those of two."""
    urns = [f"urn:babel:shop:thing{number:03d}.changed" for number in range(100)]
    meta = {"id": "m", "queue": "q", "lang": "php", "schema_version": 1, "created_at": 1749132727000}
    envelope = {"trace_id": "t", "data": {"id": 1}, "meta": meta, "attempts": 0}
    bodies = [json.dumps({**envelope, "job": urn}).encode() for urn in (*urns, *urns)] + [b"{"]
    few, many = (ValidationSpec.of(dict.fromkeys(known, SCHEMA)) for known in (urns[:3], urns))
    expected = dict.fromkeys(range(3), 6)
    for spec, folder in ((few, tmp_path / "few"), (many, tmp_path / "many")):
        folder.mkdir()
        with TaskWriter(spec, folder) as writer:
            for name in ("00000001/a.jsonl", "00000001/a.jsonl", "00000001/b.jsonl"):
                writer.add(MessageChunk(name, bodies, list(range(len(bodies)))))
        rows: dict[int, int] = {}
        files: dict[int, set[str]] = {}
        for table_id, segment in writer.segments:
            rows[table_id] = rows.get(table_id, 0) + segment.rows
            schema = REFUSED_SCHEMA if table_id == REFUSED else spec.row_validator().table(table_id).schema
            for batch in StagingReader().batches([segment], schema):
                files.setdefault(table_id, set()).update(batch["source_file"].to_pylist())
        assert {number: rows[number] for number in expected} == expected
        assert sum(rows.values()) == writer.messages == 3 * len(bodies)
        assert set(map(frozenset, files.values())) == {frozenset(["00000001/a.jsonl", "00000001/b.jsonl"])}
