"""Positions of Kafka under several records in flight: a commit never passes one that is not settled."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import runtime_messages as on
from babelqueue.kafka_transport import KafkaTransport
from babelqueue.transport import ReceivedMessage

from babelreg.runtime.transports.kafka import Kafka
from babelreg.runtime.transports.receiver import DeliveryLostError
from babelreg.runtime.transports.replacements import confirmed


class Record:
    def __init__(self, offset: int) -> None:
        self._offset = offset
        self._value = json.dumps(on.envelope(data={"order_id": offset + 1})).encode()

    def value(self) -> bytes:
        return self._value

    def headers(self) -> list[tuple[str, bytes]]:
        return []

    def error(self) -> None:
        return None

    def key(self) -> None:
        return None

    def topic(self) -> str:
        return "orders"

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return self._offset


class Partition:
    """A consumer of one partition with five records; ``committed`` is the next offset."""

    def __init__(self) -> None:
        self.position = self.committed = 0

    def poll(self, seconds: float) -> Record | None:
        if self.position == 5:
            return None
        self.position += 1
        return Record(self.position - 1)

    def seek(self, place: Any) -> None:
        self.position = place.offset

    def commit(self, *, message: Record, asynchronous: bool) -> None:
        self.committed = message.offset() + 1


def taken(count: int) -> tuple[Partition, Kafka, list[ReceivedMessage]]:
    partition = Partition()
    transport = confirmed(KafkaTransport(consumer_factory=lambda queue: partition))
    assert isinstance(transport, Kafka)
    return partition, transport, list(transport.receiver(["orders"], 9, until_empty=False).take(count, 0.0))


def offsets(messages: list[ReceivedMessage]) -> list[int]:
    return [message.handle.offset() for message in messages]


def test_records_are_taken_while_others_are_in_flight() -> None:
    _, transport, first = taken(2)
    assert offsets(first) == [0, 1]
    assert offsets(list(transport.receiver(["orders"], 9, until_empty=False).take(9, 0.0))) == [2, 3, 4]


@pytest.mark.parametrize(
    "acknowledged, committed",
    [
        pytest.param([0, 1, 2], [1, 2, 3], id="in order"),
        pytest.param([2, 1, 0], [0, 0, 3], id="the first one last"),
        pytest.param([0, 2, 1], [1, 1, 3], id="one in between last"),
        pytest.param([4, 3], [0, 0], id="the first one never"),
    ],
)
def test_a_commit_ends_before_the_first_record_that_is_not_settled(
    acknowledged: list[int], committed: list[int]
) -> None:
    partition, transport, messages = taken(5)
    positions = []
    for index in acknowledged:
        transport.ack(messages[index])
        positions.append(partition.committed)
    assert positions == committed


BACK: dict[str, Callable[[Kafka, ReceivedMessage], None]] = {"rewind": Kafka.rewind, "hand back": Kafka.hand_back}


@pytest.mark.parametrize("way", BACK)
def test_records_after_one_that_goes_back_are_delivered_again_and_commit_nothing(way: str) -> None:
    partition, transport, messages = taken(4)
    BACK[way](transport, messages[1])
    assert [transport.renew(message) for message in messages] == [True, False, False, False]
    BACK[way](transport, messages[3])  # is delivered again anyway: this must not skip the records before it
    for late in messages[2:]:
        with pytest.raises(DeliveryLostError):
            transport.ack(late)
    transport.ack(messages[0])
    assert partition.committed == 1
    again = list(transport.receiver(["orders"], 9, until_empty=False).take(9, 0.0))
    assert offsets(again) == [1, 2, 3, 4]
    for message in again:
        transport.ack(message)
    assert partition.committed == 5


def test_a_record_before_one_that_went_back_can_go_back_too() -> None:
    _, transport, messages = taken(4)
    transport.hand_back(messages[2])
    transport.hand_back(messages[0])
    assert offsets(list(transport.receiver(["orders"], 9, until_empty=False).take(9, 0.0))) == [0, 1, 2, 3, 4]


def test_what_was_not_begun_blocks_the_commit_at_the_end() -> None:
    partition, transport, messages = taken(3)
    transport.put_back(messages[1])
    transport.ack(messages[2])
    transport.ack(messages[0])
    assert partition.committed == 1
