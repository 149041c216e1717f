"""The envelope that documents show around the data of a message. Its identifiers and its time are fixed."""

from __future__ import annotations

from typing import Any

from babelreg.model import Message, Registry
from babelreg.model.service import LANGUAGES

DEFAULT_QUEUE = "default"
"""The queue of a message that names none. Source: BabelQueue's SDKs."""

_TRACE_ID = "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b"
_MESSAGE_ID = "f1e2d3c4-b5a6-4789-90ab-cdef01234567"
_CREATED_AT = 1_790_000_000_000


def example_envelope(registry: Registry, message: Message, data: Any = None) -> dict[str, Any]:
    """Return the envelope of ``data``, by default the first example of ``message``."""
    if data is None:
        data = message.examples[0].data if message.examples else {}
    sender = next((registry.services[name] for name in message.producers if name in registry.services), None)
    return {
        "job": message.urn,
        "trace_id": _TRACE_ID,
        "data": data,
        "meta": {
            "id": _MESSAGE_ID,
            "queue": message.queue or DEFAULT_QUEUE,
            "lang": sender.lang if sender and sender.lang in LANGUAGES else "python",
            "schema_version": 1,
            "created_at": _CREATED_AT,
        },
        "attempts": 0,
    }
