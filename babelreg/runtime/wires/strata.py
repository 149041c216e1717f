"""Requests, posts and responses of Strata with typed payloads.

A codec makes the wire's message of typed data, ``encode`` its bytes, and a reader goes back: bytes of a stream in,
messages out. Service commands are the wire's own messages. One message is one item of a Redis list, or one line.
Secrets (``auth``, ``stack``) are in the wire's message alone, and in no ``repr``.
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from babelreg.runtime.errors import InvalidDataError
from babelreg.runtime.wires.line_reader import LineReader
from babelreg.runtime.wires.payload import Payload, Received, Refused, now
from babelreg.wire.format import WireError
from babelreg.wire.formats.strata.check import validate
from babelreg.wire.formats.strata.codec import UNKNOWN_CLIENT, decode, limits
from babelreg.wire.formats.strata.codec import encode as encode_document
from babelreg.wire.formats.strata.models import Message, Post, Request, Response, ResponseMessage, parse
from babelreg.wire.formats.strata.secrets import without_secrets

__all__ = [
    "InvalidDataError",
    "Post",
    "PostCodec",
    "Reader",
    "Received",
    "Refused",
    "Request",
    "RequestCodec",
    "Response",
    "ResponseCodec",
    "ResponseMessage",
    "WireError",
    "answer",
    "encode",
]

T = TypeVar("T")
M = TypeVar("M")
Typed = Received[Any, Request | Post | Response] | Message
Incoming = Typed | Refused

_ALPHABET = string.ascii_letters + string.digits


class _Addressed(Payload[T, M]):
    """A message of one operation. ``client`` is the sender's name."""

    context: ClassVar[str]
    operation: ClassVar[str]

    def __init__(self, *, client: str = UNKNOWN_CLIENT) -> None:
        super().__init__()
        self._client = client


class PostCodec(_Addressed[T, Post]):
    """Makes posts of one operation: messages that expect no response."""

    def post(
        self,
        data: T,
        *,
        id: str | None = None,
        timestamp: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        auth: str | None = None,
        after: Request | Post | None = None,
    ) -> Post:
        """Return a post. ``after`` is the message that caused it, whose chain it goes on.

        ``id`` is by default a new one of 20 letters and digits, ``timestamp`` the present time.

        Raises InvalidDataError for data that does not satisfy its contract, TypeError for the data of another message.
        """
        head = (id or _new_id(), self.context, self.operation, timestamp or now(), self.values(data), metadata or {})
        prior, chain = _chained(after)
        return Post(*head, auth, prior, self._client, chain)


class RequestCodec(_Addressed[T, Any]):
    """Makes requests of one operation."""

    def request(
        self,
        data: T,
        *,
        response_queue: str | None = None,
        id: str | None = None,
        timestamp: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        auth: str | None = None,
        timeout_ms: float | None = None,
        after: Request | Post | None = None,
    ) -> Request:
        """Return a request; otherwise as :meth:`PostCodec.post`.

        Its response goes to ``response_queue``, which a backend may set, too.
        """
        head = (id or _new_id(), self.context, self.operation, timestamp or now(), self.values(data), metadata or {})
        prior, chain = _chained(after)
        return Request(
            *head, auth, prior, request_chain=chain, client=self._client, response_queue=response_queue,
            timeout_ms=timeout_ms,
        )  # fmt: skip

    def received(self, item: object) -> Received[T, Request] | None:
        """Return ``item``, which a reader returned, where it is such a request; else None."""
        found = super().received(item)
        return found if found is not None and isinstance(found.message, Request) else None

    def posted(self, item: object) -> Received[T, Post] | None:
        """Return ``item``, which a reader returned, where it is such a message that expects no response; else None."""
        found = super().received(item)
        return None if found is None or isinstance(found.message, Request) else found


