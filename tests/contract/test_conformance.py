"""Every envelope case of the BabelQueue conformance suite gets the suite's verdict.

The suite (MIT) is downloaded; where PyPI cannot be reached the tests are skipped. Sections about a broker's own
headers, retry timing and storage layouts are not about the envelope: ``NOT_OURS`` says so, section by section, and a
section that is neither run nor listed fails the tests.
"""

from __future__ import annotations

import importlib.util
import json
import logging
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from babelreg.contract import Contract, Envelope, Verdict, emit
from babelreg.contract.parse import ParseError, document
from babelreg.contract.verdict import decode
from babelreg.schema import pointer
from babelreg.wire.formats import babelqueue

_spec = importlib.util.spec_from_file_location("fetch_conformance", Path(__file__).with_name("fetch_conformance.py"))
assert _spec is not None
assert _spec.loader is not None
fetch = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fetch)

BROKER = "a broker's own headers and counters, not the envelope"
RUNTIME = "a producer or consumer at work: run in tests/runtime/test_conformance.py"
NOT_OURS = {
    "idempotency": RUNTIME,
    "traceparent": "the W3C header beside the envelope",
    "delay": "timing of deliveries",
    "backoff": "timing of deliveries",
    "retry_backoff": RUNTIME,
    "sqs": BROKER,
    "asb": BROKER,
    "pulsar": BROKER,
    "kafka": RUNTIME,
    "artemis": BROKER,
    "redis": RUNTIME,
    "rabbitmq": RUNTIME,
    "redis_layout": RUNTIME,
    "redis_delay": RUNTIME,
    "poison_dlq": RUNTIME,
    "pulsar_exhaustion": "when a consumer gives up",
    "version_gate_pulsar": RUNTIME,
    "version_gate_artemis": RUNTIME,
    "version_gate_sqs": RUNTIME,
    "version_gate_asb": RUNTIME,
}
RUN = (
    "cases", "trim", "job_type", "forbidden_keys", "roundtrip", "data_shape", "extension_write", "encode_reject",
    "identity_verdict", "kafka_poison", "payload_schema", "payload_schema_unicode",
)  # fmt: skip


@cache
def suite() -> tuple[Path, dict[str, Any]]:
    try:
        folder = fetch.folder()
    except fetch.Unreachable as err:
        pytest.skip(str(err))
    return folder, json.loads((folder / "manifest.json").read_text("utf-8"))


def rows(section: str) -> list[dict[str, Any]]:
    found = suite()[1][section]
    return found if isinstance(found, list) else found["cases"]


def body(row: dict[str, Any]) -> bytes:
    if "file" in row:
        return (suite()[0] / row["file"]).read_bytes()
    return row["body"].encode("utf-8")


def lenient(raw: bytes) -> Envelope | Verdict:
    """Decoding alone: an envelope with an identity, whatever else a reader may hold against it."""
    found = decode(raw)
    if isinstance(found, Verdict) and found.envelope is not None and found.kind != "poison":
        return found.envelope
    return found


def at(value: Any, spelled: str) -> Any:
    return pointer.find(value, pointer.parse(spelled))


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: true is not 1, an object is no array."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def reemitted(envelope: Envelope) -> dict[str, Any]:
    passed_on = {**envelope.document, "attempts": envelope.document.get("attempts", 0) + 1}
    return json.loads(babelqueue.encode(envelope._replace(document=passed_on)))


def absent(value: Any, spelled: str) -> bool:
    try:
        at(value, spelled)
    except KeyError:
        return True
    return False


def test_every_section_is_run_or_named_as_not_ours() -> None:
    assert set(suite()[1]["sections"]) == {*RUN, *NOT_OURS}


def test_the_key_of_idempotency_is_the_id() -> None:
    found = suite()[1]["idempotency"]["dedup_key"]
    envelope = lenient((suite()[0] / found["envelope_file"]).read_bytes())
    assert isinstance(envelope, Envelope)
    assert envelope.id == found["expected_key"]


def test_cases() -> None:
    for row in rows("cases"):
        found = decode(body(row))
        assert isinstance(found, Envelope) == row["valid"], row["name"]
        if isinstance(found, Envelope):
            expected = dict(row["expect"])
            letter = expected.pop("dead_letter", {})
            assert all(same(getattr(found, name), value) for name, value in expected.items()), row["name"]
            assert all((found.dead_letter or {})[name] == value for name, value in letter.items()), row["name"]


def check_decode(row: dict[str, Any]) -> None:
    found = lenient(body(row))
    assert isinstance(found, Envelope) == row["valid"], row["name"]
    if isinstance(found, Envelope):
        assert found.urn == row["expect"]["urn"], row["name"]
        assert bool(found.warnings) == row["expect_warning"], row["name"]


def check_make(row: dict[str, Any]) -> None:
    try:
        made = emit.make(row["urn"], {}, queue="q", trace_id=row.get("trace_id"))
    except emit.EmitError:
        assert row["expect"] == "reject", row["name"]
    else:
        assert all(made[name] == value for name, value in row["expect"].items()), row["name"]


