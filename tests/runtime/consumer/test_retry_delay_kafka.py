"""Delays of retries on a real Kafka: by the retry topics of babelqueue, and back by its re-injector."""

from __future__ import annotations

import json

import broker_worker
import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.kafka_retry import RetryReinjector
from broker_queues import KafkaTopics
from server import Server

from babelreg.runtime import Consumer, Context, kafka_transport

pytestmark = pytest.mark.servers

TIERS_MS = [1_000, 60_000, 600_000]
TOPICS = ("delayed", "delayed.retry.1", "delayed.retry.2", "delayed.retry.3")


def handle_once(kafka: Server, attempts: list[int]) -> None:
    """Handle one message, which fails at its first attempts."""
    transport = kafka_transport(kafka.url, retry_tiers_ms=TIERS_MS, **broker_worker.KAFKA)
    app = BabelQueue(transport=transport, queue="delayed")
    consumer = Consumer(app)

    @consumer.on(on.OrdersDelayed)
    def handle(order: on.OrdersDelayed, context: Context) -> None:
        attempts.append(context.attempts)
        if context.attempts < 1:
            raise RuntimeError("not yet")

    assert consumer.run("delayed", max_messages=1, timeout_seconds=60.0) == 1
    app.transport.close()


def test_a_retry_waits_in_the_topic_of_its_delay_and_comes_back(kafka: Server) -> None:
    topics = KafkaTopics(kafka)
    topics.create(*TOPICS)
    meta = {**on.envelope()["meta"], "created_at": 1749132727000}  # long ago
    body = json.dumps({**on.envelope(meta=meta), "job": on.DELAYED}).encode()
    topics.publish("delayed", [body], [("traceparent", b"00-1")])
    attempts: list[int] = []
    handle_once(kafka, attempts)
    assert [topics.count(topic) for topic in TOPICS] == [1, 0, 1, 0]  # 5 to 10 seconds: the first that is long enough
    (record,) = topics.messages("delayed.retry.2")
    headers = dict(record.headers())
    assert (json.loads(record.value())["attempts"], headers["bq-attempts"], record.key()) == (1, b"1", b"0")
    assert (headers["bq-delay"], headers["bq-original-topic"]) == (b"60000", b"delayed")
    assert headers["traceparent"] == b"00-1"

    now = [record.timestamp()[1] / 1000]
    mover = RetryReinjector(
        kafka.url, work_topics=["delayed"], retry_tiers_ms=TIERS_MS, clock=lambda: now[0], **broker_worker.KAFKA
    )
    while not mover._waiting:
        assert mover.run_once(0.2) == 0  # however old the message is, its delay begins with the retry
    now[0] += 61
    assert mover.run_once(0.2) == 1
    mover.close()
    handle_once(kafka, attempts)
    assert attempts == [0, 1]
    again = dict(topics.messages("delayed")[-1].headers())
    assert "bq-delay" not in again


def test_a_dead_letter_of_an_old_message_is_a_record_of_now(kafka: Server) -> None:
    topics = KafkaTopics(kafka)
    topics.create("old", "old.dlq")
    meta = {**on.envelope()["meta"], "created_at": 1749132727000}
    topics.publish("old", [json.dumps({**on.envelope(meta=meta), "data": {}}).encode()])
    app = BabelQueue(transport=kafka_transport(kafka.url, **broker_worker.KAFKA), queue="old")
    consumer = Consumer(app)
    consumer.on(on.OrdersCreated)(lambda order, context: None)
    assert consumer.run("old", max_messages=1, timeout_seconds=60.0) == 1
    app.transport.close()
    assert topics.count("old.dlq") == 1  # else retention, which the broker applies every second, removes it
    (record,) = topics.messages("old.dlq")
    assert record.timestamp()[1] > 1749132727000
