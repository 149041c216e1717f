"""Ledgers in real PostgreSQL and MariaDB servers: a message that is delivered twice takes effect once."""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import database_ledgers
import orders_run
import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage
from server import Server

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, Context, Reject

pytestmark = pytest.mark.servers


class Place:
    """One kind of ledger in one running server."""

    def __init__(self, kind: str, server: Server) -> None:
        self.kind, self.server = kind, server
        self.opened: list[Any] = []
        self.rows(*database_ledgers.CLEARED, "CREATE TABLE effects (order_id INTEGER)")

    def rows(self, *statements: str) -> list[tuple[Any, ...]]:
        return database_ledgers.rows(self.server, *statements)

    def effects(self) -> list[int]:
        return sorted(row[0] for row in self.rows("SELECT order_id FROM effects"))

    def ledger(self, **settings: Any) -> Any:
        made = database_ledgers.ledger_of(self.kind, self.server.url, **settings)
        self.opened.append(made)
        return made

    def consumer(self, app: Any, act: Callable[[Any, Any], object] | None = None, ledger: Any = None) -> Consumer:
        """Writes a row by the connection of the context, then does ``act``."""
        consumer = Consumer(app, ledger=ledger or self.ledger())

        def handle(order: on.OrdersCreated, context: Context) -> None:
            with context.connection.cursor() as cursor:
                cursor.execute("INSERT INTO effects VALUES (%s)", (order.order_id,))
            if act is not None:
                act(order, context)

        async def handle_async(order: on.OrdersCreated, context: Context) -> None:
            async with context.connection.cursor() as cursor:
                await cursor.execute("INSERT INTO effects VALUES (%s)", (order.order_id,))
            if act is not None:
                result = act(order, context)
                if hasattr(result, "__await__"):
                    await result

        consumer.on(on.OrdersCreated)(handle_async if "async" in self.kind else handle)
        return consumer


@pytest.fixture(params=list(database_ledgers.KINDS))
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    server = request.getfixturevalue(database_ledgers.KINDS[request.param])
    made = Place(request.param, server)
    yield made
    for ledger in made.opened:
        if hasattr(ledger, "close"):
            ledger.close()


def deliver(consumer: Consumer, body: dict[str, Any]) -> str:
    return consumer.dispatch(ReceivedMessage(json.dumps(body), "orders")).kind


def test_the_second_delivery_is_acknowledged_without_the_handler(place: Place) -> None:
    consumer, body = place.consumer(on.app()), on.envelope()
    assert [deliver(consumer, body) for _ in range(3)] == ["handled", "duplicate", "duplicate"]
    assert place.effects() == [1042]
    assert deliver(consumer, {**body, "data": {"order_id": 7}}) == "dead_lettered"
    consumer.close()


def test_what_a_handler_wrote_before_it_failed_is_undone(place: Place) -> None:
    raised: list[Exception] = [RuntimeError("no"), Reject("no")]

    def act(order: Any, context: Context) -> None:
        if raised:
            raise raised.pop(0)

    consumer, body = place.consumer(on.app(), act), on.envelope()
    assert [deliver(consumer, body) for _ in range(3)] == ["retried", "dead_lettered", "handled"]
    assert place.effects() == [1042]
    consumer.close()


@pytest.mark.parametrize("end", ["commit", "rollback", "close"])
def test_a_handler_cannot_end_the_transaction_by_accident(end: str, place: Place) -> None:
    consumer = place.consumer(on.app(), lambda order, context: getattr(context.connection, end)())
    outcome = consumer.dispatch(ReceivedMessage(json.dumps(on.envelope()), "orders"))
    assert isinstance(outcome.error, UsageError)
    assert place.effects() == []
    consumer.close()


def test_a_handler_that_ends_the_transaction_in_sql_is_told(place: Place) -> None:
    def act(order: Any, context: Context) -> Any:
        return context.connection.cursor().execute("ROLLBACK")

    consumer = place.consumer(on.app(), act)
    outcome = consumer.dispatch(ReceivedMessage(json.dumps(on.envelope()), "orders"))
    assert outcome.kind == "retried"
    assert str(outcome.error).startswith("the handler ended the consumer's transaction")
    consumer.close()


