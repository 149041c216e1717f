"""What goes wrong at run time, as exceptions a service can catch or raise."""

from __future__ import annotations

from typing import Any

from babelreg.errors import BabelregError

__all__ = ["InvalidDataError", "Reject"]


class InvalidDataError(BabelregError):
    """Data that must not be sent: it does not satisfy its message's contract. Nothing was sent.

    ``pointer`` is an RFC 6901 pointer into the data, ``reason`` a code of ``contract.reason``, ``detail`` says it in
    words, with the place. The text leaves the value out, because logs keep what they are given; ``value`` has it.
    """

    def __init__(self, urn: str, pointer: str, reason: str, detail: str, value: Any = None) -> None:
        super().__init__(f"{urn}: {detail} [{reason}]")
        self.urn = urn
        self.pointer = pointer
        self.reason = reason
        self.detail = detail
        self.value = value


class Reject(Exception):
    """Raised by a handler: this message can never be handled, do not try again. The text goes to the dead letter."""
