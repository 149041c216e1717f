"""Interface of transports with subscriptions, and publishing to them."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeGuard, runtime_checkable

from babelqueue.transport import Transport

from babelreg.runtime.errors import SubscriptionMissingError
from babelreg.runtime.telemetry.log_fields import logger

_REPORT_SECONDS = 60.0


class Publication(NamedTuple):
    """A message to publish to the subscriptions of ``urn``, or to ``queue`` where that is None or there are none.

    ``key`` is for brokers that have keys. ``delay`` is in seconds. ``without`` is a subscribed queue that is left out.
    """

    queue: str
    urn: str | None
    body: str
    headers: Mapping[str, str]
    key: str | None = None
    delay: float = 0.0
    without: str | None = None


class PublishesMany(Protocol):
    """A transport that takes a batch of messages with their options. It may send all before it waits for the broker."""

    def publish_many(self, publications: Sequence[Publication]) -> list[int | Exception]:
        """Return for each message a positive number once the broker has it, 0 without subscriptions, else the error."""
        ...


@runtime_checkable
class Subscribes(PublishesMany, Protocol):
    """A transport whose broker holds subscriptions: the queues that get each message of a URN.

    All methods raise the exceptions of the broker's client.
    """

    def subscribe(self, queue: str, urns: Iterable[str], *, inbox: bool) -> None:
        """Declare ``queue`` and its subscriptions to ``urns``. Changes nothing that exists.

        ``inbox``: the queue is this runtime's own; else it is declared as SDKs of other languages declare theirs.
        """
        ...

    def is_fanned_out(self, queue: str) -> bool:
        """Return True if a fan-out was started on ``queue``."""
        ...

    def mark_fanned_out(self, queue: str) -> None:
        """Remember that a fan-out empties ``queue``, for consumers that would read it themselves."""
        ...


def publishes_many(transport: Transport) -> TypeGuard[PublishesMany]:
    """Return True for a transport that takes batches: what ``isinstance`` tells in a third of the time of a send."""
    return hasattr(transport, "publish_many")


class Subscribers(NamedTuple):
    """The receivers of one URN: the services that the registry declares as its consumers."""

    urn: str
    services: tuple[str, ...]


def publish_many(
    transport: PublishesMany, messages: Sequence[tuple[Publication, Subscribers | None]]
) -> list[Exception | None]:
    """Publish messages, each to its subscribers, or to its queue without. Return for each None, or the error.

    None means that the broker has it. It is a SubscriptionMissingError where the broker has no subscription and the
    registry declares a consumer; a message that no service consumes is accepted, and counted in ``unclaimed``.
    """
    results = transport.publish_many([publication for publication, _ in messages])
    return [
        result if isinstance(result, Exception) else _missing(to_send.queue, to) if to and not result else None
        for (to_send, to), result in zip(messages, results, strict=True)
    ]


def _missing(queue: str, subscribers: Subscribers) -> SubscriptionMissingError | None:
    if subscribers.services:
        return SubscriptionMissingError(subscribers.urn, subscribers.services)
    unclaimed.count(subscribers.urn, queue)
    return None


class Unclaimed:
    """Counts of messages that no service consumes, by URN; reported at most once a minute."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._reported_at = -_REPORT_SECONDS

    def count(self, urn: str, queue: str) -> None:
        """Count one message that producers send to ``queue``."""
        with self._lock:
            self.counts[urn] += 1
            if time.monotonic() - self._reported_at < _REPORT_SECONDS:
                return
            self._reported_at = time.monotonic()
        words = "%s: no service is subscribed, and none is declared; %d such messages so far"
        logger.warning(words, urn, self.counts[urn], extra={"urn": urn, "queue": queue})


unclaimed = Unclaimed()