def test_an_error_of_the_database_that_the_handler_caught_is_its_own_fault(place: Place) -> None:
    if place.kind == "MariaDB":
        pytest.skip("a statement that fails does not end a transaction there")

    async def act_async(order: Any, context: Context) -> None:
        with suppress(Exception):
            await context.connection.execute("SELECT * FROM nothing")

    def act(order: Any, context: Context) -> None:
        with suppress(Exception):
            context.connection.execute("SELECT * FROM nothing")

    consumer = place.consumer(on.app(), act_async if "async" in place.kind else act)
    assert deliver(consumer, on.envelope()) == "retried"
    assert place.effects() == []
    consumer.close()


@pytest.mark.parametrize("identity", ["é" * 300, "a ", "A", "x" * 5000, "\x00", "\ud800", "'; DROP TABLE effects"])
def test_any_text_is_an_id(identity: str, place: Place) -> None:
    consumer, body = place.consumer(on.app()), on.envelope()
    body["meta"]["id"] = identity
    assert [deliver(consumer, body) for _ in range(2)] == ["handled", "duplicate"]
    body["meta"]["id"] = identity.strip().lower() + "."
    assert deliver(consumer, body) == "handled"
    consumer.close()


def test_deliveries_are_counted_in_a_transaction_of_its_own(place: Place) -> None:
    consumer = place.consumer(on.app())
    ledger = consumer._dispatcher.ledger
    counts = []
    for _ in range(3):
        count = ledger.count_delivery("one")  # type: ignore[union-attr]
        counts.append(count if isinstance(count, int) else consumer._dispatcher._calls.wait(count))
    assert counts == [1, 2, 3]
    assert place.rows("SELECT message_id, deliveries FROM babelreg_handled_deliveries") == [("one", 3)]
    consumer.close()


def test_what_is_pruned_would_be_handled_again(place: Place) -> None:
    if "async" in place.kind:
        pytest.skip("PostgresLedger prunes the same tables")
    ledger, body = place.ledger(), on.envelope()
    consumer = place.consumer(on.app(), ledger=ledger)
    deliver(consumer, body)
    ledger.count_delivery("one")
    assert ledger.prune(keep_seconds=3600) == 0
    assert ledger.prune(keep_seconds=-1) == 1
    assert place.rows("SELECT * FROM babelreg_handled_deliveries") == []
    assert deliver(consumer, body) == "handled"


def test_a_user_who_may_not_create_tables_can_use_those_of_a_migration(place: Place) -> None:
    deliver(place.consumer(on.app()), on.envelope())
    if place.kind == "MariaDB":
        grant = "GRANT SELECT, INSERT, UPDATE ON shop.* TO 'clerk'@'%'"
        place.rows("DROP USER IF EXISTS 'clerk'@'%'", "CREATE USER 'clerk'@'%'", grant)
        url = place.server.url.replace("root@", "clerk@")
    else:
        place.rows(
            "DROP OWNED BY clerk" if place.rows("SELECT 1 FROM pg_roles WHERE rolname = 'clerk'") else "SELECT 1",
            "DROP ROLE IF EXISTS clerk",
            "CREATE ROLE clerk LOGIN",
            "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO clerk",
        )
        url = place.server.url.replace("postgres@", "clerk@")
    consumer = place.consumer(on.app(), ledger=database_ledgers.ledger_of(place.kind, url))
    assert deliver(consumer, on.envelope()) == "handled"
    consumer.close()


def test_a_connection_that_the_server_closed_while_it_was_idle_is_no_failure(place: Place) -> None:
    consumer = place.consumer(on.app())
    assert deliver(consumer, on.envelope()) == "handled"
    place.server.crash()
    place.server.start()
    assert deliver(consumer, on.envelope()) == "handled"
    consumer.close()


def test_a_server_that_crashes_while_a_message_is_handled_is_waited_for(place: Place) -> None:
    app, crashes = on.app(), [True]

    def act(order: Any, context: Context) -> None:
        if crashes and crashes.pop():
            place.server.crash()

    text = on.put(app, on.envelope())
    consumer = place.consumer(app, act)
    received = app.transport.pop("orders")
    assert received is not None
    assert consumer.dispatch(received).kind == "returned"
    assert on.bodies(app, "orders") == [text]
    assert consumer.dispatch(received).kind == "returned"  # it cannot connect
    place.server.start()
    assert consumer.dispatch(received).kind == "handled"
    assert place.effects() == [1042]
    consumer.close()


