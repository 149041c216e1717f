"""Sending and handling messages on the ``babelqueue`` package, held to the registry's contracts.

Imports ``contract`` (and what lies below it) and babelqueue only, because ``gen python`` copies it into every package
it writes. ``runtime.model`` is the one module that needs pydantic; nothing here imports it but generated code.
"""

from babelreg.runtime.consume import Consumer
from babelreg.runtime.drain import Drained, drain
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
