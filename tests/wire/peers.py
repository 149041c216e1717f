"""Small clients and servers of the foreign wires, for conversations over loopback sockets with partial reads."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from babelreg.wire.format import Frame, WireError
from babelreg.wire.formats import flowlayer, phpmq, strata
from babelreg.wire.formats.flowlayer import commands
from babelreg.wire.formats.flowlayer.models import Ack, ErrorMessage, ErrorObject, Event, Result
from babelreg.wire.formats.phpmq.models import (
    Acknowledgement,
    ConsumeRequest,
    DeadLetter,
    MessageClientToServer,
    MessageServerToClient,
    ReQueue,
)
from babelreg.wire.formats.phpmq.models import parse as parse_phpmq
from babelreg.wire.formats.strata import backends
from babelreg.wire.formats.strata.models import InfoCommand, Request, Response, ResponseMessage
from babelreg.wire.formats.strata.models import parse as parse_strata

PATIENCE = 30
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Peer:
    """One end of a connection: messages in, messages out. It reads a few bytes at a time and writes in two pieces."""

    def __init__(
        self, wire: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, end: bytes = b"\n"
    ) -> None:
        self.wire, self.reader, self.writer, self.end = wire, reader, writer, end
        self.decoder = wire.decoder()
        self.waiting: deque[Frame] = deque()
        self.seen: list[Any] = []

    async def send(self, value: Any) -> None:
        raw = self.wire.encode(value) + self.end
        self.writer.write(raw[: len(raw) // 2])
        await self.writer.drain()
        self.writer.write(raw[len(raw) // 2 :])
        await self.writer.drain()
        self.seen.append(value)

    async def receive(self) -> Any:
        while not self.waiting:
            data = await self.reader.read(max(1, min(13, self.decoder.needed)))
            if not data:
                raise EOFError
            for event in self.decoder.feed(data):
                if isinstance(event, WireError):
                    raise event
                self.waiting.append(event)
        value = self.waiting.popleft().value
        self.seen.append(value)
        return value


async def talk(serve: Handler, client: Handler) -> None:
    """Run ``client`` against ``serve``; what the server raises fails the test."""
    failures: list[BaseException] = []

    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except EOFError:
            pass
        except Exception as err:
            failures.append(err)
        finally:
            writer.close()

    server = await asyncio.start_server(guarded, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", server.sockets[0].getsockname()[1])
    try:
        await asyncio.wait_for(client(reader, writer), PATIENCE)
    finally:
        writer.close()
        server.close()
    if failures:
        raise failures[0]


# -- FlowLayer: frames a line, in place of a WebSocket's -----------------------------------------------------------------

ENTRY = {
    "seq": 2,
    "service": "api",
    "phase": "run",
    "stream": "stdout",
    "message": "up",
    "timestamp": "2026-04-25T10:00:00Z",
}
STATES = [{"name": "api", "status": "running"}, {"name": "db", "status": "ready"}]


async def flowlayer_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    peer = Peer(flowlayer, reader, writer)
    hello = {"protocol_version": 1, "server": "flowlayer", "capabilities": ["logs"]}
    await peer.send(Event("hello", hello).document())
    await peer.send(Event("snapshot", {"services": STATES}).document())
    while True:
        value = await peer.receive()
        defects = flowlayer.validate(value)
        if defects:
            await peer.send(ErrorMessage(defects[0].code, defects[0].detail, value.get("id")).document())
            continue
        refused = commands.refusal(value, frozenset({"api", "db"}))
        if value["type"] != "command":
            assert refused is not None
            await peer.send(ErrorMessage(*refused).document())
            continue
        if refused is not None:
            await peer.send(Ack(value["id"], accepted=False, error=ErrorObject(*refused)).document())
            continue
        await peer.send(Ack(value["id"], accepted=True).document())
        await answer(peer, value)


async def answer(peer: Peer, value: dict[str, Any]) -> None:
    command = commands.parse(value["name"], value.get("payload"))
    if isinstance(command, commands.GetLogs):
        limit = commands.log_limit(command.limit)
        data: Any = {"entries": [ENTRY], "truncated": False, "effective_limit": limit}
        await peer.send(Result(value["id"], ok=True, data=data).document())
    elif isinstance(command, commands.StopService):
        error = ErrorObject("internal_error", "it would not stop")
        await peer.send(Result(value["id"], ok=False, error=error, failed_services=(command.service,)).document())
    elif isinstance(command, commands.StartService):
        status = {"service": command.service, "status": "starting", "timestamp": "2026-04-25T10:00:01Z"}
        await peer.send(Event("service_status", status).document())
        await peer.send(Event("log", {"entry": {**ENTRY, "seq": 3}}).document())
        await peer.send(Result(value["id"], ok=True).document())
    else:
        await peer.send(Result(value["id"], ok=True, data={"services": STATES}).document())


# -- PHPMQ ---------------------------------------------------------------------------------------------------------------


class Broker:
    """A PHPMQ server: queues in memory; acknowledgement and dead letter delete, re-queue appends with a new TTL."""

    def __init__(self) -> None:
        self.ready: deque[tuple[bytes, bytes, int]] = deque()  # id, content, ttl
        self.delivered: dict[bytes, bytes] = {}
        self.deleted: list[bytes] = []
        self.number = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(phpmq, reader, writer, end=b"")
        while True:
            message = parse_phpmq(await peer.receive())
            if isinstance(message, MessageClientToServer):
                self.number += 1
                self.ready.append((b"%032x" % self.number, message.content, message.ttl_seconds))
            elif isinstance(message, ConsumeRequest):
                for _ in range(min(message.count, len(self.ready))):
                    identity, content, ttl = self.ready.popleft()
                    self.delivered[identity] = content
                    await peer.send(MessageServerToClient(message.queue, content, identity, ttl - 1).packets())
            elif isinstance(message, ReQueue):
                content = self.delivered.pop(message.message_id)
                self.ready.append((message.message_id, content, message.ttl_seconds))
            else:
                assert isinstance(message, (Acknowledgement, DeadLetter))
                self.deleted.append(self.delivered.pop(message.message_id))


# -- Strata: a line for each item of a Redis list ------------------------------------------------------------------------

NOW = "2024-06-25T04:08:22.000Z"


async def strata_service(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers a request by its id; ``createOrder`` first asks ``Stock`` itself, which is its prior request's child."""
    peer = Peer(strata, reader, writer)
    while True:
        value = await peer.receive()
        assert strata.validate(value) == []
        message = parse_strata(value)
        if isinstance(message, InfoCommand):
            await peer.send({"id": message.id, "payload": {"service": "UserService v1.0"}})
        elif isinstance(message, Request):
            if message.operation == "createOrder":
                child = Request(
                    backends.short_id(message.id), "Stock", "reserve", NOW, client="Client:Orders", response_queue="r",
                ).document() | backends.chain_after(value)  # fmt: skip
                await peer.send(child)
            stack = ResponseMessage("error", "no stock", "E1", "StockError", {"left": 0}, stack="at S3CRET")
            response = Response(message.id, message.context, message.operation, NOW, "failed", {}, (stack,), "Svc v1")
            await peer.send(response.document())
