"""A delivery of a valid message and its handling: upcast and parse the data, call the handler, commit its effects."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from babelqueue.transport import ReceivedMessage

from babelreg.contract import Contract, Envelope
from babelreg.contract.upcast import UpcastError
from babelreg.runtime.consumer.delivery_limit import DeliveryLimit
from babelreg.runtime.consumer.routes import Route
from babelreg.runtime.consumer.time_limit import HandlerClock
from babelreg.runtime.context import Context, enter, leave
from babelreg.runtime.errors import rejection
from babelreg.runtime.idempotency.answer_watch import watch
from babelreg.runtime.idempotency.ledger import (
    AsyncLedger,
    Ledger,
    cannot_write,
    caused_by_handler,
    content_digest,
)
from babelreg.runtime.telemetry.log_fields import delivery_fields, logger
from babelreg.runtime.transports.capabilities import KEY_HEADER

_STOPS = (KeyboardInterrupt, SystemExit, GeneratorExit)


class MessageRefused(Exception):
    """No attempt at this message can succeed. The text begins with a reason and has no value of the data."""


class LedgerUnavailable(Exception):
    """The ledger failed to begin, commit or roll back, or its database cannot write for the handler.

    Its exception is the ``__cause__``. The message itself is not at fault: it goes back to its queue unchanged.
    """


class Calls(Protocol):
    """The calls of an attempt that may wait: in a thread of their own they block, in an event loop they are awaited."""

    async def ledger(self, step: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of a ledger, plain or async."""

    async def handler(self, function: Callable[..., Any], data: Any, context: Context) -> None:
        """Call a handler, plain or async."""


