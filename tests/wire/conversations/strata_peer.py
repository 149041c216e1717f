"""Strata client and service over Redis, written from the page "Envelope Types" alone, with the queue names of Strata.

    strata_peer.py client PORT GROUP     send requests and posts, good and bad, to the service group on 127.0.0.1
    strata_peer.py service PORT GROUP    answer the group's requests with responses, good and bad

Each prints one JSON object a line: a case, what was sent, what the page demands, what came back, and whether that
passes; the exit status is 1 if a case fails.

Page sections it implements:

- MessageEnvelope: six members, all required, `payload` an object, `timestamp` ISO 8601, `id` a nanoid of 20 characters;
- RequestEnvelope: `metadata` required; `responseQueue`, `timeout`, `auth`, `priorRequest`, `client` and `requestChain`
  optional and typed;
- PostEnvelope: a request without `responseQueue` and `timeout`, and without a response, be it good or bad;
- ResponseEnvelope: the base, and `status`, `messages` and `service`. A service sends it "after processing a request", so
  a bad request is answered with status `failed` and a message of severity `error`, if its `responseQueue` can be read;
- ResponseMessage: `severity` and `message` required, `stack` never exposed.

Transport: lists of raw JSON, `RPUSH` and `BLPOP`; requests in `Requests:<Group>`, responses in the request's
`responseQueue`, `Responses:<Group>:<id of the client>`. The Redis client below speaks RESP with the standard library.
"""

from __future__ import annotations

import json
import secrets
import socket
import string
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

SEVERITIES = ("error", "warning", "info", "debug")
SUCCEEDED, FAILED, NOTHING = "succeeded", "failed", "nothing"
Json = dict[str, Any]


class Redis:
    """Connection to a Redis on 127.0.0.1."""

    def __init__(self, port: int) -> None:
        self._connection = socket.create_connection(("127.0.0.1", port), 60)
        self._stream = self._connection.makefile("rb")

    def push(self, queue: str, message: bytes) -> None:
        self._call(b"RPUSH", queue.encode(), message)

    def pop(self, queue: str, *, timeout_seconds: int = 30) -> bytes:
        """Wait for the queue's next message. Raises TimeoutError."""
        reply = self._call(b"BLPOP", queue.encode(), str(timeout_seconds).encode())
        if reply is None:
            raise TimeoutError(f"no message in {queue}")
        return reply[1]

    def _call(self, *words: bytes) -> Any:
        parts = [b"*%d\r\n" % len(words), *(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)]
        self._connection.sendall(b"".join(parts))
        return self._reply()

    def _reply(self) -> Any:
        line = self._stream.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"-" or not kind:
            raise ConnectionError(rest.decode())
        if kind == b"$":
            return None if rest == b"-1" else self._stream.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self._reply() for _ in range(int(rest))]
        return rest


@dataclass(frozen=True)
class Request:
    """A message to a service, and the answers that the page allows: a response's status, or nothing."""

    name: str
    message: bytes
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Response:
    """A response to a client. ``good`` is whether the page allows it; None where a lenient client may take it."""

    name: str
    message: bytes
    good: bool | None


def new_id() -> str:
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(20))


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def as_json(envelope: object) -> bytes:
    return json.dumps(envelope, ensure_ascii=False).encode()


def request(queue: str, /, *, without: tuple[str, ...] = (), **changes: Any) -> bytes:
    """Return a good request, changed by ``changes`` and with the members ``without`` left out."""
    envelope = {
        "id": new_id(),
        "messageType": "request",
        "context": "orders",
        "operation": "create",
        "timestamp": now(),
        "payload": {"order_id": 1042, "amount": "19.90"},
        "responseQueue": queue,
        "timeout": 30_000,
        "metadata": {},
        "client": "StrataClient.stranger",
        **changes,
    }
    return as_json({name: value for name, value in envelope.items() if name not in without})


