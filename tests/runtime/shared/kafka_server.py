"""A Kafka of one's own: one node in KRaft mode on free loopback ports, gone at the end with all it kept.

Its jars (Apache License 2.0) are never downloaded by a test: ``python tests/runtime/shared/fetch_kafka.py FOLDER``
does that, and ``BABELREG_KAFKA`` names the folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from server import Server, free_port, listens, scratch

__all__ = ["missing", "running"]

_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
num.partitions=2
"""


def missing() -> str:
    """What keeps Kafka from being started here; empty when nothing does."""
    named = os.environ.get("BABELREG_KAFKA")
    if not named:
        return "BABELREG_KAFKA names no folder with Kafka's jars: tests/runtime/shared/fetch_kafka.py fetches them"
    if not list(Path(named).glob("kafka_2.13-*.jar")):
        return f"BABELREG_KAFKA: there is no kafka_2.13-*.jar in {named}"
    return "" if shutil.which("java") else "no java"


@contextmanager
def running() -> Iterator[Server]:
    """A broker with nothing in it. Topics come into being with two partitions when they are first written to."""
    jars = f"{os.environ['BABELREG_KAFKA']}/*"
    port, controller = free_port(), free_port()
    with scratch() as folder:
        properties = Path(folder, "server.properties")
        properties.write_text(_PROPERTIES.format(port=port, controller=controller, folder=folder))
        java = ["java", "-Xmx512m", "-cp", jars]
        tool = [*java, "kafka.tools.StorageTool", "format", "-t", "AAAAAAAAQACAAAAAAAAAAA", "-c", str(properties)]
        subprocess.run(tool, check=True, capture_output=True, timeout=120)
        command = [*java, "kafka.Kafka", str(properties)]
        server = Server(f"kafka://127.0.0.1:{port}", command, Path(folder, "kafka.log"), partial(listens, port), 60)
        try:
            server.start()
            yield server
        finally:
            server.crash()
