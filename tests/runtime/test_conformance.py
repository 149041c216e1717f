"""The BabelQueue conformance suite where it concerns producers and consumers at work: through the runtime itself.

``tests/contract/test_conformance.py`` runs what concerns one envelope, ``test_conformance_redis.py`` what Redis holds.
``python -m pytest -s -k how_many_rows`` prints how many rows of which section are run where, and why the others are not.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babelqueue import BabelQueue
from babelqueue.transport import InMemoryTransport, ReceivedMessage
from kafka_double import Log
from server import Server

from babelreg.contract import Envelope, Verdict
from babelreg.contract.verdict import decode
from babelreg.runtime import Consumer, Context, SqliteLedger, kafka_transport
from babelreg.runtime.bytes import dead_letter
from babelreg.runtime.message import MessageType, register
from babelreg.runtime.producer.encode import Encoder
from babelreg.runtime.transports.amqp_properties import contract_properties
from babelreg.runtime.transports.replacements import confirmed
from babelreg.schema import pointer

_CONTRACT = Path(__file__).parents[1] / "contract"


def _module(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, _CONTRACT / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fetch = _module("fetch_conformance")

SDK = "the transport of babelqueue, which is used unchanged"
NOT_RUN = {
    "sqs": SDK,
    "asb": SDK,
    "pulsar": SDK,
    "artemis": SDK,
    "delay": SDK,
    "backoff": SDK,
    "pulsar_exhaustion": SDK,
    "traceparent": "for packages that carry OpenTelemetry; headers are handed to handlers and kept over retries",
}
IN_CONTRACT = (
    "cases", "trim", "job_type", "forbidden_keys", "roundtrip", "data_shape", "extension_write", "encode_reject",
    "identity_verdict", "kafka_poison", "payload_schema", "payload_schema_unicode",
)  # fmt: skip
THROUGH_RUNTIME = (
    "cases", "forbidden_keys", "roundtrip", "data_shape", "identity_verdict", "kafka_poison", "idempotency", "kafka",
    "redis", "redis_layout", "redis_delay", "rabbitmq", "retry_backoff", "poison_dlq",
    "version_gate_pulsar", "version_gate_artemis", "version_gate_sqs", "version_gate_asb",
)  # fmt: skip


@cache
def suite() -> tuple[Path, dict[str, Any]]:
    try:
        folder = fetch.folder()
    except fetch.Unreachable as err:
        pytest.skip(str(err))
    return folder, json.loads((folder / "manifest.json").read_text("utf-8"))


def section(name: str) -> Any:
    return suite()[1][name]


def rows(block: Any) -> list[dict[str, Any]]:
    return block if isinstance(block, list) else block["cases"]


def raw(row: Mapping[str, Any]) -> bytes:
    if "file" in row:
        return (suite()[0] / row["file"]).read_bytes()
    if "body_base64" in row:
        return base64.b64decode(row["body_base64"])
    return str(row["body"]).encode("utf-8", "surrogatepass")


def text(body: bytes) -> str:
    """As transports hand bodies over."""
    return body.decode("utf-8", "surrogateescape")


def fixture() -> bytes:
    return (suite()[0] / "fixtures/order-created.json").read_bytes()


ORDER = "urn:babel:orders:created"


class Data(dict[str, Any]):
    """The data of any message."""


@cache
def message(urn: str, most: int | None = None) -> tuple[type[Data], MessageType[Data]]:
    model = type("Data", (Data,), {})
    return model, register(MessageType(urn, model, {"type": "object"}, model, dict, queue="q", max_attempts=most))


def consumer(
    app: BabelQueue, urn: str, handle: Callable[[Data, Context], None], most: int = 1000, **how: Any
) -> Consumer:
    made = Consumer(app, on_unknown_urn=how.pop("on_unknown_urn", "dead_letter"), **how)
    made.on(message(urn, most)[0])(handle)
    return made


class Failing(Exception):
    pass


def fail(data: Data, context: Context) -> None:
    raise Failing


def pass_by(data: Data, context: Context) -> None:
    pass


def lying(app: BabelQueue, queue: str) -> list[str]:
    assert isinstance(app.transport, InMemoryTransport)
    return list(app.transport._queues[queue])


def dead_letter_of(body: bytes) -> dict[str, Any] | None:
    """The block that ``body`` gets when nothing is handled but the fixture's URN; None when it was handled."""
    app = BabelQueue("memory://", queue="q")
    app.transport.publish("q", text(body))
    consumer(app, ORDER, pass_by).run(max_messages=1, timeout_seconds=0)
    found = [json.loads(one)["dead_letter"] for one in lying(app, "q.dlq")]
    assert len(found) <= 1
    return found[0] if found else None