def requests(queue: str) -> Iterator[Request]:
    good, bad, none = (SUCCEEDED,), (FAILED,), (NOTHING,)
    yield Request("request", request(queue), good)
    yield Request(
        "request with every optional member",
        request(
            queue,
            auth="eyJhbGciOiJub25lIn0.e30.",
            priorRequest=new_id(),
            requestChain=[new_id(), new_id()],
            metadata={"tenant": "acme", "depth": {"n": [1, 2.5, None, True]}},
        ),
        good,
    )
    required_only = ("timeout", "client")
    yield Request("request with its required members and a queue", request(queue, without=required_only), good)
    yield Request("request with timeout 0", request(queue, timeout=0), good)
    note = 'größe 😀 \u2028 "\\ \n'
    yield Request(
        "text outside of ASCII", request(queue, payload={"order_id": 2, "amount": "1.00", "note": note}), good
    )
    long_note = {"order_id": 3, "amount": "1.00", "note": "x" * 500_000}
    yield Request("request of half a megabyte", request(queue, payload=long_note), good)
    post = {"messageType": "post", "without": ("responseQueue", "timeout")}
    yield Request("post", request(queue, **post), none)
    yield Request("post whose payload lacks a member", request(queue, payload={}, **post), none)
    yield Request(
        "post without metadata",
        request(queue, messageType="post", without=("responseQueue", "timeout", "metadata")),
        none,
    )
    yield Request("request without responseQueue", request(queue, without=("responseQueue",)), none)
    yield Request("empty message", b"", none)
    yield Request("message cut short", request(queue)[:-40], none)
    yield Request("message is not UTF-8", request(queue).replace(b"19.90", b"\xff\xfe"), (NOTHING, FAILED))
    yield Request("array in place of an envelope", b"[]", none)
    yield Request("text in place of an envelope", b'"request"', none)
    yield Request("empty object", b"{}", none)
    for member in ("timestamp", "payload"):
        yield Request(f"request without {member}", request(queue, without=(member,)), bad)
    # `metadata` is required, and its only content is what a framework passes through: a lenient service takes it as {}.
    yield Request("request without metadata", request(queue, without=("metadata",)), (SUCCEEDED, FAILED))
    # A response has the request's context and operation. Where they cannot be read, the page has no response to send.
    yield Request("request without context", request(queue, without=("context",)), (NOTHING, FAILED))
    yield Request("request without operation", request(queue, without=("operation",)), (NOTHING, FAILED))
    yield Request("context is a number", request(queue, context=7), (NOTHING, FAILED))
    yield Request("operation is null", request(queue, operation=None), (NOTHING, FAILED))
    # A response without the request's id finds no request, and the page has no status for that.
    yield Request("request without id", request(queue, without=("id",)), (NOTHING, FAILED))
    yield Request("id is a number", request(queue, id=7), (NOTHING, FAILED))
    # Without messageType, or with one that the page does not know, it is not a request: either answer is right.
    yield Request("no messageType", request(queue, without=("messageType",)), (NOTHING, FAILED))
    yield Request("unknown messageType", request(queue, messageType="query"), (NOTHING, FAILED))
    yield Request("messageType in capitals", request(queue, messageType="REQUEST"), (NOTHING, FAILED))
    yield Request(
        "response to a service",
        request(queue, messageType="response", status="succeeded", messages=[], service="s"),
        none,
    )
    yield Request("timestamp is a number", request(queue, timestamp=1_780_000_000_000), bad)
    # The interface types it as a string, the table as ISO 8601: a service that needs no time may take it.
    yield Request("timestamp is not a date", request(queue, timestamp="yesterday"), (SUCCEEDED, FAILED))
    yield Request("payload is an array", request(queue, payload=[1042]), bad)
    yield Request("payload is null", request(queue, payload=None), bad)
    yield Request("metadata is a text", request(queue, metadata="acme"), bad)
    yield Request("timeout is a text", request(queue, timeout="30s"), bad)
    yield Request("auth is an object", request(queue, auth={"token": "x"}), bad)
    yield Request("client is a number", request(queue, client=7), bad)
    yield Request("priorRequest is a number", request(queue, priorRequest=7), bad)
    yield Request("requestChain is a text", request(queue, requestChain=new_id()), bad)
    yield Request("requestChain has a number", request(queue, requestChain=[new_id(), 7]), bad)
    yield Request("unknown context", request(queue, context="coffee"), bad)
    yield Request("unknown operation", request(queue, operation="brew"), bad)
    yield Request("payload lacks a member", request(queue, payload={"order_id": 1042}), bad)
    yield Request("payload member of another type", request(queue, payload={"order_id": "x", "amount": "1.00"}), bad)


