"""The receiver of Kafka: one subscription of all topics.

librdkafka hands records over in the order in which it fetched them, a megabyte of one topic before the next. So with
several topics records are buffered here, for each topic, and each topic that has some gives one in turn. A topic whose
buffer is full is paused.

The consumer is polled at least three times in ``max.poll.interval.ms``, also while handlers are at work: a consumer
that is silent for longer loses its partitions. What arrives then is buffered.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from babelqueue.transport import ReceivedMessage

from babelreg.runtime.transports.receiver import Receiver

_FULL, _LOW = 1000, 100
_BATCH = 500
_LONGEST_INTERVAL_SECONDS = 100.0


class TopicReader(Protocol):
    """The part of a transport that its receiver uses."""

    def attach(self, consumers: Mapping[str, Any]) -> None: ...
    def next_record(self, queue: str, seconds: float) -> ReceivedMessage | None: ...
    def begin(self, consumer: Any, partitions: Sequence[Any]) -> None: ...


class KafkaReceiver(Receiver):
    """A receiver whose ``transport`` uses its ``consumer`` as if each topic had one of its own.

    librdkafka cannot be interrupted. What is buffered here is not committed, and Kafka counts no deliveries.
    """

    def __init__(self, transport: TopicReader, consumer: Any, topics: Sequence[str], interval_seconds: float) -> None:
        self.keep_seconds = min(_LONGEST_INTERVAL_SECONDS, interval_seconds / 3)
        self._transport = transport
        self._consumer = consumer
        self._lock = threading.RLock()
        self._buffers: dict[str, deque[Any]] = {topic: deque() for topic in topics}
        self._turns = deque(topics)
        self._paused: set[str] = set()
        consumer.subscribe(list(topics), on_assign=self._assigned, on_revoke=self._revoked, on_lost=self._revoked)
        transport.attach({topic: TopicConsumer(self, consumer, buffer) for topic, buffer in self._buffers.items()})

    def take(self, most: int, seconds: float, *, ahead: bool = True) -> Sequence[ReceivedMessage]:
        with self._lock:
            while True:
                if len(self._buffers) > 1 or not any(self._buffers.values()):
                    self._fill(_BATCH if len(self._buffers) > 1 else most, seconds)
                empty = not any(self._buffers.values())
                if (messages := self._buffered(most)) or empty:
                    return messages  # else all were records that had been settled before

    def keep(self, messages: Sequence[ReceivedMessage]) -> None:
        """See Receiver: poll, and buffer what arrives."""
        with self._lock:
            self._fill(_BATCH, 0.0)

    def close(self) -> None:
        """See Receiver: leave the group."""
        with self._lock:
            self._transport.attach({})
            self._consumer.close()

    def drop(self, topic: str, partition: int) -> None:
        """Forget what is buffered of a partition: its position has changed."""
        buffer = self._buffers.get(topic, deque())
        kept = [record for record in buffer if record.partition() != partition]
        buffer.clear()
        buffer.extend(kept)

    def _buffered(self, most: int) -> list[ReceivedMessage]:
        """Return up to ``most`` messages, of each topic in turn."""
        messages: list[ReceivedMessage] = []
        empty = 0
        while len(messages) < most and empty < len(self._turns):
            topic = self._turns[0]
            self._turns.rotate(-1)
            message = self._transport.next_record(topic, 0.0) if self._buffers[topic] else None
            empty = empty + 1 if message is None else 0
            if message is not None:
                messages.append(message)
        return messages

    def _fill(self, most: int, seconds: float) -> None:
        """Buffer records; wait up to ``seconds`` if there are none at all."""
        records = self._consumer.consume(most, 0.0)
        if not records and seconds > 0 and not any(self._buffers.values()):
            first = self._consumer.poll(seconds)
            records = [] if first is None else [first, *self._consumer.consume(most, 0.0)]
        for record in records:
            if record.error() is None:
                self._buffers[record.topic()].append(record)
        for topic, buffer in self._buffers.items():
            if len(buffer) >= _FULL and topic not in self._paused:
                self._consumer.pause(self._partitions(topic))
                self._paused.add(topic)
            elif topic in self._paused and len(buffer) < _LOW:
                self._consumer.resume(self._partitions(topic))
                self._paused.discard(topic)

    def _partitions(self, topic: str) -> list[Any]:
        return [partition for partition in self._consumer.assignment() if partition.topic == topic]

    def _assigned(self, consumer: Any, partitions: Sequence[Any]) -> None:
        self._transport.begin(consumer, partitions)
        self._paused.clear()  # new partitions are not paused; the others are paused again once they are full

    def _revoked(self, consumer: Any, partitions: Sequence[Any]) -> None:
        for partition in partitions:
            self.drop(partition.topic, partition.partition)


class TopicConsumer:
    """The consumer of one topic of a :class:`KafkaReceiver`."""

    def __init__(self, receiver: KafkaReceiver, consumer: Any, buffer: deque[Any]) -> None:
        self._receiver = receiver
        self._buffer = buffer
        self.commit, self.committed = consumer.commit, consumer.committed
        self.consumer_group_metadata = consumer.consumer_group_metadata
        self._seek = consumer.seek

    def poll(self, seconds: float) -> Any:
        """Return the next record that is buffered."""
        return self._buffer.popleft() if self._buffer else None

    def seek(self, partition: Any) -> None:
        """Go to a position."""
        self._receiver.drop(partition.topic, partition.partition)
        self._seek(partition)

    def close(self) -> None:
        """Leave it to the receiver."""
