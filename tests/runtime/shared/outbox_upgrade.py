"""Outboxes before and after their table got its column of properties, and what holds for each pair of them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
import runtime_messages as on
from babelqueue import outbox
from babelqueue.outbox import OutboxRecord

from babelreg.runtime import OutboxRelay, SqlOutbox
from babelreg.runtime.errors import UnsupportedOptionError

__all__ = ["EarlierOutbox", "check_pair", "check_upgrade_under_load", "create_earlier"]

Connect = Callable[[], AbstractContextManager[Any]]
HEADERS = {"tenant": "acme"}


class EarlierOutbox:
    """The statements of the version before the column: writer and relay of a service that is deployed already."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.mark = SqlOutbox(connection).table.mark

    def _run(self, sql: str, values: tuple[Any, ...] = ()) -> Any:
        cursor = self.connection.cursor()
        cursor.execute(sql.replace("?", self.mark), values)
        return cursor

    def save(self, encoded: str, queue: str) -> str:
        row = str(uuid.uuid4())
        columns = "(id, queue, body, attempts, written_at) VALUES (?, ?, ?, 0, ?)"
        self._run(f"INSERT INTO babelreg_outbox {columns}", (row, queue, encoded, time.time_ns()))
        return row

    def fetch_unpublished(self, limit: int) -> list[OutboxRecord]:
        order = f"ORDER BY attempts, written_at, id LIMIT {limit}"
        rows = self._run(f"SELECT id, body, queue, attempts FROM babelreg_outbox {order}").fetchall()
        return [OutboxRecord(*row) for row in rows]

    def mark_published(self, ids: list[str]) -> None:
        for row in ids:
            self._run("DELETE FROM babelreg_outbox WHERE id = ?", (row,))
        self.connection.commit()

    def mark_failed(self, id: str, error: str) -> None:
        raise AssertionError(error)


def create_earlier(connection: Any) -> None:
    """Create the table as the earlier version did."""
    text = SqlOutbox(connection).table.addition.rpartition(" ")[2]
    connection.cursor().execute(
        "CREATE TABLE babelreg_outbox (id VARCHAR(36) PRIMARY KEY, queue VARCHAR(255) NOT NULL, "
        f"body {text} NOT NULL, attempts INTEGER NOT NULL, error VARCHAR(500), written_at BIGINT NOT NULL)"
    )
    connection.commit()


def relayed(connection: Any, *, earlier: bool) -> list[dict[str, str]]:
    """Send what waits; return the headers of each message."""
    app = on.app()
    if earlier:
        sent = outbox.OutboxRelay(app.transport, EarlierOutbox(connection)).drain().published
    else:
        sent = OutboxRelay(app.transport, SqlOutbox(connection)).drain().published
    found = [app.transport.pop("orders") for _ in range(sent)]
    return [received.headers for received in found if received is not None]


def check_pair(connect: Connect, *, table: str, writer: str, relay: str) -> None:
    """Write two messages, one with headers where the writer has some, and send them; each is "earlier" or "new"."""
    with connect() as writing, connect() as relaying:
        if table == "new":
            SqlOutbox(writing).prepare()
        producer, store = on.OrdersCreatedProducer(on.app()), SqlOutbox(writing)
        wanted: list[dict[str, str]] = [{}]
        producer.write(EarlierOutbox(writing) if writer == "earlier" else store, on.OrdersCreated(order_id=1))
        if writer == "new" and table == "new":
            producer.write(store, on.OrdersCreated(order_id=2), headers=HEADERS)
            wanted.append(HEADERS if relay == "new" else {})  # an earlier relay sends the body alone
        elif writer == "new":
            with pytest.raises(UnsupportedOptionError) as caught:
                producer.write(store, on.OrdersCreated(order_id=2), headers=HEADERS)
            assert store.table.addition in str(caught.value.fix)
        writing.commit()
        assert relayed(relaying, earlier=relay == "earlier") == wanted
        assert relayed(relaying, earlier=relay == "earlier") == []


def check_upgrade_under_load(connect: Connect) -> None:
    """Add the column while a relay and writers have been using the table for long."""
    with connect() as writing, connect() as relaying:
        producer, store = on.OrdersCreatedProducer(on.app()), SqlOutbox(writing)
        for _ in range(12):  # a client prepares a statement after a few
            producer.write(store, on.OrdersCreated(order_id=1))
            writing.commit()
            assert relayed(relaying, earlier=False) == [{}]
            relaying.commit()
        with connect() as migrating:
            SqlOutbox(migrating).prepare()
            SqlOutbox(migrating).prepare()
        for _ in range(12):
            producer.write(store, on.OrdersCreated(order_id=2), headers=HEADERS)
            writing.commit()
            assert relayed(relaying, earlier=False) == [HEADERS]
