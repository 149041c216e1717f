"""Producers: send messages that satisfy their contract, the envelope's rules and JSON."""

from __future__ import annotations

import os
import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, ClassVar, Generic, TypeVar

from babelqueue import BabelQueue
from babelqueue.outbox import OutboxStore

from babelreg.errors import UsageError
from babelreg.runtime.awaitables import completed, resolved
from babelreg.runtime.bytes.recorder import Recorder, recorder_of
from babelreg.runtime.errors import InvalidDataError, PartlySentError
from babelreg.runtime.message import MessageType
from babelreg.runtime.producer.encode import EncodedMessage, Encoder, checked_trace
from babelreg.runtime.producer.options import PLAIN, BatchOptions, SendOptions, carries_headers, send_options
from babelreg.runtime.producer.outbox_table import KeepsProperties, addition_of
from babelreg.runtime.producer.publish import (
    creating,
    is_observed,
    outgoing,
    publication,
    publish,
    publish_observed,
    report_refusal,
)
from babelreg.runtime.telemetry.message_facts import Outgoing
from babelreg.runtime.telemetry.middleware import Middleware, check_middleware, enclosed, is_async
from babelreg.runtime.transports.replacements import confirm
from babelreg.runtime.transports.subscription_broker import Subscribers, publish_many, publishes_many
from babelreg.runtime.validators import ENFORCE, reports

T = TypeVar("T")
AnyMiddleware = TypeVar("AnyMiddleware", bound=Middleware)

_warned: set[str] = set()


