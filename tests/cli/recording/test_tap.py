"""``babelreg tap``: what it says, and that what is published while it runs is in a file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pika
import pytest
import recorded_files
from server import Server

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def channel(rabbitmq: Server) -> Iterator[Any]:
    connection = pika.BlockingConnection(pika.URLParameters(rabbitmq.url))
    channel = connection.channel()
    for queue in ("kept", "kept.lost"):
        channel.queue_delete(queue)
    channel.exchange_declare("events", "topic", durable=True)
    channel.confirm_delivery()
    yield channel
    connection.close()


def tap_process(server: Server, folder: Path, *options: str) -> subprocess.Popen[str]:
    words = ["tap", "rabbitmq", server.url, "--out", str(folder), *options]
    return subprocess.Popen(
        [sys.executable, "-m", "babelreg", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def begun(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.readline() + process.stderr.readline()


def test_redis_cannot_be_tapped(run: Run, tmp_path: Path) -> None:
    code, _, err = run("tap", "redis", "redis://localhost/0", "--out", tmp_path)
    assert code == 2
    assert "cannot be tapped" in err
    assert 'record="DIR"' in err


@pytest.mark.parametrize(
    "options, error",
    [
        pytest.param(["--routing-key", "a"], "--exchange NAME", id="a key without an exchange"),
        pytest.param(["--exchange", "events", "--queue", "a"], "--routing-key KEY", id="a queue of an exchange"),
    ],
)
def test_options_that_do_not_belong_together(run: Run, tmp_path: Path, options: list[str], error: str) -> None:
    code, _, err = run("tap", "rabbitmq", "amqp://localhost/", "--out", tmp_path, *options)
    assert code == 2
    assert error in err


@pytest.mark.rabbitmq
@pytest.mark.parametrize(
    "options, error, fix",
    [
        pytest.param([], "the firehose of virtual host '/' is off", "rabbitmqctl trace_on -p /", id="no firehose"),
        pytest.param(["--exchange", "nope"], "no exchange 'nope'", "check its name", id="no exchange"),
        pytest.param(
            ["--exchange", "amq.direct"], "direct exchange", "--routing-key KEY", id="a direct exchange without keys"
        ),
    ],
)
def test_what_cannot_be_tapped(
    rabbitmq: Server, run: Run, tmp_path: Path, options: list[str], error: str, fix: str
) -> None:
    code, out, err = run("tap", "rabbitmq", rabbitmq.url, "--out", tmp_path / "in", *options)
    assert (code, out) == (2, "")
    assert error in err
    assert fix in err
    assert "guest:guest" not in err


@pytest.mark.rabbitmq
@pytest.mark.usefixtures("channel")
def test_a_dry_run_leaves_nothing(rabbitmq: Server, run: Run, tmp_path: Path) -> None:
    words = ["--exchange", "events", "--durable", "kept", "--out", tmp_path / "in", "--dry-run"]
    code, out, _ = run("tap", "rabbitmq", rabbitmq.url, *words)
    assert (code, out.partition(" of ")[0]) == (0, "would copy messages to exchange events")
    assert not (tmp_path / "in").exists()


@pytest.mark.rabbitmq
def test_what_is_published_is_copied_until_it_is_stopped(rabbitmq: Server, channel: Any, tmp_path: Path) -> None:
    process = tap_process(rabbitmq, tmp_path, "--exchange", "events", "--format", "json")
    said = begun(process)
    assert "copying messages to exchange events of amqp://guest:***@" in said
    assert "while no tap runs are not copied" in said
    for number in range(5):
        channel.basic_publish("events", "orders.created", b"%d" % number)
    end = time.monotonic() + 120
    while sum(path.stat().st_size for path in tmp_path.iterdir()) < 25:
        if time.monotonic() > end:
            raise TimeoutError("nothing is copied")
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    summary = json.loads(out)
    assert (summary["messages"], summary["lost"]) == (5, 0)
    assert recorded_files.bodies(map(Path, summary["files"])) == [b"%d" % number for number in range(5)]


def kept_over_kills(server: Server, channel: Any, folder: Path, count: int, kills: int) -> None:
    """A durable tap that is killed again and again has a copy of every message that the broker confirmed."""
    first = tap_process(server, folder, "--exchange", "events", "--durable", "kept")
    begun(first)
    dead, bodies, failed = threading.Event(), [], []

    def publish() -> None:
        try:
            while len(bodies) < count or not dead.is_set():
                body = b"%d" % len(bodies)
                channel.basic_publish("events", "orders", body, pika.BasicProperties(delivery_mode=2))
                bodies.append(body)
        except Exception as err:
            failed.append(err)

    publisher = threading.Thread(target=publish)
    publisher.start()
    process = first
    for _ in range(kills):
        time.sleep(0.2)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        process = tap_process(server, folder, "--exchange", "events", "--durable", "kept")
        begun(process)
    dead.set()
    publisher.join()
    assert failed == []
    process.kill()
    process.communicate()
    last = tap_process(server, folder, "--exchange", "events", "--durable", "kept", "--format", "json")
    begun(last)
    end = time.monotonic() + 120
    other = pika.BlockingConnection(pika.URLParameters(server.url)).channel()
    while other.queue_declare("kept", passive=True).method.message_count:
        if time.monotonic() > end:
            raise TimeoutError("the queue of the tap does not get empty")
        time.sleep(0.05)
    last.terminate()
    out, err = last.communicate(timeout=120)
    assert last.returncode == 0, err
    assert json.loads(out)["lost"] == 0
    assert set(recorded_files.bodies(recorded_files.visible(folder))) == set(bodies)


@pytest.mark.rabbitmq
def test_a_durable_tap_that_is_killed_loses_nothing(rabbitmq: Server, channel: Any, tmp_path: Path) -> None:
    kept_over_kills(rabbitmq, channel, tmp_path, 1_000, kills=3)


@pytest.mark.rabbitmq
@pytest.mark.long
def test_a_durable_tap_loses_nothing_over_many_kills(rabbitmq: Server, channel: Any, tmp_path: Path) -> None:
    kept_over_kills(rabbitmq, channel, tmp_path, 10_000, kills=30)
