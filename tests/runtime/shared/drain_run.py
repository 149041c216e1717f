"""A queue of a real broker drained into files by processes that are killed: every message ends in a file."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from pathlib import Path

import broker_worker
import runtime_messages as on
from babelqueue.transport import ReceivedMessage, Transport
from server import Server

from babelreg.runtime import drain

__all__ = ["run"]

BATCH = 20


MOMENTS = ("after the pop", "before the ack", "after the ack")


def run(server: Server, folder: Path, count: int, kills: int) -> None:
    """Drain ``count`` messages, with a death at another message and moment each time."""
    app = broker_worker.app(server.url)
    bodies = [json.dumps(on.envelope(data={"order_id": number})) for number in range(1, count + 1)]
    for body in bodies:
        app.transport.publish("orders", body)
    app.transport.close()
    for death in range(kills):
        _until_killed(server, folder, death * 7 % (3 * BATCH), MOMENTS[death % len(MOMENTS)])
    found: Counter[str] = Counter()
    end = time.monotonic() + 200
    while set(found) != set(bodies) and time.monotonic() < end:
        app = broker_worker.app(server.url)
        drain(app, folder, batch=BATCH, per_file=3 * BATCH)
        app.transport.close()
        found = Counter(line for file in folder.glob("*.jsonl") for line in file.read_text("utf-8").splitlines())
    print(f"\n{count} messages drained over {kills} deaths, {found.total() - len(found)} of them twice")
    assert set(found) == set(bodies)
    assert found.total() - count <= kills * BATCH
    assert not list(folder.glob("*.part"))


def _until_killed(server: Server, folder: Path, number: int, moment: str) -> None:
    child = os.fork()
    if not child:
        try:
            app = broker_worker.app(server.url)
            _die_at(app.transport, number, moment)
            drain(app, folder, batch=BATCH, per_file=3 * BATCH)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the queue was empty before the death"


def _die_at(transport: Transport, number: int, moment: str) -> None:
    """Kill this process at the ``number``th pop or acknowledgement."""
    acknowledge, take, left = transport.ack, transport.pop, [number]

    def at(now: str) -> None:
        if moment == now and left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def pop(queue: str, timeout: float = 1.0) -> ReceivedMessage | None:
        received = take(queue, timeout)
        at("after the pop")
        left[0] -= moment == "after the pop"
        return received

    def ack(received: ReceivedMessage) -> None:
        at("before the ack")
        acknowledge(received)
        at("after the ack")
        left[0] -= moment != "after the pop"

    transport.ack, transport.pop = ack, pop  # type: ignore[assignment, method-assign]
