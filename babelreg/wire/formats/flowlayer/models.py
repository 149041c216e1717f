"""Typed models of the five FlowLayer messages. Source: FlowLayer, "Message Envelopes"; facts F1 to F5, F19."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ErrorObject:
    """The reason for a refusal: a code of the catalogue, and a message for people."""

    code: str
    message: str

    def document(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class Command:
    """A request of the client. ``payload`` None: the command takes none, and the member is omitted."""

    id: str
    name: str
    payload: Mapping[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the message."""
        return {"type": "command", "id": self.id, "name": self.name} | _given("payload", self.payload)


@dataclass(frozen=True, slots=True)
class Ack:
    """The immediate acceptance or rejection of a command; a rejection is final (F7)."""

    id: str
    accepted: bool
    error: ErrorObject | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the message; an error beside accepted=true is omitted, as the reference does."""
        error = self.error.document() if self.error is not None and not self.accepted else None
        return {"type": "ack", "id": self.id, "payload": {"accepted": self.accepted} | _given("error", error)}


@dataclass(frozen=True, slots=True)
class Result:
    """The final outcome of an accepted command. ``failed_services`` is undocumented, but known to the client."""

    id: str
    ok: bool
    data: Any = None
    error: ErrorObject | None = None
    failed_services: tuple[str, ...] | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the message."""
        payload: dict[str, Any] = {"ok": self.ok} | _given("data", self.data)
        payload |= _given("error", None if self.error is None else self.error.document())
        payload |= _given("failed_services", None if self.failed_services is None else list(self.failed_services))
        return {"type": "result", "id": self.id, "payload": payload}


@dataclass(frozen=True, slots=True)
class Event:
    """A notification at run time."""

    name: str
    payload: Mapping[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the message."""
        return {"type": "event", "name": self.name} | _given("payload", self.payload)


@dataclass(frozen=True, slots=True)
class ErrorMessage:
    """A validation or routing error of the protocol. The ``id`` is optional (facts 2.2, 1)."""

    code: str
    message: str
    id: str | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the message."""
        head: dict[str, Any] = {"type": "error"} | _given("id", self.id)
        return head | {"payload": {"code": self.code, "message": self.message}}


Message = Command | Ack | Result | Event | ErrorMessage


def parse(document: Mapping[str, Any]) -> Message:
    """Return the typed message of a document without defects. Undocumented members are left out."""
    kind, payload = document["type"], document.get("payload") or {}
    if kind == "command":
        return Command(document["id"], document["name"], document.get("payload"))
    if kind == "event":
        return Event(document["name"], document.get("payload"))
    if kind == "error":
        return ErrorMessage(payload["code"], payload["message"], document.get("id"))
    error = _error(payload.get("error"))
    if kind == "ack":
        return Ack(document["id"], payload["accepted"], error)
    failed = payload.get("failed_services")
    services = tuple(failed) if isinstance(failed, list) else None
    return Result(document["id"], payload["ok"], payload.get("data"), error, services)


def _error(error: Any) -> ErrorObject | None:
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        return None
    return ErrorObject(error["code"], str(error.get("message", "")))


def _given(name: str, value: Any) -> dict[str, Any]:
    return {} if value is None else {name: value}
