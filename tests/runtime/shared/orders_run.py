"""Orders sent through a real broker, with handlers that fail, workers that are killed and a broker that crashes.

No message is lost. What a handler writes in the ledger's transaction happens exactly once, whatever else it does at
least once. What happened is printed.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import broker_queues
import broker_worker
import database_ledgers
import recorded_files
import runtime_messages as on
from babelqueue import BabelQueue
from server import Server

from babelreg.runtime import drain, kafka_transport

__all__ = ["run"]

WORKERS = 2
# What was killed after its effect comes again within this time, and must change nothing.
PAUSE_SECONDS = 2.5


@dataclass
class Sent:
    """What the producer was told the broker has: order by meta.id; ``refused`` counts sends that raised."""

    orders: dict[str, int] = field(default_factory=dict)
    refused: int = 0

    def expect(self, *fates: str) -> set[str]:
        return {one for one, order in self.orders.copy().items() if broker_worker.fate(order) in fates}


class Service:
    """Workers that handle orders, in a process that follows up each that was killed."""

    def __init__(
        self, server: Server, queue: str, folder: Path, kill_every: int, kind: str, database: Server | None, mode: str
    ) -> None:
        self.log = folder / "service.log"
        with self.log.open("wb") as log:
            command = [sys.executable, broker_worker.__file__, server.url, queue, str(folder), str(kill_every)]
            command += [str(WORKERS), kind, "" if database is None else database.url, mode]
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
            )

    def said(self) -> str:
        return self.log.read_text("utf-8", "replace")[-3000:]

    def check(self) -> None:
        assert self.process.poll() is None, self.said()

    def doing(self) -> str:
        """What each thread of its workers does now."""
        before = self.log.stat().st_size
        os.killpg(self.process.pid, signal.SIGUSR1)
        time.sleep(1)
        return self.log.read_bytes()[before:].decode("utf-8", "replace")

    def stop(self) -> int:
        """End it; returns how many workers were killed."""
        self.process.terminate()
        printed, _ = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, self.said()
        return int(printed)


@contextmanager
def service(
    server: Server, queue: str, folder: Path, kill_every: int, kind: str, database: Server | None, mode: str
) -> Iterator[Service]:
    running = Service(server, queue, folder, kill_every, kind, database, mode)
    try:
        yield running
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.process.pid, signal.SIGKILL)
        running.process.wait()


def send(server: Server, queue: str, count: int, sent: Sent) -> None:
    """Send ``count`` orders, each again until the broker takes it."""
    app = BabelQueue(server.url, queue=queue)
    producer = on.OrdersCreatedProducer(app, queue=queue)
    for number in range(1, count + 1):
        while True:
            try:
                sent.orders[producer.send(on.OrdersCreated(order_id=number))] = number
                break
            except Exception:
                sent.refused += 1
                time.sleep(0.5)
    app.transport.close()


def handled(folder: Path, database: Server | None = None) -> Counter[str]:
    """How often each message took effect in the database."""
    if database is not None:
        found = database_ledgers.rows(database, "SELECT message_id FROM effects")
        return Counter(str(message_id) for (message_id,) in found)
    if not (folder / "service.db").exists():
        return Counter()
    connection = sqlite3.connect(folder / "service.db", timeout=30)
    try:
        found = connection.execute("SELECT message_id FROM effects").fetchall()
    except sqlite3.OperationalError:
        found = []  # the first worker has not made the table yet
    finally:
        connection.close()
    return Counter(message_id for (message_id,) in found)


def kills(folder: Path) -> Counter[str]:
    return Counter(path.name.split(".")[0] for path in folder.glob("*.killed"))


def planned(count: int, kill_every: int) -> set[str]:
    """The names of the files that deaths leave."""
    moments = {number: broker_worker.moment(number, kill_every) for number in range(1, count + 1)}
    return {
        f"{moment}.{number}.killed"
        for number, moment in moments.items()
        if moment is not None and broker_worker.fate(number) != "never"
    }


def buried(server: Server, queue: str, folder: Path) -> list[dict[str, Any]]:
    """The dead letters, taken off their queue."""
    slow = server.url.startswith("kafka")  # first it waits until the group has done without the workers
    app = BabelQueue(transport=kafka_transport(server.url, **broker_worker.KAFKA)) if slow else BabelQueue(server.url)
    drained = drain(app, folder / "dead", f"{queue}.dlq", timeout_seconds=10.0 if slow else 0.1)
    app.transport.close()
    return [json.loads(body) for body in recorded_files.bodies(drained.files)]


def run(
    server: Server,
    folder: Path,
    count: int,
    kill_every: int,
    crashes: int,
    seconds: float,
    *,
    kind: str = "SQLite",
    database: Server | None = None,
    mode: str = "",
) -> None:
    """Send ``count`` orders while they are handled, ``crashes`` times over a crash of the broker, or of the database.

    ``mode`` is that of the workers (see ``broker_worker``).
    """
    kind_of_broker = {"amqp": "rabbitmq"}.get(scheme := server.url.partition(":")[0], scheme)
    queue = broker_queues.own_name()
    broker_queues.opened(kind_of_broker, server, queue, f"{queue}.dlq")
    if database is not None:
        create = "CREATE TABLE effects (message_id VARCHAR(100), order_id INTEGER)"
        database_ledgers.rows(database, *database_ledgers.CLEARED, create)
    deaths = planned(count, kill_every)
    sent, started = Sent(), time.monotonic()
    deadline = started + seconds
    sender = threading.Thread(target=send, args=(server, queue, count, sent), daemon=True)
    with service(server, queue, folder, kill_every, kind, database, mode) as handling:

        def wait_until(done: Callable[[Counter[str]], bool]) -> None:
            while not done(handled(folder, database)):
                handling.check()
                if time.monotonic() > deadline:
                    raise TimeoutError(state())
                time.sleep(0.1)

        def state() -> str:
            left = len(sent.expect("good", "fails") - set(handled(folder, database)))
            missing = deaths - {path.name for path in folder.glob("*.killed")}
            return f"{left} are not handled yet, {missing} to come\n{handling.said()}\n{handling.doing()}"

        sender.start()
        for crash in range(crashes):
            enough = count * (crash + 1) // (crashes + 2)
            wait_until(lambda effects, enough=enough: len(effects) >= enough)  # type: ignore[misc]
            crashing = server if database is None else database
            crashing.crash()
            time.sleep(0.5)
            crashing.start()
        sender.join(seconds)
        # One that dies after its effect may wait for its second delivery, with others that the same worker had.
        wait_until(
            lambda effects: sent.expect("good", "fails") <= set(effects) and kills(folder).total() >= len(deaths)
        )
        time.sleep(PAUSE_SECONDS)
        killed = handling.stop()
    report(server, queue, folder, sent, killed, time.monotonic() - started, handled(folder, database))
    assert kills(folder).total() == len(deaths)
    # Several handlers of one worker may kill it at the same time.
    assert killed == len(deaths) or (mode and killed < len(deaths))


def report(
    server: Server, queue: str, folder: Path, sent: Sent, killed: int, seconds: float, effects: Counter[str]
) -> None:
    """Print what happened, and hold it to what was promised."""
    logged = Counter((folder / "effects.log").read_text().split())
    dead = Counter(str(one["meta"]["id"]) for one in buried(server, queue, folder))
    unknown = (set(effects) | set(dead)) - set(sent.orders)
    print(
        f"\n{server.url.split(':')[0]}: {len(sent.orders)} sent in {seconds:.0f} s ({sent.refused} sends refused), "
        f"{killed} workers killed {dict(kills(folder))}\n"
        f"in the ledger's transaction: {len(effects)} effects, {effects.total() - len(effects)} repeated; "
        f"outside: {len(logged)}, {logged.total() - len(logged)} repeated\n"
        f"dead letters: {len(dead)}, {dead.total() - len(dead)} repeated; "
        f"{len(unknown)} messages of sends that were refused"
    )
    good = sent.expect("good", "fails")
    assert good <= set(effects)
    assert set(effects.values()) == {1}
    assert good <= set(logged)
    assert sent.expect("never") <= set(dead)
    assert not good & set(dead)
    assert len(unknown) <= sent.refused
