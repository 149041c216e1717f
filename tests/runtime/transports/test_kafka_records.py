"""Positions of a partition whose records are settled in any order: nothing is skipped, nothing is handed out twice."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelreg.runtime.transports.kafka_positions import MOST_BYTES, decoded, encoded
from babelreg.runtime.transports.kafka_records import InFlight, Position, place_of, settled_at

pytest.importorskip("confluent_kafka")


class Record(NamedTuple):
    """One record of partition 0."""

    number: int

    def topic(self) -> str:
        return "orders"

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return self.number


class Worker:
    """A worker that reads offsets that exist, from a position on."""

    def __init__(self, offsets: list[int], position: int, settled: set[int]) -> None:
        self.offsets = offsets
        self.in_flight = InFlight()
        self.in_flight.begin(0, position, settled)
        self.next = position
        self.at_hand: list[Record] = []

    def take(self) -> None:
        """Take the next record that is not settled."""
        for offset in self.offsets:
            if offset >= self.next:
                self.next, record = offset + 1, Record(offset)
                if self.in_flight.add(record):
                    self.at_hand.append(record)
                    return

    def go_back(self, record: Record) -> None:
        self.in_flight.forget_from(record)
        self.at_hand = [each for each in self.at_hand if each.offset() < record.offset()]
        self.next = record.offset()


@given(
    # Ends of transactions and retention leave gaps.
    st.lists(st.integers(1, 3), min_size=1, max_size=12),
    st.lists(st.sampled_from(("take", "take", "settle", "go back", "next worker")), max_size=60),
    st.randoms(use_true_random=False),
)
def test_each_record_is_settled_once_whoever_has_the_partition(
    gaps: list[int], steps: list[str], draw: random.Random
) -> None:
    offsets = [sum(gaps[: number + 1]) for number in range(len(gaps))]
    worker, committed = Worker(offsets, 0, set()), (0, "")
    settled: list[int] = []
    for step in [*steps, *["take", "settle"] * len(offsets)]:
        if step == "take":
            worker.take()
        elif step == "next worker":
            worker = Worker(offsets, committed[0], decoded(*committed))
        elif worker.at_hand:
            record = draw.choice(worker.at_hand)
            if step == "go back":
                worker.go_back(record)
                continue
            # As in one transaction: the position is committed with each.
            place = place_of(record, worker.in_flight.after(record))
            committed = place.offset, place.metadata
            worker.in_flight.settle(record)
            worker.at_hand.remove(record)
            settled.append(record.offset())
            unsettled = set(offsets) - set(settled)
            assert unsettled == {each for each in offsets if each >= place.offset} - settled_at(place)
    assert sorted(settled) == offsets


def test_a_record_of_a_transaction_in_doubt_is_not_handed_out_again() -> None:
    worker = Worker([1, 2, 3], 1, set())
    for _ in range(3):
        worker.take()
    second = worker.at_hand[1]
    worker.go_back(second)
    worker.in_flight.note(second)
    worker.take()
    assert [record.offset() for record in worker.at_hand] == [1, 3]
    assert worker.in_flight.settle(worker.at_hand[0]) == Position(3, frozenset())


def test_the_note_of_any_position_has_room_beside_it() -> None:
    draw = random.Random(7)
    settled = frozenset(offset for offset in range(1, 200_000) if draw.random() < 0.5)
    place = place_of(Record(1), Position(0, settled))
    assert len(place.metadata) <= MOST_BYTES
    assert settled_at(place) <= settled
    assert len(settled_at(place)) > 10_000


@pytest.mark.parametrize("text", ["", "of another client", encoded(5, {7})[:-3] + "!!!"])
def test_a_note_that_cannot_be_read_is_none(text: str) -> None:
    from confluent_kafka import TopicPartition

    assert settled_at(TopicPartition("orders", 0, 5, text)) == set()
