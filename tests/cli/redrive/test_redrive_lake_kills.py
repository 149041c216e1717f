"""``babelreg redrive --from lake:DIR`` killed at any moment: nothing is lost, and at most one batch is sent twice."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from broker_queues import URN, BrokerQueues, envelope, opened

from babelreg.cli.redrive.from_lake import BATCH
from babelreg.spark import dataset

pytest.importorskip("numpy")

Run = Callable[..., tuple[int, str, str]]

A_RUN = BATCH + BATCH // 2
LONGEST_SECONDS = 1.5
"""Long enough for the batch to be sent and its rows to be moved to their tables, so that kills fall into all of it."""


class Lake:
    """A lake whose registry refuses ids above 99 while messages are read, and accepts them while they are sent."""

    def __init__(self, folder: Path, run: Run) -> None:
        self.folder = folder
        self.count = 0
        self._run = run
        (folder / "in").mkdir()
        (folder / "registry" / "orders").mkdir(parents=True)
        (folder / "registry" / "babelreg.yaml").write_text("version: 1\nspark: {engine: local}\n")
        (folder / "registry" / "orders" / "_context.yaml").write_text("owner: team-orders\n")

    def quarantine(self, count: int) -> None:
        """Read ``count`` more messages, which all go to the quarantine; one in twenty stays not valid."""
        numbers = range(self.count, self.count + count)
        (self.folder / "in" / f"{self.count}").write_bytes(b"".join(self.message(number) + b"\n" for number in numbers))
        self.count += count
        self._declare({"type": "integer", "maximum": 99})
        code, _, err = self._run("lake", "ingest", "--input", "in", "--lake", "lake")
        assert code == 0, err
        self._declare({"type": "integer"})

    def message(self, number: int) -> bytes:
        return envelope(number, {"id": "x" if number % 20 == 0 else 100 + number})

    def quarantined(self) -> int:
        document = json.loads(self._run("lake", "quarantine", "--lake", "lake", "--format", "json")[1])
        return sum(document["reasons"].values())

    def typed(self) -> list[int]:
        return sorted(
            row["data"]["id"] for row in dataset(self.folder / "lake", URN).to_table(columns=["data"]).to_pylist()
        )

    def _declare(self, schema: dict[str, Any]) -> None:
        data = {"type": "object", "properties": {"id": schema}}
        message = {"urn": URN, "kind": "event", "queue": "killed", "data": data}
        (self.folder / "registry" / "orders" / "created.yaml").write_text(json.dumps(message))


def start(broker: BrokerQueues) -> subprocess.Popen[str]:
    words = ["redrive", "--broker", broker.url, "--from", "lake:lake", "--to", "killed"]
    command = [sys.executable, "-m", "babelreg", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not done():
        if time.monotonic() > end:
            raise TimeoutError("nothing was sent")
        time.sleep(0.002)


def killed_at_random(broker: BrokerQueues, lake: Lake, kills: int) -> None:
    """Kill runs, each while it sends a batch or writes it to the lake; then let one end."""
    chance = random.Random(kills)
    killed = while_sending = 0
    while killed < kills:
        lake.quarantine(A_RUN)
        before = broker.count("killed")
        process = start(broker)
        wait_until(lambda: broker.count("killed") > before or process.poll() is not None)  # noqa: B023
        time.sleep(chance.random() * LONGEST_SECONDS)
        running = process.poll() is None
        process.kill()
        _, err = process.communicate()
        assert running or process.returncode == 0, err
        killed += running
        while_sending += running and broker.count("killed") - before < BATCH
    last = start(broker)
    out, err = last.communicate(timeout=300)
    assert last.returncode == 0, err
    sent_ids = Counter(json.loads(body)["meta"]["id"] for body in broker.bodies("killed"))
    twice = sent_ids.total() - len(sent_ids)
    expected = {number for number in range(lake.count) if number % 20}
    assert sent_ids.keys() == {f"m{number}" for number in expected}
    assert set(broker.bodies("killed")) == {lake.message(number) for number in expected}  # the same bytes each time
    assert twice <= killed * BATCH
    assert lake.typed() == [100 + number for number in sorted(expected)]
    assert lake.quarantined() == lake.count - len(expected)
    assert start(broker).communicate(timeout=300)[0].startswith("lake:lake: sent no dead letter")
    print(
        f"\n{broker.kind}: {lake.count} quarantined, {killed} kills, {while_sending} of them in the middle of a batch, "
        f"{twice} sent again; {out.splitlines()[0]}"
    )


@pytest.fixture
def lake(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Lake:
    monkeypatch.chdir(tmp_path)
    return Lake(tmp_path, run)


@pytest.mark.redis
def test_nothing_of_a_lake_is_lost_when_it_is_killed(lake: Lake, request: pytest.FixtureRequest) -> None:
    killed_at_random(opened("redis", request.getfixturevalue("redis"), "killed"), lake, kills=1)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["redis", "rabbitmq", "kafka"])
def test_nothing_of_a_lake_is_lost_over_many_kills(kind: str, lake: Lake, request: pytest.FixtureRequest) -> None:
    killed_at_random(opened(kind, request.getfixturevalue(kind), "killed"), lake, kills=30)