class ValidDelivery(NamedTuple):
    """A delivery of a valid message with the handler to call. ``attempts`` counts earlier attempts at it.

    ``recoveries`` is the number of earlier deliveries that ended without a settlement (see ``DeliveryLimit``), None
    where the broker does not count them. From ``limit`` on the handler is not called any more. ``clock`` limits the
    time of the handler; None for no limit. ``reported`` says how the data violates its contract, where it is handled
    all the same.
    """

    received: ReceivedMessage
    envelope: Envelope
    route: Route
    attempts: int
    recoveries: int | None
    limit: DeliveryLimit
    contract: Contract
    ledger: Ledger | AsyncLedger | None
    clock: HandlerClock | None = None
    reported: str | None = None

    def parsed(self) -> Any:
        """Return the data as the handler gets it. Raises MessageRefused, and what the model raises."""
        return self.route.parse(self.envelope.data if self.route.upcast is None else self._upcast())

    @property
    def key(self) -> str | None:
        """The ordering key that the producer gave: that of the record, or in a header."""
        key = self.received.key
        return self.received.headers.get(KEY_HEADER) if key is None else key.decode("utf-8", "replace")

    async def run(self, calls: Calls) -> bool:
        """Handle the message; return False if it was handled before. Waits in ``calls`` only.

        Raises MessageRefused, LedgerUnavailable, and what the handler raises; the ledger's transaction is rolled back
        then.
        """
        if self.ledger is None:
            self._check_limit(self.recoveries or 0)
            context = self._context(None)
            outer = enter(context)
            try:
                await self._call_handler(calls, self.parsed(), context)
            finally:
                leave(outer)
            return True
        data = self.envelope.data if self.route.upcast is None else self._upcast()
        recoveries = await self._counted(calls)
        digest = content_digest(self.envelope.urn, self.envelope.data)
        handled = await self._run_once(calls, data, digest, recoveries)
        if handled is None:  # another worker marked it in the meantime: the same message, or another with its id
            handled = await self._run_once(calls, data, digest, recoveries, overtaken=True)
        return bool(handled)

    def run_without_ledger(self, call: Callable[..., object]) -> None:
        """Call the handler by ``call``, which blocks: as :meth:`run`, in a tenth less time for each message."""
        if self.recoveries:
            self._check_limit(self.recoveries)
        context = self._context(None)
        outer = enter(context)
        try:
            call(self.route.handler, self.parsed(), context)
        finally:
            leave(outer)

    async def _run_once(
        self, calls: Calls, data: Any, digest: str, recoveries: int, *, overtaken: bool = False
    ) -> bool | None:
        """Handle the message in one unit; return False if it was handled before, None if another worker was faster."""
        unit = await self._ask_ledger(calls, self.ledger.begin, self.envelope.id or "")  # type: ignore[union-attr]
        handled: bool | None = False
        try:
            if unit.earlier is None and not overtaken:
                self._check_limit(recoveries)
                context = self._context(unit.connection)
                outer = enter(context)
                try:
                    await self._call_handler(calls, self.route.parse(data), context, unit)
                finally:
                    leave(outer)
                if await self._commit(calls, unit, digest):
                    return True
                handled = None
            elif unit.earlier and digest and unit.earlier != digest:
                raise MessageRefused("id_conflict: a different message with the same meta.id was handled before")
        except BaseException as error:
            await self._roll_back(calls, unit, error)
            if isinstance(error, Exception) and rejection(error) is None and cannot_write(error):
                raise LedgerUnavailable(_described(error)) from error
            raise
        await self._roll_back(calls, unit, None)
        return handled

    async def _call_handler(self, calls: Calls, data: Any, context: Context, unit: Any = None) -> None:
        clock = self.clock
        if clock is None:
            await calls.handler(self.route.handler, data, context)
            return
        clock.begin(unit)
        try:
            await calls.handler(clock.bounded(self.route.handler), data, context)
        finally:
            clock.end()  # before the commit: a handler that was given up commits nothing

    async def _counted(self, calls: Calls) -> int:
        if self.recoveries is not None:
            return self.recoveries
        if self.limit.counter is None or self.limit.limit is None or not self.envelope.id:
            return 0
        count = await self._ask_ledger(calls, self.limit.counter.count_delivery, self.envelope.id)
        return self.limit.in_this_life(int(count))

    def _check_limit(self, recoveries: int) -> None:
        if self.limit.limit is not None and recoveries >= self.limit.limit:
            raise MessageRefused(f"delivery_limit: {recoveries} deliveries ended without a result")

    async def _ask_ledger(self, calls: Calls, step: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the ledger, plain or async. Raises LedgerUnavailable where it raises."""
        call = watch.begin()
        try:
            return await calls.ledger(step, *arguments)
        except Exception as error:
            raise LedgerUnavailable(_described(error)) from error
        finally:
            watch.end(call)

    async def _commit(self, calls: Calls, unit: Any, digest: str) -> bool:
        try:
            return bool(await self._ask_ledger(calls, unit.commit, digest))
        except LedgerUnavailable as failure:
            if failure.__cause__ is not None and caused_by_handler(failure.__cause__):
                raise failure.__cause__ from None
            raise

    async def _roll_back(self, calls: Calls, unit: Any, error: BaseException | None) -> None:
        try:
            await self._ask_ledger(calls, unit.rollback)
        except LedgerUnavailable:
            if isinstance(error, (LedgerUnavailable, *_STOPS)):
                extra = delivery_fields(self.received)  # after the failure that is reported
                logger.warning("cannot roll back either", exc_info=True, extra=extra)
                return
            raise

    def _upcast(self) -> Any:
        sent, target, upcast = self.route.sent.urn, self.route.target.urn, self.route.upcast
        assert upcast is not None
        try:
            data = upcast.apply(self.envelope.data)
        except UpcastError as err:
            raise MessageRefused(f"upcast_failed: {sent} to {target}: {err}") from err
        except RecursionError:
            raise MessageRefused(f"upcast_failed: {sent} to {target}: the data is nested too deeply") from None
        verdict = self.contract.data_verdict(target, data)
        if verdict.reason is not None:
            raise MessageRefused(f"{verdict.reason}: {verdict.detail}, upcast to {target}")
        return data

    def _context(self, connection: Any) -> Context:
        received, document = self.received, self.envelope.document
        meta = document["meta"]
        created = meta.get("created_at")
        return Context(
            self.envelope.urn,
            document["trace_id"],
            str(meta.get("id") or ""),
            self.attempts,
            received.queue,
            str(meta.get("queue") or ""),
            str(meta.get("lang") or ""),
            created if isinstance(created, int) else None,
            MappingProxyType(meta),
            MappingProxyType(received.headers),
            connection,
            self.key,
        )


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
