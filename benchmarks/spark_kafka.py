"""What a message costs that comes from Kafka, beside one that comes from a file: both streamed into Delta tables.

    python benchmarks/spark_kafka.py [--messages N] [--rounds N] [--writers]

Broker and producer run in other processes, whose CPU time is not counted; that of the driver, Java and the workers is.
The same messages are in a topic of four partitions and in four files; each round reads them into new tables, in a warm
session, in turns. The ratio is of CPU time; that of wall time stands beside it. The bar: 1.25. The jars come from Maven
Central, once.

``--writers`` compares the two writers of a stream from Kafka into a local folder instead: Spark's over the direct one
(``direct_tables``). Where the ratio is above 1.5, the direct one stays (docs/decisions/direct-writer.md).
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "shared")]

import jars  # noqa: E402
import kafka_server  # noqa: E402
import machine  # noqa: E402
import spark_messages  # noqa: E402
from spark_cost import Cost, measured  # noqa: E402

from babelreg import load  # noqa: E402
from babelreg.spark.platform.formats.direct_tables import DirectTables  # noqa: E402
from babelreg.spark.platform.stream import spark_jars, stream, stream_settings  # noqa: E402
from babelreg.spark.session import local  # noqa: E402

BAR, KEEPS = 1.25, 1.5
TOPIC, WARM = "messages", "warm"
PARTITIONS = 4


def main() -> int:
    """Measures in a process of its own, beside the broker; returns 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--writers", action="store_true", help="compare Spark's writer with the direct one")
    parser.add_argument("--broker", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.broker:
        return _measure(args.broker, args.folder, args.rounds, writers=args.writers)
    print(machine.described())
    with tempfile.TemporaryDirectory(prefix="spark-kafka-") as name, kafka_server.running() as broker:
        folder = Path(name)
        spark_messages.write_registry(folder / "registry")
        for topic, count in ((TOPIC, args.messages), (WARM, 10_000)):
            spark_messages.write_input(folder / topic, count, files=PARTITIONS)
            kafka_server.create(broker, topic, PARTITIONS)
            for partition, file in enumerate(sorted((folder / topic).iterdir())):
                kafka_server.produce(broker, topic, filter(None, file.read_bytes().split(b"\n")), partition=partition)
        inner = [sys.executable, __file__, "--broker", broker.url, "--folder", name, "--rounds", str(args.rounds)]
        return subprocess.run([*inner, *(["--writers"] * args.writers)], check=False).returncode


def _measure(broker: str, folder: Path, rounds: int, *, writers: bool) -> int:
    registry = load.registry(folder / "registry")
    files = ",".join(map(str, jars.paths("kafka", "delta")))
    session = local.start(settings={**spark_jars.settings("delta", "/"), "spark.jars": files})

    def read(source: str, name: str) -> Cost:
        settings = stream_settings(source, "delta", str(folder / name), str(folder / f"{name}-checkpoint"))
        cost = measured(partial(stream, session, registry, settings))
        print(f"  {name:16} {cost} {machine.beside(cost.cpu, processor=True)}", flush=True)
        return cost

    read(f"{broker}/{WARM}", "kafka-warm")
    read(str(folder / WARM), "files-warm")
    cpu, wall = [], []
    for number in range(rounds):
        if writers:
            below = read(f"{broker}/{TOPIC}", f"direct-{number}")
            with mock.patch.object(DirectTables, "of", return_value=None):
                above = read(f"{broker}/{TOPIC}", f"spark-{number}")
        else:
            above = read(f"{broker}/{TOPIC}", f"kafka-{number}")
            below = read(str(folder / TOPIC), f"files-{number}")
        cpu.append(above.cpu / below.cpu)
        wall.append(above.wall / below.wall)
    ratio, bar = statistics.median(cpu), KEEPS if writers else BAR
    names = "Spark's writer / direct" if writers else "Kafka / files"
    print(f"{names}: {ratio:.2f} of CPU, {statistics.median(wall):.2f} of wall time ({'' if writers else 'bar '}{bar})")
    session.stop()
    return int(ratio > bar and not writers)


if __name__ == "__main__":
    sys.exit(main())
