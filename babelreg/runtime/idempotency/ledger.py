"""The interface of ledgers of handled messages, which make a message that is delivered twice take effect once.

A ledger opens a transaction for each delivery and passes it to the handler as ``context.connection``; the handler
writes its effects there, and the mark that the message was handled is committed together with them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Coroutine
from typing import Any, Protocol, runtime_checkable

from babelreg.errors import UsageError
from babelreg.runtime.bytes import interop_json

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_.:-]{1,128}\Z")
# Exceptions of a commit for which the handler's own statements are the reason, by their names in PEP 249: a deferred
# constraint, a statement whose error the handler caught. All others mean that the database is not available.
_HANDLER_ERRORS = frozenset({"IntegrityError", "DataError", "InternalError"})
# Errors of any statement that has to write: the disk is full or fails, or the server is a standby after a failover.
# Sources: PostgreSQL, "Error Codes" (disk_full, io_error, read_only_sql_transaction); MariaDB, "Error Code Reference"
# (ER_ERROR_ON_WRITE, ER_DISK_FULL, ER_RECORD_FILE_FULL, ER_READ_ONLY_MODE); SQLite, "Result Codes" (IOERR, FULL).
_POSTGRES_CODES = frozenset({"53100", "58030", "25006"})
_MYSQL_CODES = frozenset({3, 1021, 1114, 1836})
_MYSQL_OPTION = 1290  # the option that prevents the statement is in the text
_MYSQL_MODULES = ("pymysql", "MySQLdb", "mysql", "mariadb")
_SQLITE_CODES = frozenset({10, 13})


class Unit(Protocol):
    """The transaction of one delivery.

    ``connection`` is for the handler. ``earlier`` is None for a message that was never handled, else the digest that
    was passed to :meth:`commit` then. A unit whose attribute ``blocks_others`` is true keeps all other units of its
    database waiting: where its handler is stuck no other can run.
    """

    @property
    def connection(self) -> Any: ...

    @property
    def earlier(self) -> str | None: ...

    def commit(self, content: str) -> bool:
        """Mark the message and commit the mark with the handler's effects.

        Returns False, and commits nothing, if another worker marked it in the meantime. After an exception the message
        goes back to its queue unchanged, unless :func:`caused_by_handler`.
        """
        ...

    def rollback(self) -> None:
        """Roll back. Called for every unit that was not committed, also after a commit that raised."""
        ...


class Ledger(Protocol):
    """A record of handled messages. Each thread uses it for one consumer at a time."""

    def begin(self, message_id: str) -> Unit:
        """Begin the transaction of the message with this ``meta.id``; a message with an empty id is not recorded."""
        ...


class AsyncUnit(Protocol):
    """The transaction of one delivery, for async handlers; see :class:`Unit`."""

    @property
    def connection(self) -> Any: ...

    @property
    def earlier(self) -> str | None: ...

    def commit(self, content: str) -> Awaitable[bool]: ...

    def rollback(self) -> Awaitable[None]: ...


class AsyncLedger(Protocol):
    """A ledger whose methods are coroutines; they run in the event loop of the async handlers."""

    def begin(self, message_id: str) -> Awaitable[AsyncUnit]: ...


@runtime_checkable
class ClosesInLoop(Protocol):
    """An async ledger that closes its connections before the event loop ends."""

    def aclose(self) -> Coroutine[Any, Any, None]: ...


@runtime_checkable
class ClosesInThread(Protocol):
    """A ledger with a connection for each thread, which closes it before the thread ends."""

    def close_in_thread(self) -> None: ...


@runtime_checkable
class DeliveryCounter(Protocol):
    """A ledger, plain or async, that also counts deliveries, for brokers that do not count them."""

    def count_delivery(self, message_id: str) -> Any:
        """Count a repeated delivery of this message, in a transaction of its own; return the number counted so far."""
        ...


def caused_by_handler(error: BaseException) -> bool:
    """Return True if a commit raised ``error`` because of what the handler did: the message is retried as usual."""
    return isinstance(error, UsageError) or any(kind.__name__ in _HANDLER_ERRORS for kind in type(error).__mro__)


def cannot_write(error: BaseException) -> bool:
    """Return True if a handler failed because its database cannot write: later, the same message will succeed.

    Looks at the exceptions that ``error`` was raised from, too: object-relational mappers wrap those of drivers.
    """
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        if isinstance(current, BaseExceptionGroup):
            return any(map(cannot_write, current.exceptions))
        if _is_write_failure(current):
            return True
        current = current.__cause__
    return False


def _is_write_failure(error: BaseException) -> bool:
    if getattr(error, "sqlstate", None) in _POSTGRES_CODES:
        return True
    if isinstance(code := getattr(error, "sqlite_errorcode", None), int):
        return code & 0xFF in _SQLITE_CODES
    if type(error).__module__.partition(".")[0] not in _MYSQL_MODULES or not error.args:
        return False
    return error.args[0] in _MYSQL_CODES or (error.args[0] == _MYSQL_OPTION and "--read-only" in str(error))


def mark_key(message_id: str) -> str:
    """Return the key of a message's mark, at most 128 ASCII characters in which databases differ in no way."""
    if not message_id or _PLAIN_KEY.match(message_id):
        return message_id
    return "b2:" + hashlib.blake2b(message_id.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def consumer_names(given: str | None, service: str) -> tuple[str, str]:
    """Return the consumer of new marks, and one whose marks count, too: those from before the service had a name."""
    return (service, "") if given is None else (given, given)


def content_digest(urn: str, data: Any) -> str:
    """Return 32 hex digits that tell messages with the same id apart; empty for data that nests too deep to encode.

    The digest does not depend on the order of keys or on 1.0 versus 1, which services that pass a message on may
    change.
    """
    try:
        text = f"{urn}\n{interop_json.encode(data)}"
    except RecursionError:
        return ""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
