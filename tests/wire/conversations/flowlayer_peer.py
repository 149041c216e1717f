"""FlowLayer V1 client and server, written from the page "Message Envelopes" alone.

    flowlayer_peer.py client PORT    send commands, good and bad, to a server on 127.0.0.1
    flowlayer_peer.py server         print a port, wait for a client, send it messages, good and bad

Each prints one JSON object a line: a case, what was sent, what the page demands, what came back, and whether that
passes; the exit status is 1 if a case fails.

Page sections it implements:

- the common envelope: `type`, `id`, `name`, `payload`, left out when not applicable;
- the table of types with their directions. Only `command` goes from client to server, so a client that is sent a bad
  message has nothing to answer with, and a server answers a message of another type with `error`;
- the command lifecycle: `ack` with the same id, then `result` with the same id if `accepted` is true, no `result` if
  it is false;
- the protocol validator's table (`invalid_json`, `missing_type`, `unknown_type`, `missing_id`, `missing_name`,
  `invalid_payload`): checks of the envelope are answered with `error`, whose `payload.code` and `payload.message` are
  both non-empty, and whose `id` is optional;
- type-specific payload checks (`accepted`, `ok`, `code` and `message`);
- command-specific payload checks: command processing refuses the command, so its `ack` has `accepted: false`.

Where the page leaves a choice, a case names every answer that it allows.
Transport: one JSON text per WebSocket message.
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from websocket_connection import WebSocket

TYPES = ("command", "ack", "result", "event", "error")
CODES = ("invalid_json", "missing_type", "unknown_type", "missing_id", "missing_name", "invalid_payload")
ACCEPTED, REJECTED = "ack accepted, then result", "ack not accepted, no result"


def error(*codes: str) -> tuple[str, ...]:
    """Return the answers `error` with one of these codes; any code without one."""
    return tuple(f"error {code}" for code in codes) or ("error",)


@dataclass(frozen=True)
class Command:
    """A frame from client to server, and the answers that the page allows."""

    name: str
    frame: str
    answers: tuple[str, ...]
    good: bool = False


@dataclass(frozen=True)
class Reply:
    """A frame from server to client. ``code`` is the check of the page that it fails, None if it is good."""

    name: str
    frame: str
    code: str | None = None


@dataclass
class Lifecycle:
    """Answers to one case."""

    messages: list[dict[str, Any]] = field(default_factory=list)

    def over(self) -> bool:
        """Return whether no further answer may come."""
        last = self.messages[-1] if self.messages else {}
        rejected = last.get("type") == "ack" and (last.get("payload") or {}).get("accepted") is not True
        return rejected or last.get("type") in ("result", "error")

    def answer(self, command_id: object) -> str:
        """Return the answer in the words of the cases; anything the page does not allow reads `broken: ...`."""
        kinds = [message.get("type") for message in self.messages]
        problems = [problem for message in self.messages for problem in problems_of(message)]
        if problems:
            return f"broken: {problems}"
        if kinds == ["error"]:
            message = self.messages[0]
            if "id" in message and message["id"] != command_id:
                return f"broken: error has id {message['id']!r}"
            return f"error {message['payload']['code']}"
        if any(message["id"] != command_id for message in self.messages):
            return "broken: an answer has another id"
        if kinds == ["ack"] and self.messages[0]["payload"]["accepted"] is False:
            return REJECTED
        if kinds == ["ack", "result"] and self.messages[0]["payload"]["accepted"] is True:
            return ACCEPTED
        return f"broken: {kinds}"


def problems_of(message: dict[str, Any]) -> list[str]:
    """Return where an envelope breaks the page's validator."""
    kind, payload = message.get("type"), message.get("payload")
    problems = []
    if kind not in TYPES:
        problems.append(f"unknown type {kind!r}")
    if kind in ("command", "ack", "result") and not isinstance(message.get("id"), str):
        problems.append("no id")
    if kind in ("command", "event") and not isinstance(message.get("name"), str):
        problems.append("no name")
    if "payload" in message and not isinstance(payload, dict):
        return [*problems, "payload is not an object"]
    content = payload or {}
    if kind == "ack" and not isinstance(content.get("accepted"), bool):
        problems.append("no payload.accepted")
    if kind == "result" and not isinstance(content.get("ok"), bool):
        problems.append("no payload.ok")
    if kind == "error" and not (content.get("code") and content.get("message")):
        problems.append("no payload.code or no payload.message")
    return problems


def envelope(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, **fields}, ensure_ascii=False)


