"""A broker that answers anything: replies of Redis, frames of RabbitMQ, documents of its management plugin, or noise."""

from __future__ import annotations

import json
import random
import socketserver
import threading
from contextlib import suppress

from fuzzing import mutate

__all__ = ["OddBroker"]

_REPLIES = (
    b"+OK\r\n", b"+PONG\r\n", b":0\r\n", b":1\r\n", b":-1\r\n", b":99999999999999999999\r\n", b"$-1\r\n", b"*-1\r\n", b"*0\r\n", b"_\r\n", b"#t\r\n", b",nan\r\n",
    b"$2\r\n{}\r\n", b"$3\r\n\xff\xfe\x00\r\n", b"*2\r\n$1\r\n0\r\n*1\r\n$1\r\na\r\n", b"*1\r\n:1\r\n", b"%1\r\n+a\r\n+b\r\n", b"$4\r\nlist\r\n", b"+none\r\n", b"+list\r\n",
    b"$99999999\r\nx", b"*99999999\r\n", b"-ERR unknown command\r\n", b"-NOAUTH x\r\n", b"-MOVED 1 a:1\r\n", b"-OOM command\r\n", b"-LOADING\r\n", b"-\r\n", b"$x\r\n", b"*2\r\n+a",
    b"$21\r\nredis_version:7.0.0\r\n\r\n", b"AMQP\x00\x00\x09\x01", b"\x01\x00\x00\x00\x00\x00\x05\x00\x0a\x00\x0a\x00\xce", b"\x08\x00\x00\x00\x00\x00\x00\xce", b"\x01\x00\x00\xff\xff\xff\xff", b"",
)  # fmt: skip
_BINDING = {"source": "babelreg", "destination_type": "queue", "destination": "warehouse", "routing_key": "urn:x"}
_DOCUMENTS = ([_BINDING], [{"name": "warehouse"}], {"error": "Object Not Found"}, None)


class OddBroker:
    """A server on a free port of this machine; :meth:`damage` decides what the next connections are told."""

    def __init__(self) -> None:
        self.chance = random.Random(0)
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def damage(self, chance: random.Random) -> None:
        """Answer as this number asks."""
        self.chance = random.Random(chance.random())

    def answer(self, request: bytes) -> bytes:
        """Return the bytes for one request."""
        if request.startswith((b"GET ", b"PUT ", b"POST ")):
            document = self.chance.choice(_DOCUMENTS)
            for _ in range(self.chance.choice([0, 1, 2])):
                document = mutate.changed_value(self.chance, document)
            body = json.dumps(document).encode("utf-8", "surrogatepass")
            if self.chance.random() < 0.2:
                body = mutate.mutated_bytes(self.chance, body)
            status = self.chance.choice([b"200 OK", b"200 OK", b"200 OK", b"401 No", b"404 No", b"500 No", b"999 \xff"])
            return b"HTTP/1.0 " + status + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        if request.startswith(b"AMQP"):
            return b"\x01\x00\x00" + self.chance.randbytes(self.chance.choice([0, 4, 40])) + b"\xce"
        hello = b"%1\r\n+proto\r\n:3\r\n" * request.count(b"HELLO")
        first = hello + b"+OK\r\n" * request.count(b"SETINFO") + b"+PONG\r\n" * request.count(b"PING")
        if first and self.chance.random() < 0.95:
            return first
        return b"".join(self.chance.choice(_REPLIES) for _ in range(self.chance.choice([1, 1, 1, 2, 3])))


def _handler_of(broker: OddBroker) -> type[socketserver.BaseRequestHandler]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.settimeout(1)
            with suppress(OSError):
                for _ in range(40):
                    request = self.request.recv(65536)
                    if not request:
                        return
                    self.request.sendall(broker.answer(request))
                    if request.startswith((b"GET ", b"AMQP")):
                        return

    return Handler
