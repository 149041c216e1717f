"""Each broker on the lowest and on the newest version of babelqueue that generated packages accept.

Installs that version from the package index, into a folder of its own that comes first on the path. Beside the lowest
one is a client of Redis from before version 8, which waits for ever unless it is told not to.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from packaging.requirements import Requirement
from server import Server

from babelreg.gen.python_code.requirements import BROKER

pytestmark = pytest.mark.servers

ROOT = Path(__file__).parents[3]
SHARED = [ROOT, ROOT / "tests" / "shared", ROOT / "tests" / "runtime" / "shared"]

SERVICE = """
import json, sqlite3, sys
import babelqueue
from importlib.metadata import version
from babelqueue import BabelQueue
import runtime_messages as on
from babelreg.runtime import Consumer, OutboxRelay, SqlOutbox

kind, url = sys.argv[1:]
app = BabelQueue(url, queue="versions", dead_letter=True)

class Orders(Consumer):
    queues = ["versions"]

consumer = Orders(app)
handled = []

@consumer.on(on.OrdersCreated)
def handle(order, context):
    handled.append([order.order_id, context.attempts])
    if order.order_id == 2:
        raise RuntimeError("no")

producer = on.OrdersCreatedProducer(app, queue="versions")
for number in (1, 2):
    producer.send(on.OrdersCreated(order_id=number))
outbox = SqlOutbox(sqlite3.connect(":memory:"))
outbox.create()
producer.write(outbox, on.OrdersCreated(order_id=3))
assert OutboxRelay(app.transport, outbox).drain().published == 1
app.transport.publish("versions", "no json")
consumer.run(max_messages=6, timeout_seconds=15.0 if kind == "kafka" else 2.0)
reasons = []
while len(reasons) < 2 and (dead := app.transport.pop("versions.dlq", 15.0 if kind == "kafka" else 2.0)):
    reasons.append(json.loads(dead.body)["dead_letter"]["reason"])
    app.transport.ack(dead)
app.transport.close()
print(json.dumps([version("babelqueue"), babelqueue.__file__, sorted(handled), sorted(reasons)]))
"""

HALF_OPEN = """
import json, sys, threading
from importlib.metadata import version
from babelqueue import BabelQueue
import runtime_messages as on
from babelreg.runtime import Consumer
from silent_proxy import SilentProxy

port = int(sys.argv[1])

class Orders(Consumer):
    queues = ["half-open"]

with SilentProxy(port).running() as proxy:
    consumer, handled = Orders(BabelQueue(f"redis://127.0.0.1:{proxy.port}/0")), []
    direct = on.OrdersCreatedProducer(BabelQueue(f"redis://127.0.0.1:{port}/0"), queue="half-open")

    def silence():
        proxy.silence()
        direct.send(on.OrdersCreated(order_id=2))

    @consumer.on(on.OrdersCreated)
    def handle(order, context):
        handled.append(order.order_id)
        consumer.stop() if order.order_id == 2 else threading.Timer(1.0, silence).start()

    direct.send(on.OrdersCreated(order_id=1))
    consumer.run(handle_signals=False)
print(json.dumps([version("redis"), handled]))
"""


@pytest.fixture(scope="module", params=["lowest", "newest"])
def installed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with that version of babelqueue."""
    (need,) = map(Requirement, BROKER)
    (low,) = (clause.version for clause in need.specifier if clause.operator == ">=")
    folder = tmp_path_factory.mktemp(request.param)
    wanted = [f"babelqueue=={low}", "redis<5.1"] if request.param == "lowest" else BROKER
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run([*command, "--target", folder, *wanted], capture_output=True, text=True, check=False)
    if "ConnectionError" in done.stderr or "NewConnectionError" in done.stderr:
        pytest.skip(f"NOT TESTED ON OTHER VERSIONS: no package index: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    return folder


def run(script: str, installed: Path, folder: Path, *arguments: str) -> list[Any]:
    """The JSON that ``script`` prints."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [installed, *SHARED]))}
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    printed: list[Any] = json.loads(done.stdout)
    return printed


@pytest.mark.parametrize("kind", ["redis", "rabbitmq", "kafka"])
def test_a_service_sends_retries_and_dead_letters(
    kind: str, installed: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    server: Server = request.getfixturevalue(kind)
    version, file, handled, reasons = run(SERVICE, installed, tmp_path, kind, server.url)
    assert Path(file).is_relative_to(installed)
    assert version in Requirement(BROKER[0]).specifier
    assert (handled, reasons) == ([[1, 0], [2, 0], [2, 1], [2, 2], [3, 0]], ["failed", "poison"])


def test_a_half_open_connection_to_redis_is_replaced(installed: Path, redis: Server, tmp_path: Path) -> None:
    port = str(urlsplit(redis.url).port)
    version, handled = run(HALF_OPEN, installed, tmp_path, port)
    assert (int(version.partition(".")[0]) < 6) == (installed.name.startswith("lowest"))
    assert handled == [1, 2]