class Producer(Generic[T]):
    """Producer of one kind of message; generated code derives a class per message and sets ``message``.

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
            raise UsageError(f"{self.message.urn} has no queue to go to", fix='pass one, such as queue="orders"')
        _check_status(self.message)
        self._encoder: Encoder[T] = Encoder(self.message, target, self._reported if reports(enforce) else None)
        self._queue = target
        self._declared = self.message.headers
        services = None if queue else self.message.consumers
        self._subscribers = None if services is None else Subscribers(self.message.urn, tuple(services))
        self._middleware: list[Middleware] = []

    def middleware(self, middleware: AnyMiddleware) -> AnyMiddleware:
        """Send each message within the decorated generator function of two arguments: the data and an Outgoing.

        It may add to ``outgoing.headers``, which travel with the message, also through an outbox. An exception of the
        broker is raised at its ``yield``. Raises UsageError for an async function, and for one without ``yield``.
        """
        check_middleware(middleware)
        if is_async(middleware):
            raise UsageError(
                "a producer does not support async middleware",
                fix="write it with plain `def`, or send with AsyncProducer",
            )
        self._middleware.append(middleware)
        return middleware

    def send(
        self,
        data: T,
        *,
        trace_id: str | None = None,
        key: str | None = None,
        delay: float = 0.0,
        headers: Mapping[str, str] | None = None,
    ) -> str:
        """Send one message; return its ``meta.id`` once the broker has accepted it.

        ``trace_id`` (a UUID) continues a trace. The default is the trace of the message being handled; outside a
        handler, a new trace. Messages with equal ``key`` keep their order: it is the key of the record on Kafka, and
        that of ``ordered_by="key"``. The broker delivers the message after ``delay`` seconds. ``headers`` travel with
        it.

        Raises InvalidDataError, and sends nothing, when the data violates its contract; SubscriptionMissingError where
        a service consumes the message and the broker does not know; UnsupportedOptionError where the broker has no
        headers, keys or delays; ValueError for a ``trace_id`` that is not a UUID, and for other options that are none;
        TypeError for the data of another message.
        """
        options = send_options(key, delay, headers)
        message = self._encode(data, checked_trace(trace_id))
        self._publish(message, data, options)
        return message.message_id

    def send_many(
        self,
        items: Iterable[T],
        *,
        trace_id: str | None = None,
        key: Callable[[T], str | None] | None = None,
        delay: float = 0.0,
        headers: Mapping[str, str] | None = None,
    ) -> list[str]:
        """Send messages in order; return their ``meta.id``. All are validated and encoded before the first is sent.

        ``key`` returns the ordering key of data; the other options are those of :meth:`send`. On RabbitMQ all are sent
        before the first confirm is awaited, unless middleware, a recording or telemetry observes each of them. Raises
        as :meth:`send` does, and has sent nothing then; the ``index`` of InvalidDataError is the position of the
        invalid item. Raises PartlySentError when the broker does not accept one of them.
        """
        batch = self._batch(items, checked_trace(trace_id), BatchOptions(key, delay, headers))
        sent: list[str] = []
        failure: Exception | None = None
        for (_, message, _), error in zip(batch, self._published(batch), strict=False):
            if error is None:
                sent.append(message.message_id)
            failure = failure or error
        if failure is not None:
            raise PartlySentError(self.message.urn, sent, len(batch)) from failure
        return sent

    def _published(self, batch: Sequence[tuple[T, EncodedMessage, SendOptions]]) -> Iterable[Exception | None]:
        """Publish all, or up to the first error; return None for each message that was sent, or the error."""
        transport = self._app.transport
        observed = self._middleware or self._recorder is not None or is_observed()
        if not observed and publishes_many(transport):
            to = self._subscribers
            return publish_many(
                transport,
                [
                    (publication(self._app.transport, each.queue, each.body, to, options), to)
                    for _, each, options in batch
                ],
            )
        return self._one_by_one(batch)

    def _one_by_one(self, batch: Sequence[tuple[T, EncodedMessage, SendOptions]]) -> Iterator[Exception | None]:
        for data, message, options in batch:
            try:
                self._publish(message, data, options)
            except Exception as error:
                yield error
                return
            yield None

    def write(
        self,
        outbox: OutboxStore,
        data: T,
        *,
        trace_id: str | None = None,
        key: str | None = None,
        delay: float = 0.0,
        headers: Mapping[str, str] | None = None,
    ) -> str:
        """Write one message to an outbox, to be sent by its relay; return its ``meta.id``.

        With :class:`SqlOutbox` the message joins the open transaction of the outbox's connection: it is sent if and
        only if that transaction is committed. The relay records it; middleware encloses the writing. ``delay`` begins
        now. Raises as :meth:`send` does, and UnsupportedOptionError where the outbox has no column for the options.
        """
        return completed(self._written(outbox, data, trace_id, send_options(key, delay, headers)))

    async def _written(self, outbox: Any, data: T, trace_id: str | None, options: SendOptions) -> str:
        """Write one message to a plain or an async outbox; suspends only where that does, or middleware."""
        message = self._encode(data, checked_trace(trace_id))
        if not (self._middleware or self._declared or options is not PLAIN or is_observed()):
            await resolved(outbox.save(message.body, message.queue))  # nothing but the body, and nobody observes it
            return message.message_id
        keeps = isinstance(outbox, KeepsProperties) and bool(await resolved(outbox.has_properties()))

        async def save(_: Any, facts: Outgoing) -> None:
            addition = None if keeps else addition_of(outbox)
            with creating(facts, self._app.transport, declared=self._declared, addition=addition) as properties:
                more = (properties,) if keeps else ()
                await resolved((outbox.save_row if keeps else outbox.save)(message.body, message.queue, *more))

        await enclosed(save, self._middleware)(data, outgoing(self.message.urn, message, options))
        return message.message_id

    def _encode(self, data: T, trace_id: str | None) -> EncodedMessage:
        try:
            return self._encoder.encode(data, trace_id)
        except InvalidDataError as error:
            report_refusal(error, self._queue, self._app.transport)
            raise

    def _reported(self, error: InvalidDataError) -> None:
        report_refusal(error, self._queue, self._app.transport, sent=True)

    def _publish(self, message: EncodedMessage, data: T, options: SendOptions) -> None:
        if self._middleware or options is not PLAIN or is_observed():
            completed(self._publish_within(_here, message, data, options))
            return
        with nullcontext() if self._recorder is None else self._recorder.sending(message.body):
            publish(self._app.transport, message.queue, message.body, self._subscribers)

    async def _publish_within(
        self, call: Callable[..., Awaitable[None]], message: EncodedMessage, data: T, options: SendOptions
    ) -> None:
        """Publish within the middleware; suspends only where that does, or ``call`` of what may block."""
        recording = None if self._recorder is None else self._recorder.sending
        how = {"declared": self._declared, "recording": recording, "subscribers": self._subscribers}

        async def send(_: Any, facts: Outgoing) -> None:
            await call(publish_observed, self._app.transport, facts, message.body, **how)

        await enclosed(send, self._middleware)(data, outgoing(self.message.urn, message, options))

    def _batch(
        self, items: Iterable[T], trace_id: str | None, options: BatchOptions
    ) -> list[tuple[T, EncodedMessage, SendOptions]]:
        batch: list[tuple[T, EncodedMessage, SendOptions]] = []
        for data in items:
            try:
                batch.append((data, self._encode(data, trace_id), options.of(data)))
            except InvalidDataError as err:
                raise InvalidDataError(
                    err.urn, err.pointer, err.reason, err.detail, err.value, index=len(batch)
                ) from None
            except TypeError as err:
                raise TypeError(f"item {len(batch)}: {err}") from None
        for _, _, each in batch if options != BatchOptions(None, 0.0, None) else ():
            carries_headers(self.message.urn, self._app.transport, each, declared=self._declared)
        return batch


async def _here(function: Callable[..., None], *arguments: Any, **options: Any) -> None:
    function(*arguments, **options)


def _check_status(message: MessageType[Any]) -> None:
    instead = f": send {message.successor} instead" if message.successor else ""
    if message.status == "retired":
        raise UsageError(f"{message.urn} is retired and must not be sent", fix=instead[2:] or None)
    if message.status == "deprecated" and message.urn not in _warned:
        _warned.add(message.urn)
        until = f" and goes away on {message.sunset}" if message.sunset else ""
        warnings.warn(f"{message.urn} is deprecated{until}{instead}", DeprecationWarning, stacklevel=3)