def check_accepts(row: dict[str, Any]) -> None:
    assert isinstance(decode(body(row)), Envelope) == row["expect_accepts"], row["name"]
    assert isinstance(lenient(body(row)), Envelope) == row["expect_decode_ok"], row["name"]


def check_reemit(row: dict[str, Any]) -> None:
    envelope = lenient(body(row))
    assert isinstance(envelope, Envelope), row["name"]
    again = reemitted(envelope)
    assert again["attempts"] == row["expect_attempts"], row["name"]
    assert all(same(at(again, where), value) for where, value in row["expect_preserved"].items()), row["name"]
    assert all(absent(again, where) for where in row.get("expect_absent_after_reencode", [])), row["name"]


def test_trim() -> None:
    checks = {"make": check_make, "decode": check_decode, "accepts": check_accepts, "reemit": check_reemit}
    for row in rows("trim"):
        checks[row["mode"]](row)


def test_job_type() -> None:
    for row in rows("job_type"):
        check_decode(row)


def test_forbidden_keys() -> None:
    for row in rows("forbidden_keys"):
        envelope = lenient(body(row))
        assert isinstance(envelope, Envelope), row["name"]
        if row["expect"] == "warn":
            assert row["forbidden_key"] in [warning.pointer for warning in envelope.warnings], row["name"]
        again = json.loads(babelqueue.encode(envelope))
        assert all(absent(again, where) for where in row.get("expect_absent_after_reencode", [])), row["name"]
        assert all(same(at(again, where), value) for where, value in row.get("expect_preserved", {}).items())


def test_roundtrip() -> None:
    for row in rows("roundtrip"):
        check_reemit(row)


def test_data_shape() -> None:
    for row in rows("data_shape"):
        if row["mode"] == "encode":
            text = emit.encode(emit.make(row["urn"], row["data"], queue=row["queue"])).decode()
            assert f'"data":{row["expect_encoded_data_json"]},' in text, row["name"]
        else:
            assert isinstance(decode(body(row)), Envelope) == row["valid"], row["name"]


def test_extension_write() -> None:
    for row in rows("extension_write"):
        made = emit.make(row["urn"], row["data"], queue=row["queue"], meta=row["meta"].items())
        sent = emit.encode(made)
        envelope = decode(sent)
        assert isinstance(envelope, Envelope), row["name"]
        again = reemitted(envelope)
        assert again["attempts"] == 1
        for where, value in row["expect_envelope"].items():
            assert same(at(json.loads(sent), where), value), row["name"]
            assert same(at(again, where), value), row["name"]


def send(row: dict[str, Any], entries: list[Any]) -> bytes:
    """The message of one row, with what a sloppy producer put into it."""
    made = emit.make(row["urn"], row["data"], queue=row["queue"], meta=entries)
    made |= row.get("extras_top", {})
    made["meta"] |= row.get("extras_meta", {})
    return emit.encode(made)


def test_encode_reject() -> None:
    for row in rows("encode_reject"):
        entries = [*row.get("meta", {}).items(), *(tuple(entry) for entry in row.get("meta_entries", []))]
        with pytest.raises(emit.EmitError) as refused:
            send(row, entries)
        assert refused.value.fault.pointer == row["offending_key"], row["name"]


def test_identity_verdict() -> None:
    for row in rows("identity_verdict"):
        found = lenient(body(row))
        assert ("ok" if isinstance(found, Envelope) else found.kind) == row["expect"], row["name"]


def test_kafka_poison() -> None:
    for row in rows("kafka_poison"):
        # a bare null counts as an empty envelope for Kafka alone; everywhere else it is poison
        found = lenient(b"{}" if row["body"] == "null" else body(row))
        if isinstance(found, Envelope):
            said = "ok"
        else:
            said = "no_identity" if found.reason == "missing_urn" else "poison"
        assert said == row["expect"], row["name"]


@pytest.mark.parametrize("section", ["payload_schema", "payload_schema_unicode"])
@pytest.mark.parametrize("strict", [True, False])
def test_payload_schema(section: str, strict: bool) -> None:
    schema = suite()[1][section]["schema"]
    contract = Contract({"urn:x": schema}, side="producer" if not strict else "reader", strict=["urn:x"] * strict)
    for row in rows(section):
        assert contract.data_verdict("urn:x", row["data"]).ok == row["valid"], row["name"]


def test_bodies_of_other_sections_are_judged_without_a_traceback() -> None:
    for row in rows("poison_dlq"):
        if "body" in row:
            try:
                document(row["body"].encode("utf-8", "surrogatepass"))
            except ParseError as err:
                logging.debug("%s: %s", row["name"], err.reason)


def test_how_many_rows_there_were(record_property: Any) -> None:
    counted = {section: len(rows(section)) for section in RUN}
    record_property("rows", json.dumps(counted))
    assert sum(counted.values()) == 292
