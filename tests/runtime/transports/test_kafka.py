"""The runtime on a real broker: Apache Kafka on loopback, from Maven's jars."""

from __future__ import annotations

from pathlib import Path

import orders_run
import pytest
from server import Server


@pytest.mark.long
def test_ten_thousand_messages_while_workers_are_killed_and_kafka_crashes(kafka: Server, tmp_path: Path) -> None:
    orders_run.run(kafka, tmp_path, 10_000, kill_every=320, crashes=2, seconds=2400)