def problems_of(response: object) -> list[str]:
    """Return where a response breaks the page's interfaces."""
    if not isinstance(response, dict):
        return ["not an object"]
    problems = [
        f"{member} is {response.get(member)!r}"
        for member in ("id", "context", "operation", "timestamp", "service")
        if not isinstance(response.get(member), str)
    ]
    if response.get("messageType") != "response":
        problems.append(f"messageType is {response.get('messageType')!r}")
    if not isinstance(response.get("payload"), dict):
        problems.append("payload is not an object")
    if response.get("status") not in ("succeeded", "failed", "pending"):
        problems.append(f"status is {response.get('status')!r}")
    try:
        datetime.fromisoformat(response.get("timestamp") or "")
    except (TypeError, ValueError):
        problems.append(f"timestamp is {response.get('timestamp')!r}")
    messages = response.get("messages")
    for message in messages if isinstance(messages, list) else [None]:
        if (
            not isinstance(message, dict)
            or message.get("severity") not in SEVERITIES
            or not isinstance(message.get("message"), str)
        ):
            problems.append(f"message {message!r}")
        elif "stack" in message:
            problems.append("a stack is exposed")
    return problems


def run_client(redis: Redis, group: str) -> Iterator[Json]:
    """Send each message, then a good request: its response ends the answers to the message before it."""
    queue = f"Responses:{group}:{new_id()}"
    for case in requests(queue):
        redis.push(f"Requests:{group}", case.message)
        fence = json.loads(request(queue))
        redis.push(f"Requests:{group}", as_json(fence))
        before = []
        while (response := json.loads(redis.pop(queue))).get("id") != fence["id"]:
            before.append(response)
        problems = [problem for message in [*before, response] for problem in problems_of(message)]
        if response["status"] != SUCCEEDED:
            problems.append(f"the good request after it: {response}")
        answer = before[0].get("status") if before else NOTHING
        sent = _read(case.message)
        if len(before) > 1:
            problems.append(f"{len(before)} responses")
        for member in ("id", "context", "operation"):
            if before and isinstance(sent.get(member), str) and before[0].get(member) != sent[member]:
                problems.append(f"{member} is not the request's")
        if answer == FAILED and "error" not in [message.get("severity") for message in before[0].get("messages") or []]:
            problems.append("failed without a message of severity error")
        if "auth" in sent and str(sent["auth"]) in str(before):
            problems.append("auth came back")
        yield {
            "case": case.name,
            "good": SUCCEEDED in case.answers or case.name == "post",
            "sent": sent,
            "demanded": list(case.answers),
            "answer": answer,
            "problems": problems,
            "passes": not problems and answer in case.answers,
        }


