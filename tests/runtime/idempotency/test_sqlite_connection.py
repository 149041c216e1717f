"""With ``lock="write"`` SQLite is locked by the handler's first statement that writes."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import runtime_messages as on
from babelqueue.transport import ReceivedMessage

from babelreg.errors import UsageError
from babelreg.runtime import Consumer, Context, SqliteLedger


def ledger(path: Path, **settings: Any) -> SqliteLedger:
    def prepare(database: sqlite3.Connection) -> None:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("CREATE TABLE IF NOT EXISTS effects (order_id INTEGER)")

    return SqliteLedger(path, lock="write", prepare=prepare, **settings)


@pytest.mark.parametrize(
    "statement, locks",
    [
        ("SELECT 1", False),
        ("  select count(*) from effects", False),
        ("-- the orders\n/* all */ SELECT 1", False),
        ("INSERT INTO effects VALUES (1)", True),
        ("WITH x AS (SELECT 1) INSERT INTO effects SELECT * FROM x", True),
        ("selection", None),
        ("CREATE TABLE more (x)", True),
        ("-- SELECT\nUPDATE effects SET order_id = 2", True),
    ],
)
def test_only_a_select_does_not_lock(statement: str, locks: bool | None, tmp_path: Path) -> None:
    unit = ledger(tmp_path / "x.db").begin("1")
    try:
        unit.connection.execute(statement)
    except sqlite3.OperationalError:
        assert locks is None
    else:
        assert unit.connection.in_transaction is locks
    unit.rollback()


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda c: c.executemany("INSERT INTO effects VALUES (?)", [(1,)]), id="executemany"),
        pytest.param(lambda c: c.cursor().execute("INSERT INTO effects VALUES (1)"), id="a cursor"),
        pytest.param(lambda c: c.cursor(sqlite3.Cursor).execute("INSERT INTO effects VALUES (1)"), id="its own cursor"),
    ],
)
def test_every_way_to_write_locks_and_is_undone(write: Callable[[Any], Any], tmp_path: Path) -> None:
    made = ledger(tmp_path / "x.db")
    for kept in (False, True):
        unit = made.begin("1")
        write(unit.connection)
        assert unit.connection.in_transaction
        if kept:
            assert unit.commit("c")
        else:
            unit.rollback()
    assert made.begin("2").connection.execute("SELECT count(*) FROM effects").fetchall() == [(1,)]


def test_handlers_run_at_the_same_time_and_the_slower_worker_s_effects_are_undone(tmp_path: Path) -> None:
    ledger(tmp_path / "x.db").close()
    meeting = threading.Barrier(2, timeout=60)
    body = json.dumps(on.envelope())
    kinds: list[str] = []

    def work() -> None:
        app = on.app()
        consumer = Consumer(app, ledger=ledger(tmp_path / "x.db"))

        @consumer.on(on.OrdersCreated)
        def handle(order: on.OrdersCreated, context: Context) -> None:
            meeting.wait()  # both are called: neither has locked the database
            context.connection.execute("INSERT INTO effects VALUES (?)", (order.order_id,))

        kinds.append(consumer.dispatch(ReceivedMessage(body, "orders")).kind)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(kinds) == ["duplicate", "handled"]
    with sqlite3.connect(tmp_path / "x.db") as database:
        assert database.execute("SELECT order_id FROM effects").fetchall() == [(1042,)]
    database.close()


def test_another_message_with_the_id_of_one_that_was_faster_is_not_lost(tmp_path: Path) -> None:
    app = on.app()
    made = ledger(tmp_path / "x.db")
    consumer = Consumer(app, ledger=made)
    envelope = on.envelope()

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        other = ledger(tmp_path / "x.db").begin(envelope["meta"]["id"])
        assert other.commit("the content of another message")

    assert consumer.dispatch(ReceivedMessage(json.dumps(envelope), "orders")).kind == "dead_lettered"
    (record,) = on.bodies(app, "orders.dlq")
    assert json.loads(record)["dead_letter"]["error"].startswith("id_conflict: ")


def test_a_lock_that_is_not_granted_is_no_fault_of_the_handler(tmp_path: Path) -> None:
    app = on.app()
    consumer = Consumer(app, ledger=ledger(tmp_path / "x.db", timeout_seconds=0.01))
    consumer.on(on.OrdersCreated)(lambda order, context: context.connection.execute("DELETE FROM effects") and None)
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    body = json.dumps(on.envelope())
    assert consumer.dispatch(ReceivedMessage(body, "orders")).kind == "returned"
    other.execute("ROLLBACK")
    other.close()
    assert consumer.dispatch(ReceivedMessage(body, "orders")).kind == "handled"


@pytest.mark.parametrize("sql", ["COMMIT", "ROLLBACK"])
def test_a_handler_that_ends_the_transaction_is_told(sql: str, tmp_path: Path) -> None:
    unit = ledger(tmp_path / "x.db").begin("1")
    unit.connection.execute("INSERT INTO effects VALUES (1)")
    unit.connection.execute(sql)
    with pytest.raises(UsageError, match="ended the consumer's transaction"):
        unit.commit("c")


def test_a_lock_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="lock is 'read'"):
        SqliteLedger(tmp_path / "x.db", lock="read")  # type: ignore[arg-type]