COMMANDS = (
    Command("command without payload", envelope("command", id="cmd-1", name="get_snapshot"), (ACCEPTED,), True),
    Command(
        "command with payload",
        envelope("command", id="cmd-2", name="start_service", payload={"service": "api"}),
        (ACCEPTED,),
        True,
    ),
    Command(
        "command with an optional member",
        envelope("command", id="cmd-3", name="get_logs", payload={"service": "api", "limit": 10}),
        (ACCEPTED,),
        True,
    ),
    Command(
        "command with text outside of ASCII",
        envelope("command", id="cmd-ä-😀", name="start_service", payload={"service": 'größe 😀 \u2028 "\\ \n'}),
        (ACCEPTED,),
        True,
    ),
    Command(
        "command of half a megabyte",
        envelope("command", id="cmd-5", name="start_service", payload={"service": "x" * 500_000}),
        (ACCEPTED,),
        True,
    ),
    Command(
        "command with its members in another order and white space",
        '\n { "payload" : {"service":"api"} , "name":"start_service",\t"id":"cmd-6", "type":"command" } \r\n',
        (ACCEPTED,),
        True,
    ),
    Command("empty frame", "", error("invalid_json")),
    Command("frame of white space", "  \n", error("invalid_json")),
    Command("frame cut short", '{"type": "command", "id": "cmd-7", "na', error("invalid_json")),
    Command("frame in single quotes", "{'type': 'command'}", error("invalid_json")),
    Command("two objects in a frame", envelope("command", id="cmd-8", name="get_snapshot") * 2, error("invalid_json")),
    Command(
        "NaN in a frame",
        '{"type": "command", "id": "cmd-9", "name": "get_logs", "payload": {"service": "api", "limit": NaN}}',
        error("invalid_json"),
    ),
    Command("array in place of an envelope", "[]", error("missing_type", "invalid_json")),
    Command("text in place of an envelope", '"command"', error("missing_type", "invalid_json")),
    Command("null in place of an envelope", "null", error("missing_type", "invalid_json")),
    Command("empty object", "{}", error("missing_type")),
    Command("no type", '{"id": "cmd-10", "name": "get_snapshot"}', error("missing_type")),
    Command("empty type", envelope("", id="cmd-11", name="get_snapshot"), error("missing_type")),
    Command("type is null", '{"type": null, "id": "cmd-12", "name": "get_snapshot"}', error("missing_type")),
    Command(
        "type is a number",
        '{"type": 1, "id": "cmd-13", "name": "get_snapshot"}',
        error("missing_type", "unknown_type", "invalid_json"),
    ),
    Command("unknown type", envelope("query", id="cmd-14", name="get_snapshot"), error("unknown_type")),
    Command("type in capitals", envelope("COMMAND", id="cmd-15", name="get_snapshot"), error("unknown_type")),
    Command("no id", envelope("command", name="get_snapshot"), error("missing_id")),
    Command("id is null", envelope("command", id=None, name="get_snapshot"), error("missing_id")),
    Command("id is a number", envelope("command", id=16, name="get_snapshot"), error("missing_id", "invalid_json")),
    Command("no name", envelope("command", id="cmd-17"), error("missing_name")),
    Command("name is null", envelope("command", id="cmd-18", name=None), error("missing_name")),
    Command("name is a number", envelope("command", id="cmd-19", name=7), error("missing_name", "invalid_json")),
    Command("neither id nor name", envelope("command"), error("missing_id", "missing_name")),
    Command(
        "payload is an array",
        envelope("command", id="cmd-20", name="start_service", payload=["api"]),
        (*error("invalid_payload"), REJECTED),
    ),
    Command(
        "payload is a text",
        envelope("command", id="cmd-21", name="start_service", payload="api"),
        (*error("invalid_payload"), REJECTED),
    ),
    Command("payload without service", envelope("command", id="cmd-22", name="start_service", payload={}), (REJECTED,)),
    Command("no payload where a service is due", envelope("command", id="cmd-23", name="start_service"), (REJECTED,)),
    Command(
        "service is a number",
        envelope("command", id="cmd-24", name="start_service", payload={"service": 7}),
        (REJECTED,),
    ),
    Command(
        "limit is a text",
        envelope("command", id="cmd-25", name="get_logs", payload={"service": "api", "limit": "ten"}),
        (REJECTED,),
    ),
    Command(
        "limit below its minimum",
        envelope("command", id="cmd-26", name="get_logs", payload={"service": "api", "limit": 0}),
        (REJECTED,),
    ),
    Command("unknown command", envelope("command", id="cmd-27", name="make_coffee"), (REJECTED, *error())),
    Command("ack from a client", envelope("ack", id="cmd-28", payload={"accepted": True}), error()),
    Command("ack without accepted from a client", envelope("ack", id="cmd-29", payload={}), error()),
    Command("result from a client", envelope("result", id="cmd-30", payload={"ok": True}), error()),
    Command(
        "event from a client",
        envelope(
            "event",
            name="service_status",
            payload={"service": "api", "status": "running", "timestamp": "2026-04-25T10:00:00Z"},
        ),
        error(),
    ),
    Command("error from a client", envelope("error", payload={"code": "invalid_json", "message": "no JSON"}), error()),
    Command(
        "id of an earlier command",
        envelope("command", id="cmd-1", name="get_snapshot"),
        (ACCEPTED, REJECTED, *error()),  # the page does not say that ids are unique
    ),
)

