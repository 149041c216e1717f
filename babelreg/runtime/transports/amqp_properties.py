"""The AMQP properties that go beside an envelope, and the headers that come with a delivery.

Source: BabelQueue broker bindings, RabbitMQ: type = URN, correlation_id = trace_id, message_id = meta.id, app_id =
babelqueue, x-schema-version, x-source-lang and x-attempts with their own types. They are a view of the body: a member
that no property can hold is left out, because what goes into the dead letters may hold anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["contract_properties", "delivery_headers", "passed_on"]

_MAX_SHORT_BYTES = 255
_INT64 = 2**63


def contract_properties(body: str, headers: Mapping[str, str]) -> dict[str, Any]:
    """Arguments of pika's ``BasicProperties`` for ``body``; ``headers`` never hide those of the contract."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return {"content_type": "application/json", "delivery_mode": 2, "headers": dict(headers)}
    meta = found.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    contract = {
        "x-schema-version": _native(meta.get("schema_version")),
        "x-source-lang": _native(meta.get("lang")),
        "x-attempts": _native(found.get("attempts", 0)),
    }
    return {
        "content_type": "application/json",
        "content_encoding": "utf-8",
        "delivery_mode": 2,  # on the disk
        "message_id": _short(meta.get("id")),
        "correlation_id": _short(found.get("trace_id")),
        "type": _short(found.get("job")),
        "app_id": "babelqueue",
        "headers": {**headers, **{name: value for name, value in contract.items() if value is not None}},
    }


def delivery_headers(table: Mapping[str, Any] | None) -> dict[str, str]:
    """The headers of a delivery as text."""
    found: dict[str, str] = {}
    for name, value in (table or {}).items():
        if value is not None:
            found[str(name)] = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return found


def passed_on(headers: Mapping[str, str]) -> dict[str, str]:
    """Those that belong to the message (``traceparent``), not to one of its deliveries (``x-death``)."""
    return {name: value for name, value in headers.items() if not name.startswith("x-")}


def _short(value: Any) -> str | None:
    return value if isinstance(value, str) and 0 < _size_bytes(value) <= _MAX_SHORT_BYTES else None


def _native(value: Any) -> str | int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else None
    return _short(value)


def _size_bytes(text: str) -> int:
    """0 for text that has no bytes: half a surrogate pair."""
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError:
        return 0
