"""Whole conversations over loopback sockets: small clients and servers for each foreign wire, with partial reads."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from babelreg.wire.format import Frame, WireError
from babelreg.wire.formats import flowlayer, phpmq, strata
from babelreg.wire.formats.flowlayer import commands, events
from babelreg.wire.formats.flowlayer.models import Ack, Command, ErrorMessage, ErrorObject, Event, Result
from babelreg.wire.formats.flowlayer.models import parse as parse_flowlayer
from babelreg.wire.formats.flowlayer.session import FlowLayerSession
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
from babelreg.wire.formats.strata.models import InfoCommand, Post, Request, Response, ResponseMessage
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


def test_a_flowlayer_session_of_commands_with_acks_and_results() -> None:
    seen: list[Any] = []

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(flowlayer, reader, writer)
        seen.append(peer)
        hello, snapshot = parse_flowlayer(await peer.receive()), parse_flowlayer(await peer.receive())
        assert isinstance(hello, Event)
        assert events.parse(hello.name, hello.payload or {}) == events.Hello(1, "flowlayer", ("logs",))
        assert isinstance(snapshot, Event)
        assert isinstance(events.parse(snapshot.name, snapshot.payload or {}), events.Snapshot)
        await peer.send(Command("1", "get_snapshot").document())
        assert parse_flowlayer(await peer.receive()) == Ack("1", accepted=True)
        assert parse_flowlayer(await peer.receive()) == Result("1", ok=True, data={"services": STATES})
        await peer.send(Command("2", "get_logs", {"limit": 0}).document())
        refused = parse_flowlayer(await peer.receive())
        assert isinstance(refused, Ack)
        assert not refused.accepted
        assert refused.error is not None
        assert refused.error.code == "invalid_payload"
        await peer.send(Command("3", "get_logs", {"service": "api"}).document())
        await peer.receive()
        result = parse_flowlayer(await peer.receive())
        assert isinstance(result, Result)
        page = events.logs_page(result.data)
        assert page.effective_limit == commands.DEFAULT_LOG_LIMIT
        await peer.send(Command("4", "start_service", {"service": "api"}).document())
        kinds = [parse_flowlayer(await peer.receive()) for _ in range(4)]
        assert [type(one) for one in kinds] == [Ack, Event, Event, Result]
        assert isinstance(kinds[2], Event)
        log = events.parse("log", kinds[2].payload or {})
        assert isinstance(log, events.Log)
        assert [entry.seq for entry in events.merge_entries([log.entry, *page.entries, log.entry])] == [2, 3]
        await peer.send(Command("5", "stop_service", {"service": "db"}).document())
        await peer.receive()
        failed = parse_flowlayer(await peer.receive())
        assert isinstance(failed, Result)
        assert failed.failed_services == ("db",)
        for number, (name, payload, code) in enumerate(
            [("fly", None, "unknown_command"), ("start_service", {"service": "x"}, "unknown_service")], 6
        ):
            await peer.send(Command(str(number), name, payload).document())
            refused = parse_flowlayer(await peer.receive())
            assert isinstance(refused, Ack)
            assert refused.error is not None
            assert refused.error.code == code
        await peer.send({"type": "event", "name": "log"})
        routed = parse_flowlayer(await peer.receive())
        assert isinstance(routed, ErrorMessage)
        assert routed.code == "unsupported_message_type"
        await peer.send({"type": "command", "name": "get_snapshot"})
        assert parse_flowlayer(await peer.receive()) == ErrorMessage("missing_id", "command.id is required")

    asyncio.run(talk(flowlayer_server, client))
    session = FlowLayerSession()
    assert [defect for value in seen[0].seen for defect in session.observe(value)] == []
    assert session.close() == []
    assert session.open_ids() == []


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


def test_a_phpmq_producer_and_consumer_over_tcp_with_partial_reads() -> None:
    broker = Broker()
    contents = [b"Hello World", bytes(range(256)) * 9, b"", b"H0100103P01" + b"9" * 29]

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(phpmq, reader, writer, end=b"")
        for content in contents:
            await peer.send(MessageClientToServer(b"Foo", content, 3600).packets())
        await peer.send(ConsumeRequest(b"Foo", 4).packets())
        got = [parse_phpmq(await peer.receive()) for _ in contents]
        assert [one.content for one in got if isinstance(one, MessageServerToClient)] == contents
        first, second, third, fourth = (one for one in got if isinstance(one, MessageServerToClient))
        assert first.ttl_seconds == 3599
        await peer.send(Acknowledgement(b"Foo", first.message_id).packets())
        await peer.send(DeadLetter(b"Foo", second.message_id).packets())
        await peer.send(ReQueue(b"Foo", third.message_id, 60).packets())
        await peer.send(ReQueue(b"Foo", fourth.message_id, 61).packets())
        await peer.send(ConsumeRequest(b"Foo", 9).packets())
        again = [parse_phpmq(await peer.receive()) for _ in range(2)]
        assert [(one.message_id, one.ttl_seconds) for one in again if isinstance(one, MessageServerToClient)] == [
            (third.message_id, 59), (fourth.message_id, 60),
        ]  # fmt: skip

    asyncio.run(talk(broker.serve, client))
    assert broker.deleted == contents[:2]  # deleted, not moved
    assert not broker.ready


def test_a_phpmq_stream_is_over_after_its_first_error() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await Peer(phpmq, reader, writer, end=b"\n").send(ConsumeRequest(b"Foo", 1).packets())

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(phpmq, reader, writer)
        assert parse_phpmq(await peer.receive()) == ConsumeRequest(b"Foo", 1)
        with pytest.raises((WireError, EOFError)):
            await peer.receive()

    asyncio.run(talk(serve, client))


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


def test_a_strata_chain_of_requests_and_responses() -> None:
    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(strata, reader, writer)
        root = Request(
            "V1StGXR8Z5jdHi6BmyT2", "Orders", "createOrder", NOW, {"order_id": 1}, auth="S3CRET", timeout_ms=3000,
            client=backends.client_name("Web", "host"), response_queue=backends.response_queue("Web", "abc"),
        )  # fmt: skip
        assert "S3CRET" not in repr(root)
        await peer.send(root.document())
        child, response = parse_strata(await peer.receive()), parse_strata(await peer.receive())
        assert isinstance(child, Request)
        assert (child.prior_request, child.request_chain) == (root.id, (root.id,))
        assert isinstance(response, Response)
        assert (response.id, response.context, response.status) == (root.id, root.context, "failed")
        assert response.messages[0].stack == "at S3CRET"
        assert "S3CRET" not in repr(response)
        await peer.send(child.document())
        answer = parse_strata(await peer.receive())
        assert isinstance(answer, Response)
        assert answer.id == child.id
        await peer.send(Post("P1StGXR8Z5jdHi6BmyT2", "Orders", "noted", NOW, client="Client:Web").document())
        await peer.send(InfoCommand("I1StGXR8Z5jdHi6BmyT2", "Info:abc").document())
        assert await peer.receive() == {"id": "I1StGXR8Z5jdHi6BmyT2", "payload": {"service": "UserService v1.0"}}

    asyncio.run(talk(strata_service, client))
