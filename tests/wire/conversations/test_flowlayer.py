"""FlowLayer between generated codecs and a peer that was written from the protocol's page, over WebSockets."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

from websocket_connection import WebSocket

from .flowlayer_peer import COMMANDS, REJECTED, REPLIES

NOW = "2026-04-25T10:00:00Z"


def serve(package: ModuleType, listener: socket.socket) -> list[Any]:
    """Answer one client; return the data of its commands by id."""
    connection, _ = listener.accept()
    with connection:
        connection.settimeout(60)
        end, reader, received = WebSocket.accept(connection), package.Reader(), []
        while (frame := end.receive()) is not None:
            item = reader.frame(frame)
            if isinstance(item, package.Received) and isinstance(item.message, package.Command):
                received.append((item.message.id, item.data.model_dump(mode="json", exclude_unset=True)))
            for message in replies(package, item):
                end.send(package.encode(message))
    return received


def replies(package: ModuleType, item: Any) -> Iterator[Any]:
    if isinstance(item, package.Refused):
        yield package.answer(item)
        return
    message = item.message if isinstance(item, package.Received) else item
    if not isinstance(message, package.Command):
        yield package.ErrorMessage("unsupported_message_type", "clients send commands")
    elif message is item:
        error = package.ErrorObject("unknown_command", "there is no such command")
        yield package.Ack(message.id, accepted=False, error=error)
    else:
        yield package.Ack(message.id, accepted=True)
        if isinstance(item.data, package.OpsServiceStart):
            event = {"service": item.data.service, "status": "running", "timestamp": NOW}
            yield package.OpsServiceChangedCodec().event(package.OpsServiceChanged.model_validate(event))
        yield package.Result(message.id, ok=True, data={"services": []})


def test_a_server_answers_each_command_as_the_page_says(
    codecs: dict[str, ModuleType], peer: Callable[..., Any]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as threads:
        listener.settimeout(60)
        served = threads.submit(serve, codecs["flowlayer"], listener)
        report = peer("flowlayer_peer.py", "client", listener.getsockname()[1]).report()
        received = dict(reversed(served.result(60)))
    assert [line["case"] for line in report] == [case.name for case in COMMANDS]
    for case in COMMANDS:
        if case.good:
            sent = json.loads(case.frame)
            assert received[sent["id"]] == sent.get("payload", {}), case.name
    refused = [line["messages"][0]["payload"] for line in report if line["answer"] == REJECTED]
    assert [payload["error"]["code"] for payload in refused] == ["invalid_payload"] * 5 + ["unknown_command"]


def test_a_client_takes_good_messages_and_refuses_bad_ones_without_an_answer(
    codecs: dict[str, ModuleType], peer: Callable[..., Any]
) -> None:
    package = codecs["flowlayer"]
    server = peer("flowlayer_peer.py", "server")
    end, reader = WebSocket.connect("127.0.0.1", server.line()["port"]), package.Reader()
    start = package.OpsServiceStartCodec()
    first, last = (start.command(package.OpsServiceStart(service=name)) for name in ("größe 😀", "last"))
    end.send(package.encode(first))
    items: list[Any] = []
    while not (items and isinstance(items[-1], package.Received) and items[-1].data.status == "stopped"):
        items.append(reader.frame(end.receive() or b""))
    end.send(package.encode(last))
    end.close()
    report = server.report()
    assert [line["received"]["payload"]["service"] for line in report[len(REPLIES) :]] == ["größe 😀", "last"]
    assert [outcome(package, item) for item in items] == [
        reply.code or json.loads(reply.frame).get("payload", {}) for reply in REPLIES
    ]


def outcome(package: ModuleType, item: Any) -> Any:
    """Return the page's code of what is refused, else the payload."""
    if isinstance(item, package.Refused):
        return "invalid_payload" if item.message is not None and item.code == "missing_required" else item.code
    return item.data.model_dump(mode="json") if isinstance(item, package.Received) else item.document()["payload"]
