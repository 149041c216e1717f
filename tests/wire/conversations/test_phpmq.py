"""PHPMQ between generated codecs and a peer in PHP that was written from the protocol's page, over TCP."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("php") is None, reason="needs PHP's command line"),
]

TTL = 3600


def envelope(data: Any, *, job: str = "urn:babel:orders:order.create") -> bytes:
    """Return what a service in PHP that speaks BabelQueue's envelope puts into a queue."""
    meta = {
        "id": "f1e2d3c4-b5a6-4789-90ab-cdef01234567",
        "queue": "orders",
        "lang": "php",
        "schema_version": 1,
        "created_at": 1749132727000,
    }
    trace = "7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b"
    return json.dumps({"job": job, "trace_id": trace, "data": data, "meta": meta, "attempts": 0}).encode()


ORDER = {"order_id": 1042, "amount": "19.90"}
CONTENTS = {
    "Orders": {
        "good": {
            "order": envelope(ORDER),
            "order with a note outside of ASCII": envelope({**ORDER, "note": 'größe 😀 \u2028 "\\ \n'}),
            "order with half a megabyte": envelope({**ORDER, "note": "ü" * 80_000}),
            "order whose note looks like headers": envelope({**ORDER, "note": "H0100102P01" + "0" * 28 + "3Foo"}),
        },
        "bad": {
            "content is not JSON": b"Hello World",
            "content is empty": b"",
            "envelope cut short": envelope(ORDER)[:-9],
            "content is not UTF-8": envelope(ORDER).replace(b"19.90", b"\xff\xfe"),
            "content is an array": b"[1042]",
            "data lacks a required member": envelope({"order_id": 1042}),
            "data has a member of another type": envelope({**ORDER, "order_id": "1042"}),
            "job that nobody knows": envelope(ORDER, job="urn:babel:coffee:brew"),
        },
    },
    "Notes": {
        "good": {
            "text": b"Hello World",
            "text outside of ASCII": "größe 😀 \u2028 \r\n".encode(),
            "text that looks like a message": b"H0100102P01" + b"0" * 28 + b"3Foo",
            "text of half a megabyte": b"x" * 500_000,
            "JSON that is no envelope": b'{"order_id":1042}',
        },
        "bad": {"text that is too short": b"Hi", "empty text": b"", "bytes that are no text": b"\xff\xfe\xfd\x00"},
    },
}
BROKEN = {
    "version 02",
    "content cut short",
    "package count too high",
    "content length one too low",
    "content length of 29 nines",
    "no queue name",
    "time to live is not a number",
}


@pytest.fixture(params=CONTENTS)
def queue(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def contents(queue: str, tmp_path: Path) -> Path:
    file = tmp_path / "contents.json"
    encoded = {
        kind: {name: base64.b64encode(content).decode() for name, content in group.items()}
        for kind, group in CONTENTS[queue].items()
    }
    file.write_text(json.dumps(encoded), "utf-8")
    return file


def data_of(queue: str, content: bytes) -> Any:
    return json.loads(content)["data"] if queue == "Orders" else {"content": content.decode()}


class Endpoint:
    """A server on generated codecs: it keeps the messages that it can read, and answers nothing to others."""

    def __init__(self, package: ModuleType) -> None:
        self.package = package
        self.received: list[Any] = []
        self.ready: deque[Any] = deque()
        self.delivered: dict[bytes, Any] = {}
        self.removed: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.settimeout(60)
            with connection:
                self._serve(connection)

    def _serve(self, connection: socket.socket) -> None:
        reader = self.package.Reader()
        while not reader.stopped and (data := connection.recv(65536)):
            for item in reader.feed(data):
                for message in self._replies(item):
                    connection.sendall(self.package.encode(message))

    def _replies(self, item: Any) -> list[Any]:
        package = self.package
        if isinstance(item, package.Received) and isinstance(item.message, package.MessageClientToServer):
            self.received.append(item.data.model_dump(mode="json", exclude_unset=True))
            self.ready.append((b"%032x" % len(self.received), item.message.content, item.message.ttl_seconds))
        elif isinstance(item, package.ConsumeRequest):
            count = min(item.count, len(self.ready))
            return [self._dispatch(item.queue, *self.ready.popleft()) for _ in range(count)]
        elif isinstance(item, package.ReQueue):
            self.ready.append((item.message_id, self.delivered.pop(item.message_id), item.ttl_seconds))
        elif isinstance(item, (package.Acknowledgement, package.DeadLetter)):
            self.removed.append(self.delivered.pop(item.message_id))
        return []

    def _dispatch(self, queue: bytes, identity: bytes, content: bytes, ttl_seconds: int) -> Any:
        self.delivered[identity] = content
        return self.package.MessageServerToClient(queue, content, identity, ttl_seconds)


def test_an_endpoint_keeps_what_a_writer_in_php_sends_and_dispatches_it(
    codecs: dict[str, ModuleType], peer: Callable[..., Any], queue: str, contents: Path
) -> None:
    endpoint = Endpoint(codecs["phpmq"])
    try:
        report = peer("phpmq_peer.php", "client", queue, contents, endpoint.port).report()
    finally:
        endpoint.listener.close()
    assert {line["case"] for line in report if not line["good"]} >= BROKEN
    good = CONTENTS[queue]["good"]
    assert endpoint.received == [data_of(queue, content) for content in good.values()]
    assert sorted(endpoint.removed) == sorted(good.values())
    assert not endpoint.ready


def test_a_reader_removes_by_its_id_what_it_cannot_take(
    codecs: dict[str, ModuleType], peer: Callable[..., Any], queue: str, contents: Path
) -> None:
    package = codecs["phpmq"]
    endpoint = peer("phpmq_peer.php", "endpoint", queue, contents)
    port = endpoint.line()["port"]
    received: list[Any] = []
    connections = 0
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), 60)
        except ConnectionRefusedError:
            break
        connections += 1
        with connection:
            received += read(package, connection, queue.encode())
    report = endpoint.report()
    assert {line["case"] for line in report if not line["good"]} >= BROKEN
    assert received == [data_of(queue, content) for content in CONTENTS[queue]["good"].values()]


def read(package: ModuleType, connection: socket.socket, queue: bytes) -> list[Any]:
    """Return the data of the queue's messages until the endpoint closes, or sends what is no message."""
    reader, received = package.Reader(), []
    connection.sendall(package.encode(package.ConsumeRequest(queue, 100)))
    while not reader.stopped:
        data = connection.recv(65536)
        for item in reader.feed(data) if data else reader.close():
            message = item.message if isinstance(item, package.Received) else item
            if isinstance(item, package.Refused):
                reply = package.answer(item)
            elif not isinstance(message, package.MessageServerToClient):
                reply = None
            elif message is item or message.queue != queue:
                reply = package.DeadLetter(message.queue, message.message_id)
            else:
                received.append(item.data.model_dump(mode="json", exclude_unset=True))
                reply = package.Acknowledgement(message.queue, message.message_id)
            if reply is not None:
                connection.sendall(package.encode(reply))
        if not data:
            break
    return received
