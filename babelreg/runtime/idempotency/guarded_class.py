"""Classes of connections whose transaction belongs to the consumer, so that a handler cannot end it before the mark.

Their statements are watched, too: those of handlers as those of the ledger.
"""

from __future__ import annotations

import inspect
from typing import Any

from babelreg.errors import UsageError
from babelreg.runtime.idempotency.answer_watch import watch


def guarded(kind: type[Any], statement: str) -> type[Any]:
    """Return a subclass of ``kind``, a class of DB-API connections, that refuses to commit, roll back and close.

    The ledger itself calls the methods of ``kind``. ``with connection:`` does nothing. ``statement`` is the public
    method of ``kind``, plain or async, in which each statement of its cursors waits for the answer.
    """

    def commit(self: Any) -> None:
        raise UsageError("the consumer commits when the handler returns", fix="remove commit() from the handler")

    def rollback(self: Any) -> None:
        raise UsageError("the consumer rolls back when the handler raises", fix="raise an exception instead")

    def close(self: Any) -> None:
        raise UsageError("the connection belongs to the consumer", fix="remove close() from the handler")

    def enter(self: Any) -> Any:
        return self

    def leave(self: Any, *error: object) -> None:
        return None

    async def enter_async(self: Any) -> Any:
        return self

    async def leave_async(self: Any, *error: object) -> None:
        return None

    waits = getattr(kind, statement)
    watched = _watched_async(waits) if inspect.iscoroutinefunction(waits) else _watched(waits)
    methods: dict[str, Any] = {"commit": commit, "rollback": rollback, "close": close, statement: watched}
    if hasattr(kind, "__aenter__"):
        methods |= {"__aenter__": enter_async, "__aexit__": leave_async}
    else:
        methods |= {"__enter__": enter, "__exit__": leave}
    return type(f"Guarded{kind.__name__}", (kind,), methods)


def _watched(method: Any) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        noted = watch.begin()
        try:
            return method(*arguments, **options)
        finally:
            watch.end(noted)

    return call


def _watched_async(method: Any) -> Any:
    async def call(*arguments: Any, **options: Any) -> Any:
        noted = watch.begin()
        try:
            return await method(*arguments, **options)
        finally:
            watch.end(noted)

    return call