def test_cases_are_handled_or_refused() -> None:
    for row in rows(section("cases")):
        block = dead_letter_of(raw(row))
        assert block is None or not row["valid"] or block["reason"] == "unknown_urn", row["name"]
        assert block is not None or row["valid"], row["name"]
        if "schema-version" in row["name"]:
            assert block is not None
            assert block["error"].startswith("unsupported_schema_version"), row["name"]


def test_poison_never_reaches_a_handler() -> None:
    for row in rows(section("identity_verdict")):
        block = dead_letter_of(raw(row))
        assert (block is not None and block["reason"] == "poison") == (row["expect"] == "poison"), row["name"]


def retried(body: bytes) -> dict[str, Any]:
    """The body as it comes again after its handler failed."""
    found = decode(body)
    envelope = found.envelope if isinstance(found, Verdict) else found
    assert isinstance(envelope, Envelope)
    app = BabelQueue("memory://", queue="q")
    app.transport.publish("q", text(body))
    consumer(app, envelope.urn, fail).run(max_messages=1, timeout_seconds=0)
    (again,) = lying(app, "q") or lying(app, "q.dlq")
    parsed: dict[str, Any] = json.loads(again)
    return parsed


def check_passed_on(row: Mapping[str, Any]) -> None:
    again = retried(raw(row))
    if "dead_letter" not in again and "expect_attempts" in row:
        assert again["attempts"] == row["expect_attempts"], row["name"]
    for where, value in row.get("expect_preserved", {}).items():
        found = pointer.find(again, pointer.parse(where))
        assert json.dumps(found, sort_keys=True) == json.dumps(value, sort_keys=True), row["name"]
    for where in row.get("expect_absent_after_reencode", []):
        with pytest.raises(KeyError):
            pointer.find(again, pointer.parse(where))


@pytest.mark.parametrize("name", ["roundtrip", "forbidden_keys"])
def test_a_retry_keeps_what_it_must_and_drops_what_it_must(name: str) -> None:
    for row in rows(section(name)):
        check_passed_on(row)


def test_the_shape_of_data() -> None:
    for row in rows(section("data_shape")):
        if row["mode"] == "encode":
            model, kind = message(row["urn"])
            body = Encoder(kind, row["queue"]).encode(model(row["data"])).body
            assert f'"data":{row["expect_encoded_data_json"]},' in body, row["name"]
        else:
            block = dead_letter_of(raw(row))
            assert (block is None or block["reason"] == "unknown_urn") == row["valid"], row["name"]


def with_id(identity: str) -> str:
    envelope = json.loads(fixture())
    envelope["meta"]["id"] = identity
    return json.dumps(envelope)


def test_idempotency(tmp_path: Path) -> None:
    key = section("idempotency")["dedup_key"]
    seen: list[str] = []
    consumer(BabelQueue("memory://"), ORDER, lambda data, context: seen.append(context.message_id)).dispatch(
        ReceivedMessage(text((suite()[0] / key["envelope_file"]).read_bytes()), "q")
    )
    assert seen == [key["expected_key"]]
    for number, row in enumerate(rows(section("idempotency")["sequences"])):
        check_sequence(row, SqliteLedger(tmp_path / f"{number}.db"))


