"""The note of a redrive beside its offset, and dead letters in a real Kafka beyond what it has room for."""

from __future__ import annotations

from collections import Counter

import pytest
from broker_queues import URN, KafkaTopics, dead_letter, envelope
from hypothesis import given
from hypothesis import strategies as st
from server import Server

from babelreg.contract import Contract
from babelreg.recording.redrive import kafka_dead_letters
from babelreg.recording.redrive.kafka_dead_letters import KafkaDeadLetters
from babelreg.recording.redrive.redrive import Redrive
from babelreg.runtime.transports.kafka_positions import MOST_BYTES, decoded, encoded

CONTRACT = Contract({URN: {"type": "object", "properties": {"id": {"type": "integer"}}}})


def redrive(kafka: Server, accepted: Contract = CONTRACT) -> int:
    queue = KafkaDeadLetters({"bootstrap.servers": kafka.url.partition("://")[2]}, "full.dlq")
    try:
        return Redrive("full.dlq", accepted.verdict, to="full", batch=50).run(queue).sent.total()
    finally:
        queue.close()


@pytest.mark.servers
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


@given(st.integers(0, 2**40), st.sets(st.integers(1, 5_000)))
def test_the_sent_offsets_are_read_again(offset: int, beyond: set[int]) -> None:
    sent = {offset + each for each in beyond}
    assert decoded(offset, encoded(offset, sent)) == sent


def test_a_note_has_room_for_tens_of_thousands_of_offsets() -> None:
    assert len(encoded(0, range(1, 1_000_000))) < MOST_BYTES
    assert len(encoded(0, [number for number in range(1, 1_000_000) if number % 100])) < MOST_BYTES
    assert len(encoded(0, [number for number in range(1, 20_000) if number * number % 7919 % 2])) < MOST_BYTES


@pytest.mark.parametrize("text", [None, "", "of another program"])
def test_notes_of_others_say_nothing(text: str | None) -> None:
    assert decoded(5, text) == set()


def test_a_damaged_note_is_an_error() -> None:
    with pytest.raises(ValueError, match="offset 5"):
        decoded(5, "babelreg:1:00000")
