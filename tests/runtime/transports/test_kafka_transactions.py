"""A worker that dies at any step of a retry or a dead letter on a real Kafka: the message is written once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import broker_queues
import broker_worker
import kafka_server
import pytest
import runtime_messages as on
from babelqueue import BabelQueue
from confluent_kafka import KafkaError, KafkaException
from server import Server

from babelreg.runtime import Consumer, Context, Reject, kafka_transport
from babelreg.runtime.transports import kafka_writer

pytestmark = pytest.mark.servers

WORKER = """\
import os, sys
import runtime_messages as on
from babelqueue import BabelQueue
from babelreg.runtime import Consumer, Reject, kafka_transport
from babelreg.runtime.transports import kafka, kafka_writer

url, queue, last, kind = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
calls = 0


class Dying:
    '''A client that ends the process before its call number ``last``.'''

    def __init__(self, client):
        self.client = client

    def __getattr__(self, name):
        method = getattr(self.client, name)
        if name not in STEPS:
            return method

        def call(*arguments, **options):
            global calls
            calls += 1
            if calls == last:
                os._exit(9)
            return method(*arguments, **options)

        return call


STEPS = ("begin_transaction", "produce", "send_offsets_to_transaction", "commit_transaction", "flush", "commit")
SETTINGS = {
    "session.timeout.ms": 2000, "heartbeat.interval.ms": 500, "transaction.timeout.ms": 2000,
    "topic.metadata.refresh.interval.ms": 500,
}
real_consumer, real_producer = kafka.new_consumer, kafka_writer.new_producer
kafka.new_consumer = lambda settings: Dying(real_consumer(settings))
kafka_writer.new_producer = lambda settings: Dying(real_producer(settings))
app = BabelQueue(transport=kafka_transport(url, group_id=queue, **SETTINGS), queue=queue)
consumer = Consumer(app)
seen = open(queue + ".handled", "a")


@consumer.on(on.OrdersCreated)
def handle(order, context):
    print(order.order_id, context.attempts, file=seen, flush=True)
    if kind == "rejected" and order.order_id % 2:
        raise Reject("planned")
    if kind == "retried" and order.order_id % 2 and context.attempts < 1:
        raise RuntimeError("not yet")


try:
    consumer.run(queue, max_messages=10, timeout_seconds=6.0, prefetch=3)
finally:
    app.transport.close()
"""


def run(server: Server, queue: str, folder: Path, last: int, kind: str) -> int:
    """Return the status of a worker that ends when no message comes any more, or dies before the call ``last``."""
    path = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", WORKER, server.url, queue, str(last), kind]
    return subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, timeout=300).returncode


def dies(server: Server, folder: Path, kind: str, last: int) -> tuple[int, list[int], set[str]]:
    """Return the status of a worker that dies, the orders it and the next one handed on, and those they handled."""
    queue, topics = broker_queues.own_name(), broker_queues.KafkaTopics(server)
    kafka_server.create(server, queue, 1)
    envelopes = [on.envelope(data={"order_id": number}) for number in (1, 2, 3, 4)]
    topics.publish(queue, [json.dumps(envelope).encode() for envelope in envelopes])
    status = run(server, queue, folder, last, kind)
    if status == 9:
        assert run(server, queue, folder, 0, kind) == 0
    written = map(json.loads, topics.bodies(f"{queue}.dlq" if kind == "rejected" else queue))
    handed_on = [body["data"]["order_id"] for body in written if kind == "rejected" or body["attempts"]]
    handled = (folder / f"{queue}.handled").read_text().splitlines()
    return status, sorted(handed_on), {line.split()[0] for line in handled}


@pytest.mark.parametrize("kind", ["rejected", pytest.param("retried", marks=pytest.mark.long)])
def test_what_a_dying_worker_hands_on_is_written_once(kind: str, kafka: Server, tmp_path: Path) -> None:
    with ThreadPoolExecutor(5) as pool:
        results = dict(enumerate(pool.map(partial(dies, kafka, tmp_path, kind), range(1, 15)), 1))
    assert {step: handed_on for step, (_, handed_on, _) in results.items() if handed_on != [1, 3]} == {}
    assert all(handled == {"1", "2", "3", "4"} for *_, handled in results.values())
    assert {status for status, *_ in results.values()} == {9, 0}


class Doubtful:
    """A producer whose first commit fails, before or after the broker has it."""

    failures = 0

    def __init__(self, client: Any, *, committed: bool) -> None:
        self.client, self.committed = client, committed

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def commit_transaction(self, seconds: float) -> None:
        Doubtful.failures += 1
        if Doubtful.failures > 1 or self.committed:
            self.client.commit_transaction(seconds)
        if Doubtful.failures == 1:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))


@pytest.mark.parametrize("committed", [True, False], ids=["after all", "or not"])
def test_a_commit_in_doubt_is_looked_up(committed: bool, kafka: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    real = kafka_writer.new_producer
    monkeypatch.setattr(Doubtful, "failures", 0)
    monkeypatch.setattr(kafka_writer, "new_producer", lambda settings: Doubtful(real(settings), committed=committed))
    queue, topics = broker_queues.own_name(), broker_queues.KafkaTopics(kafka)
    kafka_server.create(kafka, queue, 1)
    topics.publish(queue, [json.dumps(on.envelope(data={"order_id": number})).encode() for number in (1, 2)])
    app = BabelQueue(transport=kafka_transport(kafka.url, group_id=queue, **broker_worker.KAFKA), queue=queue)
    consumer, handled = Consumer(app), []

    @consumer.on(on.OrdersCreated)
    def handle(order: on.OrdersCreated, context: Context) -> None:
        handled.append(order.order_id)
        if order.order_id == 1:
            raise Reject("planned")

    consumer.run(queue, max_messages=10, timeout_seconds=8.0, prefetch=0)
    app.transport.close()
    assert [json.loads(body)["data"]["order_id"] for body in topics.bodies(f"{queue}.dlq")] == [1]
    assert handled == ([1, 2] if committed else [1, 1, 2])
