"""A service that handles orders with workers that get killed.

    broker_worker.py URL QUEUE FOLDER KILL_EVERY WORKERS [KIND DATABASE [MODE]]

A worker handles one message after another, or by its mode eight at a time: in ``threads``, or in a ``loop``.
Effects go to two places: into the ledger's database, in its transaction, and as lines into ``effects.log``, which knows
no transactions. The ledger is in ``service.db``, or of another kind in a server (see ``database_ledgers``). Some orders fail at first, some can never be handled (see :func:`fate`). The worker kills itself,
``kill -9``, at the moments of :data:`MOMENTS`, once for each order that :func:`moment` names, and another one follows.
SIGTERM ends the service; it prints how many workers were killed. On SIGUSR1 the workers write where each thread is.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import os
import signal
import sqlite3
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import database_ledgers
import runtime_messages as on
from babelqueue import BabelQueue
from babelqueue.pika_transport import PikaTransport
from babelqueue.transport import ReceivedMessage, Transport
from pika.exceptions import AMQPConnectionError
from redis.exceptions import ConnectionError as RedisConnectionError

from babelreg.runtime import Consumer, Context, Reject, SqliteLedger, kafka_transport, redis_transport
from babelreg.runtime.transports.replacements import confirmed

__all__ = ["KAFKA", "MOMENTS", "app", "fate", "moment"]

# A dead worker's partitions go to the others after a session, and a topic that is not there yet is looked for.
KAFKA: dict[str, Any] = {
    "session.timeout.ms": 2000, "heartbeat.interval.ms": 500, "topic.metadata.refresh.interval.ms": 500,
}  # fmt: skip
CONCURRENCY = 8
MOMENTS = ("before the effect", "before the commit", "between effect and ack", "after the ack")


def fate(order_id: int) -> str:
    """What the handler does with an order: good, fails (the first two times), never (rejects it)."""
    if order_id % 60 == 19:  # some of them among those that kill: between the copy for a retry and its ack
        return "fails"
    return "never" if order_id % 50 == 7 else "good"


def moment(order_id: int, kill_every: int) -> str | None:
    """When the worker that handles this order dies, if it does."""
    which, rest = divmod(order_id, kill_every)
    return MOMENTS[which % len(MOMENTS)] if rest == kill_every - 1 else None


def app(url: str, queue: str) -> BabelQueue:
    """An app, on confirmed transports, to which what a dead worker had reserved comes back soon."""
    if url.startswith("redis"):
        transport: Transport = redis_transport(url, retry_after=2)
    elif url.startswith("kafka"):
        transport = kafka_transport(url, **KAFKA)
    else:
        transport = PikaTransport(url)
    return BabelQueue(transport=confirmed(transport), queue=queue)


class _Deaths:
    """Kills this process, once for each order: the file that says so outlives it."""

    def __init__(self, folder: Path, kill_every: int) -> None:
        self._folder = folder
        self._kill_every = kill_every
        self._lock = threading.RLock()

    def at(self, now: str, *orders: int) -> None:
        for order_id in orders:
            if moment(order_id, self._kill_every) != now:
                continue
            with self._lock:
                try:
                    (self._folder / f"{now}.{order_id}.killed").touch(exist_ok=False)
                except FileExistsError:
                    continue
                os.kill(os.getpid(), signal.SIGKILL)

    @contextmanager
    def around_ack(self, *orders: int) -> Iterator[None]:
        """Before and after the acknowledgement of orders: what the broker has taken is not delivered again.

        Another thread must not end the process in between, or the death after the acknowledgement would never come.
        """
        self.at("between effect and ack", *orders)
        with self._lock:
            yield
            self.at("after the ack", *orders)


def _order_id(received: ReceivedMessage) -> int:
    return int(json.loads(received.body)["data"]["order_id"])


def _dying_at_acks(app: BabelQueue, deaths: _Deaths) -> None:
    acknowledge, acknowledge_many = app.transport.ack, getattr(app.transport, "ack_many", None)

    def ack_many(messages: Sequence[ReceivedMessage]) -> None:
        with deaths.around_ack(*map(_order_id, messages)):
            acknowledge_many(messages)  # type: ignore[misc]

    def ack(received: ReceivedMessage) -> None:
        with deaths.around_ack(_order_id(received)):
            acknowledge(received)

    app.transport.ack = ack  # type: ignore[assignment, method-assign]
    if acknowledge_many is not None:
        app.transport.ack_many = ack_many  # type: ignore[attr-defined]


def _prepare(connection: sqlite3.Connection) -> None:
    # Processes die here, the machine does not.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE IF NOT EXISTS effects (message_id TEXT, order_id INTEGER)")


def _ledger(folder: Path, kind: str, database: str) -> Any:
    if kind.startswith("SQLite"):
        lock: Any = "write" if kind.endswith("write") else "handler"
        return SqliteLedger(folder / "service.db", prepare=_prepare, lock=lock)
    return database_ledgers.ledger_of(kind, database)


def run(consumer: Consumer, queue: str, mode: str) -> None:
    """Handle orders until SIGTERM."""
    if mode == "loop":
        asyncio.run(consumer.run_async(queue, concurrency=CONCURRENCY, timeout_seconds=0.2))
    else:
        consumer.run(queue, workers=CONCURRENCY if mode == "threads" else 1, timeout_seconds=0.2)


def work(url: str, queue: str, folder: Path, kill_every: int, kind: str, database: str, mode: str) -> None:
    """Handle orders until SIGTERM."""
    service = app(url, queue)
    deaths = _Deaths(folder, kill_every)
    consumer = Consumer(service, ledger=_ledger(folder, kind, database))
    _dying_at_acks(service, deaths)
    log = os.open(folder / "effects.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    mark = "?" if kind.startswith("SQLite") else "%s"
    effect = f"INSERT INTO effects VALUES ({mark}, {mark})"

    def begin(order: on.OrdersCreated, context: Context) -> tuple[str, int]:
        if fate(order.order_id) == "never":
            raise Reject("such orders do not exist")
        if fate(order.order_id) == "fails" and context.attempts < 2:
            raise RuntimeError("not yet")
        deaths.at("before the effect", order.order_id)
        os.write(log, f"{context.message_id}\n".encode())
        return context.message_id, order.order_id

    def handle(order: on.OrdersCreated, context: Context) -> None:
        context.connection.cursor().execute(effect, begin(order, context))
        deaths.at("before the commit", order.order_id)

    async def handle_async(order: on.OrdersCreated, context: Context) -> None:
        await context.connection.execute(effect, begin(order, context))
        deaths.at("before the commit", order.order_id)

    consumer.on(on.OrdersCreated)(handle_async if "async" in kind else handle)
    while True:
        try:
            run(consumer, queue, mode)
            return
        except (AMQPConnectionError, RedisConnectionError):
            time.sleep(0.2)  # born while the broker is away: a supervisor would start it again


def serve(
    url: str,
    queue: str,
    folder: Path,
    kill_every: int,
    workers: int,
    kind: str = "SQLite",
    database: str = "",
    mode: str = "",
) -> int:
    """Keep ``workers`` processes at work; returns how many were killed. Raises when one ended in another way."""
    stopping = False

    def stop(number: int, frame: object) -> None:
        nonlocal stopping
        stopping = True
        for child in running:
            os.kill(child, signal.SIGTERM)

    running: set[int] = set()
    killed = 0
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    while running or not stopping:
        while len(running) < workers and not stopping:
            running.add(_fork(partial(work, url, queue, folder, kill_every, kind, database, mode)))
        child, status = os.wait()
        running.discard(child)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            killed += 1
        elif status or not stopping:
            raise RuntimeError(f"a worker ended with status {status}")
    return killed


def _fork(life: Callable[[], None]) -> int:
    # What all need is imported once: a process of its own would take most of a second of CPU for each life.
    child = os.fork()
    if child:
        return child
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    faulthandler.register(signal.SIGUSR1)
    try:
        life()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


if __name__ == "__main__":
    print(serve(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), *sys.argv[6:]))