def responses(envelope: Json, group: str) -> Iterator[Response]:
    """Yield responses to a request: bad ones first, a good one last."""

    def changed(*, without: str = "", **changes: Any) -> bytes:
        response = {
            "id": envelope["id"],
            "messageType": "response",
            "context": envelope["context"],
            "operation": envelope["operation"],
            "timestamp": now(),
            "payload": {"accepted": True},
            "status": "succeeded",
            "messages": [],
            "service": f"{group} v1.0",
            **changes,
        }
        return as_json({name: value for name, value in response.items() if name != without})

    yield Response("empty message", b"", False)
    yield Response("message cut short", changed()[:-9], False)
    yield Response("message is not UTF-8", changed(service="ü").replace("ü".encode(), b"\xff"), False)
    yield Response("array in place of an envelope", b"[]", False)
    for member in (
        "id",
        "messageType",
        "context",
        "operation",
        "timestamp",
        "payload",
        "status",
    ):
        yield Response(f"response without {member}", changed(without=member), False)
    # They are required, and no client needs them to go on: a lenient one takes them as empty.
    yield Response("response without messages", changed(without="messages"), None)
    yield Response("response without service", changed(without="service"), None)
    yield Response("unknown messageType", changed(messageType="reply"), False)
    yield Response("request to a client", as_json(envelope), False)
    yield Response("unknown status", changed(status="done"), False)
    yield Response("status is a boolean", changed(status=True), False)
    yield Response("messages is an object", changed(messages={}), False)
    yield Response("message without severity", changed(messages=[{"message": "late"}]), False)
    yield Response("message without text", changed(messages=[{"severity": "info"}]), False)
    yield Response("unknown severity", changed(messages=[{"severity": "fatal", "message": "late"}]), False)
    yield Response("message is a text", changed(messages=["late"]), False)
    yield Response("code is a number", changed(messages=[{"severity": "info", "message": "late", "code": 7}]), False)
    yield Response(
        "details is a text", changed(messages=[{"severity": "info", "message": "late", "details": "x"}]), False
    )
    yield Response("service is null", changed(service=None), False)
    yield Response("payload is an array", changed(payload=[]), False)
    yield Response("payload lacks a member", changed(payload={}), False)
    yield Response("payload member of another type", changed(payload={"accepted": "yes"}), False)
    yield Response("timestamp is not a date", changed(timestamp="yesterday"), None)
    yield Response("context of another operation", changed(context="coffee"), False)
    details = {
        "severity": "warning",
        "message": "größe 😀",
        "code": "LATE",
        "type": "LateError",
        "details": {"days": 3},
    }
    yield Response("response with messages", changed(messages=[details, {"severity": "debug", "message": "x"}]), True)
    yield Response("response that is pending", changed(status="pending"), True)
    yield Response(
        "response that failed", changed(status="failed", messages=[{"severity": "error", "message": "no"}]), True
    )
    yield Response("response", changed(), True)


def run_service(redis: Redis, group: str) -> Iterator[Json]:
    """Check each request of a client against the page, and answer the first with every response."""
    print(json.dumps({"ready": True}), flush=True)
    first = True
    while True:
        envelope = json.loads(redis.pop(f"Requests:{group}"))
        problems = request_problems(envelope)
        yield {"case": "message of the client", "received": envelope, "problems": problems, "passes": not problems}
        if envelope["messageType"] == "post":
            return
        for response in responses(envelope, group) if first else ():
            redis.push(envelope["responseQueue"], response.message)
            yield {"case": response.name, "good": response.good, "sent": _read(response.message), "passes": True}
        first = False


def request_problems(envelope: Json) -> list[str]:
    """Return where a request or a post breaks the page's interfaces."""
    problems = [m for m in ("id", "context", "operation", "timestamp") if not isinstance(envelope.get(m), str)]
    problems += [member for member in ("payload", "metadata") if not isinstance(envelope.get(member), dict)]
    optional = ("responseQueue", "auth", "priorRequest", "client")
    problems += [member for member in optional if not isinstance(envelope.get(member, ""), str)]
    if envelope.get("messageType") not in ("request", "post"):
        problems.append("messageType")
    if envelope.get("messageType") == "post" and {"responseQueue", "timeout"} & set(envelope):
        problems.append("a post has responseQueue or timeout")
    if len(str(envelope.get("id"))) != 20:
        problems.append("id has not 20 characters")
    return problems


def _read(message: bytes) -> Json:
    try:
        envelope = json.loads(message)
    except ValueError:
        return {"unreadable": message.decode("latin-1")}
    return envelope if isinstance(envelope, dict) else {"unreadable": message.decode("latin-1")}


def main(arguments: list[str]) -> int:
    mode, port, group = arguments
    redis = Redis(int(port))
    passes = True
    for line in run_client(redis, group) if mode == "client" else run_service(redis, group):
        print(json.dumps(line), flush=True)
        passes &= line["passes"]
    return 0 if passes else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
