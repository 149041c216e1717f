"""Whole conversations over loopback sockets: small clients and servers for each foreign wire, with partial reads."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from babelreg.wire.format import WireError
from babelreg.wire.formats import flowlayer, phpmq, strata
from babelreg.wire.formats.flowlayer import commands, events
from babelreg.wire.formats.flowlayer.models import Ack, Command, ErrorMessage, Event, Result
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
from babelreg.wire.formats.strata.models import InfoCommand, Post, Request, Response
from babelreg.wire.formats.strata.models import parse as parse_strata

from .peers import NOW, STATES, Broker, Peer, flowlayer_server, strata_service, talk


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
