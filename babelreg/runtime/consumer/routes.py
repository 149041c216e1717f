"""Which handler takes which message, and how data of an earlier version becomes what the handler knows.

A route leads from the URN of a delivery to a handler. Where the handler is for a later version, the steps of every
version between are applied one after the other: v1 to v2, then v2 to v3.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from babelreg.contract import Contract
from babelreg.contract.upcast import Upcast, compiled, composed
from babelreg.errors import UsageError
from babelreg.runtime.context import Context
from babelreg.runtime.message import MessageType
from babelreg.runtime.validators import require_validators

__all__ = ["Handler", "Route", "Routes"]

T = TypeVar("T")
Handler = Callable[[T, Context], Awaitable[None] | None]
"""Plain or async. Returning means done, raising means once more, raising Reject means never."""


@dataclass(frozen=True, slots=True)
class Route:
    """One URN's way: ``sent`` is the message as it is delivered, ``taken`` the one that ``handler`` takes.

    ``upcast`` is None where they are the same.
    """

    sent: MessageType[Any]
    taken: MessageType[Any]
    handler: Handler[Any]
    upcast: Upcast | None = None


class Routes:
    """The routes of one consumer."""

    def __init__(self) -> None:
        self._routes: dict[str, Route] = {}

    def __bool__(self) -> bool:
        return bool(self._routes)

    def __contains__(self, urn: str) -> bool:
        return urn in self._routes

    def __getitem__(self, urn: str) -> Route:
        return self._routes[urn]

    def add(self, message: MessageType[T], earlier: Iterable[MessageType[Any]], handler: Handler[T]) -> None:
        """Lead ``message`` and its ``earlier`` versions to ``handler``.

        Raises UsageError when one of them has a handler, when the registry has no steps from it to ``message``, and for
        what cannot be called as a handler.
        """
        _refuse_uncallable(handler)
        new = [Route(message, message, handler)]
        for sent in earlier:
            new.append(Route(sent, message, handler, composed(compiled(step) for step in _steps(sent, message))))
        for route in new:
            if route.sent.urn in self._routes:
                raise UsageError(f"{route.sent.urn} has a handler already", fix="call both from one handler")
        self._routes |= {route.sent.urn: route for route in new}

    def queues(self, default: str) -> list[str]:
        """The queues of all messages, each once; ``default`` where the registry names none."""
        return list(dict.fromkeys(route.sent.queue or default for route in self._routes.values()))

    def contract(self) -> Contract:
        """What deliveries must satisfy, each as the version it was sent as.

        Raises SchemaError that names every message for which no validator can be built.
        """
        messages = [route.sent for route in self._routes.values()]
        strict = [message.urn for message in messages if message.reader == "strict"]
        contract = Contract({message.urn: message.schema for message in messages}, strict=strict)
        require_validators(contract, self._routes)
        return contract

    def missing(self, declared: Mapping[str, str], allowed: Iterable[str]) -> dict[str, str]:
        """Those of ``declared`` (class names by URN) that have no handler and are not ``allowed`` to."""
        without = set(declared) - set(self._routes) - set(allowed)
        return {urn: name for urn, name in declared.items() if urn in without}


def _refuse_uncallable(handler: Callable[..., Any]) -> None:
    """Raises UsageError where calling ``handler`` would fail, or would do nothing and seem to have done it."""
    name = getattr(handler, "__name__", repr(handler))
    if inspect.isgeneratorfunction(handler) or inspect.isasyncgenfunction(handler):
        raise UsageError(f"{name} is a generator: calling it does nothing", fix="take `yield` out of the handler")
    try:
        inspect.signature(handler).bind(None, None)
    except TypeError:
        raise UsageError(f"{name} must take two arguments", fix=f"def {name}(data, context): ...") from None
    except ValueError:
        pass  # written in C: nobody knows


def _steps(sent: MessageType[Any], taken: MessageType[Any]) -> list[tuple[Mapping[str, Any], ...]]:
    """The upcast operations of every version after ``sent`` up to ``taken``, oldest first."""
    found: list[tuple[Mapping[str, Any], ...]] = []
    for version in _line(taken):
        if version is sent:
            return found[::-1]
        if version.upcast:
            found.append(version.upcast)
    raise UsageError(
        f"the registry does not say how data of {sent.urn} becomes data of {taken.urn}",
        fix=f"add `supersedes` and `upcast` to {taken.urn}, then generate again",
    )


def _line(message: MessageType[Any]) -> Iterator[MessageType[Any]]:
    """``message``, the one it can be upcast from, the one that can be, and so on."""
    seen: set[str] = set()
    before: MessageType[Any] | None = message
    while before is not None and before.urn not in seen:
        yield before
        seen.add(before.urn)
        before = before.supersedes if before.upcast else None
