"""The records of one topic that were handed out, and babelqueue's reading and writing of records.

Kafka's commit is one position for each partition: everything before it is settled. Records are settled in another
order, so a position is that of the first one that is not, and the text beside it notes those after it that are: they
are not handed out again when the partition goes to another worker, or when this one goes back to an earlier record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from babelqueue.kafka_transport import KafkaTransport
from babelqueue.transport import ReceivedMessage

from babelreg.runtime.transports.kafka_positions import MOST_BYTES, decoded, encoded

_NOTED = MOST_BYTES * 6  # bits that take at most so many bytes as text


def partition_of(record: Any) -> tuple[str, int]:
    """Return the topic and the number of the partition of a record."""
    return record.topic(), record.partition()


class GroupPosition(NamedTuple):
    """The offset of the first record of a partition that is not settled, and those after it that are."""

    offset: int
    settled: frozenset[int]


@dataclass
class _OpenPartition:
    """Records that are handed out, by offset; the last position; and the offset after the last one handed out."""

    open: dict[int, Any]
    position: GroupPosition
    end: int


class InFlight:
    """The records of one topic that are handed out, and the position of each of its partitions."""

    def __init__(self) -> None:
        self._partitions: dict[int, _OpenPartition] = {}

    def __contains__(self, record: Any) -> bool:
        partition = self._partitions.get(record.partition())
        return partition is not None and partition.open.get(record.offset()) is record

    def begin(self, partition: int, offset: int, settled: Iterable[int]) -> None:
        """Forget what was handed out of a partition: it begins at the position that its group has committed."""
        self._partitions[partition] = _OpenPartition({}, GroupPosition(offset, frozenset(settled)), offset)

    def add(self, record: Any) -> bool:
        """Note a record that is handed out; return False for one that is settled."""
        offset = record.offset()
        partition = self._partitions.get(record.partition())
        if partition is None or partition.position.offset < 0:
            partition = self._partitions[record.partition()] = _OpenPartition(
                {}, GroupPosition(offset, frozenset()), offset
            )
        partition.end = offset + 1
        if offset in partition.position.settled:
            return False
        partition.open[offset] = record
        return True

    def after(self, record: Any) -> GroupPosition:
        """Return the position of the record's partition once the record, which is handed out, is settled."""
        partition, own = self._partitions[record.partition()], record.offset()
        offset = min((one for one in partition.open if one != own), default=partition.end)
        settled = partition.position.settled
        if offset > own and not settled:
            return GroupPosition(offset, settled)
        settled |= {own}
        while offset in settled:
            offset += 1
        return GroupPosition(offset, frozenset(one for one in settled if one > offset))

    def settle(self, record: Any) -> GroupPosition | None:
        """Note that a record is settled; return the new position, None if its offset is the same."""
        partition, position = self._partitions[record.partition()], self.after(record)
        del partition.open[record.offset()]
        before, partition.position = partition.position, position
        return position if position.offset > before.offset else None

    def note(self, record: Any) -> None:
        """Note that a record is settled, which is not to be handed out again."""
        partition = self._partitions[record.partition()]
        partition.open.pop(record.offset(), None)
        partition.position = partition.position._replace(settled=partition.position.settled | {record.offset()})

    def forget_from(self, record: Any) -> None:
        """Forget a record and those after it in its partition that are not settled: they are delivered again."""
        partition = self._partitions[record.partition()]
        partition.open = {offset: one for offset, one in partition.open.items() if offset < record.offset()}
        partition.end = record.offset()

    def earliest(self) -> Iterator[Any]:
        """Yield the first record in flight of each partition."""
        for partition in self._partitions.values():
            if partition.open:
                yield partition.open[min(partition.open)]


def place_of(record: Any, position: GroupPosition) -> Any:
    """Return the place that a position of the record's partition is committed to."""
    from confluent_kafka import TopicPartition

    near = [offset for offset in position.settled if offset < position.offset + _NOTED]
    text = encoded(position.offset, near)
    return TopicPartition(record.topic(), record.partition(), position.offset, text)


def settled_at(place: Any) -> set[int]:
    """Return the offsets after a committed one that are settled, too."""
    try:
        return decoded(place.offset, place.metadata)
    except ValueError:
        return set()


class _One:
    """A consumer that has one record. Where a record is read, nothing is committed."""

    def __init__(self, record: Any) -> None:
        self._record = record

    def poll(self, seconds: float) -> Any:
        return self._record


def received(queue: str, record: Any) -> ReceivedMessage | None:
    """Return the delivery of a record as babelqueue reads it; None if it is an error of the client.

    It looks at the version in the header, finds poison records, and takes the number of attempts from the header.
    """
    return KafkaTransport(consumer_factory=lambda _: _One(record)).pop(queue, 0.0)


class _Formatter:
    """A producer that keeps the last record and confirms it."""

    def produce(self, topic: str, *, on_delivery: Callable[..., object] | None = None, **record: Any) -> None:
        self.topic, self.record = topic, record
        if on_delivery is not None:
            on_delivery(None)

    def flush(self, seconds: float) -> None:
        pass


def record_of(write: Callable[[KafkaTransport], object], tiers_ms: Sequence[int] = ()) -> tuple[str, dict[str, Any]]:
    """Return the topic and the arguments of ``produce`` for what ``write`` publishes by babelqueue's transport.

    With the headers and the time of the binding, in the retry topic where it is for one.
    """
    formatter = _Formatter()
    write(KafkaTransport(producer=formatter, retry_tiers_ms=tiers_ms))
    return formatter.topic, formatter.record
