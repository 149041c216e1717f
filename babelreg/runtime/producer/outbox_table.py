"""The table of an outbox: its name, its columns, and the statements that depend on the database.

Your migrations may create it instead, with these columns; in MySQL use LONGTEXT, since TEXT ends at 64 KiB.
"""

from __future__ import annotations

import re
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from babelreg.errors import UsageError
from babelreg.runtime.producer.row_properties import RowProperties

COLUMNS = "id, body, queue, attempts"
PROPERTIES = "properties"
"""The column of ``RowProperties``, which came later than the table."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62})?\Z")
_MARKS = {"qmark": "?", "format": "%s", "pyformat": "%s"}
_POSTGRES = ("psycopg", "psycopg2", "pg8000")
_MYSQL = ("pymysql", "MySQLdb", "mysql", "mariadb")
_with_properties: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()


@runtime_checkable
class KeepsProperties(Protocol):
    """An outbox whose rows have properties. In one for async code both methods are coroutines."""

    table: OutboxTable

    def has_properties(self) -> Any:
        """Return True if the table has the column."""
        ...

    def save_row(self, encoded: str, queue: str, properties: RowProperties) -> Any:
        """Insert one encoded envelope with its properties, as ``save``."""
        ...


def addition_of(outbox: object) -> str:
    """Return the instruction that lets ``outbox`` keep the options of a message."""
    table: OutboxTable | None = getattr(outbox, "table", None)
    if table is None:
        return "write it to a SqlOutbox, whose table has one"
    return f"run `{table.addition}`, or SqlOutbox(connection).prepare(), which does"


class OutboxTable:
    """``name`` in the database of ``connection``; ``mark`` stands for a parameter in a statement.

    Raises UsageError as :class:`SqlOutbox` does.
    """

    def __init__(self, connection: Any, name: str, paramstyle: str | None) -> None:
        if not _NAME.match(name):
            raise UsageError(f"{name[:80]!r} cannot be the name of a table", fix='use letters, digits and "_"')
        module = _module(connection)
        style = paramstyle or str(getattr(module, "paramstyle", "qmark"))
        if style not in _MARKS:
            raise UsageError(f"paramstyle {style!r} is not known", fix=f"use one of {', '.join(_MARKS)}")
        self.name = name
        self.mark = _MARKS[style]
        self.driver = getattr(module, "__name__", "")
        self.is_mysql = self.driver in _MYSQL
        self.skips_locked = self.driver in (*_MYSQL, *_POSTGRES)
        self._connection = connection

    @property
    def creation(self) -> str:
        """The statement that creates the table if it does not exist."""
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name} (id VARCHAR(36) PRIMARY KEY, queue VARCHAR(255) NOT NULL, "
            f"body {self._text} NOT NULL, attempts INTEGER NOT NULL, error VARCHAR(500), written_at BIGINT NOT NULL, "
            f"{PROPERTIES} {self._text})"
        )

    @property
    def addition(self) -> str:
        """The statement that adds the column of properties to a table of an earlier version."""
        return f"ALTER TABLE {self.name} ADD COLUMN {PROPERTIES} {self._text}"

    @property
    def properties_query(self) -> str:
        """A query for :meth:`found_properties`.

        It asks the catalog where that is known, because in PostgreSQL a statement that fails ends the transaction of
        the service, and one that begins with ``SELECT *`` fails after the column was added.
        """
        schema, _, table = self.name.rpartition(".")
        if self.is_mysql:
            place = f"'{schema}'" if schema else "database()"
            where = f"table_schema = {place} AND table_name = '{table}' AND column_name = '{PROPERTIES}'"
            return f"SELECT 1 FROM information_schema.columns WHERE {where}"
        if self.driver in _POSTGRES:
            where = f"attrelid = to_regclass('{self.name}') AND attname = '{PROPERTIES}' AND NOT attisdropped"
            return f"SELECT 1 FROM pg_attribute WHERE {where}"
        return f"SELECT * FROM {self.name} WHERE 1 = 0"

    def found_properties(self, rows: Sequence[Any], description: Sequence[Any] | None) -> bool:
        """Return True if the answer to :attr:`properties_query` shows the column; remember that for the connection."""
        found = bool(rows) or any(str(column[0]).lower() == PROPERTIES for column in description or ())
        if found:
            with suppress(TypeError):  # a class without weak references
                _with_properties.setdefault(self._connection, set()).add(self.name)
        return found

    def insertion(self, encoded: str, queue: str, properties: RowProperties) -> tuple[str, str, tuple[Any, ...]]:
        """Return the id of a new row, the statement that inserts it, and the values of that.

        Without properties it does not name their column, which the table may lack.
        """
        row = str(uuid.uuid4())
        names = "id, queue, body, written_at"
        values: tuple[Any, ...] = (row, queue, encoded, time.time_ns())
        if properties != RowProperties():
            names, values = f"{names}, {PROPERTIES}", (*values, properties.encoded())
        marks = ", ".join([self.mark] * len(values))
        return row, f"INSERT INTO {self.name} ({names}, attempts) VALUES ({marks}, 0)", values

    def knows_properties(self) -> bool:
        """Return True if the column was found by this connection before: nobody removes it."""
        with suppress(TypeError):
            return self.name in _with_properties.get(self._connection, ())
        return False

    @property
    def _text(self) -> str:
        return "LONGTEXT" if self.is_mysql else "TEXT"


def _module(connection: object) -> ModuleType | None:
    """Return the DB-API module that defines the class of ``connection``, or a class that it derives from."""
    for kind in type(connection).__mro__:
        module = sys.modules.get(kind.__module__.partition(".")[0])
        if hasattr(module, "paramstyle"):
            return module
    return None
