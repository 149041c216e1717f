"""The transactional outbox: committed with the service's own rows, sent afterwards, never lost."""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import outbox_upgrade
import pytest
import runtime_messages as on
from babelqueue.outbox import InMemoryOutboxStore

from babelreg.errors import UsageError
from babelreg.runtime import InvalidDataError, OutboxRelay, Outgoing, SqlOutbox, UnsupportedOptionError
from babelreg.runtime.subscriptions.topology import RuntimeTopology
from babelreg.runtime.testing import Broker


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


PAIRS = [
    pytest.param(table, writer, relay, id=f"{table} table, {writer} writer, {relay} relay")
    for table in ("earlier", "new")
    for writer in ("earlier", "new")
    for relay in ("earlier", "new")
]


@pytest.fixture
def earlier_database(tmp_path: Path) -> Path:
    path = tmp_path / "earlier.db"
    connection = sqlite3.connect(path)
    outbox_upgrade.create_earlier(connection)
    connection.close()
    return path


@pytest.mark.parametrize("table, writer, relay", PAIRS)
def test_versions_of_writers_relays_and_tables_work_together(
    earlier_database: Path, table: str, writer: str, relay: str
) -> None:
    outbox_upgrade.check_pair(
        lambda: closing(sqlite3.connect(earlier_database)), table=table, writer=writer, relay=relay
    )


def test_the_column_is_added_while_relays_and_writers_work(earlier_database: Path) -> None:
    outbox_upgrade.check_upgrade_under_load(lambda: closing(sqlite3.connect(earlier_database)))


def test_an_outbox_keeps_headers_key_and_delay(database: sqlite3.Connection) -> None:
    outbox = SqlOutbox(database)
    with Broker() as broker:
        producer = on.OrdersCreatedProducer(broker.app)

        @producer.middleware
        def add(order: on.OrdersCreated, outgoing: Outgoing) -> Iterator[None]:
            outgoing.headers["tenant"] = f"of {order.order_id}"
            yield

        producer.write(outbox, on.OrdersCreated(order_id=1), key="a", headers={"x": "1"})
        producer.write(outbox, on.OrdersCreated(order_id=2), delay=3600)
        assert OutboxRelay(broker.app.transport, outbox).drain().published == 2
        first, second = broker.publications
    assert (first.headers, first.key, first.delay) == ({"x": "1", "tenant": "of 1"}, "a", 0.0)
    assert (second.headers, second.key) == ({"tenant": "of 2"}, None)
    assert 3590 < second.delay <= 3600


def test_a_delay_in_an_outbox_begins_when_the_message_is_written(
    database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Broker() as broker:
        on.OrdersCreatedProducer(broker.app).write(SqlOutbox(database), on.OrdersCreated(order_id=1), delay=60)
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + 100)
        assert OutboxRelay(broker.app.transport, SqlOutbox(database)).drain().published == 1
        assert [each.delay for each in broker.publications] == [0.0]


def test_a_row_that_the_relays_broker_cannot_send_stays_with_the_reason(database: sqlite3.Connection) -> None:
    on.OrdersCreatedProducer(on.app()).write(SqlOutbox(database), on.OrdersCreated(order_id=1), headers={"a": "b"})
    on.OrdersCreatedProducer(on.app()).write(SqlOutbox(database), on.OrdersCreated(order_id=2))
    database.commit()
    with Broker(like="laravel") as broker:
        result = OutboxRelay(broker.app.transport, SqlOutbox(database), sleeper=lambda seconds: None).flush()
        assert (result.published, result.failed, len(broker.publications)) == (1, 1, 1)
    ((error,),) = database.execute("SELECT error FROM babelreg_outbox").fetchall()
    assert error.startswith("UnsupportedOptionError: urn:babel:orders:created: this broker does not support headers")


def test_a_store_without_properties_takes_plain_messages_alone() -> None:
    app, store = on.app(), InMemoryOutboxStore()
    producer = on.OrdersCreatedProducer(app)
    producer.write(store, on.OrdersCreated(order_id=1))
    with pytest.raises(UnsupportedOptionError, match="no column for the headers") as caught:
        producer.write(store, on.OrdersCreated(order_id=2), headers={"tenant": "acme"})
    assert "SqlOutbox" in str(caught.value.fix)
    assert store.pending_count() == 1
