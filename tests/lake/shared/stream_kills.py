"""A stream on a cluster, from Kafka to Delta or Iceberg in S3, whose parts are killed at random moments."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import jars
import kafka_server
import s3_tables
from s3_server import S3Server
from server import Server
from spark_cluster import SparkCluster

__all__ = ["TOPIC", "URN", "StreamUnderFire", "check", "produced"]

TOPIC = "under-fire"
URN = "urn:babel:orders:created"
_SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.task.maxFailures": "8",
    # An executor that is killed over and over is no reason to give up.
    "spark.deploy.maxExecutorRetries": "-1",
}

_IDLE_ROUNDS = 100
"""Looks at the store without a new object, after some were stored: all was read."""


def order(number: int) -> bytes:
    """A message; ``number`` gives its id."""
    meta = {"id": f"{number:032x}", "queue": "orders", "lang": "go", "schema_version": 1}
    body = {"job": URN, "trace_id": f"t{number}", "data": {"total": number}, "attempts": 0}
    return json.dumps({**body, "meta": {**meta, "created_at": 1749132727000 + number}}).encode()


def produced(numbers: Iterable[int]) -> list[bytes | None]:
    """Return messages: every tenth sent twice, every fiftieth broken, every hundredth a tombstone."""
    values: list[bytes | None] = []
    for number in numbers:
        if number % 100 == 99:
            values.append(None)
        elif number % 50 == 48:
            values.append(b'{"broken": %d' % number)
        else:
            values += [order(number)] * (2 if number % 10 == 0 else 1)
    return values


@dataclass
class StreamUnderFire:
    """The parts are killed in turns at random; ``killed`` counts them. ``to`` is the format of the tables."""

    cluster: SparkCluster
    kafka: Server
    s3: S3Server
    bucket: str
    to: str
    chance: random.Random
    killed: Counter[str] = field(default_factory=Counter)
    victims: list[str] = field(default_factory=list)
    driver: subprocess.Popen[str] | None = None

    def submit(self, *arguments: str) -> subprocess.Popen[str]:
        """Start the driver of ``job.py``."""
        files = ",".join(map(str, jars.paths("kafka", "s3", self.to)))
        lake = f"s3a://{self.bucket}"
        place = ["--from", f"{self.kafka.url}/{TOPIC}", "--to", self.to]
        place += ["--at", f"{lake}/tables", "--checkpoint", f"{lake}/checkpoint"]
        job = ["--jars", files, "--archives", "babelreg.tar.gz#babelreg", "spark_schemas/job.py", *place]
        return self.cluster.submit(*job, *arguments, conf={**_SETTINGS, **self.s3.spark_settings})

    def endure(self, kills: int, total: int) -> None:
        """Produce messages ``[0, total)`` in as many parts as there are kills, one in each; return when all is read."""
        step = -(-total // kills)
        try:
            for start in range(0, total, step):
                numbers = range(start, min(start + step, total))
                producer = threading.Thread(target=kafka_server.produce, args=(self.kafka, TOPIC, produced(numbers)))
                producer.start()
                if self.driver is None or self.driver.poll() is not None:
                    self._end_driver()
                    self.driver = self.submit("--every", "0.5", "--max-messages", "400")
                self._wait(self.chance.randint(1, 60))
                self._kill(self._victim())
                producer.join()
        finally:
            self._end_driver()
        code, out, err = self.cluster.done(self.submit("--once"))
        assert code == 0, out + err[-5000:]

    def _wait(self, objects: int) -> None:
        """Wait until so many objects were stored: a moment that depends on the work, not on the machine's speed."""
        assert self.driver is not None
        folder = self.s3.folder / self.bucket
        known, stored, idle = set(folder.rglob("*")), 0, 0
        while stored < objects and self.driver.poll() is None and idle < _IDLE_ROUNDS:
            time.sleep(0.1)
            found = set(folder.rglob("*"))
            stored, idle = stored + len(found - known), 0 if found - known or not stored else idle + 1
            known = found

    def _victim(self) -> str:
        """Return what is killed next: each kind comes up in five kills, in any order."""
        if not self.victims:
            self.victims = ["executor", "executor", "driver", "broker", "store"]
            self.chance.shuffle(self.victims)
        return self.victims.pop()

    def _kill(self, victim: str) -> None:
        executors = self.cluster.executors()
        if victim == "executor" and not executors:
            victim = "driver"
        if victim == "executor":
            with suppress(ProcessLookupError):
                os.kill(self.chance.choice(executors), signal.SIGKILL)
        elif victim == "driver":
            self._end_driver()
        else:
            server = self.kafka if victim == "broker" else self.s3
            server.crash()
            time.sleep(self.chance.uniform(0, 3))
            server.start()
        self.killed[victim] += 1

    def _end_driver(self) -> None:
        """Kill the driver: the JVM and its Python."""
        if self.driver is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.driver.pid, signal.SIGKILL)
            self.driver.communicate()
            self.driver = None

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a table, read by another engine than Spark."""
        return s3_tables.rows(self.s3, self.to, f"{self.bucket}/tables", name)

    def check(self, total: int) -> None:
        """Assert that every message is in one place, once."""
        check(self.rows, produced(range(total)))


def check(rows: Callable[[str], list[dict[str, Any]]], messages: Iterable[bytes | None]) -> None:
    """Assert that tables, whose ``rows`` are found by name, have each of ``messages`` in one place, once."""
    sent = Counter(messages)
    total, tombstones = sent.total(), sent.pop(None, 0)
    broken = {body: count for body, count in sent.items() if body is not None and body.startswith(b'{"broken"')}
    ids = sorted(row["message_id"] for row in rows("orders_created__rows"))
    assert ids == sorted(f"{json.loads(body)['meta']['id']}" for body in sent if body and body not in broken)
    assert Counter(row["body"] for row in rows("babelreg__quarantine")) == broken
    counts: Counter[str] = Counter()
    for row in rows("babelreg__counts"):
        counts[row["outcome"]] += row["messages"]
    assert counts["empty"] == tombstones
    assert sum(counts.values()) == total
    assert counts["accepted"] == len(ids)
