"""One process of the fault tests, for which a supervisor starts another when it is killed.

    fault_process.py service PACKAGE BROKER DATABASE
    fault_process.py relay PACKAGE BROKER DATABASE

A service writes a row of ``effects`` for each message in its ledger's transaction. The service of thumbnails writes the
message that follows to the outbox there, too. Orders of :func:`planned` are rejected by billing. A relay empties the
outbox. DATABASE is the URL of a server, or the path of a SQLite file.
"""

from __future__ import annotations

import dataclasses
import importlib
import sqlite3
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import database_ledgers
import system_service
from babelqueue import BabelQueue

__all__ = ["CREATED", "GENERATE", "TABLES", "app", "opened", "planned"]

CREATED, GENERATE = "urn:babel:orders:created.v2", "urn:babel:media:thumbnail.generate"
TABLES = (
    "CREATE TABLE sent (urn VARCHAR(100), message_id VARCHAR(100), planned INTEGER)",
    "CREATE TABLE effects (service VARCHAR(50), urn VARCHAR(100), message_id VARCHAR(100))",
)
# A dead worker's partitions go to the others after a session.
_KAFKA: dict[str, Any] = {
    "session.timeout.ms": 2000, "heartbeat.interval.ms": 500, "topic.metadata.refresh.interval.ms": 500,
}  # fmt: skip


_LIMIT_SECONDS = 120.0
"""Longer than a test keeps a handler waiting: a process with a stuck handler ends itself."""


def planned(order_id: int) -> bool:
    """Return True for an order that billing rejects."""
    return order_id % 25 == 7


def app(module: Any, url: str) -> BabelQueue:
    """An app to which what a dead worker had reserved comes back soon."""
    if url.startswith("redis"):
        return BabelQueue(transport=module.redis_transport(url, retry_after=2))
    if url.startswith("kafka"):
        return BabelQueue(transport=module.kafka_transport(url, **_KAFKA))
    return BabelQueue(url)


def opened(database: str) -> Any:
    """A context with a connection to the database, whose statements are committed by hand."""
    if "://" in database:
        return database_ledgers.connected(database, autocommit=False)
    return closing(sqlite3.connect(database, timeout=30))


def limit_time(module: Any) -> None:
    """Give all messages of a generated package a time limit, so that handlers run in threads under a clock."""
    (base,) = [each.__module__ for each in module.Consumer.__mro__ if each.__module__.endswith(".consumer.consume")]
    messages = importlib.import_module(base.replace(".consumer.consume", ".message"))
    for name in module.Consumer.consumes.values():
        limited = dataclasses.replace(messages.message_type(getattr(module, name)), time_limit_seconds=_LIMIT_SECONDS)
        messages.register(limited)


def serve(package: str, url: str, database: str) -> None:
    """Handle messages until SIGTERM."""
    module = importlib.import_module(package)
    kinds = {"postgresql": module.PostgresLedger, "mysql": module.MySqlLedger}
    ledger = kinds.get(database.partition("://")[0], module.SqliteLedger)(database)
    limit_time(module)
    consumer = module.Consumer(app(module, url), ledger=ledger)
    mark = "%s" if "://" in database else "?"
    effect = f"INSERT INTO effects VALUES ({mark}, {mark}, {mark})"

    def handle(data: Any, context: Any) -> None:
        service = module.Consumer.service
        if service == "billing-worker" and context.urn == CREATED and planned(data.order_id):
            raise module.Reject("planned")
        context.connection.cursor().execute(effect, (service, context.urn, context.message_id))
        if context.urn == GENERATE:
            made = {"source_url": data.source_url, "thumbnail_url": data.source_url, "width": data.width, "height": 1}
            producer = module.MediaThumbnailGeneratedProducer(BabelQueue("memory://"))
            producer.write(module.SqlOutbox(context.connection), producer.message.parse(made))
        time.sleep(0.002)  # so that most kills hit a handler

    for name in module.Consumer.consumes.values():
        consumer.on(getattr(module, name))(lambda data, context: handle(data, context))
    assert all(message.time_limit_seconds for message in consumer._dispatcher.routes.messages)
    threading.Thread(target=system_service.tell, args=(consumer, Path(f"{package}.ready")), daemon=True).start()
    consumer.run(timeout_seconds=0.2, start="earliest" if url.startswith("kafka") else None, wait_for_broker=True)


def relay(package: str, url: str, database: str) -> None:
    """Send what is in the outbox until killed."""
    module = importlib.import_module(package)
    broker = app(module, url)
    while True:
        try:
            with opened(database) as connection:
                sender = module.OutboxRelay(broker.transport, module.SqlOutbox(connection), batch_size=20)
                while True:
                    sender.drain()
                    time.sleep(0.02)
        except Exception as error:  # the database is away
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            time.sleep(0.1)


if __name__ == "__main__":
    {"service": serve, "relay": relay}[sys.argv[1]](*sys.argv[2:])
