"""The relay of an outbox: it sends what is in the table, oldest first, to subscriptions, and deletes it afterwards.

It is babelqueue's, on a transport of ours: a message is deleted once the broker has confirmed it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

from babelqueue import outbox
from babelqueue.outbox import OutboxRecord, OutboxRelayResult, OutboxStore
from babelqueue.transport import Transport

from babelreg.runtime.bytes.recorder import Recorder, recorder_of
from babelreg.runtime.producer.options import PLAIN, SendOptions, carries_headers
from babelreg.runtime.producer.outbox import SqlOutbox
from babelreg.runtime.producer.publish import is_observed, publication, publish_observed
from babelreg.runtime.producer.row_properties import Row, RowProperties
from babelreg.runtime.subscriptions.topology import RuntimeTopology
from babelreg.runtime.telemetry.log_fields import fields, logger
from babelreg.runtime.telemetry.message_facts import Outgoing
from babelreg.runtime.transports.replacements import confirmed
from babelreg.runtime.transports.subscription_broker import (
    Publication,
    PublishesMany,
    Subscribers,
    publish_many,
    publishes_many,
)


class OutboxRelay(outbox.OutboxRelay):
    """babelqueue's relay on a confirmed transport: a message is deleted once the broker has confirmed it.

    A row for the queue that the registry names for its message goes to the subscriptions of that message, as what
    producers send; one for another queue goes there, and so does, with a warning, a message that the relay's package
    does not have. ``record``: a folder, or a Recorder, for files of everything that
    is sent. ``settings`` are those of babelqueue's relay.
    """

    topology: ClassVar[RuntimeTopology | None] = None
    """The topology of the registry. Set by generated code."""

    def __init__(
        self,
        transport: Transport,
        store: OutboxStore,
        *,
        record: Recorder | str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> None:
        self._sender = _RelayTransport(confirmed(transport), store, recorder_of(record), self.topology)
        sender: Any = self._sender
        super().__init__(sender, sender, **settings)

    def flush(self) -> OutboxRelayResult:
        """Send one batch; see babelqueue. Rows that were not sent are free for other relays afterwards."""
        try:
            return super().flush()
        finally:
            self._sender.release()


class _RelayTransport:
    """The transport and the store of babelqueue's relay, of which it calls ``publish`` row by row.

    Where the transport can, a batch is sent when it is fetched, and ``publish`` tells the results. It records and
    reports: babelqueue's relay raises no error to its caller.
    """

    def __init__(
        self, transport: Transport, store: OutboxStore, recorder: Recorder | None, topology: RuntimeTopology | None
    ) -> None:
        self._transport = transport
        self._store = store
        self._recorder = recorder
        self._topology = topology
        self._foreign: set[str] = set()
        self._sent: dict[tuple[str, str], Exception | None] = {}
        self._properties: dict[tuple[str, str], RowProperties] = {}
        self.save, self.mark_published, self.mark_failed = store.save, store.mark_published, store.mark_failed

    def fetch_unpublished(self, limit: int) -> list[OutboxRecord]:
        rows = self._store.fetch_unpublished(limit)
        for row in rows:
            if isinstance(row, Row):
                self._properties[row.queue, row.body] = row.properties
        if publishes_many(self._transport) and self._recorder is None and not is_observed():
            self._publish_batch(self._transport, rows)
        return rows

    def _publish_batch(self, transport: PublishesMany, rows: Sequence[OutboxRecord]) -> None:
        messages: list[tuple[Publication, Subscribers | None]] = []
        for row in rows:
            subscribers = self._subscribers(row.queue, row.body)
            try:
                options = self._options(row.queue, row.body)
            except Exception as error:
                self._sent[row.queue, row.body] = error
            else:
                messages.append((publication(self._transport, row.queue, row.body, subscribers, options), subscribers))
        for (to_send, _), result in zip(messages, publish_many(transport, messages), strict=True):
            self._sent[to_send.queue, to_send.body] = self._sent.get((to_send.queue, to_send.body)) or result

    def _options(self, queue: str, body: str) -> SendOptions:
        """Return the options of a row. Raises as ``carries_headers``."""
        properties = self._properties.get((queue, body), RowProperties())
        options = properties.options
        if options != PLAIN:
            urn, declared = Outgoing.of(queue, body).urn, properties.headers is not None
            carries_headers(urn, self._transport, options, declared=declared)
        return options

    def release(self) -> None:
        """End a batch."""
        self._sent.clear()
        self._properties.clear()
        if isinstance(self._store, SqlOutbox):
            self._store.release()

    def publish(self, queue: str, body: str) -> None:
        try:
            self._publish(queue, body)
        except Exception as error:
            message = Outgoing.of(queue, body)
            kind = type(error).__name__
            words = "%s: a message stays in the outbox, because the broker did not accept it (%s)"
            logger.warning(words, message.urn, kind, extra=fields(message, outcome="failed", reason=kind))
            raise

    def _publish(self, queue: str, body: str) -> None:
        if (queue, body) in self._sent:
            if (error := self._sent[queue, body]) is not None:
                raise error
            return
        recording = None if self._recorder is None else self._recorder.sending
        properties, subscribers = self._properties.get((queue, body), RowProperties()), self._subscribers(queue, body)
        options, declared = properties.options, properties.headers is not None
        message = Outgoing.of(queue, body, dict(options.headers), options.key, options.delay)
        publish_observed(
            self._transport, message, body, declared=declared, recording=recording, subscribers=subscribers
        )

    def _subscribers(self, queue: str, body: str) -> Subscribers | None:
        """Return the receivers of a row, or None for one that names a queue of its own."""
        if self._topology is None:
            return None
        sent_urn = Outgoing.of(queue, body).urn
        urn = self._topology.resolve(sent_urn)
        if urn not in self._topology.sources:
            self._report_foreign(urn, queue)
            return None
        if self._topology.sources[urn] not in (None, queue):
            return None
        return Subscribers(sent_urn, tuple(self._topology.consumers.get(urn, ())))

    def _report_foreign(self, urn: str, queue: str) -> None:
        """Warn once of a message of another package: one that shares the outbox wrote it."""
        if urn not in self._foreign:
            self._foreign.add(urn)
            words = "%s: not in the package of this relay, so it is sent to the queue %s and not to subscriptions"
            logger.warning(words, urn, queue, extra={"urn": urn, "queue": queue})
