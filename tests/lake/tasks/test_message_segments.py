"""Segments have the rows that the columns of validation have, and their counts are those of the messages."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from babelreg.lake.tasks import message_segments
from babelreg.lake.tasks.message_segments import SegmentPass
from babelreg.lake.tasks.numbered_messages import NumberedMessages
from babelreg.lake.tasks.segment_format import DIGEST, MESSAGE, REFUSED_TABLE, SegmentColumns, read_segment
from babelreg.lake.tasks.validation_spec import ValidationSpec

A, B = "urn:babel:shop:a", "urn:babel:shop:b"
SPEC = ValidationSpec.of(
    {A: {"type": "object"}, B: {"type": "object", "properties": {"n": {"type": "integer"}}}}, digests=False
)
DAY = 86_400_000


def envelope(urn: str, number: int, data: object, created_at: int = 1_780_000_000_000) -> bytes:
    meta = {"id": f"i{number}", "queue": "q", "lang": "go", "schema_version": 1, "created_at": created_at}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": number % 3}).encode()


BODIES = [
    envelope(B, 0, {"n": 1}),
    envelope(A, 1, {"x": [1, 2.0]}, 1_780_000_000_000 + DAY),
    None,
    envelope(B, 2, {"n": "text"}),
    envelope(B, 3, {"n": 10**30}),
    b"{",
    envelope("urn:babel:no:body", 4, {}),
    *(envelope(B, number, {"n": number}, number * DAY) for number in range(5, 300)),
]


def batches(columns: SegmentColumns, bodies: list[bytes | None] = BODIES, at_once: int = 50) -> list[pa.RecordBatch]:
    digests = np.random.default_rng(1).integers(-(2**62), 2**62, len(bodies))
    numbered = [pa.array(range(1000, 1000 + len(bodies)))] if columns.numbered else []
    position = [pa.array([f"at {number}" for number in range(len(bodies))])] if columns.position else []
    arrays = [pa.array(bodies, pa.binary()), pa.array(digests), *numbered, *position]
    table = pa.RecordBatch.from_arrays(arrays, [str(number) for number in range(len(arrays))])
    return [table.slice(start, at_once) for start in range(0, len(bodies), at_once)]


def run(columns: SegmentColumns, given: list[pa.RecordBatch]) -> tuple[dict[int, list[dict[str, Any]]], list[Any]]:
    """The rows of the segments by table, and the counts."""
    rows: dict[int, list[dict[str, Any]]] = {}
    counts = []
    for batch in pickle.loads(pickle.dumps(SegmentPass(SPEC, columns)))(given):
        for number, row in enumerate(batch.to_pylist()):
            if row["size"]:
                assert row["segment"] is not None
                read = read_segment(batch.column("segment")[number]).to_pylist()
                assert row["rows"] == len(read)
                rows.setdefault(row["table"], []).extend(read)
            else:
                counts.append(row)
    return rows, counts


@pytest.mark.parametrize("flush_bytes", [2**30, 2_000], ids=["one segment a table", "many segments"])
@pytest.mark.parametrize("numbered", [False, True], ids=["duplicates kept", "duplicates searched"])
def test_segments_have_what_columns_have(numbered: bool, flush_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_segments, "_FLUSH_BYTES", flush_bytes)
    given = batches(SegmentColumns(("at",), numbered=numbered))
    rows, counts = run(SegmentColumns(("at",), numbered=numbered), given)
    expected = NumberedMessages(SPEC, (B,), "babelqueue", numbered)(pa.array(BODIES, pa.binary())).to_pylist()
    accepted: dict[int, list[dict[str, Any]]] = {}
    refused = []
    for number, row in enumerate(expected):
        if row is None:
            continue
        at, envelope = f"at {number}", row["envelope"]
        if row["reason"] is None:
            data = {"data": row[B][0]} if row["urn"] == B else {}
            own = {MESSAGE: 1000 + number, "body": BODIES[number]} if numbered else {}
            accepted.setdefault(row["table"], []).append(
                {**envelope, "urn": row["urn"], **data, "data_json": row["data_json"], "at": at, **own}
            )
        else:
            names = ("reason", "pointer", "detail", "urn", "body")
            members = {name: envelope[name] for name in ("message_id", "trace_id", "lang")}
            refused.append({**{name: row[name] for name in names}, **members, "at": at})
    assert {table: [{k: v for k, v in row.items() if k != DIGEST} for row in of] for table, of in rows.items()} == {
        **accepted,
        REFUSED_TABLE: refused,
    }
    counted: Counter[tuple[int | None, str | None]] = Counter()
    for count in counts:
        counted[count["table"], count["reason"]] += count["rows"]
    verdicts = [(None, None) if row is None else (row["table"], row["reason"]) for row in expected]
    assert counted == Counter(verdicts)


def test_counts_add_up_to_the_digest_of_all_messages_however_they_are_divided() -> None:
    whole = batches(SegmentColumns())
    digest = int(np.bitwise_xor.reduce(np.concatenate([batch.column(1).to_numpy() for batch in whole])))
    for parts in ([whole], [whole[:2], whole[2:]], [[batch] for batch in whole]):
        counts = [count for part in parts for count in run(SegmentColumns(), part)[1]]
        assert np.bitwise_xor.reduce([count["digest"] for count in counts]) == digest


def test_ids_are_counted_by_the_day_of_their_digests() -> None:
    columns = SegmentColumns(numbered=True)
    times = [0, 951_782_400_000, 951_782_400_001, 4_102_444_799_999, 4_102_444_800_000]
    given = batches(columns, [envelope(B, number, {"n": 1}, at) for number, at in enumerate(times)])
    _, counts = run(columns, given)
    assert {str(count["day"]): count["ids"] for count in counts} == {
        "1970-01-01": 2,
        "2000-02-29": 2,
        "2099-12-31": 1,
    }


def test_headers_refuse_messages_and_count_attempts() -> None:
    columns = SegmentColumns(("headers",), headers="headers", forbidden=("a reason", "in words"))
    bodies = [envelope(B, 0, {"n": 1}), envelope(B, 1, {"n": 2}), b"{"]
    arrays = [
        pa.array(bodies),
        pa.array([1, 2, 3]),
        pa.array([7, None, None], pa.int64()),
        pa.array([None, bodies[1], bodies[2]]),
        pa.array(["h0", "h1", "h2"]),
    ]
    rows, _ = run(columns, [pa.RecordBatch.from_arrays(arrays, list("abcde"))])
    assert [(row["message_id"], row["attempts"], row["headers"]) for row in rows[1]] == [("i0", 7, None)]
    shown = [(row["reason"], row["detail"], row["message_id"], row["headers"]) for row in rows[REFUSED_TABLE]]
    assert shown == [("a reason", "in words", "i1", "h1"), ("a reason", "in words", None, "h2")]
    assert [row["body"] for row in rows[REFUSED_TABLE]] == bodies[1:]
