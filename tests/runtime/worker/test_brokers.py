"""The worker command on three brokers: time limits, the grace after SIGTERM, and a broker that starts later."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import broker_queues
import kafka_server
import pytest
import rabbitmq_server
import redis_server
from babelqueue import EnvelopeCodec
from pika.exceptions import ChannelClosedByBroker
from server import Server

from babelreg import load
from babelreg.cli.topology.compared import declare
from babelreg.gen.targets.python import target
from babelreg.gen.write import write
from babelreg.load.service.starter import example_folder
from babelreg.model import topology
from babelreg.recording.broker_url import BrokerUrl

pytestmark = pytest.mark.servers

CREATED = "urn:babel:orders:created.v2"
AWAY = {"redis": "redis://127.0.0.1:1/0", "rabbitmq": "amqp://127.0.0.1:1/%2F", "kafka": "kafka://127.0.0.1:1"}
SERVERS: Any = {
    "redis": lambda: redis_server.running(durable=True),
    "rabbitmq": rabbitmq_server.running,
    "kafka": kafka_server.running,
}
SERVICE = """
import asyncio, dataclasses, threading, time
from babelqueue import BabelQueue
from babelreg.runtime import kafka_transport
from messages import Consumer, OrdersCreatedV2
from messages._babelreg.runtime.message import message_type, register

register(dataclasses.replace(message_type(OrdersCreatedV2), max_attempts=2, time_limit_seconds=%(limit)r))
url, settings = %(url)r, %(settings)r
app = BabelQueue(transport=kafka_transport(url, **settings)) if url.startswith("kafka") else BabelQueue(url)
consumer = Consumer(app, service="warehouse")


@consumer.on(OrdersCreatedV2)
%(handler)s
"""
HANDLES = "def handle(order, context):\n    print(f'handled {order.order_id}\\n', end='', flush=True)\n"
BLOCKS = "def handle(order, context):\n    print(f'begun {order.order_id}\\n', end='', flush=True)\n    threading.Event().wait()\n"
BLOCKS_FIRST = """def handle(order, context):
    print(f'begun {order.order_id}\\n', end='', flush=True)
    if order.order_id == 1:
        threading.Event().wait()
    print(f'handled {order.order_id}\\n', end='', flush=True)
"""
SLEEPS = """async def handle(order, context):
    print(f'begun {order.order_id}\\n', end='', flush=True)
    await asyncio.sleep(600 if order.order_id == 1 else 0)
    print(f'handled {order.order_id}\\n', end='', flush=True)
"""
SECONDS = 150.0
KAFKA = {"session.timeout.ms": 6000}


class Place:
    """A folder with a service, and the broker that it uses."""

    def __init__(self, kind: str, server: Server, folder: Path) -> None:
        self.kind, self.server, self.folder = kind, server, folder
        self.source = "orders" if kind == "kafka" else "warehouse"

    def write(self, handler: str, limit: float | None = None, url: str = "", **settings: Any) -> None:
        about = {"url": url or self.server.url, "settings": KAFKA | settings, "limit": limit, "handler": handler}
        (self.folder / "service.py").write_text(SERVICE % about)

    def declare(self) -> None:
        declare(topology(load.registry(example_folder())), BrokerUrl.of(self.server.url))

    @property
    def queues(self) -> Any:
        return broker_queues.KINDS[self.kind](self.server)

    def send(self, *numbers: int) -> None:
        data = {"total": {"minor": 1, "currency": "EUR"}}
        made = [EnvelopeCodec.make(CREATED, {"order_id": number, **data}, queue="orders") for number in numbers]
        self.queues.publish(self.source, [json.dumps(envelope).encode() for envelope in made])

    def dead(self) -> list[tuple[int, str, str, int]]:
        """Number, reason, error and attempts of each dead letter."""
        try:
            found = [json.loads(body) for body in self.queues.bodies("warehouse.dlq")]
        except ChannelClosedByBroker:  # RabbitMQ has no such queue
            return []
        blocks = [(each["data"]["order_id"], each["dead_letter"]) for each in found]
        return [(number, block["reason"], block["error"], block["attempts"]) for number, block in blocks]

    @contextmanager
    def worker(self, *options: str) -> Iterator[subprocess.Popen[str]]:
        command = [sys.executable, "-m", "messages.worker", "service:consumer", *options]
        if self.kind == "kafka":
            command += ["--start", "earliest"]
        streams: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        process = subprocess.Popen(command, cwd=self.folder, **streams)
        overdue = threading.Timer(SECONDS, process.kill)  # so that a test that waits for a line ends
        overdue.start()
        try:
            yield process
        finally:
            overdue.cancel()
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("service")
    write(folder, "python", target.files(load.registry(example_folder()), {"runtime": "vendored"}))
    return folder


@pytest.fixture(params=["redis", "rabbitmq", "kafka"])
def place(request: pytest.FixtureRequest, generated: Path, tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "messages").symlink_to(generated / "messages")
    with SERVERS[request.param]() as server:
        yield Place(request.param, server, tmp_path)


def wait_for(process: subprocess.Popen[str], pattern: str) -> list[str]:
    """Read the output up to a line that matches; return all lines."""
    assert process.stdout is not None
    read = []
    for line in process.stdout:
        read.append(line)
        if re.search(pattern, line):
            return read
    raise AssertionError("".join(read))


def stopped(process: subprocess.Popen[str]) -> int:
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)
    return process.returncode


def test_a_stuck_worker_ends_itself_and_its_message_becomes_a_dead_letter(place: Place) -> None:
    place.declare()
    place.write(BLOCKS, limit=0.3)
    place.send(1)
    for _ in range(2):
        with place.worker() as process:
            output, _ = process.communicate(timeout=120)
            assert process.returncode == 70, output
            assert "the process ends itself with exit code 70" in output
    assert place.dead() == [(1, "failed", "time_limit: the handler did not end within 0.3 s", 2)]
    place.write(HANDLES)
    place.send(2)
    with place.worker() as process:
        assert "handled 1" not in "".join(wait_for(process, "handled 2"))
        assert stopped(process) == 0


@pytest.mark.parametrize("handler", [pytest.param(BLOCKS_FIRST, id="a thread"), pytest.param(SLEEPS, id="a task")])
def test_one_late_handler_of_several_keeps_nothing_waiting(place: Place, handler: str) -> None:
    place.declare()
    place.write(handler, limit=0.5)
    place.send(1, *range(2, 30))
    with place.worker("--concurrency", "8", "--grace-seconds", "1") as process:
        wait_for(process, "goes to 'warehouse.dlq': time_limit")
        place.send(30)
        wait_for(process, "handled 30")
        assert stopped(process) in (0, 70)  # a stuck thread outlasts the grace
    assert place.dead() == [(1, "failed", "time_limit: the handler did not end within 0.5 s", 2)]


def test_after_its_grace_a_worker_returns_what_it_handles(place: Place) -> None:
    place.declare()
    place.write(BLOCKS)
    place.send(1)
    with place.worker("--concurrency", "2", "--grace-seconds", "0.5") as process:
        wait_for(process, "begun 1")
        assert stopped(process) == 0
    place.write(HANDLES)
    with place.worker() as process:
        wait_for(process, "handled 1")
        assert stopped(process) == 0
    assert place.dead() == []


SLEEPS_LONG = """def handle(order, context):
    print(f'begun {order.order_id}\\n', end='', flush=True)  # one text: threads print at the same time
    time.sleep(12 if order.order_id == 1 else 0)
    print(f'handled {order.order_id}\\n', end='', flush=True)
