"""Workers that handle eight orders at a time and are killed: nothing is lost, no effect happens twice."""

from __future__ import annotations

from pathlib import Path

import orders_run
import pytest
from server import Server

MODES = ["threads", "loop"]


@pytest.mark.redis
@pytest.mark.parametrize("mode", MODES)
def test_concurrent_workers_are_killed_on_redis(redis: Server, tmp_path: Path, mode: str) -> None:
    orders_run.run(redis, tmp_path, 500, kill_every=100, crashes=0, seconds=400, mode=mode)


@pytest.mark.servers
@pytest.mark.rabbitmq
@pytest.mark.parametrize("mode", MODES)
def test_concurrent_workers_are_killed_on_rabbitmq(rabbitmq: Server, tmp_path: Path, mode: str) -> None:
    orders_run.run(rabbitmq, tmp_path, 500, kill_every=100, crashes=0, seconds=400, mode=mode)


@pytest.mark.servers
@pytest.mark.parametrize("mode", MODES)
def test_concurrent_workers_are_killed_on_kafka(kafka: Server, tmp_path: Path, mode: str) -> None:
    orders_run.run(kafka, tmp_path, 500, kill_every=100, crashes=0, seconds=400, mode=mode)


@pytest.mark.servers
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["SQLite, lock=write", "PostgreSQL", "PostgreSQL, async", "MariaDB"])
def test_concurrent_workers_and_their_database_are_killed(
    request: pytest.FixtureRequest, redis: Server, tmp_path: Path, mode: str, kind: str
) -> None:
    fixture = "postgres" if kind.startswith("Postgre") else "mariadb"
    database = None if kind.startswith("SQLite") else request.getfixturevalue(fixture)
    crashes = 0 if database is None else 1
    orders_run.run(
        redis, tmp_path, 300, kill_every=75, crashes=crashes, seconds=400, kind=kind, database=database, mode=mode
    )


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("broker", ["durable_redis", "rabbitmq", "kafka"])
def test_concurrent_workers_and_the_broker_are_killed_thirty_times(
    request: pytest.FixtureRequest, tmp_path: Path, mode: str, broker: str
) -> None:
    server = request.getfixturevalue(broker)
    orders_run.run(server, tmp_path, 4_000, kill_every=125, crashes=2, seconds=2400, mode=mode)


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["PostgreSQL", "PostgreSQL, async", "MariaDB"])
def test_concurrent_workers_and_their_database_are_killed_thirty_times_each(
    request: pytest.FixtureRequest, redis: Server, tmp_path: Path, mode: str, kind: str
) -> None:
    database = request.getfixturevalue("postgres" if kind.startswith("Postgre") else "mariadb")
    orders_run.run(
        redis, tmp_path, 4_000, kill_every=125, crashes=30, seconds=2400, kind=kind, database=database, mode=mode
    )
