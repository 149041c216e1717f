"""The refusal of a coordinator that starts is neither an error nor a partition without a position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from babelreg.runtime.transports import kafka_positions

kafka = pytest.importorskip("confluent_kafka")

PLACE = kafka.TopicPartition("orders", 0, 7)


class Refused:
    """The answer of a broker for one partition, with an error."""

    offset = -1001

    def __init__(self, code: int) -> None:
        self.error = kafka.KafkaError(code)


def raised(code: int) -> Callable[[], Any]:
    def answer() -> Any:
        raise kafka.KafkaException(kafka.KafkaError(code))

    return answer


class Consumer:
    """A client whose calls have ``answers``, one after the other."""

    def __init__(self, *answers: Callable[[], Any]) -> None:
        self.answers = list(answers)

    def committed(self, places: list[Any], timeout: float) -> Any:
        return self.answers.pop(0)()

    def commit(self, offsets: list[Any], asynchronous: bool) -> Any:
        assert not asynchronous
        return self.answers.pop(0)()


STARTING = [
    kafka.KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    kafka.KafkaError.COORDINATOR_NOT_AVAILABLE,
    kafka.KafkaError.NOT_COORDINATOR,
]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_positions, "_PAUSE_SECONDS", 0)


@pytest.mark.parametrize("code", STARTING)
def test_a_starting_coordinator_is_asked_again(code: int) -> None:
    consumer = Consumer(raised(code), lambda: [PLACE, Refused(code)], lambda: [PLACE])
    assert kafka_positions.committed(consumer, [PLACE]) == [PLACE]
    consumer = Consumer(raised(code), lambda: [Refused(code)], lambda: [PLACE])
    kafka_positions.commit(consumer, [PLACE])
    assert consumer.answers == []


@pytest.mark.parametrize("answer", [raised(29), lambda: [PLACE, Refused(29)]], ids=["of the group", "of a partition"])
def test_any_other_refusal_is_an_error(answer: Callable[[], Any]) -> None:
    for ask in (kafka_positions.committed, kafka_positions.commit):
        with pytest.raises(kafka.KafkaException, match="TOPIC_AUTHORIZATION_FAILED"):
            ask(Consumer(answer), [PLACE])


def test_a_coordinator_that_never_starts_is_an_error_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_positions, "_SECONDS", -1.0)
    with pytest.raises(kafka.KafkaException, match="COORDINATOR_LOAD_IN_PROGRESS"):
        kafka_positions.committed(Consumer(raised(STARTING[0])), [PLACE])


class Cluster:
    """Gives the answers to one question for a topic, in turn."""

    def __init__(self, *answers: Callable[[], Any]) -> None:
        self.answers = list(answers)

    def list_topics(self, topic: str, timeout: float) -> Any:
        return type("Metadata", (), {"topics": {topic: self.answers.pop(0)()}})

    def get_watermark_offsets(self, place: Any, timeout: float) -> Any:
        return self.answers.pop(0)()


def topic(*partitions: int, error: int | None = None) -> Any:
    found = None if error is None else kafka.KafkaError(error)
    return type("Topic", (), {"partitions": dict.fromkeys(partitions), "error": found})


NEW = [kafka.KafkaError.UNKNOWN_TOPIC_OR_PART, kafka.KafkaError.LEADER_NOT_AVAILABLE]


@pytest.mark.parametrize("code", NEW)
def test_a_topic_that_the_broker_does_not_know_yet_is_not_empty(code: int) -> None:
    cluster = Cluster(lambda: topic(error=code), raised(code), lambda: topic(1, 0))
    assert kafka_positions.partitions(cluster, "orders") == [0, 1]


@pytest.mark.parametrize("code", [*NEW, kafka.KafkaError.NOT_LEADER_FOR_PARTITION])
def test_a_partition_without_a_leader_is_asked_again(code: int) -> None:
    assert kafka_positions.ranges(Cluster(raised(code), lambda: (3, 5)), [PLACE]) == [(3, 5)]
