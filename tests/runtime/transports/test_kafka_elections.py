"""The first offsets of a topic that was just created: its partitions have no leader for a moment."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from babelreg.runtime.transports import kafka_positions


class Electing:
    """A client whose first answers are these errors."""

    def __init__(self, *errors: int) -> None:
        self.errors = list(errors)

    def get_watermark_offsets(self, place: TopicPartition, timeout: float) -> tuple[int, int]:
        if self.errors:
            raise KafkaException(KafkaError(self.errors.pop(0)))
        return 0, 3


def test_an_election_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_positions, "_PAUSE_SECONDS", 0)
    client = Electing(KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE)
    assert kafka_positions.ranges(client, [TopicPartition("orders", 0)]) == [(0, 3)]


def test_another_error_is_not() -> None:
    with pytest.raises(KafkaException):
        kafka_positions.ranges(Electing(KafkaError.TOPIC_AUTHORIZATION_FAILED), [TopicPartition("orders", 0)])
