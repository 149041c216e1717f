"""Exceptions that a service can catch or raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from babelreg.errors import BabelregError

_MAX_SHOWN = 100


class InvalidDataError(BabelregError):
    """Data that violates the contract of its message. Nothing was sent.

    ``pointer`` is an RFC 6901 pointer into the data, ``reason`` a code of ``contract.reason``, ``detail`` a sentence
    with the place. ``index`` is the position of the item in ``send_many``, from 0. The exception's text omits the
    value, because it may end up in a log; ``value`` is the value, ``shown`` its first characters.
    """

    def __init__(
        self, urn: str, pointer: str, reason: str, detail: str, value: Any = None, *, index: int | None = None
    ) -> None:
        item = "" if index is None else f"item {index}: "
        super().__init__(f"{urn}: {item}{detail} [{reason}]")
        self.urn = urn
        self.pointer = pointer
        self.reason = reason
        self.detail = detail
        self.value = value
        self.index = index

    @property
    def shown(self) -> str:
        """The ``repr`` of ``value``, at most 100 characters: for output that may show personal data."""
        value = self.value
        if isinstance(value, (dict, list, tuple)) and len(value) > _MAX_SHOWN:
            return f"{type(value).__name__} of {len(value)} members"
        text = repr(value[: _MAX_SHOWN + 1] if isinstance(value, (str, bytes)) else value)
        return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


class BrokerLimitError(BabelregError):
    """A message that a broker would refuse, in a test with ``testing.Broker(like=...)``."""


class PartlySentError(BabelregError):
    """The broker did not accept all messages of ``send_many``; its first exception is the ``__cause__``.

    ``sent`` are the ids of the messages that the broker accepted, in order. Others may or may not have arrived.
    """

    def __init__(self, urn: str, sent: Sequence[str], wanted: int) -> None:
        super().__init__(f"{urn}: the broker took {len(sent)} of {wanted} messages")
        self.urn = urn
        self.sent = tuple(sent)
        self.wanted = wanted


class SubscriptionMissingError(BabelregError):
    """The broker has no subscription to the message, which ``services`` consume according to the registry.

    Nothing was sent. A row of an outbox stays.
    """

    def __init__(self, urn: str, services: Sequence[str]) -> None:
        names = ", ".join(services)
        fix = f"start the consumers of {names}, which declare their subscriptions, or `babelreg topology URL --apply`"
        super().__init__(f"{urn}: the broker has no subscription, but {names} consume it", fix=fix)
        self.urn = urn
        self.services = tuple(services)


class UnsupportedOptionError(BabelregError):
    """A message cannot be sent with an ``option`` (headers, key, delay), which its broker or outbox does not have.

    Nothing was sent.
    """

    def __init__(self, urn: str, option: str, detail: str, *, fix: str) -> None:
        super().__init__(f"{urn}: {detail}", fix=fix)
        self.urn = urn
        self.option = option


class Reject(Exception):
    """Raised by a handler for a message that no retry can handle. The text goes into the dead-letter record."""

    # For the consumers of other packages, each with its own copy of this class.
    __babelreg_reject__: ClassVar[bool] = True


def is_reject(error: BaseException) -> bool:
    """Return True for a Reject of any copy of the runtime."""
    return getattr(type(error), "__babelreg_reject__", False) is True


def rejection(error: BaseException) -> BaseException | None:
    """Return ``error`` if it is a Reject, else the first Reject in the exception group of a task group, or None."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(rejection, error.exceptions)), None)
    return error if is_reject(error) else None
