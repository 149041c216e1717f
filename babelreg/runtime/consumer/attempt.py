"""One attempt to handle a valid message: upcast and parse its data, call its handler, commit its effects."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from babelqueue.transport import ReceivedMessage

from babelreg.contract import Contract, Envelope
from babelreg.contract.upcast import UpcastError
from babelreg.runtime.consumer.routes import Route
from babelreg.runtime.context import Context, handling
from babelreg.runtime.idempotency.ledger import AsyncLedger, DeliveryCounter, Ledger, caused_by_handler, content_digest
from babelreg.runtime.telemetry.log_fields import delivery_fields, logger

__all__ = ["Attempt", "Calls", "LedgerUnavailable", "MessageRefused"]

_STOPS = (KeyboardInterrupt, SystemExit, GeneratorExit)


class MessageRefused(Exception):
    """No attempt at this message can succeed. The text begins with a reason and has no value of the data."""


class LedgerUnavailable(Exception):
    """The ledger failed to begin, commit or roll back; its exception is the ``__cause__``.

    The message itself is not at fault: it goes back to its queue unchanged.
    """


class Calls(Protocol):
    """The calls of an attempt that may wait: in a thread of their own they block, in an event loop they are awaited."""

    async def ledger(self, step: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of a ledger, plain or async."""

    async def handler(self, function: Callable[..., Any], data: Any, context: Context) -> None:
        """Call a handler, plain or async."""


class Attempt(NamedTuple):
    """One attempt at one delivery.

    ``recoveries`` is the number of earlier deliveries that ended without a settlement (see ``DeliveryLimit``), None
    where ``counter`` counts them, of whose count ``counted_besides`` is taken off; from ``limit`` on the handler is not
    called any more.
    """

    received: ReceivedMessage
    envelope: Envelope
    route: Route
    contract: Contract
    ledger: Ledger | AsyncLedger | None
    recoveries: int | None = 0
    limit: int | None = None
    counter: DeliveryCounter | None = None
    counted_besides: int = 0
    attempts: int = 0

    def parsed(self) -> Any:
        """Return the data as the handler gets it. Raises MessageRefused, and what the model raises."""
        return self.route.target.parse(self.envelope.data if self.route.upcast is None else self._upcast())

    async def run(self, calls: Calls) -> bool:
        """Handle the message; return False if it was handled before. Waits in ``calls`` only.

        Raises MessageRefused, LedgerUnavailable, and what the handler raises; the ledger's transaction is rolled back
        then.
        """
        if self.ledger is None:
            with handling(context := self._begun()):
                await calls.handler(self.route.handler, self.parsed(), context)
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
        with handling(context := self._begun()):
            call(self.route.handler, self.parsed(), context)

    def _begun(self) -> Context:
        self._check_limit(self.recoveries or 0)
        return _context(self, None)

    async def _run_once(
        self, calls: Calls, data: Any, digest: str, recoveries: int, *, overtaken: bool = False
    ) -> bool | None:
        """Handle the message in one unit; return False if it was handled before, None if another worker was faster."""
        unit = await self._ask_ledger(calls, self.ledger.begin, self.envelope.id or "")  # type: ignore[union-attr]
        handled: bool | None = False
        try:
            if unit.earlier is None and not overtaken:
                self._check_limit(recoveries)
                context = _context(self, unit.connection)
                with handling(context):
                    await calls.handler(self.route.handler, self.route.target.parse(data), context)
                if await self._commit(calls, unit, digest):
                    return True
                handled = None
            elif unit.earlier and digest and unit.earlier != digest:
                raise MessageRefused("id_conflict: another message with this meta.id was handled before")
        except BaseException as error:
            await self._roll_back(calls, unit, error)
            raise
        await self._roll_back(calls, unit, None)
        return handled

    async def _counted(self, calls: Calls) -> int:
        if self.recoveries is not None:
            return self.recoveries
        if self.counter is None or not self.envelope.id:
            return 0
        count = await self._ask_ledger(calls, self.counter.count_delivery, self.envelope.id)
        if self.limit is None:
            return 0
        # A dead letter that is sent again has all its deliveries again: the count of a ledger goes on, and begins anew
        # here after as many as one life has.
        return (int(count) - 1) % (self.limit + self.counted_besides) + 1 - self.counted_besides

    def _check_limit(self, recoveries: int) -> None:
        if self.limit is not None and recoveries >= self.limit:
            raise MessageRefused(f"delivery_limit: {recoveries} deliveries ended without a result")

    async def _ask_ledger(self, calls: Calls, step: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of the ledger, plain or async. Raises LedgerUnavailable where it raises."""
        try:
            return await calls.ledger(step, *arguments)
        except Exception as error:
            raise LedgerUnavailable(_described(error)) from error

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
            raise MessageRefused(f"upcast_failed: {sent} to {target}: the data nests too deep") from None
        verdict = self.contract.data_verdict(target, data)
        if verdict.reason is not None:
            raise MessageRefused(f"{verdict.reason}: {verdict.detail}, upcast to {target}")
        return data


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _context(attempt: Attempt, connection: Any) -> Context:
    received, envelope = attempt.received, attempt.envelope
    meta = envelope.meta
    created = meta.get("created_at")
    return Context(
        urn=envelope.urn,
        trace_id=envelope.trace_id or "",
        message_id=str(meta.get("id") or ""),
        attempts=attempt.attempts,
        queue=received.queue,
        sent_to=str(meta.get("queue") or ""),
        lang=str(meta.get("lang") or ""),
        created_at_ms=created if isinstance(created, int) else None,
        meta=MappingProxyType(meta),
        headers=MappingProxyType(received.headers),
        connection=connection,
    )