def check_sequence(row: Mapping[str, Any], ledger: SqliteLedger) -> None:
    runs: list[str] = []
    outcome = "ok"

    def handle(data: Data, context: Context) -> None:
        runs.append(context.message_id)
        if outcome == "throw":
            raise Failing

    app = BabelQueue("memory://", queue="q")
    handling = consumer(app, ORDER, handle, ledger=ledger)
    for delivery in row["deliveries"]:
        if delivery.get("forget_before"):
            ledger.prune(keep_seconds=-1)
        outcome, before = delivery.get("outcome", "ok"), len(runs)
        handling.dispatch(ReceivedMessage(with_id(delivery["meta_id"]), "q"))
        assert (len(runs) > before) == (delivery["expect_effect"] == "run"), row["name"]
    assert len(runs) == row["expected_effects"], row["name"]
    ledger.close()


class Waiting(InMemoryTransport):
    """Notes the delay of a retry."""

    delay: float | None = None

    def redeliver(self, message: ReceivedMessage, body: str, delay: float) -> None:
        self.delay = delay


def test_the_delay_of_a_retry() -> None:
    for row in rows(section("retry_backoff")):
        settings = ("retry_backoff", "retry_backoff_multiplier", "retry_backoff_max", "retry_jitter")
        app = BabelQueue(transport=Waiting(), queue="q", **{name: row[name] for name in settings})
        envelope = {**json.loads(fixture()), "attempts": row["n"] - 1}
        consumer(app, ORDER, fail).dispatch(ReceivedMessage(json.dumps(envelope), "q"))
        assert isinstance(app.transport, Waiting)
        assert app.transport.delay is not None
        if "expect_delay_seconds" in row:
            assert app.transport.delay == row["expect_delay_seconds"], row["name"]
        else:
            bounds = row["expect_delay_range_seconds"]
            assert bounds["min"] <= app.transport.delay <= bounds["max"], row["name"]


def test_the_record_of_poison() -> None:
    for row in rows(section("poison_dlq")):
        written = dead_letter.poison(ReceivedMessage(text(raw(row)), "orders"), "because")
        found = json.loads(written)
        block = found.pop("dead_letter")
        assert (block["reason"], block["original_queue"]) == ("poison", "orders"), row["name"]
        expected = row["expect"]
        if expected["shape"] == "splice_or_wrapper" and "raw" not in found:
            assert all(literal in written for literal in expected["splice_literals"]), row["name"]
            assert set(found) == set(expected["splice_keys"]), row["name"]
        else:
            assert found == expected["record"], row["name"]


class Refusing(InMemoryTransport):
    """A transport whose dead letters cannot be written when ``fails`` is set; notes what was acknowledged."""

    def __init__(self, fails: bool) -> None:
        super().__init__()
        self.fails = fails
        self.acknowledged = 0

    def publish(self, queue: str, body: str) -> None:
        if self.fails:
            raise ConnectionError("away")
        super().publish(queue, body)

    def ack(self, message: ReceivedMessage) -> None:
        self.acknowledged += 1


