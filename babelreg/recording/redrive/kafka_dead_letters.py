"""Dead letters in a Kafka topic: a batch is produced, confirmed, and noted in a consumer group of the redrive's own.

A topic keeps what was sent until its retention ends; the group ``babelreg-redrive`` knows what that is. Where its note
grows too long because many messages stay between sent ones, the first of those that stay are copied to the end of the
topic. Kafka removes no message, and a group has one offset a partition: dead letters that stay lie between others that
were sent, so the latter are noted in the text that a group may commit beside its offset.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from babelqueue.kafka_transport import DELAY_HEADER, ORIGINAL_TOPIC_HEADER, KafkaDeliveryError

from babelreg.recording.redrive.dead_letter import DeadLetter, Move
from babelreg.runtime.transports.kafka_positions import (
    MOST_BYTES,
    commit,
    committed,
    decoded,
    encoded,
    partitions,
    ranges,
)
from babelreg.runtime.transports.kafka_records import record_of

GROUP = "babelreg-redrive"
"""The consumer group that remembers what was sent."""

_SECONDS = 30.0
_WAIT_SECONDS = 1.0
_FETCH_WAIT_MS = 50
"""How long the broker waits for more messages before it says that a partition has ended; 500 by default."""

_COPIED_AT_ONCE = 100

Record = dict[str, Any]


class KafkaPublisher:
    """A cluster. ``settings`` are those of the client."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._kafka: Any = importlib.import_module("confluent_kafka")  # an extra of babelqueue
        self._settings = {"log_level": 0, **settings}  # failures are exceptions; the client prints them, too
        self._producer: Any = self._kafka.Producer({"enable.idempotence": True, **self._settings})
        self.topics()

    def topics(self) -> frozenset[str]:
        """Return the names of all topics. Raises KafkaException where the cluster cannot be reached."""
        return frozenset(self._producer.list_topics(timeout=10).topics)

    def publish(self, target: str, bodies: Sequence[bytes]) -> None:
        """See Publisher. The key of each is null."""
        self._produce([(target, _record(body)) for body in bodies])

    def missing(self, target: str) -> bool:
        """Return whether there is no topic ``target``."""
        return target not in self.topics()

    def close(self) -> None:
        self._producer.flush(_SECONDS)

    def _produce(self, records: Sequence[tuple[str, Record]]) -> None:
        """Return once the brokers have all of ``records``. Raises KafkaDeliveryError."""
        failures: list[Any] = []
        confirmed = 0

        def on_delivery(error: Any, message: Any = None) -> None:
            nonlocal confirmed
            confirmed += error is None
            failures.extend([error] if error is not None else [])

        for topic, record in records:
            self._producer.produce(topic, on_delivery=on_delivery, **record)
        self._producer.flush(_SECONDS)
        if failures or confirmed < len(records):
            reason = failures[0] if failures else f"no answer within {_SECONDS:.0f} s"
            raise KafkaDeliveryError(f"{len(records) - confirmed} of {len(records)} messages: {reason}")


@dataclass
class _Partition:
    """One partition: the messages from ``begin`` up to ``end``, read up to ``read``; offsets that stay or were sent."""

    number: int
    begin: int
    end: int
    read: int
    sent: set[int] = field(default_factory=set)
    staying: list[int] = field(default_factory=list)

    def advance(self) -> tuple[int, str]:
        """Return the offset and the text to commit, and forget what lies before."""
        self.begin = self.staying[0] if self.staying else self.read
        self.sent = {offset for offset in self.sent if offset > self.begin}
        return self.begin, encoded(self.begin, self.sent)


