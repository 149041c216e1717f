"""Several services through kills of everything that they run on: nothing is lost, no effect happens twice."""

from __future__ import annotations

import json
import random
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import broker_queues
import database_ledgers
import kafka_server
import pytest
import rabbitmq_server
import redis_server
from fault_process import CREATED
from fault_run import CANCELLED, SERVICES, FaultRun
from server import Server
from silent_proxy import SilentProxy

from babelreg.runtime.transports.redis_layout import KEY

pytestmark = pytest.mark.servers

SHORT = ("billing-worker", "database", "fan-out", "broker")
LONG = (*SERVICES, "relay", "relay", "fan-out", "fan-out", "broker", "broker", "database", "database")
MESSAGES = 24
LONG_FORM = pytest.mark.long


@pytest.fixture
def broker(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A broker of the test's own, which keeps what it has confirmed."""
    running: Any = {
        "redis": lambda: redis_server.running(durable=True),
        "rabbitmq": rabbitmq_server.running,
        "kafka": kafka_server.running,
    }[request.param]
    with ExitStack() as stack:
        yield stack.enter_context(running())


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Server:
    server: Server = request.getfixturevalue(request.param)
    database_ledgers.rows(server, *database_ledgers.CLEARED, *CLEARED)
    return server


CLEARED = ("DROP TABLE IF EXISTS sent", "DROP TABLE IF EXISTS babelreg_outbox")


@pytest.mark.parametrize(
    "broker, database, targets",
    [
        pytest.param("redis", "postgres", SHORT, id="redis and postgresql, a few kills"),
        pytest.param("rabbitmq", "mariadb", SHORT, id="rabbitmq and mariadb, a few kills"),
        *(
            pytest.param(broker, database, LONG, id=f"{broker} and {database}, twelve kills", marks=LONG_FORM)
            for broker in ("redis", "rabbitmq", "kafka")
            for database in ("postgres", "mariadb")
        ),
    ],
    indirect=["broker", "database"],
)
def test_services_relay_fan_out_broker_and_database_are_killed(broker, database, targets, tmp_path, capsys):
    run = FaultRun(broker, database, tmp_path)
    draw = random.Random(f"{run.kind} {run.database.partition(':')[0]}")
    order = [name if name in (*run.names, *run.servers) else "relay" for name in targets]
    draw.shuffle(order)
    with run.running():
        for name in order:
            before = run.handled()
            run.write(MESSAGES)
            run.publish(MESSAGES // 4)
            after = before + draw.randrange(1, MESSAGES)
            run.until(lambda after=after: run.handled() >= after)
            run.kill(name)
        figures = run.finish()
    with capsys.disabled():
        print(f"\n{figures}")
    assert run.killed.total() == len(targets)


@pytest.mark.parametrize("broker", ["redis", "rabbitmq", "kafka"], indirect=True)
@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_a_service_is_added_and_removed_under_load(broker, database, tmp_path):
    run = FaultRun(broker, database, tmp_path, ["billing-worker"])
    ended = threading.Event()

    def load() -> None:
        while not ended.is_set():
            run.write(1)

    def of_warehouse() -> set[str]:
        return {message_id for service, _, message_id in run.effects() if service == "warehouse"}

    with run.running():
        sender = threading.Thread(target=load)
        sender.start()
        try:
            run.until(lambda: run.handled() >= 20)
            run.services.append("warehouse")
            run.start("warehouse")
            run.until(run.ready)
            before = {message_id for (message_id,) in run.rows("SELECT message_id FROM sent")}
            run.until(lambda: len(of_warehouse() - before) >= 20)
            added = run.relayed() - before
            run.until(lambda: added <= of_warehouse())
            run.stop("warehouse")
            run.services.remove("warehouse")
            relayed = run.relayed() - before
            waiting = remove(run)
            assert run.kind == "kafka" or relayed <= of_warehouse() | waiting
            handled = run.handled()
            run.until(lambda: run.handled() >= handled + 20)
        finally:
            ended.set()
            sender.join()
        run.until(run.is_done)
        effects, dead = run.effects(), run.dead_letters()
    assert set(effects.values()) == {1}
    assert run.expected() == {effect for effect in effects if effect[0] == "billing-worker"}
    assert {message_id for *_, message_id in dead} == run.rejected()
    assert {(queue, reason) for queue, reason, _ in dead} <= {("billing-worker", "failed")}


def remove(run: FaultRun) -> set[str]:
    """Delete the subscriptions of warehouse, as the page on queues says; return the ids in its inbox before."""
    waiting = {json.loads(body)["meta"]["id"] for body in run.bodies("warehouse")}
    queues: Any = broker_queues.KINDS[run.kind](run.broker)
    if run.kind == "redis":
        for urn in (CREATED, CANCELLED):
            queues.client.srem(KEY + urn, "warehouse")
    elif run.kind == "rabbitmq":
        queues.channel.queue_delete("warehouse")
    return waiting


def of_handler(data: bytes) -> bool:
    """Return True for the statement of a handler: only that has the URN as a value."""
    return b"urn:babel:" in data


def of_ledger(data: bytes) -> bool:
    """Return True for statements of the ledger: they have the name of the consumer as a value."""
    return not of_handler(data) and (b"billing-worker" in data or b"warehouse" in data)


@pytest.mark.parametrize("broker", ["redis"], indirect=True)
@pytest.mark.parametrize(
    "database, silent_in, resets",
    [
        pytest.param("postgres", of_handler, True, id="postgresql, in a handler's statement, then a reset"),
        pytest.param("mariadb", of_handler, False, id="mariadb, in a handler's statement, then an answer"),
        pytest.param("postgres", of_ledger, False, id="postgresql, between handlers, then an answer", marks=LONG_FORM),
        pytest.param("mariadb", of_ledger, True, id="mariadb, between handlers, then a reset", marks=LONG_FORM),
    ],
    indirect=["database"],
)
def test_a_half_open_database_is_reported_within_30_seconds(broker, database, silent_in, resets, tmp_path):
    run = FaultRun(broker, database, tmp_path)
    port = int(re.search(r":(\d+)/", database.url)[1])
    with SilentProxy(port, silent_in).running() as proxy:
        run.database_of = dict.fromkeys(SERVICES, database.url.replace(str(port), str(proxy.port)))
        with run.running():
            run.write(MESSAGES)
            run.until(lambda: run.handled() >= MESSAGES)
            proxy.forwards.clear()
            run.write(MESSAGES)
            reported = re.compile(r"database has not answered for (\d+) s")
            run.until(lambda: all(reported.search(run.said(name)) for name in ("billing-worker", "warehouse")))
            seconds = [int(found) for name in SERVICES for found in reported.findall(run.said(name))]
            assert max(seconds) <= 30
            if resets:
                proxy.reset()
            proxy.forwards.set()
            run.finish()


@pytest.mark.parametrize(
    "broker",
    [pytest.param("redis", id="redis"), pytest.param("rabbitmq", id="rabbitmq, after two heartbeats")],
    indirect=True,
)
@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_half_open_connections_to_the_broker_are_replaced(broker, database, tmp_path):
    run = FaultRun(broker, database, tmp_path)
    port = int(re.search(r":(\d+)/", broker.url)[1])
    with SilentProxy(port).running() as proxy:
        run.broker_of = dict.fromkeys(SERVICES, broker.url.replace(str(port), str(proxy.port)))
        with run.running():
            run.write(MESSAGES)
            run.until(lambda: run.handled() >= MESSAGES)
            proxy.silence()
            run.write(MESSAGES)
            run.finish()


@pytest.mark.parametrize("broker", ["redis"], indirect=True)
def test_nothing_is_lost_on_a_full_disk(broker, small_disk, tmp_path):
    run = FaultRun(broker, str(small_disk / "shop.db"), tmp_path)
    ballast = small_disk / "ballast"
    with run.running():
        run.write(MESSAGES)
        run.until(lambda: run.handled() >= MESSAGES)
        fill(ballast)
        run.publish(2 * MESSAGES)
        run.until(lambda: all("ledger_unavailable" in run.said(name) for name in ("billing-worker", "warehouse")))
        ballast.unlink()
        run.write(MESSAGES)
        print(run.finish())


def fill(ballast: Path) -> None:
    """Write zeros until the disk is full."""
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", disk], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("NOT TESTED ON A FULL DISK: only root may mount one")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)