@pytest.mark.parametrize(
    "name", ["version_gate_pulsar", "version_gate_artemis", "version_gate_sqs", "version_gate_asb"]
)
def test_what_a_transport_refuses_by_its_version(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """As the suite has it, but that nothing is dropped: where it lets a consumer drop the message, ours keeps it."""
    caplog.set_level(logging.CRITICAL)
    for row in rows(section(name)):
        transport = Refusing(row.get("dlq_write") == "fails")
        app = BabelQueue(transport=transport, queue="q", dead_letter=row["dead_letter"] == "on")
        strategy = row.get("on_unknown_urn", "fail")
        body = '{"meta":{"schema_version":2}}'
        gated = ReceivedMessage(body, "q", route_urn="babelqueue:unsupported-schema-version:2")
        consumer(app, ORDER, pass_by, on_unknown_urn=strategy).dispatch(gated)
        outcome = "dlq_raw" if lying(app, "q.dlq") == [body] else "nothing"
        if transport.fails:
            assert not transport.acknowledged, row["name"]
            outcome = "unsettled"
        dropped = strategy == "delete" or (row["dead_letter"] == "off" and strategy != "dead_letter")
        assert outcome == ("dlq_raw" if dropped else row["expect"]["outcome"]), row["name"]


def on_kafka(log: Log) -> BabelQueue:
    return BabelQueue(transport=kafka_transport(producer=log, consumer_factory=lambda queue: log), queue="q")


def taken_from_kafka(value: bytes, headers: list[tuple[str, bytes | None]]) -> tuple[Log, list[Context]]:
    log, seen = Log(value, headers), []
    consumer(on_kafka(log), ORDER, lambda data, context: seen.append(context)).run(max_messages=1, timeout_seconds=0)
    assert log.committed == 1
    return log, seen


def test_kafkas_version_header() -> None:
    block = section("kafka")["schema_version_gate"]
    for row in rows(block):
        value = None if row.get("value") is None else row["value"].encode()
        log, seen = taken_from_kafka(fixture(), [] if row.get("absent") else [(block["property"], value)])
        assert len(seen) == (row["expect"] == "decode"), row
        assert [one["value"] for one in log.written] == ([fixture()] if row["expect"] == "reject" else []), row


def test_kafkas_count_of_attempts() -> None:
    for row in rows(section("kafka")["attempts_reconciliation"]):
        body = json.dumps({**json.loads(fixture()), "attempts": row["body_attempts"]}).encode()
        given = row["header_attempts"]
        _, (context,) = taken_from_kafka(body, [] if given is None else [("bq-attempts", str(given).encode())])
        assert context.attempts == row["expected_attempts"], row["name"]


def test_kafkas_headers() -> None:
    block = section("kafka")["property_projection"]
    log = Log(b"", [])
    confirmed(on_kafka(log).transport).publish("q", text((suite()[0] / block["envelope_file"]).read_bytes()))
    (written,) = log.written
    assert {name: value.decode() for name, value in written["headers"]} == block["headers"]
    assert written["timestamp"] == json.loads(fixture())["meta"]["created_at"]


def test_poison_on_kafka() -> None:
    for row in rows(section("kafka_poison")):
        log, seen = taken_from_kafka(raw(row), [])
        assert not seen or row["expect"] == "ok", row["name"]
        reasons = [json.loads(one["value"])["dead_letter"]["reason"] for one in log.written]
        assert (reasons == ["poison"]) == (row["expect"] in ("poison", "no_identity")), row["name"]


def test_rabbitmqs_properties() -> None:
    block = section("rabbitmq")["property_projection"]
    made = contract_properties(text((suite()[0] / block["envelope_file"]).read_bytes()), {})
    assert {name: made[name] for name in block["properties"]} == block["properties"]
    assert made["headers"] == block["headers"]
    assert {type(value) for value in made["headers"].values()} == {int, str}


@pytest.mark.redis
def test_redis_stores_the_envelope_alone(redis: Server) -> None:
    body = text((suite()[0] / section("redis")["payload_identity"]["envelope_file"]).read_bytes())
    transport = confirmed(BabelQueue(redis.url).transport)
    transport.publish("conformance", body)
    assert transport._redis.lrange("conformance", 0, -1) == [body]  # type: ignore[attr-defined]
    received = transport.pop("conformance", 0)
    assert received is not None
    assert received.body == body
    transport.ack(received)
    transport.close()


def counted(block: Any) -> int:
    """Rows of a section; a block without cases is one."""
    if isinstance(block, list):
        return len(block)
    inner = [one for name, one in block.items() if isinstance(one, dict) and name not in ("schema", "incoming_bodies")]
    return len(block.get("cases", [])) + sum(counted(one) if "cases" in one else 1 for one in inner)


def table() -> Iterator[tuple[str, int, str]]:
    for name in section("sections"):
        where = [place for place, names in (("contract", IN_CONTRACT), ("runtime", THROUGH_RUNTIME)) if name in names]
        yield name, counted(section(name)), " and ".join(where) or f"not run: {NOT_RUN[name]}"


def test_how_many_rows_there_are() -> None:
    found = list(table())
    for name, count, where in found:
        print(f"{name:<24}{count:>4}  {where}")
    run = sum(count for name, count, _ in found if name not in NOT_RUN)
    print(f"{run} of {sum(count for _, count, _ in found)} rows are run")
    # 702 cases, and 8 blocks that are one check each
    assert sum(count for _, count, _ in found) == 702 + 8
    assert not set(NOT_RUN) & {*IN_CONTRACT, *THROUGH_RUNTIME}
    assert run == 522
