"""A message as code knows it: its URN, the Python type of its data, its schema and how it travels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

__all__ = ["MessageType", "message_type", "register"]

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class MessageType(Generic[T]):
    """What the registry says of one message, ready to send and to handle.

    ``schema`` is the bundled JSON Schema of ``data``; ``queue`` the logical name, None where the registry gives none.
    ``reader``: tolerant | strict. ``on_failure``: dead_letter | delete. ``parse`` makes a ``model`` of valid data,
    ``dump`` makes it data again: ``dump(parse(x)) == x`` as JSON. ``status``: draft | active | deprecated | retired;
    ``successor`` is the URN that supersedes this one, ``sunset`` the date (ISO 8601) on which a deprecated one goes.
    ``instance`` is what the data is at run time, where that is not ``model`` itself (a typed dictionary).
    ``upcast`` are the operations that make data of this message from data of the one it ``supersedes``.
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
    status: str = "active"
    successor: str | None = None
    sunset: str | None = None
    supersedes: MessageType[Any] | None = None
    upcast: tuple[Mapping[str, Any], ...] = ()
    instance: type[Any] | None = None

    def takes(self, data: Any) -> bool:
        """True when ``data`` may be data of this message, by its Python type."""
        return isinstance(data, self.instance or self.model)


_BY_MODEL: dict[type[Any], MessageType[Any]] = {}


def register(message: MessageType[T]) -> MessageType[T]:
    """``message``, now known by its model: see :func:`message_type`."""
    _BY_MODEL[message.model] = message
    return message


def message_type(model: type[T]) -> MessageType[T]:
    """The message whose data ``model`` is.

    Raises TypeError for a class that no generated module declares as one.
    """
    found = _BY_MODEL.get(model)
    if found is None:
        raise TypeError(f"{model!r} is not the data of a message: pass a class that was generated for one")
    return found