class KafkaDeadLetters(KafkaPublisher):
    """One topic, which must exist. One run at a time: two would send the same messages."""

    def __init__(self, settings: Mapping[str, Any], queue: str) -> None:
        super().__init__(settings)
        self._queue = queue
        if queue not in self.topics():
            raise LookupError(queue)
        configuration = {
            "group.id": GROUP,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
            "fetch.wait.max.ms": _FETCH_WAIT_MS,
            **self._settings,
        }
        self._consumer: Any = self._kafka.Consumer(configuration)
        self._partitions = list(self._opened())
        self._current = 0
        self._assigned: _Partition | None = None

    def next(self, most: int) -> list[DeadLetter]:
        while self._current < len(self._partitions):
            partition = self._partitions[self._current]
            letters = [DeadLetter(_value(message), message) for message in self._read(partition, most)]
            if letters:
                return letters
            self._current += 1
        return []

    def leave(self, letters: Sequence[DeadLetter]) -> None:
        self._partitions[self._current].staying.extend(letter.handle.offset() for letter in letters)

    def move(self, moves: Sequence[Move]) -> Iterator[Move]:
        if not moves:
            return
        partition = self._partitions[self._current]
        self._produce([(move.target, _moved(move)) for move in moves])
        partition.sent.update(move.letter.handle.offset() for move in moves)
        self._commit(partition)
        yield from moves

    def drop(self, letters: Sequence[DeadLetter]) -> None:
        """See DeadLetterQueue: they count as sent."""
        if letters:
            partition = self._partitions[self._current]
            partition.sent.update(letter.handle.offset() for letter in letters)
            self._commit(partition)

    def close(self) -> None:
        super().close()
        self._consumer.close()

    def _opened(self) -> Iterator[_Partition]:
        """Yield the partitions, each with what earlier runs noted."""
        numbers = partitions(self._consumer, self._queue)
        places = committed(self._consumer, [self._kafka.TopicPartition(self._queue, number) for number in numbers])
        for place, (low, high) in zip(places, ranges(self._consumer, places), strict=True):
            begin = place.offset if low <= place.offset <= high else low
            sent = decoded(begin, place.metadata) if begin == place.offset else set()
            if place.offset < low and place.offset >= 0:  # retention removed the oldest
                sent = {offset for offset in decoded(place.offset, place.metadata) if offset >= low}
            yield _Partition(place.partition, begin, high, begin, sent)

    def _read(self, partition: _Partition, most: int) -> list[Any]:
        """Return the next messages of ``partition`` that were not sent yet."""
        messages: list[Any] = []
        silent_since = time.monotonic()
        if self._assigned is not partition:
            self._assign(partition, partition.read)
        while partition.read < partition.end and len(messages) < most:
            for message in self._consumed(most - len(messages)):
                silent_since = time.monotonic()
                error = message.error()
                if error is not None and error.code() == self._kafka.KafkaError._PARTITION_EOF:
                    partition.read = partition.end
                elif error is not None:
                    raise self._kafka.KafkaException(error)
                elif message.offset() < partition.end:
                    partition.read = message.offset() + 1
                    if message.offset() not in partition.sent:
                        messages.append(message)
                else:
                    partition.read = partition.end
            if time.monotonic() - silent_since > _SECONDS:
                raise KafkaDeliveryError(f"topic {self._queue} answers nothing for {_SECONDS:.0f} s")
        return messages

    def _consumed(self, most: int) -> list[Any]:
        """Wait for a message, and return it with those that are there; ``consume`` alone waits for as many as asked."""
        first = self._consumer.poll(_WAIT_SECONDS)
        return [] if first is None else [first, *(self._consumer.consume(most - 1, 0) if most > 1 else ())]

    def _assign(self, partition: _Partition, offset: int) -> None:
        self._consumer.assign([self._kafka.TopicPartition(self._queue, partition.number, offset)])
        self._assigned = partition

    def _commit(self, partition: _Partition) -> None:
        offset, note = partition.advance()
        while len(note) > MOST_BYTES:
            self._copy_first(partition)
            offset, note = partition.advance()
        place = self._kafka.TopicPartition(self._queue, partition.number, offset, note)
        commit(self._consumer, [place])

    def _copy_first(self, partition: _Partition) -> None:
        """Copy the first messages that stay to the end of the topic, and count them as sent."""
        wanted, read = set(partition.staying[:_COPIED_AT_ONCE]), partition.read
        partition.read = min(wanted)
        self._assign(partition, partition.read)
        messages: list[Any] = []
        while len(messages) < len(wanted) and partition.read < read:
            messages += [message for message in self._read(partition, 1_000) if message.offset() in wanted]
        self._produce([(self._queue, _copied(message)) for message in messages])
        partition.sent |= wanted
        partition.staying = partition.staying[len(wanted) :]
        partition.read = read
        self._assigned = None


def _value(message: Any) -> bytes:
    value: bytes | None = message.value()
    return value or b""


def _record(body: bytes) -> Record:
    """Return the arguments of ``produce`` for a message, with the headers of the binding.

    Its time is that of the redrive and not ``meta.created_at``: retention would remove an old message at once.
    """
    _, record = record_of(lambda theirs: theirs.publish_settle("", body.decode("utf-8")))
    return {name: value for name, value in record.items() if name != "timestamp"}


def _moved(move: Move) -> Record:
    """Return the record to send: with the key of the dead letter, and its headers besides those of the binding."""
    message = move.letter.handle
    record = _record(move.body)
    own = {DELAY_HEADER, ORIGINAL_TOPIC_HEADER, *(name for name, _ in record["headers"])}
    others = [(name, value) for name, value in message.headers() or [] if name not in own]
    return {**record, "key": message.key(), "headers": [*record["headers"], *others]}


def _copied(message: Any) -> Record:
    headers, partition = message.headers(), message.partition()
    return {"value": message.value(), "key": message.key(), "headers": headers, "partition": partition}
