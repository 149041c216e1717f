"""Ledgers in real database servers, and what tests do there beside them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from babelreg.runtime import AsyncPostgresLedger, MySqlLedger, PostgresLedger

if TYPE_CHECKING:
    from server import Server

__all__ = ["CLEARED", "KINDS", "connected", "ledger_of", "rows"]

KINDS = {"PostgreSQL": "postgres", "PostgreSQL, async": "postgres", "MariaDB": "mariadb"}
"""The fixture of the server by the kind of the ledger."""


CLEARED = tuple(
    f"DROP TABLE IF EXISTS {table}" for table in ("effects", "babelreg_handled", "babelreg_handled_deliveries")
)
"""Statements that forget what an earlier test did."""


def ledger_of(kind: str, url: str, **settings: Any) -> Any:
    """A ledger of this kind."""
    made = {"PostgreSQL": PostgresLedger, "PostgreSQL, async": AsyncPostgresLedger, "MariaDB": MySqlLedger}
    return made[kind](url, **settings)


@contextmanager
def connected(url: str, *, autocommit: bool = True) -> Iterator[Any]:
    """A connection of the test's own."""
    if url.startswith("postgresql"):
        connection: Any = importlib.import_module("psycopg").connect(url, autocommit=autocommit)
    else:
        address, database = url.rpartition("@")[2].split("/")
        host, port = address.split(":")
        pymysql: Any = importlib.import_module("pymysql")
        connection = pymysql.connect(host=host, port=int(port), user="root", database=database, autocommit=autocommit)
    try:
        yield connection
    finally:
        connection.close()


def rows(server: Server, *statements: str) -> list[tuple[Any, ...]]:
    """Run statements; return the rows of the last one."""
    with connected(server.url) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall()) if statements[-1].startswith("SELECT") else []
