"""The records of one topic that were handed out, and babelqueue's reading and writing of records.

Kafka's commit is one position for each partition: everything before it is settled. So a commit ends before the first
record that is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from babelqueue.kafka_transport import KafkaTransport
from babelqueue.transport import ReceivedMessage

__all__ = ["InFlight", "partition_of", "received", "record_of"]


def partition_of(record: Any) -> tuple[str, int]:
    """Return the topic and the number of the partition of a record."""
    return record.topic(), record.partition()


class InFlight:
    """The records of one topic that are handed out: in flight, or settled and not committed."""

    def __init__(self) -> None:
        self._open: list[Any] = []
        self._settled: list[Any] = []

    def __contains__(self, record: object) -> bool:
        return any(one is record for one in self._open)

    def add(self, record: Any) -> None:
        """Note a record that is handed out."""
        self._open.append(record)

    def settle(self, record: Any) -> Any | None:
        """Note that a record is settled; return the one to commit, if there is one."""
        self._open = [one for one in self._open if one is not record]
        partition = partition_of(record)
        floor = min((one.offset() for one in self._open if partition_of(one) == partition), default=None)
        self._settled.append(record)
        ready = [
            one for one in self._settled if partition_of(one) == partition and (floor is None or one.offset() < floor)
        ]
        self._settled = [one for one in self._settled if not any(one is done for done in ready)]
        return max(ready, key=lambda one: one.offset(), default=None)

    def forget_from(self, record: Any) -> None:
        """Forget a record and those after it in its partition: they are delivered again."""

        def stays(one: Any) -> bool:
            return partition_of(one) != partition_of(record) or one.offset() < record.offset()

        self._open = list(filter(stays, self._open))
        self._settled = list(filter(stays, self._settled))

    def earliest(self) -> Iterator[Any]:
        """Yield the first record in flight of each partition."""
        first: dict[tuple[str, int], Any] = {}
        for record in sorted(self._open, key=lambda one: int(one.offset()), reverse=True):
            first[partition_of(record)] = record
        yield from first.values()


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
