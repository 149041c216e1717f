"""Middleware: code of the service around handlers and around sending.

A middleware is a generator function with one ``yield``, plain or async, of two arguments: those of a handler.

    @consumer.middleware
    def with_database(order, context):
        with database.session():
            yield

What precedes the ``yield`` runs before the handler, what follows it afterwards. An exception of the handler is raised
at the ``yield``; one of the middleware counts as one of the handler. A plain middleware encloses plain and async
handlers alike; an async one makes every handler async.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from functools import wraps
from typing import Any, TypeAlias

from babelreg.errors import UsageError

Middleware: TypeAlias = Callable[[Any, Any], Iterator[None] | AsyncIterator[None]]
"""A generator function, plain or async, with one ``yield``."""


def check_middleware(middleware: Middleware) -> None:
    """Raise UsageError if ``middleware`` is not a generator function of two arguments."""
    name = getattr(middleware, "__name__", repr(middleware))
    if not inspect.isgeneratorfunction(middleware) and not inspect.isasyncgenfunction(middleware):
        raise UsageError(
            f"{name} has no yield, so it would not enclose anything", fix="write `yield` where the work is done"
        )
    check_two_arguments(middleware)


def check_two_arguments(function: Callable[..., Any], names: str = "data, context") -> None:
    """Raise UsageError if ``function`` cannot be called with two arguments; ``names`` are what its fix calls them."""
    name = getattr(function, "__name__", repr(function))
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        raise UsageError(f"{name} must take two arguments", fix=f"def {name}({names}): ...") from None
    except ValueError:
        pass  # written in C: its signature is unknown


def is_async(middleware: Middleware) -> bool:
    """Return True for an async middleware."""
    return inspect.isasyncgenfunction(middleware)


def enclosed(function: Callable[[Any, Any], Any], middleware: Sequence[Middleware]) -> Callable[[Any, Any], Any]:
    """Return ``function`` within ``middleware``, the first of which is the outermost.

    The result is async if ``function`` or one of the middleware is; if ``function`` is plain and returns an awaitable,
    the result returns one, too.
    """
    if not middleware:
        return function
    if any(map(is_async, middleware)) or inspect.iscoroutinefunction(function):
        return _enclosed_async(function, middleware)
    return _enclosed_plain(function, [contextmanager(one) for one in middleware])  # type: ignore[arg-type]


def _enclosed_plain(function: Callable[[Any, Any], Any], scopes: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    @wraps(function)
    def call(data: Any, context: Any) -> Any:
        with ExitStack() as stack:
            for scope in scopes:
                stack.enter_context(scope(data, context))
            result = function(data, context)
            if result is None or not inspect.isawaitable(result):
                return result
            return _finish(result, stack.pop_all())

    return call


async def _finish(result: Awaitable[Any], stack: ExitStack) -> Any:
    with stack:
        return await result


def _enclosed_async(function: Callable[[Any, Any], Any], middleware: Sequence[Middleware]) -> Callable[..., Any]:
    scopes: list[tuple[bool, Callable[..., Any]]] = [
        (True, asynccontextmanager(one)) if is_async(one) else (False, contextmanager(one))  # type: ignore[arg-type]
        for one in middleware
    ]

    @wraps(function)
    async def call(data: Any, context: Any) -> Any:
        async with AsyncExitStack() as stack:
            for awaits, scope in scopes:
                if awaits:
                    await stack.enter_async_context(scope(data, context))
                else:
                    stack.enter_context(scope(data, context))
            result = function(data, context)
            return await result if inspect.isawaitable(result) else result

    return call