class ResponseCodec(_Addressed[T, Response]):
    """Makes responses of one operation. Their data is the payload.

    No contract holds for the payload of a response that failed or is pending.
    """

    def response(
        self,
        data: T,
        *,
        to: Request,
        messages: Sequence[ResponseMessage] = (),
        service: str = "",
        timestamp: str | None = None,
    ) -> Response:
        """Return the response to a request that succeeded, with its id, context and operation.

        Raises as :meth:`PostCodec.post`.
        """
        head = (to.id, to.context, to.operation, timestamp or now())
        return Response(*head, "succeeded", self.values(data), tuple(messages), service)

    def unsuccessful(
        self,
        *,
        to: Request,
        status: str = "failed",
        payload: Mapping[str, Any] | None = None,
        messages: Sequence[ResponseMessage] = (),
        service: str = "",
        timestamp: str | None = None,
    ) -> Response:
        """Return the response to a request that failed, or with ``status`` pending."""
        head = (to.id, to.context, to.operation, timestamp or now())
        return Response(*head, status, payload or {}, tuple(messages), service)

    def not_succeeded(self, item: object) -> Response | None:
        """Return ``item``, which a reader returned, where it is a failed or pending response of the operation."""
        if isinstance(item, Response) and (item.context, item.operation) == (self.context, self.operation):
            return item
        return None


def encode(message: Message) -> bytes:
    """Return the bytes of one message, without a line end.

    Raises WireError for a message that breaks a rule for writers.
    """
    return encode_document(message.document())


def answer(refused: Refused, *, service: str = "", timestamp: str | None = None) -> Response | None:
    """Return the failed response that a service owes to a refused request; None where none can be addressed.

    A post expects no response, and of a broken message id, context and operation may be unreadable. The queue that it
    goes to is ``responseQueue`` of ``refused.message``.
    """
    if refused.kind != "request":
        return None
    message = refused.message
    document = message.document() if isinstance(message, Request) else message
    address = [document.get(name) for name in ("id", "context", "operation")]
    if not all(name and isinstance(name, str) for name in address):
        return None
    reason = ResponseMessage("error", refused.detail, refused.code, "InvalidDataError")
    identity, context, operation = map(str, address)
    return Response(identity, context, operation, timestamp or now(), "failed", {}, (reason,), service)


class Reader(LineReader[Typed]):
    """Reads one stream: bytes in, messages out.

    A message of the registry is a Received with its typed data, any other message is the wire's own, and what cannot
    be read is a Refused. Generated code derives a class and sets ``codecs``.
    """

    kind_member = "messageType"
    codecs: ClassVar[tuple[type[RequestCodec[Any]] | type[PostCodec[Any]] | type[ResponseCodec[Any]], ...]] = ()

    def __init__(self) -> None:
        super().__init__(decode, validate, limits.message_bytes)
        self._urns = {
            (codec.context, codec.operation, kind): codec.message.urn
            for codec in self.codecs
            for kind, base in _KINDS.items()
            if issubclass(codec, base)
        }

    def item(self, data: bytes) -> Incoming:
        """Return the message of one item of a Redis list, or of the field ``msg`` of a stream entry."""
        return self._one(data)

    def _typed(self, value: dict[str, Any]) -> Incoming:
        message, kind = parse(value), value.get("messageType")
        if not isinstance(message, (Post, Response)) or not isinstance(kind, str):
            return message
        urn = self._urns.get((message.context, message.operation, kind))
        if urn is None and kind == "post":
            urn = self._urns.get((message.context, message.operation, "request"))
        if urn is None or (isinstance(message, Response) and message.status != "succeeded"):
            return message
        public, _ = without_secrets(value)
        return self._payloads.read(urn, public.get("payload") or {}, message)


_KINDS: dict[str, type[_Addressed[Any, Any]]] = {"request": RequestCodec, "post": PostCodec, "response": ResponseCodec}


def _chained(after: Post | None) -> tuple[str | None, tuple[str, ...] | None]:
    """Return ``prior_request`` and ``request_chain`` of what ``after`` causes (S5)."""
    return (None, None) if after is None else (after.id, (*(after.request_chain or ()), after.id))


def _new_id() -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(20))
