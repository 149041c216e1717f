"""``babelreg redrive`` killed at any moment: nothing is lost, and what is sent twice is the same message."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from broker_queues import URN, BrokerQueues, dead_letter, envelope, opened, own_name
from server import Server

from babelreg.recording.redrive.redrive import BATCH

A_RUN = 1_200
BROKERS = [
    pytest.param("redis", marks=pytest.mark.redis, id="Redis"),
    pytest.param("rabbitmq", marks=pytest.mark.rabbitmq, id="RabbitMQ"),
    pytest.param("kafka", marks=pytest.mark.servers, id="Kafka"),
]
ALL = ["redis", "rabbitmq", "kafka"]


def start(broker: BrokerQueues, queue: str, registry: Path) -> subprocess.Popen[str]:
    words = ["redrive", "--broker", broker.url, "--from", f"{queue}.dlq", "--to", queue, "--registry", str(registry)]
    command = [sys.executable, "-m", "babelreg", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(done: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 120
    while not done():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.005)


def letter(number: int) -> bytes:
    """One in twenty is not valid."""
    return dead_letter(number, {"id": "x"} if number % 20 == 0 else None)


def killed_at_random(kind: str, server: Server, folder: Path, kills: int) -> None:
    """Kill runs, each after it has sent something and before it has sent all; then let one end."""
    queue = own_name("killed")
    broker = opened(kind, server, queue, f"{queue}.dlq")
    (folder / "orders").mkdir()
    (folder / "babelreg.yaml").write_text("version: 1\n")
    (folder / "orders" / "_context.yaml").write_text("owner: team-orders\n")
    message = {"urn": URN, "kind": "event", "data": {"type": "object", "properties": {"id": {"type": "integer"}}}}
    (folder / "orders" / "created.yaml").write_text(json.dumps(message))
    chance = random.Random(kills)
    published = killed = 0
    while killed < kills:
        broker.publish(f"{queue}.dlq", [letter(published + number) for number in range(A_RUN)])
        published += A_RUN
        before = broker.count(queue)
        process = start(broker, queue, folder)
        wait_until(lambda: broker.count(queue) > before or process.poll() is not None, "nothing was sent")  # noqa: B023
        time.sleep(chance.random() / 20)
        killed += process.poll() is None
        process.kill()
        process.communicate()
    last = start(broker, queue, folder)
    out, err = last.communicate(timeout=300)
    assert last.returncode == 0, err
    sent = Counter(broker.bodies(queue))
    twice = sent.total() - len(sent)
    print(f"\n{broker.kind}: {published} dead letters, {kills} kills, {twice} sent twice; {out.splitlines()[0]}")
    assert sent.keys() == {envelope(number) for number in range(published) if number % 20}
    assert twice <= kills * BATCH
    if broker.removes:
        assert Counter(broker.bodies(f"{queue}.dlq")) == Counter(map(letter, range(0, published, 20)))
    again = start(broker, queue, folder)
    assert again.communicate(timeout=300)[0].startswith(f"{queue}.dlq: sent no dead letter")


@pytest.mark.parametrize("kind", BROKERS)
def test_nothing_is_lost_when_it_is_killed(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    killed_at_random(kind, request.getfixturevalue(kind), tmp_path, kills=2)


@pytest.mark.long
@pytest.mark.parametrize("kind", ALL)
def test_nothing_is_lost_over_many_kills(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    killed_at_random(kind, request.getfixturevalue(kind), tmp_path, kills=30)
