"""Messages get the number of their URN, and what is kept of them has no secrets."""

from __future__ import annotations

import json
import pickle

import pyarrow as pa
import pytest

from babelreg.lake.tasks.numbered_messages import NumberedMessages
from babelreg.lake.tasks.validation_spec import ValidationSpec
from babelreg.wire.format import NATIVE

A, B = "urn:babel:shop:a", "urn:babel:shop:b"
SPEC = ValidationSpec.of(
    {A: {"type": "object"}, B: {"type": "object", "properties": {"n": {"type": "integer"}}}},
    digests=False,
    mappings={"strata": {("Shop", "b", "request"): B}},
)


def envelope(urn: str, data: object) -> bytes:
    meta = {"id": "i", "queue": "q", "lang": "go", "schema_version": 1, "created_at": 1_780_000_000_000}
    return json.dumps({"job": urn, "trace_id": "t", "data": data, "meta": meta, "attempts": 0}).encode()


@pytest.mark.parametrize(
    "body, number, reason",
    [
        pytest.param(envelope(B, {"n": 1}), 1, None, id="an accepted message"),
        pytest.param(envelope(B, {"n": "1"}), 1, "not_an_integer", id="a refused one of a known URN"),
        pytest.param(envelope("urn:babel:no:body", {}), None, "unknown_urn", id="an unknown URN"),
        pytest.param(b"{", None, "invalid_json", id="not a message"),
    ],
)
def test_a_message_has_the_number_of_its_urn(body: bytes, number: int | None, reason: str | None) -> None:
    function = pickle.loads(pickle.dumps(NumberedMessages(SPEC, (B,), NATIVE)))
    tombstone, row = function(pa.array([None, body])).to_pylist()
    assert tombstone is None
    assert (row["table"], row["reason"]) == (number, reason)
    assert (row["body"] is None) == (reason is None)


def test_the_kept_bodies_of_foreign_messages_have_no_secrets() -> None:
    fields = {"messageType": "request", "context": "Shop", "timestamp": "2026-06-25T04:08:22.000Z", "metadata": {}}
    good = {"id": "V1StGXR8Z5jdHi6BmyT2", "operation": "b", "payload": {"n": 1}, "auth": "secret", **fields}
    bad = {**good, "operation": "unmapped"}
    bodies = pa.array([json.dumps(message).encode() for message in (good, bad)])
    received = pa.array([0, 0], pa.timestamp("ms", "UTC"))
    rows = NumberedMessages(SPEC, (), "strata", bodies=True)(bodies, received, pa.array(["0", "1"])).to_pylist()
    assert [row["reason"] for row in rows] == [None, "unmapped_name"]
    assert [b"secret" in row["body"] or b"***" not in row["body"] for row in rows] == [False, False]
