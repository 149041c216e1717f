"""One attempt to handle a valid message: upcast and parse its data, call its handler, commit its effects."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from types import MappingProxyType
from typing import Any, NamedTuple

from babelqueue.transport import ReceivedMessage

from babelreg.contract import Contract, Envelope
from babelreg.contract.upcast import UpcastError
from babelreg.runtime.bytes import dead_letter
from babelreg.runtime.consumer.routes import Route
from babelreg.runtime.context import Context, handling
from babelreg.runtime.idempotency.ledger import Ledger, content_digest

__all__ = ["Attempt", "MessageRefused"]


class MessageRefused(Exception):
    """No attempt at this message can succeed. The text begins with a reason and has no value of the data."""


class Attempt(NamedTuple):
    """One attempt at one delivery. ``wait`` runs the awaitable of an async handler to its end."""

    received: ReceivedMessage
    envelope: Envelope
    route: Route
    contract: Contract
    ledger: Ledger | None
    wait: Callable[[Awaitable[None]], None]

    def run(self) -> bool:
        """Handle the message; return False if it was handled before.

        Raises MessageRefused, and what the handler or the ledger raises; the ledger's transaction is rolled back then.
        """
        data = self.envelope.data if self.route.upcast is None else self._upcast()
        if self.ledger is None:
            self._call(data, None)
            return True
        digest = content_digest(self.envelope.urn, self.envelope.data)
        unit = self.ledger.begin(self.envelope.id or "")
        committed = False
        try:
            if unit.earlier is None:
                self._call(data, unit.connection)
                committed = unit.commit(digest)
            elif unit.earlier and digest and unit.earlier != digest:
                raise MessageRefused("id_conflict: another message with this meta.id was handled before")
            return committed
        finally:
            if not committed:
                unit.rollback()

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

    def _call(self, data: Any, connection: Any) -> None:
        context = _context(self.received, self.envelope, connection)
        with handling(context):
            result = self.route.handler(self.route.target.parse(data), context)
            if result is not None and inspect.isawaitable(result):
                self.wait(result)


def _context(received: ReceivedMessage, envelope: Envelope, connection: Any) -> Context:
    meta = envelope.meta
    created = meta.get("created_at")
    return Context(
        urn=envelope.urn,
        trace_id=envelope.trace_id or "",
        message_id=str(meta.get("id") or ""),
        attempts=dead_letter.attempts(received, envelope),
        queue=received.queue,
        sent_to=str(meta.get("queue") or ""),
        lang=str(meta.get("lang") or ""),
        created_at_ms=created if isinstance(created, int) else None,
        meta=MappingProxyType(dict(meta)),
        headers=MappingProxyType(dict(received.headers)),
        connection=connection,
    )
