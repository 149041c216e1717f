from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

# Tests are imported one by one, without packages: what they share here is found by its folder.
sys.path.insert(0, str(Path(__file__).parent / "shared"))

import rabbitmq_server
import redis_server
from server import Server

# One broker of a kind serves the whole session; a test that crashes it starts it again.


@pytest.fixture(scope="session")
def redis() -> Iterator[Server]:
    with _redis(durable=False) as server:
        yield server


@pytest.fixture(scope="session")
def durable_redis() -> Iterator[Server]:
    """Redis that outlives a crash: it answers a write once it is on the disk."""
    with _redis(durable=True) as server:
        yield server


@contextmanager
def _redis(*, durable: bool) -> Iterator[Server]:
    if redis_server.PROGRAM is None:
        pytest.skip("NOT TESTED ON REDIS: apt-get install redis-server")
    yield from _started("REDIS", redis_server.running(durable=durable))


@pytest.fixture(scope="session")
def rabbitmq() -> Iterator[Server]:
    if rabbitmq_server.PROGRAM is None:
        pytest.skip("NOT TESTED ON RABBITMQ: apt-get install --no-install-recommends rabbitmq-server")
    yield from _started("RABBITMQ", rabbitmq_server.running())


def _started(name: str, running: AbstractContextManager[Server]) -> Iterator[Server]:
    with ExitStack() as stack:
        try:
            server = stack.enter_context(running)
        except (RuntimeError, OSError) as err:
            pytest.skip(f"NOT TESTED ON {name}, which does not start here: {err}")
        yield server
