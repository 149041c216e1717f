"""``record=`` on a real broker, with processes that are killed: what the broker had is in a file."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import recorded_files
import redis as client
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.transport import ReceivedMessage
from server import Server

from babelreg.runtime import Consumer, Context, Recorder

pytestmark = pytest.mark.redis


def send(url: str, folder: Path, first: int) -> None:
    """Send orders until killed; note each that the broker took."""
    producer = on.OrdersCreatedProducer(BabelQueue(url), record=folder / "sent")
    log = os.open(folder / "sent.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for number in range(first, first + 100_000):
        producer.send(on.OrdersCreated(order_id=number))
        os.write(log, f"{number}\n".encode())


def handle(url: str, folder: Path, first: int) -> None:
    """Handle orders until killed; note each that was acknowledged."""
    app = BabelQueue(url)
    consumer = Consumer(app, record=Recorder(folder / "received", max_bytes=20_000))
    log = os.open(folder / "received.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    acknowledge = app.transport.ack

    def ack(received: ReceivedMessage) -> None:
        acknowledge(received)
        os.write(log, f"{json.loads(received.body)['data']['order_id']}\n".encode())

    app.transport.ack = ack  # type: ignore[method-assign]

    @consumer.on(on.OrdersCreated)
    def taken(order: on.OrdersCreated, context: Context) -> None: ...

    consumer.run(timeout_seconds=0.1, handle_signals=False)


def start(work: Callable[[str, Path, int], None], url: str, folder: Path, first: int) -> int:
    child = os.fork()
    if not child:
        try:
            work(url, folder, first)
        finally:
            os._exit(1)
    return child


def noted(folder: Path, name: str) -> set[int]:
    path = folder / f"{name}.log"
    return {int(line) for line in path.read_text().splitlines()} if path.exists() else set()


def recorded(folder: Path, name: str) -> set[int]:
    Recorder(folder / name).record(b"")  # completes what killed processes left
    bodies = recorded_files.bodies(recorded_files.visible(folder / name))
    return {json.loads(body)["data"]["order_id"] for body in bodies}


def run(server: Server, folder: Path, kills: int) -> None:
    lists = client.Redis.from_url(server.url)
    lists.flushall()
    chance = random.Random(kills)
    for death in range(kills):
        before = [len(noted(folder, name)) for name in ("sent", "received")]
        children = [start(work, server.url, folder, death * 100_000 + 1) for work in (send, handle)]
        end = time.monotonic() + 120
        while any(len(noted(folder, name)) <= count for name, count in zip(("sent", "received"), before, strict=True)):
            if time.monotonic() > end:
                raise TimeoutError("nothing was sent and handled")
            time.sleep(0.005)
        time.sleep(chance.random() / 20)
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    waiting = {json.loads(body)["data"]["order_id"] for body in lists.lrange("orders", 0, -1)}
    sent, received = recorded(folder, "sent"), recorded(folder, "received")
    print(f"\n{kills} kills: {len(sent)} sent, {len(received)} received, {len(waiting)} waiting")
    assert sent >= noted(folder, "sent") | noted(folder, "received") | waiting
    assert received >= noted(folder, "received")


def test_what_the_broker_had_is_recorded_though_processes_are_killed(redis: Server, tmp_path: Path) -> None:
    run(redis, tmp_path, kills=4)


@pytest.mark.long
def test_what_the_broker_had_is_recorded_over_many_kills(redis: Server, tmp_path: Path) -> None:
    run(redis, tmp_path, kills=60)
