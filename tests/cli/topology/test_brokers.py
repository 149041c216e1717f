"""``babelreg topology URL`` on RabbitMQ with its management plugin, and on Kafka."""

from __future__ import annotations

import json
from collections.abc import Iterator

import kafka_server
import pika
import pytest
import rabbitmq_server
from click.testing import CliRunner, Result
from server import Server, free_port

from babelreg.cli.topology.command import command
from babelreg.load.service.starter import example_folder
from babelreg.model.topology import EXCHANGE

pytestmark = pytest.mark.servers

CANCELLED, CREATED = "urn:babel:orders:cancelled", "urn:babel:orders:created.v2"
SUBSCRIPTIONS, INBOXES, TOPICS = 12, 7, 20
"""Of the example registry; topics are those of producers, and the inbox and dead letters of each service."""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments, "--registry", str(example_folder())], standalone_mode=False)


@pytest.fixture(scope="module")
def managed() -> Iterator[tuple[str, str]]:
    """The URL of a RabbitMQ, and that of its management API."""
    port = free_port()
    with rabbitmq_server.running(management_port=port) as server:
        yield server.url, f"http://127.0.0.1:{port}"


def test_rabbitmq_lacks_all_then_nothing_then_what_was_deleted(managed: tuple[str, str]) -> None:
    url, management = managed
    arguments = (url, "--management", management)
    before = run(*arguments)
    assert (before.return_value, len(before.stdout.splitlines())) == (1, SUBSCRIPTIONS + INBOXES)
    assert run(*arguments, "--apply").return_value == 0
    assert run(*arguments).stdout == ""

    channel = pika.BlockingConnection(pika.URLParameters(url)).channel()
    channel.queue_delete("mailer")
    channel.queue_unbind("warehouse", EXCHANGE, CANCELLED)
    channel.queue_declare("shipping", durable=True)
    channel.queue_bind("shipping", EXCHANGE, CREATED)
    channel.basic_publish(EXCHANGE, CREATED, b"{}")
    unused = f"without a service: subscription of queue shipping to {CREATED}"
    result = run(*arguments)
    assert result.return_value == 1
    assert result.stdout.splitlines() == [
        "missing: queue mailer",
        "missing: subscription of queue mailer to urn:babel:notifications:email.welcome.send",
        f"missing: subscription of queue warehouse to {CANCELLED}",
        unused,
    ]
    applied = run(*arguments, "--apply", "--format", "json")
    assert (applied.return_value, json.loads(applied.stdout)["differences"]) == (1, [unused])
    counts = [channel.queue_declare(name, passive=True).method.message_count for name in ("shipping", "warehouse")]
    assert counts == [1, 1]  # nothing was deleted


def test_rabbitmq_that_refuses_the_user_is_an_error(managed: tuple[str, str]) -> None:
    url, management = managed
    result = run(url.replace("guest:guest", "guest:geheim"), "--management", management)
    assert "Unauthorized" in str(result.exception)
    assert "geheim" not in str(result.exception)


@pytest.fixture
def empty_kafka() -> Iterator[Server]:
    """A Kafka without the topics of other tests."""
    with kafka_server.running() as server:
        yield server


def test_kafka_lacks_all_then_nothing_then_positions(empty_kafka: Server) -> None:
    kafka = empty_kafka
    wanted = [line.removeprefix("missing: topic ") for line in run(kafka.url).stdout.splitlines()]
    assert len(wanted) == TOPICS
    kafka_server.create(kafka, "orders")
    kafka_server.produce(kafka, "orders", [b"{}"])
    result = run(kafka.url, "--apply")
    assert result.return_value == 1
    assert result.stdout.splitlines() == [
        f"missing: position of group {service} on topic orders, set by the first start of its worker"
        for service in ("billing-worker", "warehouse")
    ]
    assert set(wanted) <= kafka_server.topics(kafka)
    assert run(kafka.url, "--format", "json").return_value == 1
