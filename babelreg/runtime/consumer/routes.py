"""Routes from URNs to handlers, with the upcast from the version that was sent to that of the handler.

Where the handler is for a later version, the steps of all versions between are applied in order: v1 to v2, then v2 to
v3.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

from babelreg.contract import Contract
from babelreg.contract.upcast import Upcast, compiled, composed
from babelreg.errors import UsageError
from babelreg.runtime.context import Context
from babelreg.runtime.message import MessageType, urns_by_alias
from babelreg.runtime.telemetry.middleware import Middleware, check_middleware, check_two_arguments, enclosed
from babelreg.runtime.validators import require_validators

T = TypeVar("T")
Handler = Callable[[T, Context], Awaitable[None] | None]
"""A plain or async function: its return acknowledges the message, an exception retries it, Reject dead-letters it."""
OrderedBy = Callable[[T], Hashable] | Literal["key"]
"""A function that returns the ordering key of data, or "key" for the one that the producer gave."""


@dataclass(frozen=True)
class Route:
    """The route of one URN: ``sent`` is the message as delivered, ``target`` the message that ``handler`` is for.

    ``upcast`` is None where they are the same. ``ordered_by``: see ``OrderedBy``. The handler of a route
    that is ``raw`` gets decoded JSON.
    """

    sent: MessageType[Any]
    target: MessageType[Any]
    handler: Handler[Any]
    upcast: Upcast | None = None
    ordered_by: OrderedBy[Any] | None = None
    raw: bool = False

    def parse(self, data: Any) -> Any:
        """Return ``data`` of ``target`` as the handler takes it."""
        return data if self.raw else self.target.parse(data)

    @cached_property
    def is_async(self) -> bool:
        """True if the handler is called in an event loop and not in a thread."""
        call = getattr(self.handler, "__call__", None)  # noqa: B004
        return inspect.iscoroutinefunction(self.handler) or inspect.iscoroutinefunction(call)


class Routes:
    """The routes of one consumer."""

    def __init__(self) -> None:
        self._routes: dict[str, Route] = {}
        self._plain: dict[str, Route] = {}  # without middleware
        self._raw: dict[str | None, Handler[Any]] = {}  # by the URN of the target; None for all others
        self._refused: dict[str, Route] = {}
        self._middleware: list[Middleware] = []
        self._contract: Contract | None = None
        self.reporting = False
        """True where data that violates its contract is let through."""

    def __bool__(self) -> bool:
        return bool(self._routes)

    def __contains__(self, urn: object) -> bool:
        return urn in self._routes

    def __getitem__(self, urn: str) -> Route:
        return self._routes[urn]

    def add(
        self,
        message: MessageType[T],
        earlier: Iterable[MessageType[Any]],
        handler: Handler[T],
        ordered_by: OrderedBy[T] | None = None,
    ) -> None:
        """Add routes from ``message`` and its ``earlier`` versions to ``handler``.

        Raises UsageError when one of them already has a handler, when the registry has no steps from it to
        ``message``, and when ``handler`` cannot be called as one.
        """
        _refuse_uncallable(handler)
        new = [Route(message, message, handler, ordered_by=ordered_by)]
        for sent in earlier:
            upcast = composed(compiled(step) for step in _steps(sent, message))
            new.append(Route(sent, message, handler, upcast, ordered_by))
        for route in new:
            if route.sent.urn in self._routes:
                raise UsageError(f"{route.sent.urn} already has a handler", fix="call both from one handler")
        self._plain |= {route.sent.urn: route for route in new}
        self._contract = None
        self._enclose_all()

    def take_refused(self, message: MessageType[Any] | None, handler: Handler[Any]) -> None:
        """Call ``handler`` with the data of ``message`` that violates its contract, or of all without such a handler.

        Raises UsageError when there is one already, and when ``handler`` cannot be called as one.
        """
        _refuse_uncallable(handler)
        urn = None if message is None else message.urn
        if urn in self._raw:
            raise UsageError(f"refused data of {urn or 'all messages'} already has a handler", fix="register one")
        self._raw[urn] = handler
        self._enclose_all()

    def refused(self, urn: str) -> Route | None:
        """Return the route of data that violates the contract of ``urn``; None where that is enforced."""
        return self._refused.get(urn) if self.reporting else None

    def enclose(self, middleware: Middleware) -> None:
        """Call all handlers within ``middleware``. Raises UsageError where it is not one."""
        check_middleware(middleware)
        self._middleware.append(middleware)
        self._enclose_all()

    def _enclose_all(self) -> None:
        for urn, route in self._plain.items():
            self._routes[urn] = replace(route, handler=enclosed(route.handler, self._middleware))
            raw = self._raw.get(route.target.urn) or self._raw.get(None)
            if raw is not None:
                self._refused[urn] = Route(route.sent, route.sent, enclosed(raw, self._middleware), raw=True)

    @property
    def any_async(self) -> bool:
        """True if one of the handlers is called in an event loop."""
        return any(route.is_async for route in (*self._routes.values(), *self._refused.values()))

    @property
    def any_limited(self) -> bool:
        """True if the time of one of the handlers is limited."""
        return any(route.sent.time_limit_seconds is not None for route in self._routes.values())

    @property
    def messages(self) -> list[MessageType[Any]]:
        """The messages that are handled, as they are sent."""
        return [route.sent for route in self._routes.values()]

    def contract(self) -> Contract:
        """Return the contract of all deliveries, each as the version that was sent.

        Raises SchemaError that names every message whose validator cannot be built.
        """
        if self._contract is None:
            strict = [message.urn for message in self.messages if message.reader == "strict"]
            schemas = {message.urn: message.schema for message in self.messages}
            contract = Contract(schemas, strict=strict, aliases=urns_by_alias(self.messages))
            require_validators(contract, self._routes)
            self._contract = contract
        return self._contract

    def check(self, declared: Mapping[str, str], allowed: Iterable[str]) -> None:
        """Raise UsageError where one of ``declared`` (class names by URN) has no handler and is not ``allowed``.

        Also where there is no handler at all, or none for refused data that is to be reported.
        """
        without = set(declared) - set(self._routes) - set(allowed)
        missing = {urn: name for urn, name in declared.items() if urn in without}
        if missing:
            names = ", ".join(missing.values())
            raise UsageError(
                f"no handler for messages that this service consumes: {', '.join(missing)}",
                fix=f"add @consumer.on(...) for {names}, or pass allow_missing=[{names}]",
            )
        if not self._routes:
            raise UsageError("no handler is registered", fix="decorate a function with @consumer.on(...) before run()")
        if unused := self._raw.keys() - {None, *(route.target.urn for route in self._plain.values())}:
            raise UsageError(f"{min(map(str, unused))} has only a handler of refused data", fix="add @consumer.on(...)")
        if self.reporting and (left := self._plain.keys() - self._refused.keys()):
            raise UsageError(
                f"data that violates its contract is reported, but no handler takes that of {', '.join(sorted(left))}",
                fix="decorate a function with @consumer.on_refused(): it receives the data as decoded JSON",
            )


def _refuse_uncallable(handler: Callable[..., Any]) -> None:
    """Raise UsageError if a call of ``handler`` would fail, or would return without running it (a generator)."""
    name = getattr(handler, "__name__", repr(handler))
    if inspect.isgeneratorfunction(handler) or inspect.isasyncgenfunction(handler):
        raise UsageError(f"{name} is a generator: calling it does nothing", fix="remove `yield` from the handler")
    check_two_arguments(handler)


def _steps(sent: MessageType[Any], target: MessageType[Any]) -> list[tuple[Mapping[str, Any], ...]]:
    """Return the upcast operations of every version after ``sent`` up to ``target``, oldest first."""
    steps: list[tuple[Mapping[str, Any], ...]] = []
    seen: set[str] = set()
    version: MessageType[Any] | None = target
    while version is not None and version.urn not in seen:
        if version is sent:
            return steps[::-1]
        seen.add(version.urn)
        steps.append(version.upcast)
        version = version.supersedes if version.upcast else None
    raise UsageError(
        f"the registry does not define how data of {sent.urn} becomes data of {target.urn}",
        fix=f"add `supersedes` and `upcast` to {target.urn}, then generate the code again",
    )