STATUS = {"service": "api", "status": "running", "timestamp": "2026-04-25T10:00:00Z"}
REPLIES = (
    Reply("event", envelope("event", name="service_status", payload=STATUS)),
    Reply(
        "event with text outside of ASCII",
        envelope("event", name="service_status", payload={**STATUS, "service": "größe 😀"}),
    ),
    Reply("ack", envelope("ack", id="cmd-1", payload={"accepted": True})),
    Reply("result", envelope("result", id="cmd-1", payload={"ok": True, "data": {"services": []}})),
    Reply("result that is not ok", envelope("result", id="cmd-2", payload={"ok": False})),
    Reply("ack that rejects", envelope("ack", id="cmd-3", payload={"accepted": False})),
    Reply("error", envelope("error", payload={"code": "invalid_json", "message": "invalid json message"})),
    Reply("error with an id", envelope("error", id="cmd-4", payload={"code": "missing_name", "message": "no name"})),
    Reply("empty frame", "", "invalid_json"),
    Reply("frame cut short", '{"type": "event", "name": "service_st', "invalid_json"),
    Reply("no type", '{"name": "service_status", "payload": {}}', "missing_type"),
    Reply("empty type", envelope("", id="cmd-1"), "missing_type"),
    Reply("unknown type", envelope("notice", name="service_status", payload=STATUS), "unknown_type"),
    Reply("ack without id", envelope("ack", payload={"accepted": True}), "missing_id"),
    Reply("result without id", envelope("result", payload={"ok": True}), "missing_id"),
    Reply("event without name", envelope("event", payload=STATUS), "missing_name"),
    Reply("ack without payload", envelope("ack", id="cmd-1"), "invalid_payload"),
    Reply("ack without accepted", envelope("ack", id="cmd-1", payload={}), "invalid_payload"),
    Reply("result without ok", envelope("result", id="cmd-1", payload={"data": {}}), "invalid_payload"),
    Reply("error without payload", envelope("error"), "invalid_payload"),
    Reply("error without code", envelope("error", payload={"message": "no"}), "invalid_payload"),
    Reply("error without message", envelope("error", payload={"code": "no"}), "invalid_payload"),
    Reply("error with an empty code", envelope("error", payload={"code": "", "message": "no"}), "invalid_payload"),
    Reply("error with an empty message", envelope("error", payload={"code": "no", "message": ""}), "invalid_payload"),
    Reply("payload is an array", envelope("event", name="service_status", payload=[STATUS]), "invalid_payload"),
    Reply(
        "event whose payload lacks a member",
        envelope("event", name="service_status", payload={"service": "api"}),
        "invalid_payload",
    ),
    Reply("last event", envelope("event", name="service_status", payload={**STATUS, "status": "stopped"})),
)


def run_client(port: int) -> Iterator[dict[str, Any]]:
    """Send each frame, then a good command: its result ends the answers to the frame before it.

    A connection that the bad frame has ended, or a late result of a rejected command, shows there.
    """
    connection = WebSocket.connect("127.0.0.1", port)
    for number, case in enumerate(COMMANDS):
        connection.send(case.frame.encode())
        fence = f"fence-{number}"
        connection.send(envelope("command", id=fence, name="get_snapshot").encode())
        before, closing = Lifecycle(), Lifecycle()
        while not closing.over():
            frame = connection.receive()
            if frame is None:
                break
            message = json.loads(frame)
            if message.get("type") != "event":  # events come at any time
                (closing if message.get("id") == fence else before).messages.append(message)
        answer = before.answer(_id(case.frame))
        allowed = any(
            answer == allowed or (allowed == "error" and answer.startswith("error ")) for allowed in case.answers
        )
        survives = closing.answer(fence) == ACCEPTED
        yield {
            "case": case.name,
            "good": case.good,
            "sent": case.frame,
            "demanded": list(case.answers),
            "answer": answer,
            "messages": before.messages,
            "passes": allowed and survives,
        }
        if not survives:
            return
    connection.close()


def run_server() -> Iterator[dict[str, Any]]:
    """Answer the client's first command as the page says, then send every reply; the client may send commands only."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        print(json.dumps({"port": listener.getsockname()[1]}), flush=True)
        connection, _ = listener.accept()
        connection.settimeout(60)
    end = WebSocket.accept(connection)
    frames = [end.receive()]
    for reply in REPLIES:
        end.send(reply.frame.encode())
        yield {"case": reply.name, "sent": reply.frame, "code": reply.code, "passes": True}
    while (frame := end.receive()) is not None:
        frames.append(frame)
    for frame in frames:
        message = json.loads(frame or b"{}")
        problems = problems_of(message) + ([] if message.get("type") == "command" else ["not a command"])
        yield {"case": "message of the client", "received": message, "problems": problems, "passes": not problems}
    end.close()


def _id(frame: str) -> object:
    try:
        message = json.loads(frame)
    except ValueError:
        return None
    return message.get("id") if isinstance(message, dict) else None


def main(arguments: list[str]) -> int:
    passes = True
    for line in run_client(int(arguments[1])) if arguments[0] == "client" else run_server():
        print(json.dumps(line), flush=True)
        passes &= line["passes"]
    return 0 if passes else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
