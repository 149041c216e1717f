"""The transactional outbox: committed with the service's own rows, sent afterwards, never lost."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import runtime_messages as on

from babelreg.errors import UsageError
from babelreg.runtime import InvalidDataError, OutboxRelay, SqlOutbox
from babelreg.runtime.subscriptions.topology import RuntimeTopology


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "service.db")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE orders (id INTEGER)")
    SqlOutbox(connection).create()
    yield connection
    connection.close()


def relay(app: Any, database: sqlite3.Connection, **settings: Any) -> OutboxRelay:
    path = database.execute("PRAGMA database_list").fetchone()[2]
    return OutboxRelay(app.transport, SqlOutbox(sqlite3.connect(path)), sleeper=lambda seconds: None, **settings)


def place(app: Any, database: sqlite3.Connection, number: int) -> str:
    """Take an order as a service does: its row and its message in one transaction."""
    with database:
        database.execute("INSERT INTO orders VALUES (?)", (number,))
        return on.OrdersCreatedProducer(app).write(SqlOutbox(database), on.OrdersCreated(order_id=number))


def waiting(database: sqlite3.Connection) -> int:
    found: int = database.execute("SELECT count(*) FROM babelreg_outbox").fetchone()[0]
    return found


def test_a_message_leaves_after_its_transaction_was_committed(database: sqlite3.Connection) -> None:
    app = on.app()
    identities = [place(app, database, number) for number in (1, 2, 3)]
    assert on.bodies(app, "orders") == []
    assert relay(app, database).drain().published == 3
    envelopes = [json.loads(body) for body in on.bodies(app, "orders")]
    assert [envelope["meta"]["id"] for envelope in envelopes] == identities
    assert [envelope["data"]["order_id"] for envelope in envelopes] == [1, 2, 3]
    assert waiting(database) == relay(app, database).drain().published == 0


def test_a_message_that_the_relay_does_not_know_is_sent_to_its_queue_with_one_warning(
    database: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    class OtherRelay(OutboxRelay):
        topology = RuntimeTopology(sources={"urn:babel:billing:paid": "orders"})

    app = on.app()
    for number in (1, 2):
        place(app, database, number)
    assert OtherRelay(app.transport, SqlOutbox(database)).drain().published == 2
    assert len(on.bodies(app, "orders")) == 2
    assert [record.args for record in caplog.records if record.levelno == logging.WARNING] == [
        ("urn:babel:orders:created", "orders")
    ]


def test_a_transaction_that_is_rolled_back_sends_nothing(database: sqlite3.Connection) -> None:
    app = on.app()
    database.execute("INSERT INTO orders VALUES (1)")
    on.OrdersCreatedProducer(app).write(SqlOutbox(database), on.OrdersCreated(order_id=1))
    database.rollback()
    assert relay(app, database).drain().published == 0
    assert database.execute("SELECT * FROM orders").fetchall() == []


def test_bad_data_is_refused_before_it_is_written(database: sqlite3.Connection) -> None:
    with pytest.raises(InvalidDataError), database:
        on.OrdersCreatedProducer(on.app()).write(SqlOutbox(database), on.OrdersCreated(order_id=0))
    assert waiting(database) == 0


def test_a_relay_killed_between_broker_and_database_sends_again_with_the_same_id(
    database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = on.app()
    place(app, database, 1)

    def killed(self: SqlOutbox, ids: list[str]) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqlOutbox, "mark_published", killed)
        with pytest.raises(KeyboardInterrupt):
            relay(app, database).drain()
    relay(app, database).drain()
    one, other = on.bodies(app, "orders")
    assert one == other


def test_messages_that_the_broker_refuses_hold_up_no_other(
    database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = on.app()
    for number in range(1, 9):
        place(app, database, number)
    publish = app.transport.publish

    def refuses_some(queue: str, body: str) -> None:
        if json.loads(body)["data"]["order_id"] <= 4:
            raise ConnectionError("too large")
        publish(queue, body)

    monkeypatch.setattr(app.transport, "publish", refuses_some)
    small = relay(app, database, batch_size=2)
    for _ in range(5):
        small.drain()
    assert [json.loads(body)["data"]["order_id"] for body in on.bodies(app, "orders")] == [5, 6, 7, 8]
    assert waiting(database) == 4
    monkeypatch.undo()
    assert small.drain().published == 4


class Percent:
    """A DB-API connection whose marks are %s, as psycopg's are."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def cursor(self) -> Percent:
        return self

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        assert "?" not in sql
        self.found = self.connection.execute(sql.replace("%s", "?"), parameters)

    def fetchall(self) -> list[Any]:
        return self.found.fetchall()

    def close(self) -> None: ...

    def commit(self) -> None:
        self.connection.commit()


def test_any_dbapi_connection_will_do(database: sqlite3.Connection) -> None:
    app = on.app()
    outbox = SqlOutbox(Percent(database), table="shop_outbox", paramstyle="format")
    outbox.create()
    on.OrdersCreatedProducer(app).write(outbox, on.OrdersCreated(order_id=1, note="50% '; DROP TABLE orders --"))
    database.commit()
    assert OutboxRelay(app.transport, outbox).drain().published == 1
    assert json.loads(on.bodies(app, "orders")[0])["data"]["note"] == "50% '; DROP TABLE orders --"


@pytest.mark.parametrize("table", ["a b", "a;b", 'a"b', "", "1a", "a.b.c", "a" * 64])
def test_a_table_that_is_no_plain_name_is_refused(table: str, database: sqlite3.Connection) -> None:
    with pytest.raises(UsageError, match="name of a table"):
        SqlOutbox(database, table=table)


def test_an_unknown_paramstyle_is_refused(database: sqlite3.Connection) -> None:
    with pytest.raises(UsageError, match="qmark, format, pyformat"):
        SqlOutbox(database, paramstyle="named")
