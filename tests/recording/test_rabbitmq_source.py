"""RabbitMQ queues as sources: what was not acknowledged stays in the queue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import drain_run
import pika
import pytest
from pika.exceptions import ChannelClosedByBroker
from server import Server

from babelreg.errors import InputError
from babelreg.recording import rabbitmq_source
from babelreg.recording.rabbitmq_source import RabbitMQSource

pytestmark = pytest.mark.rabbitmq


@pytest.fixture
def channel(rabbitmq: Server) -> Iterator[Any]:
    connection = pika.BlockingConnection(pika.URLParameters(rabbitmq.url))
    channel = connection.channel()
    channel.queue_delete("orders")
    channel.queue_declare("orders", durable=True)
    channel.confirm_delivery()
    yield channel
    connection.close()


def fill(channel: Any, count: int) -> list[bytes]:
    bodies = [b"%d" % number for number in range(count)]
    for body in bodies:
        channel.basic_publish("", "orders", body)
    return bodies


def source_of(server: Server, prefetch: int = 100) -> RabbitMQSource:
    return RabbitMQSource(pika.URLParameters(server.url), "orders", prefetch=prefetch)


def test_batches_come_in_order_and_are_acknowledged(rabbitmq: Server, channel: Any) -> None:
    sent, received = fill(channel, 7), []
    source = source_of(rabbitmq)
    while not source.is_empty() or len(received) < 3:
        received.append(source.receive(3, 1))
        source.acknowledge()
    source.close()
    assert received == [sent[:3], sent[3:6], sent[6:]]
    assert channel.queue_declare("orders", passive=True).method.message_count == 0


def test_what_was_not_acknowledged_goes_back_to_its_place(rabbitmq: Server, channel: Any) -> None:
    sent = fill(channel, 5)
    source = source_of(rabbitmq)
    source.receive(2, 1)
    source.acknowledge()
    source.receive(2, 1)
    source.close()
    again = source_of(rabbitmq)
    assert again.receive(10, 1) == sent[2:]
    again.acknowledge()
    again.close()


def test_a_queue_that_is_not_there_is_not_made(rabbitmq: Server, channel: Any) -> None:
    channel.queue_delete("orders")
    with pytest.raises(ChannelClosedByBroker):
        source_of(rabbitmq)
    with pytest.raises(ChannelClosedByBroker):
        channel.queue_declare("orders", passive=True)


def test_a_queue_that_gives_nothing_is_an_error(
    rabbitmq: Server, channel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel.queue_delete("orders")
    channel.queue_declare("orders", durable=True, arguments={"x-single-active-consumer": True})
    channel.basic_qos(prefetch_count=1)
    channel.basic_consume("orders", lambda *_: None)
    fill(channel, 3)
    monkeypatch.setattr(rabbitmq_source, "_STALLED_SECONDS", -1)
    source = source_of(rabbitmq)
    assert source.receive(10, 0.1) == []
    with pytest.raises(InputError, match="has 2 messages"):
        source.is_empty()
    source.close()


@pytest.mark.usefixtures("channel")
def test_every_message_is_drained_though_processes_are_killed(rabbitmq: Server, tmp_path: Path) -> None:
    drain_run.run(rabbitmq, tmp_path, 400, kills=12, by_command=True)


@pytest.mark.long
@pytest.mark.usefixtures("channel")
def test_ten_thousand_messages_are_drained_though_processes_are_killed(rabbitmq: Server, tmp_path: Path) -> None:
    drain_run.run(rabbitmq, tmp_path, 10_000, kills=100, by_command=True)
