"""A queue of a real broker drained into files by processes that are killed: every message ends in a file."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import broker_queues
import broker_worker
import recorded_files
import runtime_messages as on
from babelqueue import BabelQueue
from server import Server

from babelreg.recording.rabbitmq_source import RabbitMQSource
from babelreg.recording.redis_source import RedisSource
from babelreg.runtime import drain
from babelreg.runtime.bytes.frame_files import FrameFiles
from babelreg.runtime.recording.drain import Recording
from babelreg.runtime.recording.queue_source import TransportSource
from babelreg.runtime.transports.rabbitmq import RabbitMQ
from babelreg.runtime.transports.redis_layout import RedisLayout

__all__ = ["MOMENTS", "run"]

BATCH = 20

MOMENTS = ("after receive", "within append", "after sync", "after acknowledge", "before complete", "after complete")


def run(server: Server, folder: Path, count: int, kills: int, *, by_command: bool = False) -> None:
    """Drain ``count`` messages, with a death at another batch and moment each time.

    ``by_command``: with the sources of ``babelreg drain``, instead of the transport's.
    """
    queue = broker_queues.own_name()
    app = broker_worker.app(server.url, queue)
    bodies = [json.dumps(on.envelope(data={"order_id": number})).encode() for number in range(1, count + 1)]
    for body in bodies:
        app.transport.publish(queue, body.decode())
    app.transport.close()
    for death in range(kills):
        _until_killed(server, queue, folder, death % 3, MOMENTS[death % len(MOMENTS)], by_command)
    found: Counter[bytes] = Counter()
    end = time.monotonic() + 200
    while set(found) != set(bodies) and time.monotonic() < end:
        app = broker_worker.app(server.url, queue)
        _drain(app, folder, 3 * BATCH, by_command)
        app.transport.close()
        found = Counter(recorded_files.bodies(recorded_files.visible(folder)))
    print(f"\n{count} messages drained over {kills} deaths, {found.total() - len(found)} of them twice")
    assert set(found) == set(bodies)
    assert found.total() - count <= kills * BATCH
    assert not list(folder.glob(".*"))


def _drain(app: BabelQueue, folder: Path, per_file: int, by_command: bool) -> None:
    if not by_command:
        drain(app, folder, batch=BATCH, per_file=per_file)
        return
    files = FrameFiles(folder, app.queue, max_messages=per_file)
    Recording(files, batch=BATCH).run(lambda: _source(app))


def _source(app: BabelQueue) -> RedisSource | RabbitMQSource:
    if isinstance(app.transport, RabbitMQ):
        return RabbitMQSource(app.transport._parameters, app.queue, prefetch=BATCH)
    assert isinstance(app.transport, RedisLayout)
    return RedisSource(app.transport, app.queue)


def _until_killed(server: Server, queue: str, folder: Path, number: int, moment: str, by_command: bool) -> None:
    child = os.fork()
    if not child:
        try:
            app = broker_worker.app(server.url, queue)
            _die_at(number, moment)
            _drain(app, folder, BATCH, by_command)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the queue was empty before the death"


def _die_at(number: int, moment: str) -> None:
    """Kill this process at the ``number``th time of ``moment``."""
    when, _, name = moment.partition(" ")
    left = [number]

    def reached() -> None:
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1

    def dying(method: Any) -> Any:
        def call(self: Any, *arguments: Any, **options: Any) -> Any:
            if when == "before":
                reached()
            if when == "within" and left[0] == 0:  # after a part of a frame
                self._write = lambda stream, content: (os.write(stream.fileno(), content[:-7]), reached())
            result = method(self, *arguments, **options)
            if when == "after":
                reached()
            left[0] -= when == "within"
            return result

        return call

    for kind in (RedisSource, RabbitMQSource, TransportSource, FrameFiles):
        if hasattr(kind, name):
            setattr(kind, name, dying(getattr(kind, name)))
