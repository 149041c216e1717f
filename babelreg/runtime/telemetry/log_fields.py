"""Structured fields of log records: every record of the logger ``babelreg.runtime`` has all of :data:`FIELDS`.

A field that does not apply to a record is None, so a formatter may name each of them. A field is an attribute of the
record, as ``extra`` of the standard library makes it; but unlike ``extra`` this never fails where the service's own
record factory has set an attribute of the same name.
"""

from __future__ import annotations

import logging
from typing import Any

from babelqueue.transport import ReceivedMessage

from babelreg.runtime.context import current
from babelreg.runtime.telemetry.message_facts import Incoming, Outgoing

FIELDS = ("urn", "message_id", "trace_id", "attempt", "queue", "outcome", "reason", "duration_seconds")
"""``attempt`` is 1 for the first delivery, ``outcome`` the kind of an Outcome, ``reason`` its code."""

_KEY = "babelreg_fields"

logger = logging.getLogger("babelreg.runtime")


def fields(message: Incoming | Outgoing, **more: Any) -> dict[str, Any]:
    """Return the argument ``extra`` of a log call about ``message``; ``more`` are further fields."""
    names = ("urn", "message_id", "trace_id", "attempt", "queue")
    return {_KEY: {name: getattr(message, name, None) for name in names} | more}


def delivery_fields(received: ReceivedMessage, **more: Any) -> dict[str, Any]:
    """Return the argument ``extra`` of a log call about a delivery; it parses the body, so it is for rare records."""
    return fields(Incoming.of(received), **more)


class _FieldsFilter(logging.Filter):
    """Sets the fields: those of the log call, else those of the message being handled.

    Another generated package in the process has a filter of its own on the same logger: each leaves what is set.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        given = record.__dict__.pop(_KEY, None)
        for name in FIELDS:
            record.__dict__.setdefault(name, None)
        if given is None and record.__dict__["urn"] is None:
            given = _of_current()
        record.__dict__.update(given or {})
        return True


def _of_current() -> dict[str, Any] | None:
    context = current()
    if context is None:
        return None
    return {
        "urn": context.urn,
        "message_id": context.message_id,
        "trace_id": context.trace_id,
        "attempt": context.attempts + 1,
        "queue": context.queue,
    }


logger.addFilter(_FieldsFilter())
