"""The queues of one consumer: what it reads, what it is subscribed to, and what on them is for other services."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

from babelqueue import BabelQueue

from babelreg.errors import UsageError
from babelreg.runtime.message import MessageType
from babelreg.runtime.subscriptions.topology import RuntimeTopology
from babelreg.runtime.telemetry.log_fields import logger
from babelreg.runtime.transports.subscription_broker import Subscribes

_RENEW_SECONDS = 10.0
_END_SECONDS = 5.0
_REPORT_SECONDS = 60.0
_RETRY_AFTER_SECONDS = 60.0


@runtime_checkable
class JoinsGroup(Protocol):
    """A transport without subscriptions, whose broker gives each consumer group all messages of a topic (Kafka)."""

    def join(self, group: str, topics: Iterable[str], start: str | None) -> None:
        """Read ``topics`` as ``group``, and retries and redriven dead letters from the topic ``group``.

        ``start``: earliest | latest, where a new group begins; None takes over the positions of the former group.
        """
        ...


class QueueSubscription(NamedTuple):
    """A queue that a consumer reads, and the URNs and aliases it is subscribed to. ``inbox``: see ``Subscribes``."""

    queue: str
    urns: tuple[str, ...]
    inbox: bool


class Reading:
    """The queues of a consumer of ``service``, or of one without a service.

    Without a service it is subscribed with the queues that the registry names for its messages. Without a topology, and
    on brokers without subscriptions, it reads these queues alone.
    """

    def __init__(self, app: BabelQueue, topology: RuntimeTopology | None = None, service: str | None = None) -> None:
        self._app = app
        self._reported_at: dict[tuple[str, str], float] = {}
        self._topology = topology or RuntimeTopology()
        self._known = topology.services.get(service) if topology is not None and service is not None else None
        if service is not None and self._known is None:
            names = ", ".join(topology.services) if topology is not None else ""
            raise UsageError(
                f"the registry has no consumer {service!r}",
                fix=f"use one of {names}" if names else "generate the code again",
            )
        self.service = service

    def queues(self, messages: Iterable[MessageType[Any]]) -> list[str]:
        """Return the queues to read for ``messages``, each once."""
        messages = list(messages)
        transport = self._app.transport
        if isinstance(transport, JoinsGroup) and self.service is not None:
            return [*dict.fromkeys(self._source(message) for message in messages), self.service]
        queues = [self._queue(message) for message in messages]
        if self._known is not None and isinstance(transport, Subscribes):
            sources = {self._source(message) for message in messages}
            queues += [queue for queue in self._known.read_besides if queue in sources]
        return list(dict.fromkeys(queues))

    def subscriptions(self, messages: Iterable[MessageType[Any]]) -> list[QueueSubscription]:
        """Return the subscriptions to declare for ``messages``."""
        urns: dict[str, list[str]] = {}
        for message in messages:
            if message.consumers is not None:
                urns.setdefault(self._queue(message), []).extend(message.names)
        known = self._known
        return [
            QueueSubscription(queue, tuple(names), known is not None and queue not in known.named)
            for queue, names in urns.items()
        ]

    def is_for_others(self, queue: str, urn: str) -> bool:
        """Return True for a message of another service that shares ``queue``, or of another process of this one."""
        known = self._known
        if known is None:
            return False
        urn = self._topology.resolve(urn)
        return urn in known.others.get(queue, ()) or urn in known.queues.get(queue, ())

    def is_skipped(self, queue: str, urn: str) -> bool:
        """Return True for a message on a Kafka topic that is not for this service's own group."""
        return (
            self._known is not None
            and isinstance(self._app.transport, JoinsGroup)
            and self._topology.resolve(urn) in self._known.topics.get(queue, ())
        )

    def defer(self, queue: str, urn: str) -> float:
        """Report a message that is for others, once a minute; return the seconds after which it is delivered again."""
        now = time.monotonic()
        if now - self._reported_at.get((queue, urn), -_REPORT_SECONDS) >= _REPORT_SECONDS:
            self._reported_at[queue, urn] = now
            words = "queue %r is shared: %s is for another reader of it, and goes back; give each service its inbox"
            logger.warning(words, queue, urn, extra={"queue": queue, "urn": urn})
        return float(getattr(self._app.transport, "lease_seconds", None) or _RETRY_AFTER_SECONDS)

    @contextmanager
    def declared(
        self,
        messages: Iterable[MessageType[Any]],
        queues: list[str],
        start: str | None,
        again: Callable[[Exception], bool],
    ) -> Iterator[None]:
        """Declare the subscriptions of ``queues``, and again every 10 s inside the block: a broker may be flushed.

        Removes queues from ``queues`` that a fan-out empties. Raises the exceptions of the broker's client, unless
        ``again`` returns: True to try again, False to go on without.
        """
        transport = self._app.transport
        if isinstance(transport, JoinsGroup):
            if self.service is not None:
                topics = [queue for queue in queues if queue != self.service]
                _until_done(partial(transport.join, self.service, topics, start), again)
            yield
            return
        wanted = [each for each in self.subscriptions(messages) if each.queue in queues]
        if not wanted or not isinstance(transport, Subscribes):
            yield
            return

        def declare() -> None:
            _declare(transport, wanted)
            self._leave_to_fan_outs(transport, queues)

        _until_done(declare, again)
        ended = threading.Event()
        arguments = (transport, wanted, ended)
        thread = threading.Thread(target=_keep, args=arguments, name="babelreg-subscriptions", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join(_END_SECONDS)  # else it could declare once more what somebody deletes now

    def _leave_to_fan_outs(self, transport: Subscribes, queues: list[str]) -> None:
        for queue in self._known.read_besides if self._known is not None else ():
            if queue in queues and transport.is_fanned_out(queue):
                logger.info("queue %r is left to the fan-out that empties it", queue)
                queues.remove(queue)

    def _queue(self, message: MessageType[Any]) -> str:
        if self._known is None or message.consumers is None or not isinstance(self._app.transport, Subscribes):
            return self._source(message)
        return self._known.queue_of(message.urn) or self.service or ""

    def _source(self, message: MessageType[Any]) -> str:
        return message.queue or self._app.queue


def _until_done(work: Callable[[], object], again: Callable[[Exception], bool]) -> None:
    """Call ``work`` until it raises nothing, or ``again`` returns False."""
    while True:
        try:
            work()
        except Exception as error:
            if again(error):
                continue
        return


def _declare(transport: Subscribes, wanted: Iterable[QueueSubscription]) -> None:
    for each in wanted:
        transport.subscribe(each.queue, each.urns, inbox=each.inbox)


def _keep(transport: Subscribes, wanted: list[QueueSubscription], ended: threading.Event) -> None:
    while not ended.wait(_RENEW_SECONDS):
        try:
            _declare(transport, wanted)
        except Exception:
            logger.debug("cannot declare the subscriptions again", exc_info=True)
