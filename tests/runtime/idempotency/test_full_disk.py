"""A full disk below the ledger is no fault of the messages: they go back unchanged, and none becomes a dead letter."""

from __future__ import annotations

import collections
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any

import database_ledgers
import mariadb_server
import pytest
import runtime_messages as on
from server import Server

from babelreg.runtime import Consumer, Context, Reject, SqliteLedger
from babelreg.runtime.consumer.loop import Pauses
from babelreg.runtime.idempotency.ledger import cannot_write

COUNT = 12
NOTE = "x" * 60_000
LIMIT = ":max:18M"


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pauses, "next_seconds", lambda pauses: 0.0)


def handling(ledger: Any, mark: str) -> tuple[Any, Consumer]:
    app = on.app()
    consumer = Consumer(app, ledger=ledger)

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        statement = f"INSERT INTO effects VALUES ({mark}, {mark})"
        context.connection.cursor().execute(statement, (order.order_id, NOTE))

    for number in range(1, COUNT + 1):
        on.put(app, on.envelope(data={"order_id": number}))
    return app, consumer


@pytest.mark.parametrize("lock", ["handler", "write"])
def test_no_message_is_lost_while_a_sqlite_file_cannot_grow(tmp_path: Path, lock: Any) -> None:
    path = tmp_path / "service.db"
    most = [4 + 16 * 5]  # pages of 4 KiB

    def prepare(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE IF NOT EXISTS effects (order_id INTEGER, note TEXT)")
        connection.execute(f"PRAGMA max_page_count = {most[0]}")

    ledger = SqliteLedger(path, prepare=prepare, lock=lock)
    app, consumer = handling(ledger, "?")
    consumer.run(max_messages=8 * COUNT, timeout_seconds=0.0)
    waiting = on.bodies(app, "orders")
    assert 0 < len(waiting) < COUNT
    assert on.bodies(app, "orders.dlq") == []
    assert all('"attempts":0' in body.replace(" ", "") for body in waiting)
    ledger.close()
    most[0] = 1_000_000
    consumer.run(max_messages=COUNT, timeout_seconds=0.0)
    with sqlite3.connect(path) as connection:
        handled = [row[0] for row in connection.execute("SELECT order_id FROM effects ORDER BY order_id")]
    assert handled == list(range(1, COUNT + 1))
    assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []


@contextmanager
def full_postgres(server: Server) -> Iterator[Callable[[], object]]:
    """The table of effects on a full file system of 1 MiB; yields a function that makes room."""
    disk = Path("/dev/shm", f"small-{os.getpid()}")
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=1777", "none", disk]
    try:
        if subprocess.run(command, capture_output=True).returncode != 0:
            pytest.skip("NOT TESTED ON A FULL DISK: only root may mount one")
        space, ballast = disk / "space", disk / "ballast"
        space.mkdir()
        shutil.chown(space, "postgres")
        ballast.write_bytes(b"x" * 600_000)
        database_ledgers.rows(server, f"CREATE TABLESPACE small LOCATION '{space}'")
        # The text is stored as it is: compressed, it would fit.
        table = ["CREATE TABLE effects (order_id INTEGER, note TEXT) TABLESPACE small"]
        table += ["ALTER TABLE effects ALTER note SET STORAGE EXTERNAL"]
        database_ledgers.rows(server, *database_ledgers.CLEARED, *table)

        def make_room() -> None:
            ballast.unlink()
            subprocess.run(["mount", "-o", "remount,size=20m", disk], check=True)

        yield make_room
        for statement in ("DROP TABLE effects", "DROP TABLESPACE small"):
            database_ledgers.rows(server, statement)
    finally:
        subprocess.run(["umount", "-l", disk], capture_output=True)
        disk.rmdir()


@contextmanager
def full_mariadb(server: Server) -> Iterator[Callable[[], object]]:
    """All tables in one file that is full; yields a function that lets it grow, which needs a new start."""
    database_ledgers.rows(server, "CREATE TABLE effects (order_id INTEGER, note LONGTEXT)")
    database_ledgers.rows(server, "CREATE TABLE ballast (note LONGTEXT)")
    inserts = repeat(f"INSERT INTO ballast VALUES ('{NOTE}')")
    with pytest.raises(Exception, match="is full"):
        collections.deque((database_ledgers.rows(server, insert) for insert in inserts), maxlen=0)

    def make_room() -> None:
        server.stop()
        server.command = [option.replace(LIMIT, "") for option in server.command]
        server.start()

    yield make_room


@pytest.fixture
def small_mariadb() -> Iterator[Server]:
    if mariadb_server.PROGRAM is None:
        pytest.skip("NOT TESTED ON MARIADB: apt-get install --no-install-recommends mariadb-server")
    one_file = ("--innodb-file-per-table=0", f"--innodb-data-file-path=ibdata1:12M:autoextend{LIMIT}")
    with mariadb_server.running(*one_file) as server:
        yield server


@pytest.mark.servers
@pytest.mark.parametrize(
    "kind, fixture, full", [("PostgreSQL", "postgres", full_postgres), ("MariaDB", "small_mariadb", full_mariadb)]
)
def test_no_message_is_lost_while_the_disk_of_a_server_is_full(
    request: pytest.FixtureRequest, kind: str, fixture: str, full: Any
) -> None:
    server: Server = request.getfixturevalue(fixture)
    with full(server) as make_room:
        ledger = database_ledgers.ledger_of(kind, server.url)
        app, consumer = handling(ledger, "%s")
        consumer.run(max_messages=2 * COUNT, timeout_seconds=0.0)
        assert on.bodies(app, "orders")
        assert on.bodies(app, "orders.dlq") == []
        make_room()
        consumer.run(max_messages=COUNT, timeout_seconds=0.0)
        effects = database_ledgers.rows(server, "SELECT order_id FROM effects ORDER BY order_id")
        ledger.close()
    assert [row[0] for row in effects] == list(range(1, COUNT + 1))
    assert on.bodies(app, "orders") == on.bodies(app, "orders.dlq") == []


def postgres_error(sqlstate: str) -> Exception:
    error = RuntimeError()
    error.sqlstate = sqlstate  # type: ignore[attr-defined]
    return error


def sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError()
    error.sqlite_errorcode = code
    return error


def mysql_error(number: int, text: str = "") -> Exception:
    kind = type("OperationalError", (Exception,), {"__module__": "pymysql.err"})
    return kind(number, text)


def wrapped(error: Exception) -> Exception:
    try:
        raise RuntimeError("of an object-relational mapper") from error
    except RuntimeError as outer:
        return outer


@pytest.mark.parametrize(
    "error, expected",
    [
        pytest.param(sqlite_error(sqlite3.SQLITE_FULL), True, id="SQLite: the disk is full"),
        pytest.param(sqlite_error(sqlite3.SQLITE_IOERR_WRITE), True, id="SQLite: the disk fails"),
        pytest.param(sqlite_error(sqlite3.SQLITE_CONSTRAINT_UNIQUE), False, id="SQLite: a constraint"),
        pytest.param(sqlite3.OperationalError("no such table"), False, id="SQLite: an error without a code"),
        pytest.param(postgres_error("53100"), True, id="PostgreSQL: the disk is full"),
        pytest.param(postgres_error("25006"), True, id="PostgreSQL: a standby"),
        pytest.param(postgres_error("23505"), False, id="PostgreSQL: a constraint"),
        pytest.param(mysql_error(1114, "The table 'effects' is full"), True, id="MariaDB: the disk is full"),
        pytest.param(mysql_error(1290, "running with the --read-only option"), True, id="MariaDB: a replica"),
        pytest.param(mysql_error(1290, "running with the --secure-file-priv option"), False, id="MariaDB: an option"),
        pytest.param(mysql_error(1062, "Duplicate entry"), False, id="MariaDB: a constraint"),
        pytest.param(ValueError(1114), False, id="a number that is no code"),
        pytest.param(wrapped(postgres_error("53100")), True, id="an error that another one wraps"),
        pytest.param(wrapped(ValueError("no")), False, id="another error that is wrapped"),
        pytest.param(Reject("no"), False, id="a rejection"),
    ],
)
def test_errors_of_a_database_that_cannot_write_are_recognised(error: Exception, expected: bool) -> None:
    assert cannot_write(error) is expected


def test_a_rejection_of_a_handler_that_found_the_disk_full_counts(tmp_path: Path) -> None:
    app = on.app()
    consumer = Consumer(app, ledger=SqliteLedger(tmp_path / "service.db"))

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        raise Reject("no space for it") from sqlite_error(sqlite3.SQLITE_FULL)

    on.put(app, on.envelope())
    consumer.run(max_messages=1, timeout_seconds=0.0)
    assert len(on.bodies(app, "orders.dlq")) == 1
