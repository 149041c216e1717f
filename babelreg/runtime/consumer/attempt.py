"""One attempt at handling a valid message: its data upcast and parsed, its handler called, its effects committed."""

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
from babelreg.runtime.idempotency.ledger import Ledger, content

__all__ = ["Attempt", "MessageRefused"]


class MessageRefused(Exception):
    """No attempt at this message can succeed. The text opens with a reason and holds no value of the data."""


class Attempt(NamedTuple):
    """What one attempt takes. ``wait`` brings what an async handler returned to its end."""

    received: ReceivedMessage
    envelope: Envelope
    route: Route
    contract: Contract
    ledger: Ledger | None
    wait: Callable[[Awaitable[None]], None]

    def make(self) -> bool:
        """Handle the message; False when it was handled before.

        Raises Refused, and what the handler or the ledger raises; then nothing written in the ledger's transaction is
        kept.
        """
        data = self.envelope.data if self.route.upcast is None else self._upcast()
        if self.ledger is None:
            self._call(data, None)
            return True
        mark = content(self.envelope.urn, self.envelope.data)
        unit = self.ledger.begin(self.envelope.id or "")
        kept = False
        try:
            if unit.earlier is None:
                self._call(data, unit.connection)
                kept = unit.commit(mark)
            elif unit.earlier and mark and unit.earlier != mark:
                raise MessageRefused("id_conflict: another message with this meta.id was handled before")
            return kept
        finally:
            if not kept:
                unit.rollback()

    def _upcast(self) -> Any:
        sent, taken, upcast = self.route.sent.urn, self.route.taken.urn, self.route.upcast
        assert upcast is not None
        try:
            data = upcast.apply(self.envelope.data)
        except UpcastError as err:
            raise MessageRefused(f"upcast_failed: {sent} to {taken}: {err}") from err
        except RecursionError:
            raise MessageRefused(f"upcast_failed: {sent} to {taken}: the data nests too deep") from None
        verdict = self.contract.judge(taken, data)
        if verdict.reason is not None:
            raise MessageRefused(f"{verdict.reason}: {verdict.detail}, upcast to {taken}")
        return data

    def _call(self, data: Any, connection: Any) -> None:
        context = _context(self.received, self.envelope, connection)
        with handling(context):
            result = self.route.handler(self.route.taken.parse(data), context)
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
