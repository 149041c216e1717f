"""Log records: one for each delivery, with all fields and none of the data."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import InMemoryTransport, ReceivedMessage

from babelreg.runtime import Consumer, Context, InvalidDataError, OutboxRelay, Reject
from babelreg.runtime.telemetry.log_fields import FIELDS

SECRET = "SECRET-4711"


def outcome_records(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if vars(record).get("outcome") is not None]


def consumer_that(app: BabelQueue, error: BaseException | None = None, **settings: Any) -> Consumer:
    consumer = Consumer(app, **settings)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        if error is not None:
            raise error

    return consumer


@pytest.mark.parametrize(
    "members, error, level, outcome, reason, attempt",
    [
        pytest.param({}, None, "DEBUG", "handled", None, 1, id="a handled message"),
        pytest.param({"attempts": 1}, None, "DEBUG", "handled", None, 2, id="a handled message that was tried before"),
        pytest.param({}, RuntimeError(), "WARNING", "retried", "handler_failed", 1, id="a handler that fails"),
        pytest.param(
            {"attempts": 2}, RuntimeError(), "WARNING", "dead_lettered", "handler_failed", 3, id="the last attempt"
        ),
        pytest.param({}, Reject("no"), "WARNING", "dead_lettered", "rejected", 1, id="a rejected message"),
        pytest.param(
            {"data": {"order_id": 0, "note": SECRET}},
            None,
            "WARNING",
            "dead_lettered",
            "below_minimum",
            1,
            id="bad data",
        ),
        pytest.param({"job": "urn:babel:a:b"}, None, "WARNING", "retried", "unknown_urn", 1, id="an unknown URN"),
    ],
)
def test_each_delivery_has_one_record_with_all_fields(
    members: dict[str, Any],
    error: BaseException | None,
    level: str,
    outcome: str,
    reason: str | None,
    attempt: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = on.app()
    envelope = on.envelope(**members)
    on.put(app, envelope)
    with caplog.at_level(logging.DEBUG, "babelreg.runtime"):
        consumer_that(app, error).run(max_messages=1, timeout_seconds=0.01)
    (record,) = outcome_records(caplog)
    found = {name: vars(record)[name] for name in FIELDS if name != "duration_seconds"}
    assert record.levelname == level
    assert found == {
        "urn": envelope["job"],
        "message_id": envelope["meta"]["id"],
        "trace_id": envelope["trace_id"],
        "attempt": attempt,
        "queue": "orders",
        "outcome": outcome,
        "reason": reason,
    }
    assert vars(record)["duration_seconds"] > 0
    assert SECRET not in caplog.text


@pytest.mark.parametrize("body", ["", "[]", "{", '{"job": 7, "meta": [], "trace_id": {}, "attempts": "x"}', "\ud800"])
def test_a_body_that_is_no_envelope_has_a_record_with_empty_fields(body: str, caplog: pytest.LogCaptureFixture) -> None:
    app = on.app()
    with caplog.at_level(logging.DEBUG, "babelreg.runtime"):
        consumer_that(app).dispatch(ReceivedMessage(body, "orders"))
    (record,) = outcome_records(caplog)
    fields = vars(record)
    assert (fields["urn"], fields["message_id"], fields["trace_id"], fields["attempt"]) == ("", "", "", 1)
    assert fields["outcome"] == "dead_lettered"
    assert "a message of queue 'orders'" in record.getMessage()


def test_a_failed_attempt_has_the_traceback_and_no_text_of_the_exception_in_its_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = on.app()
    on.put(app, on.envelope(attempts=2))
    consumer_that(app, RuntimeError(SECRET)).run(max_messages=1, timeout_seconds=0.01)
    (record,) = outcome_records(caplog)
    assert record.exc_info is not None
    assert record.exc_info[0] is RuntimeError
    assert SECRET not in record.getMessage()
    assert record.getMessage() == f"{on.CREATED}: goes to 'orders.dlq': handler_failed: RuntimeError"


class Failing(InMemoryTransport):
    def ack(self, message: ReceivedMessage) -> None:
        raise OSError("no broker")


def test_a_failure_of_the_broker_names_the_message(caplog: pytest.LogCaptureFixture) -> None:
    app = BabelQueue(transport=Failing(), queue="orders")
    envelope = on.envelope()
    on.put(app, envelope)
    consumer_that(app).run(max_messages=1, timeout_seconds=0.01)
    first, second = caplog.records
    assert first.levelname == "ERROR"
    assert {vars(record)["message_id"] for record in caplog.records} == {envelope["meta"]["id"]}
    assert vars(second)["outcome"] == "unsettled"


def test_a_record_of_the_runtime_inside_of_a_handler_has_the_fields_of_its_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = on.app()
    consumer = Consumer(app)
    seen: list[Context] = []

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        logging.getLogger("babelreg.runtime").warning("within")
        seen.append(context)

    on.put(app, on.envelope())
    consumer.run(max_messages=1, timeout_seconds=0.01)
    (record,) = caplog.records
    assert (vars(record)["message_id"], vars(record)["outcome"]) == (seen[0].message_id, None)


def test_every_record_can_be_formatted_with_every_field() -> None:
    formatter = logging.Formatter(" ".join(f"%({name})s" for name in FIELDS))
    record = logging.LogRecord("babelreg.runtime", logging.WARNING, __file__, 1, "the broker fails", (), None)
    assert logging.getLogger("babelreg.runtime").filter(record)
    assert formatter.format(record) == " ".join(["None"] * len(FIELDS))


def test_a_record_factory_that_sets_a_field_itself_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    before = logging.getLogRecordFactory()

    def factory(*arguments: Any, **more: Any) -> logging.LogRecord:
        record = before(*arguments, **more)
        record.trace_id = "of the service"
        return record

    app = on.app()
    on.put(app, on.envelope(attempts=2))
    logging.setLogRecordFactory(factory)
    try:
        consumer_that(app, RuntimeError()).run(max_messages=1, timeout_seconds=0.01)
    finally:
        logging.setLogRecordFactory(before)
    (record,) = outcome_records(caplog)
    assert vars(record)["urn"] == on.CREATED


def test_what_a_producer_sends_or_refuses_is_logged_at_debug(caplog: pytest.LogCaptureFixture) -> None:
    app = on.app()
    producer = on.OrdersCreatedProducer(app)
    with caplog.at_level(logging.DEBUG, "babelreg.runtime"):
        sent = producer.send(on.OrdersCreated(order_id=1, note=SECRET))
        with pytest.raises(InvalidDataError):
            producer.send(on.OrdersCreated(order_id=0, note=SECRET))
    first, second = outcome_records(caplog)
    assert (vars(first)["outcome"], vars(first)["message_id"], vars(first)["queue"]) == ("sent", sent, "orders")
    assert vars(first)["trace_id"] == json.loads(on.bodies(app, "orders")[0])["trace_id"]
    assert vars(first)["duration_seconds"] > 0
    assert (vars(second)["outcome"], vars(second)["reason"]) == ("refused", "below_minimum")
    assert {record.levelname for record in (first, second)} == {"DEBUG"}
    assert SECRET not in caplog.text


class Down(InMemoryTransport):
    def publish(self, queue: str, body: str) -> None:
        raise OSError("no broker")


class Store:
    """An outbox store of one message."""

    def __init__(self, body: str) -> None:
        from babelqueue.outbox import OutboxRecord

        self.records = [OutboxRecord("1", body, "orders", 0)]

    def save(self, encoded: str, queue: str) -> str:
        raise NotImplementedError

    def fetch_unpublished(self, limit: int) -> list[Any]:
        return self.records

    def mark_published(self, ids: list[str]) -> None:
        self.records = []

    def mark_failed(self, id: str, error: str) -> None:
        pass


def test_a_message_that_a_relay_cannot_send_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    envelope = on.envelope()
    OutboxRelay(Down(), Store(json.dumps(envelope)), sleeper=lambda seconds: None).flush()
    (record,) = outcome_records(caplog)
    assert (record.levelname, vars(record)["outcome"], vars(record)["reason"]) == ("WARNING", "failed", "OSError")
    assert vars(record)["message_id"] == envelope["meta"]["id"]
