"""The description of a message at run time: its URN, the Python type of its data, its schema and its delivery."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class MessageType(Generic[T]):
    """One message of the registry, as producers and consumers need it.

    ``schema`` is the bundled JSON Schema of ``data``; ``queue`` the logical name, None where the registry has none.
    ``reader``: tolerant | strict. ``on_failure``: dead_letter | delete. ``backoff``: ``first_seconds``, ``factor`` and
    ``longest_seconds`` of the delays of retries; None for those of the app. ``time_limit_seconds``: how long one call
    of a handler may take; None for no limit. ``parse`` turns valid data into a ``model``, ``dump`` turns it back:
    ``dump(parse(x)) == x`` as JSON. ``status``: draft | active | deprecated | retired; ``successor`` is the URN that
    supersedes this one, ``sunset`` the last date (ISO 8601) of a deprecated one. ``consumers`` are the services that
    consume it, None where that is not known: then the message goes to its queue. ``node_consumers`` are services in
    Node, which rounds integers beyond 2**53 - 1 (E27): a producer refuses these. ``instance`` is the run-time class of
    the data where that is not ``model`` itself (a typed dictionary). ``upcast`` are the operations that turn data of
    the message that this one ``supersedes`` into data of this one. ``headers``: its consumers read frames of headers
    where the broker has none of its own. ``aliases`` are other names under which producers elsewhere send it: consumers
    handle it under each, producers here send the URN.
    """

    urn: str
    model: type[T]
    schema: Mapping[str, Any]
    parse: Callable[[Any], T]
    dump: Callable[[T], dict[str, Any]]
    queue: str | None = None
    reader: str = "tolerant"
    max_attempts: int | None = None
    on_failure: str = "dead_letter"
    backoff: Mapping[str, float] | None = None
    time_limit_seconds: float | None = None
    status: str = "active"
    successor: str | None = None
    sunset: str | None = None
    supersedes: MessageType[Any] | None = None
    upcast: tuple[Mapping[str, Any], ...] = ()
    instance: type[Any] | None = None
    node_consumers: Sequence[str] = ()
    consumers: Sequence[str] | None = None
    headers: bool = False
    aliases: Sequence[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names under which it is sent: the URN and the aliases."""
        return (self.urn, *self.aliases)

    def takes(self, data: Any) -> bool:
        """Return True if ``data`` has the Python type of this message's data."""
        return isinstance(data, self.instance or self.model)


def urns_by_alias(messages: Iterable[MessageType[Any]]) -> dict[str, str]:
    """Return the URN by each alias of ``messages``."""
    return {alias: message.urn for message in messages for alias in message.aliases}


_BY_MODEL: dict[type[Any], MessageType[Any]] = {}


def register(message: MessageType[T]) -> MessageType[T]:
    """Register ``message`` under its model, for :func:`message_type`, and return it."""
    _BY_MODEL[message.model] = message
    return message


def message_type(model: type[T]) -> MessageType[T]:
    """Return the message whose data is a ``model``.

    Raises TypeError for a class that no generated module declares as the data of a message.
    """
    message = _BY_MODEL.get(model)
    if message is None:
        raise TypeError(f"{model!r} is not the data of a message: pass a class that was generated for one")
    return message
