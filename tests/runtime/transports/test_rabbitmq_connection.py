"""Batches on a real RabbitMQ: written at once, confirmed together, and every message that is not confirmed is told."""

from __future__ import annotations

import asyncio
import json
import selectors
import shutil
import socket
import sqlite3
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pika
import pytest
import runtime_messages as on
import subscribed_messages as shop
from babelqueue import BabelQueue
from pika.exceptions import AMQPConnectionError, ChannelClosedByBroker, NackError, UnroutableError
from server import Server

from babelreg.runtime import PartlySentError, SqlOutbox, SubscriptionMissingError
from babelreg.runtime.consumer.settlement import Settlement
from babelreg.runtime.transports import pika_services
from babelreg.runtime.transports.rabbitmq import RabbitMQ
from babelreg.runtime.transports.rabbitmq_connection import AmqpChannel, AmqpConnection, AmqpMessage
from babelreg.runtime.transports.rabbitmq_queues import EXCHANGE
from babelreg.runtime.transports.subscription_broker import Publication

pytestmark = pytest.mark.rabbitmq

QUEUES = ("batch", "mailer", "billing", "warehouse", "small", "mails")


@pytest.fixture
def transport(rabbitmq: Server) -> Iterator[RabbitMQ]:
    made = RabbitMQ(rabbitmq.url)
    channel = made.connection().channel()
    for queue in QUEUES:
        channel.ask("queue_delete", queue)
    channel.ask("exchange_delete", EXCHANGE)
    yield made
    made.close()


@pytest.fixture
def channel(transport: RabbitMQ) -> AmqpChannel:
    opened = transport.connection().channel()
    opened.ask("queue_declare", "batch", durable=True)
    opened.confirm()
    return opened


def to(queue: str, body: str = "{}", *, urn: str | None = None) -> Publication:
    return Publication(queue, urn, body, {})


def message(body: bytes, *, exchange: str = "", key: str = "batch") -> AmqpMessage:
    return AmqpMessage(exchange, key, body, pika.BasicProperties(delivery_mode=2))


def taken(transport: RabbitMQ, queue: str) -> list[str]:
    bodies = []
    while received := transport.pop(queue, timeout=0.2):
        bodies.append(received.body)
        transport.ack(received)
    return bodies


def hang_up(transport: RabbitMQ) -> None:
    """Let the connection end as a broken network ends it."""
    connection = transport._connection
    assert connection is not None
    stream = connection._services._stream
    assert stream is not None
    stream.socket.shutdown(socket.SHUT_RDWR)


