"""``babelreg spark stream`` into a local folder, killed around its commits with all its processes, and run again.

Delta tables in a folder are written directly, other than those of a cluster (``test_stream_on_a_cluster.py``).
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import jars
import kafka_server
import pytest
from server import Server

sys.path.insert(0, str(Path(__file__).parents[3] / "lake" / "shared"))
import stream_kills
from lakehouse import Lakehouse

pytestmark = [pytest.mark.spark, pytest.mark.cluster]

KILLS = int(os.environ.get("BABELREG_TEST_KILLS", "20"))
COMMITS = 5
"""Of a batch: the log, the digests, a table, the quarantine, the counts; a table of another stream's claim is apart."""

PROGRAM = """
import os, signal, sys, threading
from babelreg.__main__ import main
from babelreg.spark.platform.formats.table_set import TableSet

point, delay = int(sys.argv.pop(1)), float(sys.argv.pop(1))
append, lock, seen = TableSet.append, threading.Lock(), [0]

def kill():
    os.killpg(0, signal.SIGKILL)

def killing(self, *args):
    with lock:
        number, seen[0] = seen[0], seen[0] + 1
    if point == 2 * number:
        threading.Timer(delay, kill).start() if delay else kill()
    append(self, *args)
    if point == 2 * number + 1:
        threading.Timer(delay, kill).start() if delay else kill()

TableSet.append = killing
main()
"""


@dataclass
class LocalStream:
    """A stream from ``source``, a folder or a topic of ``kafka``, into tables of the format ``to`` below ``folder``."""

    folder: Path
    to: str
    kafka: Server | None = None
    sent: list[bytes | None] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: iter(range(1_000_000)))

    def __post_init__(self) -> None:
        registry = self.folder / "registry"
        (registry / "orders").mkdir(parents=True)
        (registry / "babelreg.yaml").write_text("version: 1\n")
        (registry / "orders" / "_context.yaml").write_text("owner: team\n")
        data = {"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}}
        declared = {"urn": stream_kills.URN, "kind": "event", "data": data}
        (registry / "orders" / "created.yaml").write_text(json.dumps(declared))
        (self.folder / "in").mkdir()
        if self.kafka:
            kafka_server.create(self.kafka, self.topic, 2)

    @property
    def topic(self) -> str:
        return f"killed-{self.to}"

    def produce(self, count: int) -> None:
        """Send messages, in a file of their own if they are not for Kafka."""
        numbers = [next(self.numbers) for _ in range(count)]
        values = stream_kills.produced(numbers)
        if self.kafka:
            kafka_server.produce(self.kafka, self.topic, values)
        else:
            values = [value for value in values if value is not None]
            (self.folder / "made").write_bytes(b"\n".join(value for value in values if value))
            (self.folder / "made").rename(self.folder / "in" / f"{numbers[0]:06}.jsonl")
        self.sent += values

    def run(self, point: int = -1, delay: float = 0.0) -> bool:
        """Run the stream to its end or to its death; return whether it was killed."""
        source = f"{self.kafka.url}/{self.topic}" if self.kafka else "in"
        place = ["--from", source, "--to", self.to, "--at", "./tables", "--checkpoint", "checkpoint"]
        more = ["--registry", "registry", "--max-messages", "100", "--max-files", "1"]
        files = ",".join(map(str, jars.paths("kafka", self.to)))
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, f"{point}", f"{delay}", "spark", "stream", *place, *more, "--jars", files],
            cwd=self.folder, capture_output=True, text=True, check=False, timeout=900, start_new_session=True,
        )  # fmt: skip
        assert done.returncode in (0, -signal.SIGKILL), done.stdout + done.stderr[-3000:]
        return done.returncode != 0

    def endure(self, points: Sequence[tuple[int, float]]) -> None:
        """Run the stream once for each of ``points``, with new messages before most, and then to its end."""
        killed = 0
        for number, (point, delay) in enumerate(points):
            if number % 3 < 2:  # the third one has what the two before it could not
                self.produce(100)
                self.produce(100)
            killed += self.run(point, delay)
        self.run()
        tables = self.folder / "tables"
        place = Lakehouse.in_folder(self.to, tables if self.to == "delta" else tables / "messages")
        stream_kills.check(place.read, self.sent)
        print(f"{killed} of {len(points)} runs were killed, {len(self.sent):,} messages sent")
        assert killed > len(points) / 2


def _points(count: int) -> list[tuple[int, float]]:
    chance = random.Random(count)
    return [(chance.randrange(4 * COMMITS), chance.choice([0, 0, chance.random()])) for _ in range(count)]


@pytest.mark.servers
def test_a_stream_that_is_killed_goes_on_where_it_ended(kafka: Server, tmp_path: Path) -> None:
    LocalStream(tmp_path, "delta", kafka).endure([(2 * COMMITS + 5, 0.0)])  # in the second batch, after its table


@pytest.mark.long
@pytest.mark.parametrize(
    "source, to",
    [
        pytest.param("kafka", "delta", id="Kafka to Delta"),
        pytest.param("kafka", "iceberg", id="Kafka to Iceberg"),
        pytest.param("folder", "delta", id="a folder to Delta"),
        pytest.param("folder", "iceberg", id="a folder to Iceberg"),
    ],
)
def test_many_kills_lose_nothing_and_store_nothing_twice(
    source: str, to: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    kafka = request.getfixturevalue("kafka") if source == "kafka" else None
    LocalStream(tmp_path, to, kafka).endure(_points(KILLS))
