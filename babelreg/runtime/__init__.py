"""Producers and consumers on the ``babelqueue`` package that enforce the registry's contracts.

Imports only ``wire.length_frames``, ``contract`` (and the layers below it) and babelqueue, because ``gen python``
copies it into every package that it writes. ``models`` has one base module per kind of model; no other module imports
them, so that a package contains only its own. ``testing`` is for the tests of services.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babelreg.runtime.bytes.recorder import Recorder as Recorder
    from babelreg.runtime.consumer.consume import Consumer as Consumer
    from babelreg.runtime.context import Context as Context
    from babelreg.runtime.context import current as current
    from babelreg.runtime.errors import InvalidDataError as InvalidDataError
    from babelreg.runtime.errors import PartlySentError as PartlySentError
    from babelreg.runtime.errors import Reject as Reject
    from babelreg.runtime.errors import SubscriptionMissingError as SubscriptionMissingError
    from babelreg.runtime.errors import UnsupportedOptionError as UnsupportedOptionError
    from babelreg.runtime.idempotency.async_postgres_ledger import AsyncPostgresLedger as AsyncPostgresLedger
    from babelreg.runtime.idempotency.ledger import AsyncLedger as AsyncLedger
    from babelreg.runtime.idempotency.ledger import Ledger as Ledger
    from babelreg.runtime.idempotency.mysql_ledger import MySqlLedger as MySqlLedger
    from babelreg.runtime.idempotency.postgres_ledger import PostgresLedger as PostgresLedger
    from babelreg.runtime.idempotency.sqlite_ledger import SqliteLedger as SqliteLedger
    from babelreg.runtime.message import MessageType as MessageType
    from babelreg.runtime.message import message_type as message_type
    from babelreg.runtime.outcome import Outcome as Outcome
    from babelreg.runtime.producer.async_produce import AsyncProducer as AsyncProducer
    from babelreg.runtime.producer.async_produce import AsyncSqlOutbox as AsyncSqlOutbox
    from babelreg.runtime.producer.outbox import SqlOutbox as SqlOutbox
    from babelreg.runtime.producer.outbox_relay import OutboxRelay as OutboxRelay
    from babelreg.runtime.producer.produce import Producer as Producer
    from babelreg.runtime.recording.drain import Drained as Drained
    from babelreg.runtime.recording.drain import drain as drain
    from babelreg.runtime.telemetry.message_facts import Incoming as Incoming
    from babelreg.runtime.telemetry.message_facts import Outgoing as Outgoing
    from babelreg.runtime.telemetry.open_telemetry import OpenTelemetry as OpenTelemetry
    from babelreg.runtime.transports.replacements import kafka_transport as kafka_transport
    from babelreg.runtime.transports.replacements import redis_transport as redis_transport

# Imported on first access: a service that only sends needs neither asyncio nor sqlite3.
_MODULES = {
    "AsyncLedger": "idempotency.ledger",
    "AsyncPostgresLedger": "idempotency.async_postgres_ledger",
    "AsyncProducer": "producer.async_produce",
    "AsyncSqlOutbox": "producer.async_produce",
    "Consumer": "consumer.consume",
    "Context": "context",
    "Drained": "recording.drain",
    "Incoming": "telemetry.message_facts",
    "InvalidDataError": "errors",
    "Ledger": "idempotency.ledger",
    "MessageType": "message",
    "MySqlLedger": "idempotency.mysql_ledger",
    "OpenTelemetry": "telemetry.open_telemetry",
    "OutboxRelay": "producer.outbox_relay",
    "Outcome": "outcome",
    "Outgoing": "telemetry.message_facts",
    "PartlySentError": "errors",
    "PostgresLedger": "idempotency.postgres_ledger",
    "Producer": "producer.produce",
    "Recorder": "bytes.recorder",
    "Reject": "errors",
    "SqlOutbox": "producer.outbox",
    "SqliteLedger": "idempotency.sqlite_ledger",
    "SubscriptionMissingError": "errors",
    "UnsupportedOptionError": "errors",
    "current": "context",
    "drain": "recording.drain",
    "kafka_transport": "transports.replacements",
    "message_type": "message",
    "redis_transport": "transports.replacements",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
