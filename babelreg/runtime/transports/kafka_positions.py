"""Positions of a consumer group in Kafka: read and committed, also in the seconds in which its coordinator starts.

A broker that has just started, or has just taken over a group, refuses both until it has loaded the group. The client
hands that refusal on, as an exception or as the error of a partition. Such a partition has no offset, and would look as
if none had been committed: its messages would be handled once more.

A group may commit a text beside an offset. Here it notes offsets after it that are done, too.
"""

from __future__ import annotations

import base64
import importlib
import time
import zlib
from collections.abc import Callable, Collection, Sequence
from typing import Any

MOST_BYTES = 4096
"""The most bytes beside an offset that a broker stores, unless it is set otherwise (offset.metadata.max.bytes)."""

_SECONDS = 30.0
_PAUSE_SECONDS = 0.1
_PREFIX = "babelreg:1:"
_STARTING = (
    *("COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"),
    "UNSTABLE_OFFSET_COMMIT",  # in the transaction of a worker that died, until the broker ends it
    *("NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PART"),
)


def committed(consumer: Any, places: Sequence[Any]) -> list[Any]:
    """Return ``places`` with the offsets that the consumer's group has committed. Raises KafkaException."""
    return _answer(lambda: consumer.committed(list(places), timeout=_SECONDS))


def commit(consumer: Any, places: Sequence[Any]) -> None:
    """Return once the offsets of ``places`` are committed. Raises KafkaException."""
    _answer(lambda: consumer.commit(offsets=list(places), asynchronous=False))


def partitions(consumer: Any, topic: str) -> list[int]:
    """Return the numbers of the partitions of ``topic``. Raises KafkaException.

    Of a topic that the broker does not know yet, the client gives none: it would look empty.
    """
    kafka = importlib.import_module("confluent_kafka")

    def ask() -> list[int]:
        found = consumer.list_topics(topic, timeout=_SECONDS).topics[topic]
        if found.error is not None:
            raise kafka.KafkaException(found.error)
        return sorted(found.partitions)

    return _answer(ask)


def ranges(consumer: Any, places: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the first offset and the next one of each partition. Raises KafkaException.

    A topic that was just created has no leader for a moment.
    """
    return _answer(lambda: [consumer.get_watermark_offsets(place, timeout=_SECONDS) for place in places])


def encoded(offset: int, sent: Collection[int]) -> str:
    """Return the text for ``sent`` offsets from ``offset`` on: a compressed set of bits."""
    if not sent:
        return ""
    bits = bytearray((max(sent) - offset) // 8 + 1)
    for each in sent:
        bits[(each - offset) // 8] |= 1 << (each - offset) % 8
    return _PREFIX + base64.b85encode(zlib.compress(bytes(bits), 9)).decode("ascii")


def decoded(offset: int, text: str | None) -> set[int]:
    """Return the offsets of :func:`encoded`; none for text that is not ours. Raises ValueError if it is damaged."""
    if not text or not text.startswith(_PREFIX):
        return set()
    try:
        bits = zlib.decompress(base64.b85decode(text.removeprefix(_PREFIX)))
    except zlib.error as err:
        raise ValueError(f"the note beside offset {offset} cannot be read") from err
    return {offset + number for number in range(8 * len(bits)) if bits[number // 8] >> number % 8 & 1}


def _answer(ask: Callable[[], list[Any]]) -> list[Any]:
    """Return the first answer that is none of a starting coordinator or an election, asked for half a minute."""
    kafka = importlib.import_module("confluent_kafka")
    starting = {getattr(kafka.KafkaError, name) for name in _STARTING}
    end = time.monotonic() + _SECONDS
    while True:
        try:
            places = ask()
            error = next((error for place in places if (error := getattr(place, "error", None)) is not None), None)
        except kafka.KafkaException as err:
            error = err.args[0]
        if error is None:
            return places
        if error.code() not in starting or time.monotonic() > end:
            raise kafka.KafkaException(error)
        time.sleep(_PAUSE_SECONDS)
