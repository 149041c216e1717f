"""Sending and handling messages on the ``babelqueue`` package, held to the registry's contracts.

Imports ``contract`` (and what lies below it) and babelqueue only, because ``gen python`` copies it into every package
it writes. ``model``, ``model_dict`` and ``model_struct`` are what generated data is made of, and nothing else here
imports them: a package has one of them. ``testing`` is for tests of services.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.runtime.consume import Consumer
    from babelreg.runtime.draining import Drained, drain
    from babelreg.runtime.errors import InvalidDataError, PartlySentError, Reject
    from babelreg.runtime.ledger import Ledger
    from babelreg.runtime.message import MessageType, message_type
    from babelreg.runtime.outbox import OutboxRelay, SqlOutbox
    from babelreg.runtime.outcome import Outcome
    from babelreg.runtime.produce import Producer
    from babelreg.runtime.sqlite_ledger import SqliteLedger
    from babelreg.runtime.trace import Context, current

__all__ = [
    "Consumer",
    "Context",
    "Drained",
    "InvalidDataError",
    "Ledger",
    "MessageType",
    "OutboxRelay",
    "Outcome",
    "PartlySentError",
    "Producer",
    "Reject",
    "SqlOutbox",
    "SqliteLedger",
    "current",
    "drain",
    "message_type",
]

# Read when first asked for: who only sends needs neither asyncio nor sqlite3.
_MODULES = {
    "Consumer": "consume",
    "Context": "trace",
    "Drained": "draining",
    "InvalidDataError": "errors",
    "Ledger": "ledger",
    "MessageType": "message",
    "OutboxRelay": "outbox",
    "Outcome": "outcome",
    "PartlySentError": "errors",
    "Producer": "produce",
    "Reject": "errors",
    "SqlOutbox": "outbox",
    "SqliteLedger": "sqlite_ledger",
    "current": "trace",
    "drain": "draining",
    "message_type": "message",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
