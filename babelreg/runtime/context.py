"""The context of the message being handled, for all code that its handler calls; it propagates the trace id.

Source: BabelQueue envelope, consumer rule 4; E23: a message sent while another is handled copies its trace_id.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from babelreg.runtime.process_wide import process_wide


@dataclass(frozen=True, slots=True)
class Context:
    """The envelope and delivery of the message being handled, without its data.

    ``urn`` is the URN that was sent: that of an earlier version where the data was upcast. ``attempts`` counts earlier
    deliveries: 0 the first time. ``queue`` is the queue it was consumed from, ``sent_to`` the queue that the producer
    named. ``meta`` is the complete meta block, read-only. ``connection`` belongs to the transaction of the consumer's
    ledger: what the handler writes there is committed if and only if the message counts as handled. None without a
    ledger.

    ``key`` is the ordering key that its producer gave.

    Other versions of the runtime in the process read these attributes: none is ever removed, and later ones have
    defaults.
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
    key: str | None = None


_current: ContextVar[Any] = process_wide("message", lambda: ContextVar("babelreg_message", default=None))


def current() -> Context | None:
    """Return the context of the message being handled, also in tasks that the handler started; None elsewhere.

    The consumer may be that of another generated package, with its own copy of this class.
    """
    context = _current.get()
    return context if context is None or type(context) is Context else _own(context)


def _own(context: Any) -> Context:
    """Return the context of another copy of the runtime, which may lack later attributes, as one of this copy."""
    names = [attribute.name for attribute in fields(Context) if hasattr(context, attribute.name)]
    return Context(**{name: getattr(context, name) for name in names})


enter = _current.set
"""Make a context the current one; returns what :func:`leave` takes. A ``with`` block would take four times as long."""

leave = _current.reset
"""Make the context before the current one again."""


def is_uuid(text: str) -> bool:
    """Return True for a UUID as it is written in an envelope: 36 characters with hyphens."""
    try:
        return len(text) == 36 and str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False
