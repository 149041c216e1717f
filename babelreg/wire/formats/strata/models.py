"""Typed models of the Strata messages. The ``repr`` shows neither ``auth`` nor ``stack``.

Source: Strata, "Envelope Types"; facts S1 to S11. ``None`` is an absent member.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from babelreg.wire.formats.strata.schema import kind_of


@dataclass(frozen=True, slots=True)
class Post:
    """A message that expects no response."""

    id: str
    context: str
    operation: str
    timestamp: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    auth: str | None = field(default=None, repr=False)
    prior_request: str | None = None
    client: str | None = None
    request_chain: tuple[str, ...] | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the message."""
        return _head(self, "post") | _tracing(self)


@dataclass(frozen=True, slots=True)
class Request(Post):
    """A message that expects a response in ``response_queue`` within ``timeout_ms`` (0: the service's default)."""

    response_queue: str | None = None
    timeout_ms: float | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the message."""
        own = _given(responseQueue=self.response_queue, timeout=self.timeout_ms)
        return _head(self, "request") | own | _tracing(self)


@dataclass(frozen=True, slots=True)
class ResponseMessage:
    """One message of a response. ``stack`` is never to be exposed to end users."""

    severity: str
    message: str
    code: str | None = None
    type: str | None = None
    details: Mapping[str, Any] | None = None
    stack: str | None = field(default=None, repr=False)

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the message."""
        optional = _given(code=self.code, type=self.type, details=self.details, stack=self.stack)
        return {"severity": self.severity, "message": self.message} | optional


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to a request, with its id, context and operation."""

    id: str
    context: str
    operation: str
    timestamp: str
    status: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    messages: tuple[ResponseMessage, ...] = ()
    service: str = ""

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the message."""
        messages = [message.document() for message in self.messages]
        return _head(self, "response") | {"status": self.status, "messages": messages, "service": self.service}


@dataclass(frozen=True, slots=True)
class InfoCommand:
    """Ask a service for its state: the one command with a response, on ``response_channel``."""

    id: str
    response_channel: str

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the command."""
        return {"id": self.id, "command": "info", "responseChannel": self.response_channel}


@dataclass(frozen=True, slots=True)
class ConcurrencyCommand:
    """Set the number of requests that a service works on at a time."""

    id: str
    concurrency: float

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the command."""
        return {"id": self.id, "command": "concurrency", "payload": {"concurrency": self.concurrency}}


@dataclass(frozen=True, slots=True)
class ShutdownCommand:
    """Stop a service."""

    id: str
    graceful: bool | None = None
    exit_code: float | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the command."""
        payload = _given(graceful=self.graceful, exitCode=self.exit_code)
        return {"id": self.id, "command": "shutdown"} | ({"payload": payload} if payload else {})


@dataclass(frozen=True, slots=True)
class TooBusyCommand:
    """Configure when a service refuses work. The fields of ``payload`` are not public."""

    id: str
    payload: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the command."""
        return {"id": self.id, "command": "toobusy", "payload": dict(self.payload)}


@dataclass(frozen=True, slots=True)
class CommandResponse:
    """The answer to an info command."""

    id: str
    payload: Mapping[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the response."""
        return {"id": self.id} | _given(payload=self.payload)


Message = (
    Request | Post | Response | InfoCommand | ConcurrencyCommand | ShutdownCommand | TooBusyCommand | CommandResponse
)


def parse(document: Mapping[str, Any]) -> Message:
    """Return the typed message of a document without defects, with the lenient reader's defaults.

    Undocumented members are left out.
    """
    value = dict(document)
    kind, identity, payload = kind_of(value), document["id"], document.get("payload")
    if kind == "info":
        return InfoCommand(identity, document.get("responseChannel", ""))
    if kind == "concurrency":
        return ConcurrencyCommand(identity, document["payload"]["concurrency"])
    if kind == "shutdown":
        return ShutdownCommand(identity, (payload or {}).get("graceful"), (payload or {}).get("exitCode"))
    if kind == "toobusy":
        return TooBusyCommand(identity, payload or {})
    if kind == "command-response":
        return CommandResponse(identity, payload)
    head = (identity, document["context"], document["operation"], document["timestamp"])
    if kind == "response":
        messages = tuple(_message(message) for message in document.get("messages") or ())
        return Response(*head, document["status"], payload or {}, messages, document.get("service", ""))
    chain = document.get("requestChain")
    tracing: tuple[Any, ...] = (
        payload or {},
        document.get("metadata") or {},
        document.get("auth"),
        document.get("priorRequest"),
        document.get("client"),
        None if chain is None else tuple(chain),
    )
    if kind == "post":
        return Post(*head, *tracing)
    own: tuple[Any, ...] = (document.get("responseQueue"), document.get("timeout"))
    return Request(*head, *(*tracing, *own))


def _message(message: Mapping[str, Any]) -> ResponseMessage:
    optional = (message.get(key) for key in ("code", "type", "details", "stack"))
    return ResponseMessage(message["severity"], message["message"], *optional)


def _head(message: Post | Response, kind: str) -> dict[str, Any]:
    return {
        "id": message.id,
        "messageType": kind,
        "context": message.context,
        "operation": message.operation,
        "timestamp": message.timestamp,
        "payload": dict(message.payload),
    }


def _tracing(message: Post) -> dict[str, Any]:
    chain = None if message.request_chain is None else list(message.request_chain)
    own = {"metadata": dict(message.metadata)}
    return own | _given(
        auth=message.auth, priorRequest=message.prior_request, client=message.client, requestChain=chain
    )


def _given(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
