"""Arrays of messages in, arrays of structs out: each row is that of its message alone, and of the tables of an ingest."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from babelreg.contract.parse import deep
from babelreg.lake.arrow.table_schema import REFUSED_SCHEMA
from babelreg.lake.ingest.schema_check import spec_of
from babelreg.lake.message_source import MessageChunk, Origin
from babelreg.lake.tasks.row_validator import RefusedRow
from babelreg.lake.tasks.staged_segments import REFUSED, StagingReader
from babelreg.lake.tasks.staging_writer import TaskWriter
from babelreg.lake.tasks.validated_batches import MEMBERS, ValidatedBatches
from babelreg.lake.tasks.validation_spec import ValidationSpec

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))
import foreign
import mutants

ENVELOPE = ("message_id", "trace_id", "created_at", "lang", "queue", "attempts")
URN, EMPTY, OTHER = "urn:babel:orders:created", "urn:babel:orders:pinged", "urn:babel:orders:paid"
SCHEMAS = {
    URN: {"type": "object", "properties": {"id": {"type": "integer"}, "lines": {"type": "array", "items": {"type": "integer"}}}},
    EMPTY: {"type": "object"},
    OTHER: {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}},
}  # fmt: skip


def message(data: Any, urn: str = URN, identity: str = "m") -> bytes:
    meta = {"id": identity, "queue": "q", "lang": "php", "schema_version": 1, "created_at": 1749132727000}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 2}).encode()


def batches(*urns: str) -> ValidatedBatches:
    return ValidatedBatches(ValidationSpec.of(SCHEMAS, digests=False), urns)


def spoilt() -> tuple[ValidationSpec, list[bytes]]:
    strict = [urn for urn in mutants.SCHEMAS if ":strict:" in urn]
    spec = ValidationSpec.of(mutants.registry().schemas, strict, digests=False)
    return spec, list(mutants.messages(4_000, 5))


def test_every_row_is_that_of_an_ingest(tmp_path: Path) -> None:
    spec, bodies = spoilt()
    with deep(), TaskWriter(spec, tmp_path) as writer:
        writer.add(MessageChunk("a", bodies, list(range(len(bodies)))))
    validator = spec.row_validator()
    expected: dict[int, dict[str, Any]] = {}
    for number, segment in writer.segments:
        schema = REFUSED_SCHEMA if number == REFUSED else validator.table(number).schema
        expected |= {
            row["source_offset"]: row
            for batch in StagingReader().batches([segment], schema)
            for row in batch.to_pylist()
        }
    validated = ValidatedBatches(spec, spec.urns)
    rows = validated.validated(pa.array(bodies, pa.binary())).to_pylist()
    assert validated.typed_urns == tuple(
        urn for urn, columns in zip(spec.urns, spec.columns, strict=True) if columns.fields
    )
    for number, row in enumerate(rows):
        of_ingest = expected[number]
        accepted = "data_json" in of_ingest
        envelope = ENVELOPE if accepted else ("message_id", "trace_id", "lang")
        assert {name: row["envelope"][name] for name in envelope} == {name: of_ingest[name] for name in envelope}
        names = ("urn", "data_json") if accepted else ("urn", "reason", "pointer", "detail", "body")
        assert {name: row[name] for name in names} == {name: of_ingest[name] for name in names}
        typed = {urn: row[urn] for urn in validated.typed_urns if row[urn] is not None}
        assert typed == ({row["urn"]: [of_ingest["data"]]} if "data" in of_ingest else {})
        nulls = ("reason", "pointer", "detail", "body") if accepted else ("data_json",)
        assert not any(row[name] is not None for name in nulls)


def test_a_row_depends_neither_on_its_batch_nor_on_the_urns_asked_for_nor_on_the_type_of_the_column() -> None:
    spec, bodies = spoilt()
    bodies = [body for body in bodies[:600] if body.isascii()]
    at_once = ValidatedBatches(spec).validated(pa.array(bodies, pa.binary())).to_pylist()
    wide = ValidatedBatches(spec, spec.urns)
    members = [field.name for field in MEMBERS]
    for type_ in (pa.string(), pa.large_string(), pa.large_binary()):
        column = pa.array(bodies, pa.binary()).cast(pa.string()).cast(type_)
        rows = [row for body in range(len(column)) for row in wide.validated(column.slice(body, 1)).to_pylist()]
        assert [{name: row[name] for name in members} for row in rows] == at_once


@pytest.mark.parametrize(
    "bodies, expected",
    [
        pytest.param([], [], id="no messages"),
        pytest.param([None, None], [None, None], id="tombstones alone"),
        pytest.param([None, message({"id": 1}), b"{"], [None, (URN, None, {"id": 1, "lines": None}), (None, "invalid_json", None)], id="a tombstone, an accepted and a refused message"),
        pytest.param([message({"id": 2**63}), message({"lines": [1, 2]})], [(URN, "unstorable_integer", None), (URN, None, {"id": None, "lines": [1, 2]})], id="an integer that no column holds"),
        pytest.param([message({}, EMPTY), message({"at": "x"}, OTHER)], [(EMPTY, None, None), (OTHER, "wrong_format", None)], id="messages of other URNs"),
        pytest.param([message({"at": "2016-12-31T23:59:60Z"}, OTHER)], [(OTHER, "unstorable_timestamp", None)], id="a leap second in a URN that is not asked for"),
    ],
)  # fmt: skip
def test_each_message_is_accepted_or_refused(bodies: list[bytes | None], expected: list[Any]) -> None:
    rows = batches(URN, EMPTY).validated(pa.array(bodies, pa.binary())).to_pylist()
    assert [row and (row["urn"], row["reason"], row[URN] and row[URN][0]) for row in rows] == expected
    assert all(row is None or (row["body"] == body) == (row["reason"] is not None) for row, body in zip(rows, bodies, strict=True))  # fmt: skip


@pytest.mark.parametrize("together", [1, 100, 4_000], ids="{} messages at once".format)
def test_a_message_is_refused_for_its_columns_whether_or_not_they_are_made(together: int) -> None:
    """Few messages of a URN are checked one by one, many are typed."""
    spec, bodies = spoilt()
    bodies = bodies[:500] if together == 1 else bodies
    with deep():
        alone = [spec.row_validator().validate(body) for body in bodies]
    for urns in ((), spec.urns):
        validated, reasons = ValidatedBatches(spec, urns), []
        for start in range(0, len(bodies), together):
            rows = validated.validated(pa.array(bodies[start : start + together], pa.binary()))
            reasons += zip(rows.field("reason").to_pylist(), rows.field("pointer").to_pylist(), strict=True)
        assert reasons == [(row.reason, row.pointer) if isinstance(row, RefusedRow) else (None, None) for row in alone]
    assert sum((reason or "").startswith("unstorable_") for reason, _ in reasons) > 5


def test_typed_data_of_a_urn_without_messages_or_columns() -> None:
    validated = batches(OTHER, EMPTY, URN)
    assert validated.typed_urns == (OTHER, URN)
    rows = validated.validated(pa.array([message({"id": 1})]))
    assert rows.type == validated.type
    assert rows.field(OTHER).null_count == 1
    assert rows.field(URN).to_pylist() == [[{"id": 1, "lines": None}]]


@pytest.mark.parametrize("wire", ["flowlayer", "strata"])
def test_a_foreign_message_is_that_of_an_ingest(wire: str, make_registry: Any, tmp_path: Path) -> None:
    lines = (foreign.flowlayer_lines() if wire == "flowlayer" else foreign.strata_lines()).splitlines()
    spec = spec_of(make_registry(foreign.schemas(), foreign.WIRES), digests=False)
    origin = Origin(wire, "f", foreign.TIME, "argument")
    with deep(), TaskWriter(spec, tmp_path) as writer:
        writer.add(MessageChunk("a", lines, [0] * len(lines), origin))
    ids, refused = set(), []
    for number, segment in writer.segments:
        schema = REFUSED_SCHEMA if number == REFUSED else spec.row_validator().table(number).schema
        for row in (row for batch in StagingReader().batches([segment], schema) for row in batch.to_pylist()):
            if number == REFUSED:
                refused.append((row["reason"], row["body"]))
            else:
                ids.add((row["message_id"], row["data_json"]))
    rows = ValidatedBatches(spec).validated(pa.array(lines, pa.binary()), [origin] * len(lines)).to_pylist()
    assert {(row["envelope"]["message_id"], row["data_json"]) for row in rows if row["reason"] is None} == ids
    assert sorted((row["reason"], row["body"]) for row in rows if row["reason"] is not None) == sorted(refused)
    assert ids
    assert refused
    assert not any(secret in row["body"] for row in rows if row["body"] for secret in foreign.SECRETS)
