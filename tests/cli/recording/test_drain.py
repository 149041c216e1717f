"""``babelreg drain``: what it asks, says and leaves; killed at any moment, it loses nothing."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pika
import pytest
import recorded_files
import redis as client
from server import Server, free_port, listens

from babelreg.load.service.starter import example_folder

Run = Callable[..., tuple[int, str, str]]

NOWHERE = {"redis": "redis://127.0.0.1:1/0", "rabbitmq": "amqp://guest:geheim@127.0.0.1:1/"}


class Lists:
    """The queues of a Redis server."""

    kind = "redis"

    def __init__(self, server: Server) -> None:
        self.url = server.url
        self._redis = client.Redis.from_url(server.url)
        self._redis.flushall()

    def publish(self, queue: str, body: bytes) -> None:
        self._redis.rpush(queue, body)

    def count(self) -> int:
        """The number of messages of queue orders, wherever they are on the server."""
        return sum(self._redis.llen(key) for key in self._redis.keys("orders*") if self._redis.type(key) == b"list")


class Queues:
    """The queues of a RabbitMQ server."""

    kind = "rabbitmq"

    def __init__(self, server: Server) -> None:
        self.url = server.url
        self._channel: Any = pika.BlockingConnection(pika.URLParameters(server.url)).channel()
        for queue in ("orders", "orders.dlq"):
            self._channel.queue_delete(queue)
            self._channel.queue_declare(queue, durable=True)
        self._channel.confirm_delivery()

    def publish(self, queue: str, body: bytes) -> None:
        self._channel.basic_publish("", queue, body, pika.BasicProperties(delivery_mode=2))

    def count(self) -> int:
        return int(self._channel.queue_declare("orders", passive=True).method.message_count)


BROKERS = [
    pytest.param("redis", marks=pytest.mark.redis, id="Redis"),
    pytest.param("rabbitmq", marks=pytest.mark.rabbitmq, id="RabbitMQ"),
]


@pytest.fixture(params=BROKERS)
def broker(request: pytest.FixtureRequest) -> Lists | Queues:
    server = request.getfixturevalue(request.param)
    return Lists(server) if request.param == "redis" else Queues(server)


def recorded(folder: Path) -> list[bytes]:
    return recorded_files.bodies(recorded_files.visible(folder))


def test_messages_are_moved_into_files(broker: Lists | Queues, run: Run, tmp_path: Path) -> None:
    bodies = [b'{"a":1.10}', b"not json\r\n", b"\xff\xfe", "é☃".encode()]
    for body in bodies:
        broker.publish("orders", body)
    code, out, err = run("drain", broker.kind, broker.url, "orders", "--out", tmp_path / "in", "--yes")
    assert (code, broker.count()) == (0, 0)
    assert out.splitlines()[0] == "orders: 4 messages (27 bytes)"
    assert f"Next: babelreg lake ingest --input {tmp_path}/in --lake lake" in err
    assert recorded(tmp_path / "in") == bodies


def test_a_queue_that_is_not_of_dead_letters_needs_a_yes(broker: Lists | Queues, run: Run, tmp_path: Path) -> None:
    for queue in ("orders", "orders.dlq"):
        broker.publish(queue, b"{}")
    code, out, err = run("drain", broker.kind, broker.url, "orders", "--out", tmp_path)
    assert (code, out) == (2, "")
    assert "takes the messages of 'orders' away from its consumers" in err
    assert "--yes" in err
    assert recorded(tmp_path) == []
    code, out, err = run("drain", broker.kind, broker.url, "orders.dlq", "--out", tmp_path)
    assert code == 0
    assert "taking dead letters" in err
    assert recorded(tmp_path) == [b"{}"]


def test_a_dry_run_moves_nothing(broker: Lists | Queues, run: Run, tmp_path: Path) -> None:
    for _ in range(3):
        broker.publish("orders", b"{}")
    code, out, _ = run("drain", broker.kind, broker.url, "orders", "--out", tmp_path / "in", "--dry-run")
    assert (code, out, broker.count()) == (0, "orders: would move 3 messages\n", 3)
    assert not (tmp_path / "in").exists()


def test_a_limit_ends_it(broker: Lists | Queues, run: Run, tmp_path: Path) -> None:
    for number in range(5):
        broker.publish("orders", b"%d" % number)
    words = ["--out", tmp_path, "--yes", "--limit", 3, "--per-file", 2, "--format", "json"]
    code, out, _ = run("drain", broker.kind, broker.url, "orders", *words)
    summary = json.loads(out)
    assert (code, summary["messages"], summary["bytes"], len(summary["files"])) == (0, 3, 3, 2)
    assert recorded_files.bodies(map(Path, summary["files"])) == [b"0", b"1", b"2"]


@pytest.mark.parametrize("kind", ["redis", "rabbitmq"])
def test_a_broker_that_is_away_is_a_clear_error(kind: str, run: Run, tmp_path: Path) -> None:
    code, out, err = run("drain", kind, NOWHERE[kind], "orders", "--out", tmp_path, "--yes")
    assert (code, out) == (2, "")
    assert "cannot be reached" in err
    assert "refused" in err
    assert "geheim" not in err


@pytest.fixture
def secured_redis(redis: Server, tmp_path: Path) -> Iterator[str]:
    """The URL of a Redis that speaks TLS alone, with a certificate in ``ca.pem`` that nobody trusts."""
    if shutil.which("openssl") is None:
        pytest.skip("NOT TESTED WITH TLS: apt-get install openssl")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out ca.pem -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command.split(), *names], cwd=tmp_path, check=True, capture_output=True)
    port = free_port()
    options = f"--port 0 --tls-port {port} --tls-cert-file ca.pem --tls-key-file key.pem --tls-ca-cert-file ca.pem"
    command = [redis.command[0], *options.split(), "--tls-auth-clients", "no", "--save", "", "--dir", str(tmp_path)]
    url = f"rediss://127.0.0.1:{port}/0"
    server = Server(url, command, tmp_path / "redis.log", partial(listens, port), 20)
    try:
        server.start()
        yield url
    finally:
        server.stop()


@pytest.mark.redis
def test_tls(secured_redis: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["orders.dlq", "--out", tmp_path / "in"]
    code, _, err = run("drain", "redis", secured_redis, *words)
    assert code == 2
    assert "certificate that is not trusted" in err
    code, _, err = run("drain", "redis", secured_redis.replace("rediss:", "redis:"), *words)
    assert code == 2
    assert "whether it uses TLS" in err
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    assert run("drain", "redis", secured_redis, *words)[:2] == (0, "orders.dlq: no message\n")


@pytest.mark.rabbitmq
@pytest.mark.parametrize(
    "old, new, error, fix",
    [
        ("guest@", "geheim@", "refuses the user or password", "BABELREG_BROKER_PASSWORD"),
        ("%2F", "shop", "refuses the virtual host", "%2F is '/'"),
        ("amqp:", "amqps:", "does not answer in the expected protocol", "TLS"),
    ],
)
def test_rabbitmq_that_refuses_is_a_clear_error(
    rabbitmq: Server, run: Run, tmp_path: Path, old: str, new: str, error: str, fix: str
) -> None:
    code, _, err = run("drain", "rabbitmq", rabbitmq.url.replace(old, new), "orders", "--out", tmp_path, "--yes")
    assert code == 2
    assert error in err
    assert fix in err
    assert "geheim" not in err


@pytest.mark.rabbitmq
def test_a_missing_queue_is_one_that_the_registry_may_know(rabbitmq: Server, run: Run, tmp_path: Path) -> None:
    words = ["--out", tmp_path, "--registry", example_folder()]
    code, _, err = run("drain", "rabbitmq", rabbitmq.url, "order.dlq", *words)
    assert code == 2
    assert "has no queue 'order.dlq'" in err
    assert "did you mean orders.dlq?" in err


@pytest.mark.redis
def test_an_empty_list_may_be_another_one(redis: Server, run: Run, tmp_path: Path) -> None:
    lists = Lists(redis)
    words = ["--out", tmp_path, "--yes", "--registry", example_folder()]
    code, out, err = run("drain", "redis", lists.url, "order", *words)
    assert (code, out) == (0, "order: no message\n")
    assert "did you mean orders?" in err
    lists.publish("queues:orders", b"{}")
    assert "with ?laravel=1 in the URL" in run("drain", "redis", lists.url, "orders", *words)[2]
    assert run("drain", "redis", f"{lists.url}?laravel=1", "orders", *words)[1].startswith("orders: 1 message")


@pytest.mark.redis
def test_a_key_that_is_no_queue_is_a_clear_error(redis: Server, run: Run, tmp_path: Path) -> None:
    Lists(redis)._redis.set("orders", "x")
    code, _, err = run("drain", "redis", redis.url, "orders", "--out", tmp_path, "--yes")
    assert code == 2
    assert "no list" in err


@pytest.mark.redis
def test_a_disk_that_cannot_be_written_leaves_the_messages_in_the_queue(
    redis: Server, run: Run, tmp_path: Path
) -> None:
    lists = Lists(redis)
    lists.publish("orders", b"{}")
    (tmp_path / "in").mkdir()
    (tmp_path / "in").chmod(0o500)
    place = tmp_path / "in" if os.geteuid() else Path("/proc")
    code, _, err = run("drain", "redis", lists.url, "orders", "--out", place, "--yes")
    assert code == 2
    assert "cannot be written" in err
    assert lists.count() == 1


def drain_process(broker: Lists | Queues, folder: Path, *options: str) -> subprocess.Popen[str]:
    words = ["drain", broker.kind, broker.url, "orders", "--out", str(folder), "--yes", *options]
    return subprocess.Popen(
        [sys.executable, "-m", "babelreg", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_until(done: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 120
    while not done():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_a_complete_file(broker: Lists | Queues, tmp_path: Path, number: signal.Signals) -> None:
    process = drain_process(broker, tmp_path, "--follow")
    broker.publish("orders", b"{}")
    wait_until(lambda: any(path.stat().st_size for path in tmp_path.iterdir()), "no message was recorded")
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out.splitlines()[0]) == (0, "orders: 1 message (2 bytes)")
    assert "Traceback" not in err
    assert recorded(tmp_path) == [b"{}"]


def size_bytes(folder: Path) -> int:
    sizes = 0
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # it is complete now
            sizes += path.stat().st_size
    return sizes


def changed(folder: Path, before: int, process: subprocess.Popen[str]) -> bool:
    return size_bytes(folder) != before or process.poll() is not None


def killed_at_random(broker: Lists | Queues, folder: Path, count: int, kills: int) -> None:
    """Publish ``count`` messages, or more, while drains are killed; each message is in a file or on the broker afterwards."""
    bodies: list[bytes] = []
    chance = random.Random(count)
    dead, failed = threading.Event(), []

    def publish() -> None:
        try:
            while len(bodies) < count or not dead.is_set():
                number = len(bodies)
                bodies.append(json.dumps({"order_id": number, "fill": "x" * (number % 500)}).encode())
                broker.publish("orders", bodies[-1])
                if number % 50 == 49:
                    dead.wait(0.02)
        except Exception as err:
            failed.append(err)

    producer = threading.Thread(target=publish)
    producer.start()
    for _ in range(kills):
        process = drain_process(broker, folder, "--follow", "--per-file", "200")
        before = size_bytes(folder)
        wait_until(partial(changed, folder, before, process), "nothing was recorded")
        time.sleep(chance.random() / 10)
        process.kill()
        process.communicate()
    dead.set()
    producer.join()
    assert failed == []
    last = drain_process(broker, folder)
    out, err = last.communicate(timeout=300)
    assert last.returncode == 0, err
    found = Counter(recorded(folder))
    print(
        f"\n{len(bodies)} messages, {kills} kills, {found.total() - len(found)} recorded twice; {out.splitlines()[0]}"
    )
    assert set(found) == set(bodies)
    assert broker.count() == 0
    assert not list(folder.glob(".*"))


def test_nothing_is_lost_when_it_is_killed_while_messages_are_published(broker: Lists | Queues, tmp_path: Path) -> None:
    killed_at_random(broker, tmp_path, 2_000, kills=2)


@pytest.mark.long
def test_nothing_is_lost_over_many_kills(broker: Lists | Queues, tmp_path: Path) -> None:
    killed_at_random(broker, tmp_path, 40_000, kills=40)
