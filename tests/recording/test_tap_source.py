"""Taps of a real RabbitMQ: copies of publications, beside the consumers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pika
import pytest
from pika.exceptions import ChannelClosedByBroker
from server import Server

from babelreg.errors import UsageError
from babelreg.recording import tap_source
from babelreg.recording.tap_source import TapOptions, TapSource
from babelreg.runtime.transports.rabbitmq_queues import EXCHANGE

pytestmark = pytest.mark.rabbitmq

EXCHANGES = {"plain": "direct", "subjects": "topic", "all": "fanout"}


def control(server: Server, *arguments: str) -> None:
    """Run rabbitmqctl on the node of ``server``."""
    program = Path("/usr/lib/rabbitmq/bin/rabbitmqctl")
    command = [str(program), "-n", server.environment["RABBITMQ_NODENAME"], *arguments]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **server.environment})


@pytest.fixture
def channel(rabbitmq: Server) -> Iterator[Any]:
    connection = pika.BlockingConnection(pika.URLParameters(rabbitmq.url))
    channel = connection.channel()
    for queue in ("orders", "mails", "kept", "kept.lost"):
        channel.queue_delete(queue)
    channel.queue_declare("orders", durable=True)
    channel.queue_declare("mails", durable=True)
    for exchange, kind in EXCHANGES.items():
        channel.exchange_declare(exchange, kind)
    channel.confirm_delivery()
    yield channel
    connection.close()


@pytest.fixture(scope="module")
def firehose(rabbitmq: Server) -> Iterator[None]:
    control(rabbitmq, "trace_on")
    yield
    control(rabbitmq, "trace_off")


def tap(server: Server, prefetch: int = 100, **options: Any) -> TapSource:
    return TapSource(pika.URLParameters(server.url), TapOptions(**options), prefetch=prefetch, note=notes.append)


notes: list[str] = []


def received(source: TapSource, count: int) -> list[bytes]:
    found: list[bytes] = []
    for _ in range(200):
        found += source.receive(1_000, 0.1)
        source.acknowledge()
        if len(found) >= count:
            return found + source.receive(1_000, 0.1)
    return found


@pytest.mark.parametrize(
    "options, copied",
    [
        pytest.param({"exchange": "all"}, [b"1", b"2"], id="a fanout exchange"),
        pytest.param({"exchange": "subjects"}, [b"3", b"4"], id="a topic exchange"),
        pytest.param(
            {"exchange": "subjects", "routing_keys": ("orders.*",)}, [b"3"], id="some keys of a topic exchange"
        ),
        pytest.param({"exchange": "plain", "routing_keys": ("a", "b")}, [b"5", b"6"], id="keys of a direct exchange"),
    ],
)
def test_what_is_published_to_an_exchange_is_copied(
    rabbitmq: Server, channel: Any, options: dict[str, Any], copied: list[bytes]
) -> None:
    channel.queue_bind("orders", "all")
    source = tap(rabbitmq, **options)
    for exchange, key, body in [
        ("all", "x", b"1"),
        ("all", "y", b"2"),
        ("subjects", "orders.created", b"3"),
        ("subjects", "mails.sent", b"4"),
        ("plain", "a", b"5"),
        ("plain", "b", b"6"),
        ("plain", "c", b"7"),
    ]:
        channel.basic_publish(exchange, key, body)
    assert received(source, len(copied)) == copied
    source.close()
    assert channel.queue_declare("orders", passive=True).method.message_count == 2


def test_a_direct_exchange_needs_its_keys(rabbitmq: Server, channel: Any) -> None:
    with pytest.raises(UsageError, match="direct exchange") as caught:
        tap(rabbitmq, exchange="plain")
    assert "--routing-key" in str(caught.value)


def test_an_exchange_that_is_not_there_is_not_made(rabbitmq: Server, channel: Any) -> None:
    for _ in range(2):
        with pytest.raises(ChannelClosedByBroker, match="no exchange 'nowhere'"):
            tap(rabbitmq, exchange="nowhere")


def test_without_the_firehose_the_default_exchange_is_an_error(rabbitmq: Server, channel: Any) -> None:
    with pytest.raises(UsageError, match="firehose of virtual host '/' is off") as caught:
        received(tap(rabbitmq), 1)
    assert "rabbitmqctl trace_on -p /" in str(caught.value)


@pytest.mark.usefixtures("firehose")
@pytest.mark.parametrize(
    "queues, copied",
    [
        pytest.param((), [b"1", b"2", b"4"], id="all"),
        pytest.param(("orders",), [b"1", b"4"], id="one queue"),
        pytest.param(("orders", "mails"), [b"1", b"2", b"4"], id="two queues"),
    ],
)
def test_what_is_published_to_the_default_exchange_is_copied_from_the_firehose(
    rabbitmq: Server, channel: Any, queues: tuple[str, ...], copied: list[bytes]
) -> None:
    source = tap(rabbitmq, queues=frozenset(queues))
    channel.basic_publish("", "orders", b"1", pika.BasicProperties(headers={"bq-job": "x"}))
    channel.basic_publish("", "mails", b"2")
    channel.basic_publish("all", "orders", b"3")
    channel.basic_publish("", "orders", b"4")
    assert received(source, len(copied)) == copied
    assert source.tracing is True
    source.close()
    assert channel.queue_declare("orders", passive=True).method.message_count == 2


@pytest.mark.usefixtures("firehose")
@pytest.mark.parametrize(
    "queues, copied",
    [
        pytest.param((), [b"1", b"2", b"3"], id="all"),
        pytest.param(("mails",), [b"1", b"3"], id="an inbox, also of what was sent to it alone"),
        pytest.param(("orders",), [b"1", b"2"], id="another inbox"),
    ],
)
def test_what_subscriptions_bring_to_an_inbox_is_copied_from_the_firehose(
    rabbitmq: Server, channel: Any, queues: tuple[str, ...], copied: list[bytes]
) -> None:
    channel.exchange_declare(EXCHANGE, "direct", durable=True)
    for queue, urn in (("mails", "urn:a"), ("orders", "urn:a"), ("orders", "urn:b")):
        channel.queue_bind(queue, EXCHANGE, urn)
    source = tap(rabbitmq, queues=frozenset(queues))
    channel.basic_publish(EXCHANGE, "urn:a", b"1")
    channel.basic_publish(EXCHANGE, "urn:b", b"2")
    channel.basic_publish("", "mails", b"3")
    assert received(source, len(copied)) == copied
    source.close()
    channel.exchange_delete(EXCHANGE)


def test_the_exchange_of_subscriptions_is_not_bound(rabbitmq: Server, channel: Any) -> None:
    with pytest.raises(UsageError, match="would count as a subscription"):
        tap(rabbitmq, exchange=EXCHANGE, routing_keys=("urn:a",))


@pytest.mark.usefixtures("firehose")
def test_it_is_said_when_the_firehose_is_turned_off_and_on(
    rabbitmq: Server, channel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tap_source, "_PROBE_SECONDS", 0.0)
    notes.clear()
    source = tap(rabbitmq)
    for _ in range(2):
        source.receive(10, 0.1)
    control(rabbitmq, "trace_off")
    for _ in range(3):
        source.receive(10, 0.1)
    control(rabbitmq, "trace_on")
    for _ in range(3):
        source.receive(10, 0.1)
    source.close()
    assert [note.partition("turned ")[2] for note in notes] == [
        "off: nothing is recorded until it is on again",
        "on again",
    ]


def test_a_durable_queue_keeps_messages_while_there_is_no_tap(rabbitmq: Server, channel: Any) -> None:
    tap(rabbitmq, exchange="all", durable="kept").close()
    channel.basic_publish("all", "", b"1")
    source = tap(rabbitmq, exchange="all", durable="kept")
    assert received(source, 1) == [b"1"]
    source.close()


def test_a_queue_of_its_own_goes_with_the_tap(rabbitmq: Server, channel: Any) -> None:
    source = tap(rabbitmq, exchange="all")
    name = source._queue
    source.close()
    with pytest.raises(ChannelClosedByBroker):
        channel.queue_declare(name, passive=True)


def test_messages_beyond_the_bound_are_dropped_and_counted(rabbitmq: Server, channel: Any) -> None:
    tap(rabbitmq, exchange="all", durable="kept", max_length=3).close()
    for number in range(10):
        channel.basic_publish("all", "", b"%d" % number)
    source = tap(rabbitmq, exchange="all", durable="kept", max_length=3)
    assert received(source, 3) == [b"7", b"8", b"9"]
    assert source.lost == 7
    source.close()


def test_what_was_not_acknowledged_comes_again(rabbitmq: Server, channel: Any) -> None:
    source = tap(rabbitmq, exchange="all", durable="kept")
    channel.basic_publish("all", "", b"1")
    while not source.receive(10, 0.1):
        pass
    source.close()
    again = tap(rabbitmq, exchange="all", durable="kept")
    assert received(again, 1) == [b"1"]
    again.close()
