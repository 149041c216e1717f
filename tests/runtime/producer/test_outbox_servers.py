"""The outbox in real PostgreSQL and MariaDB servers, with several relays that are killed."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import database_ledgers
import outbox_upgrade
import pytest
import runtime_messages as on
from server import Server

from babelreg.runtime import Consumer, Context, OutboxRelay, SqlOutbox

pytestmark = pytest.mark.servers

SERVERS = ["postgres", "mariadb"]


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest) -> Server:
    running: Server = request.getfixturevalue(request.param)
    database_ledgers.rows(running, "DROP TABLE IF EXISTS babelreg_outbox", *database_ledgers.CLEARED)
    with connected(running) as connection:
        SqlOutbox(connection).create()
    return running


def connected(server: Server) -> Any:
    return database_ledgers.connected(server.url, autocommit=False)


def waiting(server: Server) -> int:
    return int(database_ledgers.rows(server, "SELECT count(*) FROM babelreg_outbox")[0][0])


def write(server: Server, count: int) -> list[str]:
    producer = on.OrdersCreatedProducer(on.app())
    with connected(server) as connection:
        outbox = SqlOutbox(connection)
        identities = [producer.write(outbox, on.OrdersCreated(order_id=number + 1)) for number in range(count)]
        connection.commit()
    return identities


def sent(app: Any) -> list[str]:
    return [json.loads(body)["meta"]["id"] for body in on.bodies(app, "orders")]


def test_messages_leave_in_order_and_large_ones_too(server: Server) -> None:
    identities = write(server, 30)
    with connected(server) as connection:
        note = "é" * 100_000
        producer = on.OrdersCreatedProducer(on.app())
        identities.append(producer.write(SqlOutbox(connection), on.OrdersCreated(order_id=1, note=note)))
        connection.commit()
        app = on.app()
        assert OutboxRelay(app.transport, SqlOutbox(connection), batch_size=7).drain().published == 31
    assert sent(app) == identities
    assert waiting(server) == 0


def test_relays_take_different_messages(server: Server) -> None:
    write(server, 30)
    with connected(server) as one, connected(server) as two, connected(server) as three:
        relays = [SqlOutbox(connection) for connection in (one, two, three)]
        batches = [{record.id for record in relay.fetch_unpublished(12)} for relay in relays]
        assert [len(batch) for batch in batches] == [12, 12, 6]
        assert len(set.union(*batches)) == 30
        two.rollback()  # a relay that dies
        assert {record.id for record in relays[2].fetch_unpublished(12)} & batches[1]


def test_producers_write_while_a_relay_holds_a_batch(server: Server) -> None:
    write(server, 5)
    with connected(server) as connection:
        assert len(SqlOutbox(connection).fetch_unpublished(10)) == 5
        writer = threading.Thread(target=write, args=(server, 3))
        writer.start()
        writer.join(20)
        assert not writer.is_alive()
        connection.rollback()
    assert waiting(server) == 8


def test_a_message_that_the_broker_refuses_stays_and_frees_the_others(server: Server) -> None:
    write(server, 3)
    app = on.app()
    app.transport.publish = lambda queue, body: 1 / 0  # type: ignore[method-assign]
    with connected(server) as connection, connected(server) as other:
        result = OutboxRelay(app.transport, SqlOutbox(connection), sleeper=lambda seconds: None).flush()
        assert (result.published, result.failed) == (0, 3)
        assert [record.attempts for record in SqlOutbox(other).fetch_unpublished(5)] == [1, 1, 1]
        other.rollback()


def test_a_handler_writes_to_the_outbox_in_the_ledger_s_transaction(server: Server) -> None:
    kind = "MariaDB" if server.url.startswith("mysql") else "PostgreSQL"
    app, fails = on.app(), [True, False]
    consumer = Consumer(app, ledger=database_ledgers.ledger_of(kind, server.url))

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        on.OrdersCancelledProducer(app).write(SqlOutbox(context.connection), on.OrdersCancelled(order_id=1))
        if fails.pop(0):
            raise RuntimeError("no")

    on.put(app, on.envelope())
    consumer.run(max_messages=2, timeout_seconds=0.01)
    assert waiting(server) == 1


@pytest.mark.parametrize("table", ["earlier", "new"])
@pytest.mark.parametrize("writer", ["earlier", "new"])
@pytest.mark.parametrize("relay", ["earlier", "new"])
def test_versions_of_writers_relays_and_tables_work_together(
    server: Server, table: str, writer: str, relay: str
) -> None:
    earlier(server)
    outbox_upgrade.check_pair(lambda: connected(server), table=table, writer=writer, relay=relay)


def test_the_column_is_added_while_relays_and_writers_work(server: Server) -> None:
    earlier(server)
    outbox_upgrade.check_upgrade_under_load(lambda: connected(server))


def earlier(server: Server) -> None:
    """Replace the table by one of the earlier version."""
    database_ledgers.rows(server, "DROP TABLE babelreg_outbox")
    with connected(server) as connection:
        outbox_upgrade.create_earlier(connection)


@pytest.mark.parametrize(
    "count, kills", [pytest.param(400, 4, id="short"), pytest.param(5000, 30, id="long", marks=pytest.mark.long)]
)
def test_relays_and_the_database_are_killed_and_no_message_is_lost(
    server: Server, tmp_path: Path, count: int, kills: int
) -> None:
    identities = write(server, count)
    log = tmp_path / "sent.log"
    killed, crashed = 0, False
    end = time.monotonic() + 600
    relays = [_relay(server, log) for _ in range(3)]
    while left := waiting(server):
        if time.monotonic() > end:
            raise TimeoutError(f"{left} of {count} messages still wait")
        if killed < kills and left <= count - count * (killed + 1) // (kills + 1):
            os.kill(relays[0], signal.SIGKILL)
            os.waitpid(relays.pop(0), 0)
            relays.append(_relay(server, log))
            killed += 1
        if not crashed and left <= count // 2:
            crashed = True
            server.crash()
            server.start()
        time.sleep(0.02)
    for relay in relays:
        os.kill(relay, signal.SIGTERM)
        os.waitpid(relay, 0)
    found = Counter(log.read_text().split())
    print(f"\n{count} messages, {killed} relays killed, {found.total() - count} sent twice")
    assert set(found) == set(identities)
    assert found.total() - count <= 10 * (killed + 3)
    assert killed == kills


def _relay(server: Server, log: Path) -> int:
    """A process that sends what is waiting by appending ids to ``log``, a slow broker."""
    child = os.fork()
    if child:
        return child
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        app = on.app()
        line = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

        def publish(queue: str, body: str) -> None:
            os.write(line, f"{json.loads(body)['meta']['id']}\n".encode())
            time.sleep(0.005)

        app.transport.publish = publish  # type: ignore[method-assign,assignment]
        while True:
            try:
                with connected(server) as connection:
                    while True:
                        OutboxRelay(app.transport, SqlOutbox(connection), batch_size=10).drain()
                        time.sleep(0.01)
            except Exception:
                time.sleep(0.05)  # the database is away
    finally:
        os._exit(1)