def test_workers_that_get_the_same_messages_do_each_once(place: Place) -> None:
    bodies = [on.envelope(data={"order_id": number}) for number in range(1, 31)]
    shared = None if "async" in place.kind else place.ledger()

    def work(bodies: list[dict[str, Any]]) -> list[str]:
        consumer = place.consumer(on.app(), ledger=shared)
        kinds = [deliver(consumer, body) for body in bodies]
        consumer.close()
        return kinds

    with ThreadPoolExecutor(3) as pool:
        kinds = [kind for found in pool.map(work, [bodies, bodies, bodies[::-1]]) for kind in found]
    assert place.effects() == list(range(1, 31))
    assert Counter(kinds) == {"handled": 30, "duplicate": 60}


def test_handlers_of_the_same_message_at_the_same_time_take_effect_once(place: Place) -> None:
    meeting, kinds, body = threading.Barrier(2, timeout=60), [], on.envelope()
    place.consumer(on.app()).close()

    def work() -> None:
        consumer = place.consumer(on.app(), lambda order, context: meeting.wait() and None)
        kinds.append(deliver(consumer, body))
        consumer.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(kinds) == ["duplicate", "handled"]
    assert place.effects() == [1042]


def test_a_forked_worker_has_connections_of_its_own(place: Place) -> None:
    consumer = place.consumer(on.app(), ledger=place.ledger())
    first, second = on.envelope(), on.envelope(data={"order_id": 2})
    deliver(consumer, first)
    child = os.fork()
    if child == 0:
        try:
            fresh = place.consumer(on.app(), ledger=place.opened[0])
            ended = deliver(fresh, second) == "handled" and deliver(fresh, first) == "duplicate"
            os._exit(0 if ended else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert deliver(consumer, second) == "duplicate"
    assert place.effects() == [2, 1042]
    consumer.close()


def test_rows_of_the_handler_s_own_kind_do_not_confuse_the_ledger(place: Place) -> None:
    if place.kind == "MariaDB":
        pytest.skip("rows are a matter of cursors there")
    rows: Any = pytest.importorskip("psycopg.rows")

    def prepare(connection: Any) -> None:
        connection.row_factory = rows.dict_row

    consumer = place.consumer(on.app(), ledger=place.ledger(prepare=prepare))
    body = on.envelope()
    assert [deliver(consumer, body) for _ in range(2)] == ["handled", "duplicate"]
    consumer.close()


@pytest.mark.parametrize("table", ["a b", "x;", "1", "a.b.c", "x" * 60])
def test_a_name_that_is_no_name_is_refused(table: str, place: Place) -> None:
    with pytest.raises(UsageError, match=re.escape("cannot be the name of a table")):
        place.ledger(table=table)


@pytest.mark.redis
def test_workers_and_the_database_are_killed(place: Place, redis: Server, tmp_path: Path) -> None:
    on_empty(redis)
    orders_run.run(redis, tmp_path, 300, kill_every=75, crashes=1, seconds=300, kind=place.kind, database=place.server)


@pytest.mark.long
@pytest.mark.redis
def test_workers_and_the_database_are_killed_thirty_times(place: Place, redis: Server, tmp_path: Path) -> None:
    on_empty(redis)
    orders_run.run(
        redis, tmp_path, 4_000, kill_every=125, crashes=4, seconds=2400, kind=place.kind, database=place.server
    )


def on_empty(redis: Server) -> None:
    """Forget what other tests left behind."""
    transport = BabelQueue(redis.url).transport
    transport._redis.flushall()  # type: ignore[attr-defined]
    transport.close()


@pytest.mark.parametrize(
    "count, seconds", [pytest.param(200, 3, id="short"), pytest.param(2000, 60, id="long", marks=pytest.mark.long)]
)
def test_no_message_is_lost_to_a_database_that_is_away(place: Place, count: int, seconds: float) -> None:
    """No dead letter, whatever waits: the messages go back unchanged."""
    app = on.app()
    bodies = [on.put(app, on.envelope(data={"order_id": number})) for number in range(1, count + 1)]
    ledger = place.ledger()
    consumer = place.consumer(app, ledger=ledger)
    assert deliver(consumer, on.envelope(data={"order_id": count + 1})) == "handled"
    place.server.crash()
    back = threading.Timer(seconds, place.server.start)
    back.start()
    delivered = consumer.run(max_messages=count + 20, timeout_seconds=0.01)
    back.join()
    assert delivered > len(bodies)
    assert on.bodies(app, "orders.dlq") == on.bodies(app, "orders") == []
    assert place.effects() == list(range(1, count + 2))