def test_a_batch_is_written_before_its_confirms_are_read(channel: AmqpChannel, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    read = pika_services._SocketStream.read

    def read_and_note(stream: Any) -> None:
        reads.append(len(channel._unconfirmed))
        read(stream)

    monkeypatch.setattr(pika_services._SocketStream, "read", read_and_note)
    assert channel.publish([message(b"%d" % number) for number in range(100)]) == [None] * 100
    assert reads[0] == 100


def test_a_batch_keeps_its_order_and_may_exceed_what_sockets_buffer(channel: AmqpChannel, transport: RabbitMQ) -> None:
    bodies = [bytes([65 + number % 26]) * 100_000 for number in range(150)]
    assert channel.publish([message(body) for body in bodies]) == [None] * 150
    assert taken(transport, "batch") == [body.decode() for body in bodies]


def test_messages_that_no_queue_takes_are_told_from_others(channel: AmqpChannel, transport: RabbitMQ) -> None:
    missing = [message(b"same", key="nowhere"), message(b"same", key="nowhere")]
    outcomes = channel.publish([message(b"0"), missing[0], message(b"same"), missing[1], message(b"1")])
    assert [type(error) for error in outcomes] == [type(None), UnroutableError, type(None), UnroutableError, type(None)]
    assert channel.publish([message(b"2")]) == [None]
    assert taken(transport, "batch") == ["0", "same", "1", "2"]


def test_a_message_that_the_broker_refuses_is_told(channel: AmqpChannel, transport: RabbitMQ) -> None:
    channel.ask("queue_declare", "small", arguments={"x-max-length": 1, "x-overflow": "reject-publish"})
    outcomes = channel.publish([message(b"%d" % number, key="small") for number in range(3)])
    assert [type(error) for error in outcomes] == [type(None), NackError, NackError]
    assert taken(transport, "small") == ["0"]


def test_a_message_that_cannot_be_encoded_is_not_sent_and_counts_for_none(channel: AmqpChannel) -> None:
    broken = AmqpMessage("", "batch", b"x", pika.BasicProperties(message_id="x" * 300))
    outcomes = channel.publish([message(b"0"), broken, message(b"1")])
    assert [error is None for error in outcomes] == [True, False, True]
    assert channel.publish([message(b"2")]) == [None]


def test_what_is_not_confirmed_when_the_connection_ends_is_told(channel: AmqpChannel, transport: RabbitMQ) -> None:
    hang_up(transport)
    outcomes = channel.publish([message(b"%d" % number) for number in range(5)])
    assert all(isinstance(error, AMQPConnectionError) for error in outcomes)
    assert not channel.is_open


def test_a_channel_that_the_broker_closes_tells_why(channel: AmqpChannel) -> None:
    outcomes = channel.publish([message(b"x", exchange="no such exchange") for _ in range(3)])
    assert all(isinstance(error, ChannelClosedByBroker) for error in outcomes)
    assert not channel.is_open


def test_a_batch_goes_out_on_a_new_connection_when_the_old_one_died(
    transport: RabbitMQ, monkeypatch: pytest.MonkeyPatch
) -> None:
    transport.subscribe("mailer", [shop.MAILED], inbox=True)
    transport.publish("batch", "before")
    sent = AmqpChannel._send

    def send_and_hang_up(channel: AmqpChannel, messages: Any, outcomes: Any) -> None:
        monkeypatch.setattr(AmqpChannel, "_send", sent)
        sent(channel, messages, outcomes)
        hang_up(transport)

    monkeypatch.setattr(AmqpChannel, "_send", send_and_hang_up)
    batch = [to("batch", "a"), to("mails", "b", urn=shop.MAILED), to("mails", "c", urn="urn:babel:shop:unknown")]
    assert transport.publish_many(batch) == [1, 1, 0]
    assert {"before", "a"} == set(taken(transport, "batch"))
    assert {"b"} == set(taken(transport, "mailer"))


def test_a_broker_that_is_away_is_asked_once_for_a_batch(transport: RabbitMQ, monkeypatch: pytest.MonkeyPatch) -> None:
    transport.publish("batch", "before")
    hang_up(transport)
    asked: list[int] = []

    def refuse(connection: AmqpConnection, parameters: Any) -> None:
        asked.append(1)
        raise AMQPConnectionError("away")

    monkeypatch.setattr(AmqpConnection, "__init__", refuse)
    results = transport.publish_many([to("batch", str(number)) for number in range(50)])
    assert all(isinstance(result, AMQPConnectionError) for result in results)
    assert len(asked) <= 3


def test_without_the_exchange_nothing_is_subscribed_and_queues_get_theirs(transport: RabbitMQ) -> None:
    assert transport.publish_many([to("batch", "a"), to("mails", urn=shop.MAILED), to("batch", "b")]) == [1, 0, 1]
    assert {"a", "b"} == set(taken(transport, "batch"))


def test_a_text_that_cannot_be_encoded_keeps_no_other_from_the_broker(transport: RabbitMQ) -> None:
    first, second, third = transport.publish_many([to("batch", "a"), to("batch", "\ud800"), to("batch", "b")])
    assert (first, type(second), third) == (1, UnicodeEncodeError, 1)
    assert taken(transport, "batch") == ["a", "b"]


def test_send_many_tells_which_messages_the_broker_has(transport: RabbitMQ, monkeypatch: pytest.MonkeyPatch) -> None:
    app = BabelQueue(transport=transport)
    transport.subscribe("mailer", [shop.MAILED], inbox=True)
    producer = shop.MailedProducer(app)
    assert len(producer.send_many([shop.Mailed(order_id=number) for number in (1, 2, 3)])) == 3
    assert len(taken(transport, "mailer")) == 3
    publish = AmqpChannel.publish

    def refuse_second(channel: AmqpChannel, messages: Any) -> list[Exception | None]:
        outcomes = publish(channel, [messages[0], *messages[2:]])
        return [outcomes[0], NackError([messages[1]]), *outcomes[1:]]  # type: ignore[list-item]

    monkeypatch.setattr(AmqpChannel, "publish", refuse_second)
    with pytest.raises(PartlySentError) as caught:
        producer.send_many([shop.Mailed(order_id=number) for number in (1, 2, 3)])
    monkeypatch.undo()
    assert isinstance(caught.value.__cause__, NackError)
    assert [json.loads(body)["meta"]["id"] for body in taken(transport, "mailer")] == list(caught.value.sent)
    assert len(caught.value.sent) == 2


def test_a_relay_sends_a_batch_at_once_and_keeps_what_was_not_confirmed(
    transport: RabbitMQ, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = BabelQueue(transport=transport)
    transport.subscribe("mailer", [shop.MAILED], inbox=True)
    database = sqlite3.connect(":memory:")
    store = SqlOutbox(database)
    store.create()
    for number in range(4):
        shop.MailedProducer(app).write(store, shop.Mailed(order_id=number + 1))
    shop.PlacedProducer(app).write(store, shop.Placed(order_id=9))  # nobody is subscribed
    on.OrdersCreatedProducer(app, queue="batch").write(store, on.OrdersCreated(order_id=5))
    database.commit()
    batches: list[int] = []
    publish = AmqpChannel.publish
    monkeypatch.setattr(
        AmqpChannel, "publish", lambda own, all_of: (batches.append(len(all_of)), publish(own, all_of))[1]
    )
    result = shop.ShopRelay(transport, store, sleeper=lambda seconds: None).flush()
    assert (result.published, result.failed, batches) == (5, 1, [6])
    ((queue, error),) = database.execute("SELECT queue, error FROM babelreg_outbox").fetchall()
    assert (queue, error.partition(":")[0]) == ("orders", SubscriptionMissingError.__name__)
    assert len(taken(transport, "mailer")) == 4
    assert len(taken(transport, "batch")) == 1


@pytest.mark.parametrize("call", ["pop", "publish"])
def test_after_an_interrupt_no_answer_is_taken_for_another(
    transport: RabbitMQ, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    transport.publish("batch", "0")
    interrupts = [KeyboardInterrupt]
    process = AmqpConnection.process

    def interrupted(connection: AmqpConnection, seconds: float | None) -> None:
        if interrupts:
            raise interrupts.pop()
        process(connection, seconds)

    monkeypatch.setattr(AmqpConnection, "process", interrupted)
    with pytest.raises(KeyboardInterrupt):
        transport.pop("batch", 0) if call == "pop" else transport.publish("batch", "1")
    transport.publish("batch", "2")
    bodies = taken(transport, "batch")
    transport.close()  # what the interrupted call was to get goes back
    assert {"0", "2"} <= {*bodies, *taken(transport, "batch")}
    assert transport.publish_many([to("batch", "3"), to("nowhere", urn="urn:babel:shop:unknown")]) == [1, 0]


def test_a_refused_connection_is_told_without_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float | None] = []
    select = selectors.PollSelector.select

    def select_and_note(own: selectors.PollSelector, timeout: float | None = None) -> Any:
        waits.append(timeout)
        return select(own, 0.0)

    monkeypatch.setattr(selectors.PollSelector, "select", select_and_note)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(AMQPConnectionError) as caught:
            AmqpConnection(pika.ConnectionParameters("127.0.0.1", unused.getsockname()[1]))
    assert "refused" in repr(caught.value)
    assert set(waits) == {0.0}


def test_a_wait_ends_when_another_thread_says_so(transport: RabbitMQ) -> None:
    connection = transport.connection()
    ended = threading.Event()

    def wait() -> None:
        connection.process(None)
        ended.set()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    while not ended.wait(0.05):
        connection.wake()
    thread.join()
    assert connection.is_open


def test_deliveries_of_a_new_connection_are_acknowledged_beside_those_of_a_lost_one(transport: RabbitMQ) -> None:
    for body in ("0", "1", "2"):
        transport.publish("batch", body)
    lost = [transport.pop("batch", 1)]
    hang_up(transport)
    transport.publish("mails", "on a new connection")
    again = [transport.pop("batch", 1) for _ in range(3)]
    settlement = Settlement(BabelQueue(transport=transport))
    assert settlement.acknowledge_all([*lost, *again[:2]]) == [False, True, True]  # type: ignore[list-item]
    assert settlement.acknowledge_all(again[2:]) == [True]  # type: ignore[arg-type]
    transport.close()
    assert taken(transport, "batch") == []


@pytest.fixture
def secured(rabbitmq: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a server that takes TLS, with a certificate that is trusted, and passes all on to the broker."""
    if shutil.which("openssl") is None:
        pytest.skip("NOT TESTED WITH TLS: apt-get install openssl")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out ca.pem -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command.split(), *names], cwd=tmp_path, check=True, capture_output=True)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "ca.pem", tmp_path / "key.pem")
    parameters = pika.URLParameters(rabbitmq.url)
    ready: list[int] = []
    started, loop = threading.Event(), asyncio.new_event_loop()

    async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while data := await source.read(2**16):
            target.write(data)
            await target.drain()
        target.close()

    async def join(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        broker_source, broker_target = await asyncio.open_connection(parameters.host, parameters.port)
        await asyncio.gather(copy(source, broker_target), copy(broker_source, target), return_exceptions=True)

    async def serve() -> None:
        server = await asyncio.start_server(join, "127.0.0.1", 0, ssl=context)
        ready.append(server.sockets[0].getsockname()[1])
        started.set()

    def run() -> None:
        loop.create_task(serve())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(60)
    yield f"amqps://guest:guest@127.0.0.1:{ready[0]}/%2f"
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


def test_tls(secured: str, transport: RabbitMQ, monkeypatch: pytest.MonkeyPatch) -> None:
    encrypted = RabbitMQ(secured)
    bodies = [str(number) * 50_000 for number in range(100)]
    assert encrypted.publish_many([to("batch", body) for body in bodies]) == [1] * 100
    assert taken(encrypted, "batch") == bodies
    encrypted.close()
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(ssl.SSLCertVerificationError):
        RabbitMQ(secured).publish("batch", "x")
