"""Deliveries that a broker does not count are counted by the ledger: Kafka, and classic queues of RabbitMQ.

The count is committed in a transaction of its own before the handler, which kills its process here.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import dying_worker
import pytest
import runtime_messages as on
from broker_queues import BrokerQueues, opened, own_name

BROKERS = [
    pytest.param("rabbitmq", marks=pytest.mark.rabbitmq, id="a classic queue"),
    pytest.param("kafka", marks=pytest.mark.servers, id="Kafka"),
]
FATAL = 13
MOST_LIVES = 12


@pytest.fixture
def queue() -> str:
    return own_name("fatal")


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest, queue: str) -> BrokerQueues:
    return opened(request.param, request.getfixturevalue(request.param), queue, f"{queue}.dlq")


def order(number: int) -> bytes:
    meta = {**on.envelope()["meta"], "id": f"m{number}"}
    return json.dumps({**on.envelope(meta=meta), "data": {"order_id": number}}).encode()


def deaths(broker: BrokerQueues, queue: str, folder: Path, limit: int) -> int:
    """The number of workers that died before one came to the end."""
    words = [broker.url, queue, str(folder), str(limit), str(FATAL)]
    for died in range(MOST_LIVES):
        worker = subprocess.run([sys.executable, dying_worker.__file__, *words], capture_output=True, text=True)
        if worker.returncode != -signal.SIGKILL:
            assert worker.returncode == 0, worker.stderr
            return died
    raise AssertionError("it dies again and again")


def test_a_message_that_kills_its_worker_becomes_a_dead_letter(
    broker: BrokerQueues, queue: str, tmp_path: Path
) -> None:
    broker.publish(queue, [order(FATAL)])
    assert deaths(broker, queue, tmp_path, limit=3) == 3
    (dead,) = map(json.loads, broker.bodies(f"{queue}.dlq"))
    assert dead["dead_letter"]["error"] == "delivery_limit: 3 deliveries ended without a result"
    first = [0, 1, 2] if broker.kind == "rabbitmq" else [1, 2, 3]  # which alone says that a delivery is a first one
    counted: list[Any] = [f"{FATAL} {[(count,)] if count else []}" for count in first]
    assert (tmp_path / "calls.log").read_text().splitlines() == counted


def test_the_messages_beside_it_are_handled(broker: BrokerQueues, queue: str, tmp_path: Path) -> None:
    broker.publish(queue, [order(number) for number in (1, 2, FATAL, 3, 4)])
    assert 2 <= deaths(broker, queue, tmp_path, limit=2) <= 3  # on Kafka one more, where another message came first
    assert [json.loads(body)["data"]["order_id"] for body in broker.bodies(f"{queue}.dlq")] == [FATAL]
    calls = [int(line.split()[0]) for line in (tmp_path / "calls.log").read_text().splitlines()]
    assert {number: calls.count(number) for number in (1, 2, 3, 4)} == {1: 1, 2: 1, 3: 1, 4: 1}


def test_a_limit_of_one_delivery_admits_the_first(broker: BrokerQueues, queue: str, tmp_path: Path) -> None:
    broker.publish(queue, [order(number) for number in range(1, 7)])
    assert deaths(broker, queue, tmp_path, limit=1) == 0
    assert len((tmp_path / "calls.log").read_text().splitlines()) == 6
    assert broker.bodies(f"{queue}.dlq") == []
