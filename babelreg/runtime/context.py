"""The message being handled, for everything called from its handler: so that a trace goes on by itself.

Source: BabelQueue envelope, consumer rule 4; E23: a message sent while another is handled copies its trace_id.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

__all__ = ["Context", "current", "handling", "is_uuid"]


@dataclass(frozen=True, slots=True)
class Context:
    """What came with the data of the message being handled.

    ``urn`` is the message as it was sent: of an earlier version where its data was upcast. ``attempts`` counts earlier
    deliveries: 0 the first time. ``queue`` is where it was taken from, ``sent_to`` what the producer named. ``meta`` is
    the whole meta block, read-only. ``connection`` is open in the transaction of the consumer's ledger: what is written
    there is kept if and only if the message counts as handled. None without a ledger.
    """

    urn: str
    trace_id: str
    message_id: str
    attempts: int
    queue: str
    sent_to: str
    lang: str
    created_at_ms: int | None
    meta: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    connection: Any = None


_current: ContextVar[Context | None] = ContextVar("babelreg_message", default=None)


def current() -> Context | None:
    """The context of the message being handled here, also in tasks the handler started; None outside a handler."""
    return _current.get()


@contextmanager
def handling(context: Context) -> Iterator[None]:
    """Make ``context`` the current one for a while."""
    token = _current.set(context)
    try:
        yield
    finally:
        _current.reset(token)


def is_uuid(text: str) -> bool:
    """True for a UUID as it stands on the wire: 36 characters with hyphens."""
    try:
        return len(text) == 36 and str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
