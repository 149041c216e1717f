"""Dead letters in a real Kafka, beyond what the note beside the offset has room for."""

from __future__ import annotations

from collections import Counter

import pytest
from broker_queues import URN, KafkaTopics, dead_letter, envelope
from server import Server

from babelreg.contract import Contract
from babelreg.runtime.redrive import kafka_dead_letters
from babelreg.runtime.redrive.kafka_dead_letters import KafkaDeadLetters
from babelreg.runtime.redrive.redrive import Redrive

pytestmark = pytest.mark.servers

CONTRACT = Contract({URN: {"type": "object", "properties": {"id": {"type": "integer"}}}})


def redrive(kafka: Server, accepted: Contract = CONTRACT) -> int:
    queue = KafkaDeadLetters({"bootstrap.servers": kafka.url.partition("://")[2]}, "full.dlq")
    try:
        return Redrive("full.dlq", accepted.verdict, to="full", batch=50).run(queue).sent.total()
    finally:
        queue.close()


def test_messages_that_stay_are_copied_where_the_note_is_full(kafka: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_dead_letters, "MOST_BYTES", 40)
    topics = KafkaTopics(kafka)
    topics.create("full", "full.dlq")
    letters = [dead_letter(number, {"id": "x"} if number % 3 else None) for number in range(600)]
    topics.publish("full.dlq", letters, [("k", b"v")])
    assert redrive(kafka) == 200
    assert redrive(kafka) == 0
    assert Counter(topics.bodies("full")) == Counter(envelope(number) for number in range(0, 600, 3))
    assert len(topics.bodies("full.dlq")) > 600
    assert all(message.headers() == [("k", b"v")] and message.key() for message in topics.messages("full.dlq"))
    assert redrive(kafka, Contract({URN: True})) == 400
    assert redrive(kafka, Contract({URN: True})) == 0
    assert len(topics.bodies("full")) == 600