"""


@pytest.mark.parametrize("concurrency", ["1", "4"])
def test_kafka_is_polled_while_a_handler_takes_longer_than_its_interval(
    generated: Path, tmp_path: Path, concurrency: str
) -> None:
    (tmp_path / "messages").symlink_to(generated / "messages")
    with kafka_server.running() as server:
        place = Place("kafka", server, tmp_path)
        place.declare()
        place.write(SLEEPS_LONG, **{"max.poll.interval.ms": 6000})
        place.send(1, 2, 3)
        with place.worker("--concurrency", concurrency) as process:
            output = wait_for(process, "handled 1")
            place.send(4)
            output += wait_for(process, "handled 4")
            assert stopped(process) == 0
        assert output.count("begun 1\n") == 1
        with place.worker() as process:
            place.send(5)
            output = wait_for(process, "handled 5")
            assert [line for line in output if line.startswith("handled")] == ["handled 5\n"]


@pytest.mark.parametrize("concurrency", ["1", "2"])
def test_a_handler_that_takes_longer_than_the_timeout_of_rabbitmq_is_called_once(
    generated: Path, tmp_path: Path, concurrency: str
) -> None:
    (tmp_path / "messages").symlink_to(generated / "messages")
    settings = (
        "[application:set_env(rabbit, N, V) || {N, V} <- [{consumer_timeout, 1000}, {channel_tick_interval, 250}]]."
    )
    with rabbitmq_server.running() as server:
        control = ["/usr/lib/rabbitmq/bin/rabbitmqctl", "-n", server.environment["RABBITMQ_NODENAME"], "eval", settings]
        subprocess.run(control, check=True, capture_output=True, env={**os.environ, **server.environment})
        place = Place("rabbitmq", server, tmp_path)
        place.declare()
        place.write(SLEEPS_LONG.replace("12", "8"))
        place.send(1)
        with place.worker("--concurrency", concurrency) as process:
            output = wait_for(process, "handled 1" if concurrency == "1" else "raise consumer_timeout in rabbitmq.conf")
            place.send(2)
            output += wait_for(process, "handled 2" if concurrency == "1" else "handled 1")
            assert stopped(process) == 0
        assert output.count("begun 1\n") == 1
        place.send(3)
        with place.worker() as process:
            output = wait_for(process, "handled 3")
            assert not any(line.startswith("begun 1") for line in output)


def test_a_broker_that_is_away_is_one_line_or_waited_for(place: Place) -> None:
    place.declare()
    place.write(HANDLES, url=AWAY[place.kind])
    with place.worker("--log-level", "error") as process:
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 2, output
        (line,) = [line for line in output.splitlines() if line.startswith("error: ")]  # librdkafka prints its own
        assert line.startswith("error: cannot reach the broker: ")
        assert line.endswith("; start it, or pass --wait-for-broker")
    place.send(1)
    place.server.stop()  # a RabbitMQ 3.10 that is killed a moment after a queue is declared never elects its leader
    place.write(HANDLES)
    with place.worker("--wait-for-broker") as process:
        wait_for(process, "retrying in")
        place.server.start()
        wait_for(process, "handled 1")
        assert stopped(process) == 0


def test_a_signal_ends_the_wait_for_a_broker(place: Place) -> None:
    place.write(HANDLES, url=AWAY[place.kind])
    with place.worker("--wait-for-broker") as process:
        wait_for(process, "retrying in")
        assert stopped(process) == 0
