"""A ledger in the service's MySQL or MariaDB database, by PyMySQL."""

from __future__ import annotations

import importlib
import socket
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from babelreg.errors import UsageError
from babelreg.runtime.idempotency.guarded_class import guarded
from babelreg.runtime.idempotency.server_ledger import BlockingLedger
from babelreg.runtime.idempotency.sql_statements import mysql

_CONNECT_SECONDS = 10
_TCP_OPTIONS = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 20_000}
_IN_TRANSACTION = 1  # SERVER_STATUS_IN_TRANS, in the answer to every statement


class MySqlLedger(BlockingLedger):
    """Marks handled messages in ``table``, which is created if it does not exist; its engine must be InnoDB.

    ``database`` are the arguments of ``pymysql.connect`` or a URL, ``mysql://user:password@host:3306/database``, whose
    query may hold others. ``consumer`` separates services that share a database, as for ``SqliteLedger``.
    ``prepare`` is called with each new connection: for settings of the session. Raises UsageError for a ``table`` that
    is not a plain name, and for a URL of another kind.

    Handlers get a PyMySQL connection in a transaction; they must not commit or roll back, nor change tables, which
    commits. A database that is away is waited for. Several workers handle messages at the same time.
    """

    def __init__(
        self,
        database: str | Mapping[str, Any],
        *,
        consumer: str | None = None,
        table: str = "babelreg_handled",
        prepare: Callable[[Any], object] | None = None,
    ) -> None:
        self._pymysql: Any = importlib.import_module("pymysql")
        kind = self._pymysql.connections.Connection
        super().__init__(mysql(table), consumer, self._pymysql.err.ProgrammingError, kind, prepare)
        self._arguments = _arguments(database) if isinstance(database, str) else dict(database)
        self._guarded: Any = guarded(kind, "query")

    def _connect(self) -> Any:
        arguments = {"charset": "utf8mb4", **self._arguments, "autocommit": False}
        if arguments.get("unix_socket"):
            return self._guarded(**arguments)
        connection = self._guarded(**arguments, defer_connect=True)
        connection.connect(_kept_alive(connection))
        return connection

    def _begin(self, connection: Any) -> None:
        connection.begin()

    def _is_open(self, connection: Any) -> bool:
        return bool(connection.server_status & _IN_TRANSACTION)

    async def _execute(self, connection: Any, sql: str, values: tuple[Any, ...]) -> tuple[list[Any], int]:
        with connection.cursor(self._pymysql.cursors.Cursor) as cursor:
            cursor.execute(sql, values)
            return list(cursor.fetchall()), int(cursor.rowcount)


def _kept_alive(connection: Any) -> socket.socket:
    """Return a socket on which a server that is gone without a word is noticed within 20 seconds.

    Raises OSError, which PyMySQL would raise as its OperationalError, if there is no server.
    """
    address = (connection.host, connection.port)
    opened = socket.create_connection(address, connection.connect_timeout or _CONNECT_SECONDS)
    opened.settimeout(None)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for name, value in _TCP_OPTIONS.items():
        if hasattr(socket, name):  # Linux has all
            opened.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return opened


def _arguments(url: str) -> dict[str, Any]:
    """Return the arguments of a connection that ``url`` names."""
    parts = urlsplit(url)
    if parts.scheme.partition("+")[0] not in ("mysql", "mariadb"):
        raise UsageError("the ledger needs a MySQL or MariaDB URL", fix="write mysql://user:password@host/database")
    arguments: dict[str, Any] = {"host": parts.hostname or "localhost", "database": unquote(parts.path.lstrip("/"))}
    if parts.port:
        arguments["port"] = parts.port
    if parts.username:
        arguments["user"] = unquote(parts.username)
    if parts.password:
        arguments["password"] = unquote(parts.password)
    return arguments | {name: int(value) if value.isdigit() else value for name, value in parse_qsl(parts.query)}
