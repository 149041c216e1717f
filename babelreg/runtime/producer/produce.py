"""Producers: send messages that satisfy their contract, the envelope's rules and JSON."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Generic, TypeVar

from babelqueue import BabelQueue
from babelqueue.outbox import OutboxStore

from babelreg.errors import UsageError
from babelreg.runtime.bytes.recorder import Recorder, recorder_of
from babelreg.runtime.errors import InvalidDataError, PartlySentError
from babelreg.runtime.message import MessageType
from babelreg.runtime.producer.encode import EncodedMessage, Encoder, checked_trace
from babelreg.runtime.producer.publish import (
    creating,
    is_observed,
    outgoing,
    publish_body,
    publish_observed,
    report_refusal,
)
from babelreg.runtime.telemetry.middleware import Middleware, check_middleware, is_async
from babelreg.runtime.transports.replacements import confirm
from babelreg.runtime.transports.subscription_broker import PublishesMany, Subscribers, publish_many
from babelreg.runtime.validators import ENFORCE, reports

__all__ = ["Producer"]

T = TypeVar("T")
AnyMiddleware = TypeVar("AnyMiddleware", bound=Middleware)

_warned: set[str] = set()


class Producer(Generic[T]):
    """Sends one kind of message; generated code derives a class per message and sets ``message``.

    A message goes to the inbox of every service that is subscribed to it in the broker; where the broker has no
    subscriptions (Kafka, SQS), to the queue in the registry, else that of the app. ``queue`` names one queue to send to
    instead. ``record``: a folder, or a Recorder, for files of everything that is sent. ``enforce="report"``: data that
    violates its contract is logged, counted and sent. Raises UsageError where there is no queue, and for a retired
    message; SchemaError where no validator can be built from the message's schema. Issues a DeprecationWarning for a
    deprecated message, once per process.
    """

    message: ClassVar[MessageType[Any]]

    def __init__(
        self,
        app: BabelQueue,
        *,
        queue: str | None = None,
        record: Recorder | str | os.PathLike[str] | None = None,
        enforce: str = ENFORCE,
    ) -> None:
        confirm(app)
        self._app = app
        self._recorder = recorder_of(record)
        target = queue or self.message.queue or app.queue
        if not target:
            raise UsageError(f"{self.message.urn} has no queue to go to", fix='pass queue="orders", say')
        _check_status(self.message)
        self._encoder: Encoder[T] = Encoder(self.message, target, self._reported if reports(enforce) else None)
        self._queue = target
        services = None if queue else self.message.consumers
        self._subscribers = None if services is None else Subscribers(self.message.urn, tuple(services))
        self._middleware: list[Middleware] = []

    def middleware(self, middleware: AnyMiddleware) -> AnyMiddleware:
        """Send each message within the decorated generator function of two arguments: the data and an Outgoing.

        It may add to ``outgoing.headers``, which travel with the message where the transport has headers. An exception
        of the broker is raised at its ``yield``. Raises UsageError for an async function, and for one without
        ``yield``.
        """
        check_middleware(middleware)
        if is_async(middleware):
            raise UsageError(
                "a producer takes no async middleware", fix="write it with plain `def`, or send with AsyncProducer"
            )
        self._middleware.append(middleware)
        return middleware

    def send(self, data: T, trace_id: str | None = None) -> str:
        """Send one message; return its ``meta.id`` once the broker has accepted it.

        ``trace_id`` (a UUID) continues a trace. The default is the trace of the message being handled; outside a
        handler, a new trace.

        Raises InvalidDataError, and sends nothing, when the data violates its contract; SubscriptionMissingError where
        a service consumes the message and the broker does not know; ValueError for a ``trace_id`` that is not a UUID;
        TypeError for the data of another message.
        """
        message = self._encode(data, checked_trace(trace_id))
        self._publish(message, data)
        return message.message_id

    def send_many(self, items: Iterable[T], trace_id: str | None = None) -> list[str]:
        """Send messages in order; return their ``meta.id``. All are validated and encoded before the first is sent.

        On RabbitMQ all are sent before the first confirm is awaited, unless middleware, a recording or telemetry
        observes each of them. Raises as :meth:`send` does, and has sent nothing then; the ``index`` of InvalidDataError
        is the position of the invalid item. Raises PartlySentError when the broker does not accept one of them.
        """
        batch = self._batch(items, checked_trace(trace_id))
        sent: list[str] = []
        failure: Exception | None = None
        for (_, message), error in zip(batch, self._published(batch), strict=False):
            if error is None:
                sent.append(message.message_id)
            failure = failure or error
        if failure is not None:
            raise PartlySentError(self.message.urn, sent, len(batch)) from failure
        return sent

    def _published(self, batch: Sequence[tuple[T, EncodedMessage]]) -> Iterable[Exception | None]:
        """Publish all, or up to the first error; return None for each message that was sent, or the error."""
        transport = self._app.transport
        observed = self._middleware or self._recorder is not None or is_observed()
        if not observed and isinstance(transport, PublishesMany):
            return publish_many(transport, [(each.queue, each.body, self._subscribers) for _, each in batch])
        return self._one_by_one(batch)

    def _one_by_one(self, batch: Sequence[tuple[T, EncodedMessage]]) -> Iterator[Exception | None]:
        for data, message in batch:
            try:
                self._publish(message, data)
            except Exception as error:
                yield error
                return
            yield None

    def write(self, outbox: OutboxStore, data: T, trace_id: str | None = None) -> str:
        """Write one message to an outbox, to be sent by its relay; return its ``meta.id``.

        With :class:`SqlOutbox` the message joins the open transaction of the outbox's connection: it is sent if and
        only if that transaction is committed. The relay records it. Raises as :meth:`send` does.
        """
        with self._writing(data, trace_id) as message:
            outbox.save(message.body, message.queue)
        return message.message_id

    @contextmanager
    def _writing(self, data: T, trace_id: str | None) -> Iterator[EncodedMessage]:
        """Yield the message to be written to an outbox within the block."""
        message = self._encode(data, checked_trace(trace_id))
        if is_observed():
            with creating(outgoing(self.message.urn, message), self._app.transport):
                yield message
        else:
            yield message

    def _encode(self, data: T, trace_id: str | None) -> EncodedMessage:
        try:
            return self._encoder.encode(data, trace_id)
        except InvalidDataError as error:
            report_refusal(error, self._queue, self._app.transport)
            raise

    def _reported(self, error: InvalidDataError) -> None:
        report_refusal(error, self._queue, self._app.transport, sent=True)

    def _publish(self, message: EncodedMessage, data: T) -> None:
        transport, recorder = self._app.transport, self._recorder
        if self._middleware or is_observed():
            publish_observed(
                transport,
                outgoing(self.message.urn, message),
                message.body,
                data=data,
                middleware=self._middleware,
                recording=None if recorder is None else recorder.sending,
                subscribers=self._subscribers,
            )
        elif recorder is not None:
            with recorder.sending(message.body):
                publish_body(transport, message.queue, message.body, self._subscribers)
        elif self._subscribers is not None:
            publish_body(transport, message.queue, message.body, self._subscribers)
        else:
            transport.publish(message.queue, message.body)

    def _batch(self, items: Iterable[T], trace_id: str | None) -> list[tuple[T, EncodedMessage]]:
        batch: list[tuple[T, EncodedMessage]] = []
        for data in items:
            try:
                batch.append((data, self._encode(data, trace_id)))
            except InvalidDataError as err:
                raise InvalidDataError(
                    err.urn, err.pointer, err.reason, err.detail, err.value, index=len(batch)
                ) from None
            except TypeError as err:
                raise TypeError(f"item {len(batch)}: {err}") from None
        return batch


def _check_status(message: MessageType[Any]) -> None:
    instead = f": send {message.successor} instead" if message.successor else ""
    if message.status == "retired":
        raise UsageError(f"{message.urn} is retired and must not be sent", fix=instead[2:] or None)
    if message.status == "deprecated" and message.urn not in _warned:
        _warned.add(message.urn)
        until = f" and goes away on {message.sunset}" if message.sunset else ""
        warnings.warn(f"{message.urn} is deprecated{until}{instead}", DeprecationWarning, stacklevel=3)
